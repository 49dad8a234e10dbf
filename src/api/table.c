/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the table of records. */
#include "client/arguments.h"
#include "client/ledger_call.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static os_code table_request(os_client *client, enum ledger_verb verb, const os_call *call, os_error *err)
{
    struct ledger_call ledger_call = {.request = {.verb = verb}};
    os_error own;
    struct inside inside;
    error_clear(&own);
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = ledger_code_of(ledger_call_run(&ledger_call, client, call, &own), &own);
    client_leave(client, &inside);
    if (err)
        *err = own;
    return code;
}

os_code os_table_create(os_client *client, const os_call *call, os_error *err)
{
    return table_request(client, LEDGER_CREATE_TABLE, call, err);
}

os_code os_table_check(os_client *client, const os_call *call, os_error *err)
{
    return table_request(client, LEDGER_CHECK_TABLE, call, err);
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

static os_code table_give_rows(const os_client *client, const struct kept_rows *rows, os_record_fn each, void *context,
                               os_error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct kept_row *row = &rows->list[i];
        os_record record = OS_RECORD_INIT;
        record.path = row->path;
        record.etag = row->etag;
        record.other = row->other;
        record.upload = row->upload;
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
        if (each(context, &record) != 0)
            return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    }
    return OS_OK;
}

os_code os_table_list(os_client *client, const char *key, const os_call *call, os_record_fn each, void *context,
                      os_error *err)
{
    struct kept_rows rows = {0};
    char *path = NULL;
    os_error own;
    struct inside inside;
    error_clear(&own);
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = client_record_path_of(client, key, &path, &own);
    if (code == OS_OK && each == NULL)
        code = error_set(&own, OS_ERR_ARGUMENT, "os_table_list needs a callback that receives the records.");
    if (code == OS_OK)
        code = ledger_rows_read(client, path, call, &rows, &own);
    if (code == OS_OK)
        code = table_give_rows(client, &rows, each, context, &own);
    if (err)
        *err = own;
    ledger_rows_free(&rows);
    free(path);
    client_leave(client, &inside);
    return code;
}
