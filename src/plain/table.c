/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of records: made, checked, listed. Such a call takes a thread until its end, for the sake of simplicity: there are
 * few of them.
 */
#include "client/ledger_call.h"
#include "plain/call.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum steps_next plain_table_block(struct plain *plain, plain_step_fn step)
{
    os_code code = plain_take_call(plain);
    return code == OS_OK ? plain_block(plain, step) : plain_over(plain, code);
}

static os_code table_ask(os_client *client, enum ledger_verb verb, const os_call *call, os_error *err)
{
    struct ledger_call ledger_call = {.request = {.verb = verb}};
    return ledger_code_of(ledger_call_run(&ledger_call, client, call, err), err);
}

static enum steps_next table_create(struct plain *plain)
{
    plain_take_time(plain);
    return plain_over(plain, table_ask(plain->client, LEDGER_CREATE_TABLE, &plain->call, &plain->error));
}

static enum steps_next table_check(struct plain *plain)
{
    plain_take_time(plain);
    return plain_over(plain, table_ask(plain->client, LEDGER_CHECK_TABLE, &plain->call, &plain->error));
}

enum steps_next plain_table_create(struct plain *plain)
{
    return plain_table_block(plain, table_create);
}

enum steps_next plain_table_check(struct plain *plain)
{
    return plain_table_block(plain, table_check);
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

static os_code table_list_rows(struct plain *plain)
{
    os_client *client = plain->client;
    const struct plain_arguments *arguments = plain->arguments;
    os_error *err = &plain->error;
    struct kept_rows rows = {0};
    char *path = NULL;
    os_code code = client_record_path_of(client, arguments->key, &path, err);
    if (code == OS_OK && arguments->each_record == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_table_list needs a callback that receives the records.");
    if (code == OS_OK)
        code = ledger_rows_read(client, path, &plain->call, &rows, err);
    if (code == OS_OK)
        code = table_give_rows(client, &rows, arguments, err);
    ledger_rows_free(&rows);
    free(path);
    return code;
}

static enum steps_next table_list(struct plain *plain)
{
    plain_take_time(plain);
    return plain_over(plain, table_list_rows(plain));
}

enum steps_next plain_table_list(struct plain *plain)
{
    return plain_table_block(plain, table_list);
}
