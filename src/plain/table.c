/* SPDX-License-Identifier: Apache-2.0 */
/* The table of records: made, checked, listed. */
#include "client/arguments.h"
#include "client/ledger_call.h"
#include "plain/plain.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static os_code table_ask(os_client *client, enum ledger_verb verb, const os_call *call, os_error *err)
{
    struct ledger_call ledger_call = {.request = {.verb = verb}};
    return ledger_code_of(ledger_call_run(&ledger_call, client, call, err), err);
}

static os_code table_create_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_arguments *arguments = context;
    return table_ask(client, LEDGER_CREATE_TABLE, arguments->call, err);
}

static os_code table_check_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_arguments *arguments = context;
    return table_ask(client, LEDGER_CHECK_TABLE, arguments->call, err);
}

os_code plain_table_create(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, table_create_perform, arguments, err);
}

os_code plain_table_check(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, table_check_perform, arguments, err);
}

/* ------------------------------------------------------------------------------------------------ list */

static int64_t table_clamped(uint64_t time_s)
{
    return time_s > INT64_MAX ? INT64_MAX : (int64_t)time_s;
}

/* T4, and the prefix of the store's URL. NULL: it does not begin so. */
static const char *key_of(const os_client *client, const char *path)
{
    const char *prefixes[] = {client->settings.record_prefix, client->settings.prefix};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t length = prefixes[i] ? strlen(prefixes[i]) : 0;
        if (length > 0 && strncmp(path, prefixes[i], length) != 0)
            return NULL;
        path += length;
    }
    return path[0] ? path : NULL;
}

/* T5. */
static int64_t table_since(const os_client *client, const struct record *record)
{
    const struct guard_settings *guard = &client->settings.guard;
    uint64_t lifetime_s = record_ttl(0, guard->ttl_s, record->timeout_ms, guard->max_clock_skew_rate);
    return record->ttl_s > lifetime_s ? table_clamped(record->ttl_s - lifetime_s) : 0;
}

static os_code table_give_rows(const os_client *client, const struct kept_rows *rows,
                               const struct plain_arguments *arguments, os_error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct kept_row *row = &rows->list[i];
        os_record record = OS_RECORD_INIT;
        record.path = row->path;
        record.etag = row->etag;
        record.other = row->other;
        record.upload = row->upload;
        record.bucket = row->bucket;
        record.nonce = "";
        record.saw = "";
        record.unreadable = row->fault;
        record.key = key_of(client, row->path);
        if (row->readable) {
            record.generation = row->record.generation;
            record.timeout_ms = row->record.timeout_ms;
            record.ttl_s = table_clamped(row->record.ttl_s);
            record.since_s = table_since(client, &row->record);
            record.has_fence = row->record.has_fence;
            record.fence_s = table_clamped(row->record.fence_s);
            record.nonce = row->record.nonce;
            record.saw = row->record.saw;
        }
        if (arguments->each_record(arguments->each_context, &record) != 0)
            return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    }
    return OS_OK;
}

static os_code table_list_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_arguments *arguments = context;
    struct kept_rows rows = {0};
    char *path = NULL;
    os_code code = client_record_path_of(client, arguments->key, &path, err);
    if (code == OS_OK && arguments->each_record == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_table_list needs a callback that receives the records.");
    if (code == OS_OK)
        code = ledger_rows_read(client, path, arguments->call, &rows, err);
    if (code == OS_OK)
        code = table_give_rows(client, &rows, arguments, err);
    ledger_rows_free(&rows);
    free(path);
    return code;
}

os_code plain_table_list(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, table_list_perform, arguments, err);
}
