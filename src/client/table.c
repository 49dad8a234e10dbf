/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the table of records. */
#include "client/call.h"
#include "client/ledger_call.h"
#include "client/plain.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static os_code simple(os_client *client, enum ledger_verb verb, const os_call *call, os_error *err)
{
    struct ledger_call ledger_call = {.request = {.verb = verb}};
    os_error own;
    error_clear(&own);
    client_enter(client);
    os_code code = ledger_code_of(ledger_call_run(&ledger_call, client, call, &own), &own);
    client_leave(client);
    if (err)
        *err = own;
    return code;
}

os_code os_table_create(os_client *client, const os_call *call, os_error *err)
{
    return simple(client, LEDGER_CREATE_TABLE, call, err);
}

os_code os_table_check(os_client *client, const os_call *call, os_error *err)
{
    return simple(client, LEDGER_CHECK_TABLE, call, err);
}

/* ------------------------------------------------------------------------------------------------ list */

static os_code give_rows(const struct kept_rows *rows, os_record_fn each, void *context, os_error *err)
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
        if (row->readable) {
            record.generation = row->record.generation;
            record.timeout_ms = row->record.timeout_ms;
            record.ttl_s = (int64_t)row->record.ttl_s;
            record.has_fence = row->record.has_fence;
            record.fence_s = (int64_t)row->record.fence_s;
            record.nonce = row->record.nonce;
            record.saw = row->record.saw;
        }
        if (each(context, &record) != 0)
            return error_set(err, OS_ERR_STOPPED, "The list was stopped by its caller.");
    }
    return OS_OK;
}

/* The record's path of a caller's key; NULL key: the whole table. */
static os_code record_path(const os_client *client, const char *key, char **ret, os_error *err)
{
    if (key == NULL)
        return OS_OK;
    char *whole = NULL;
    os_code code = client_object_key(client, key, &whole, err);
    if (code != OS_OK)
        return code;
    *ret = client_record_path(client, whole);
    free(whole);
    return *ret ? OS_OK : error_no_memory(err);
}

os_code os_table_list(os_client *client, const char *key, const os_call *call, os_record_fn each, void *context,
                      os_error *err)
{
    struct kept_rows rows = {0};
    char *path = NULL;
    os_error own;
    error_clear(&own);
    client_enter(client);
    os_code code = record_path(client, key, &path, &own);
    if (code == OS_OK && each == NULL)
        code = error_set(&own, OS_ERR_ARGUMENT, "os_table_list was given no function to tell of the records.");
    if (code == OS_OK)
        code = ledger_rows_read(client, path, call, &rows, &own);
    if (code == OS_OK)
        code = give_rows(&rows, each, context, &own);
    if (err)
        *err = own;
    ledger_rows_free(&rows);
    free(path);
    client_leave(client);
    return code;
}

/* ------------------------------------------------------------------------------------------------ release */

struct release_wish {
    os_client *client;
    const os_call *call;
    const char *key; /* as the caller wrote it, for sentences */
    const char *path;
    const char *etag;
    bool force;
};

/* ret_upload: RECORD_UPLOAD_SIZE bytes. */
static os_code read_record(const struct release_wish *wish, struct record *ret, char *ret_upload, os_error *err)
{
    struct ledger_call get = {.request = {.verb = LEDGER_GET, .path = wish->path, .etag = wish->etag}};
    os_code code = ledger_code_of(ledger_call_run(&get, wish->client, wish->call, err), err);
    if (code == OS_OK && !get.answer.found)
        return error_set(err, OS_ERR_NOT_FOUND, "There is no record of %.300s under %s.", wish->key, wish->etag);
    *ret = get.answer.record;
    strcpy(ret_upload, get.answer.upload);
    return code;
}

/* S3 time, from a HEAD of the object (whatever it says of it). */
static os_code store_time(const struct release_wish *wish, uint64_t *ret_s, os_error *err)
{
    os_code code = os_head(wish->client, wish->key, wish->call, NULL, err);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return code;
    return client_store_time(wish->client, ret_s, err);
}

static os_code check_holder(const struct release_wish *wish, const struct record *record, uint64_t date_s,
                            os_error *err)
{
    uint64_t margin_s = wish->client->settings.guard.margin_s;
    if (wish->force || (record->has_fence && date_s > margin_s && date_s - margin_s > record->fence_s))
        return OS_OK;
    if (record->has_fence)
        return error_set(
            err, OS_ERR_BUSY,
            "The holder of the record of %.300s may still write until S3 time %llu (it is %llu now); other "
            "writers take it over then by themselves.",
            wish->key, (unsigned long long)(record->fence_s + margin_s), (unsigned long long)date_s);
    return error_set(
        err, OS_ERR_BUSY,
        "The record of %.300s has no fence, so its holder may still write; other writers take it over after "
        "%llu ms. Release it by force only when the holder is known to be dead.",
        wish->key,
        (unsigned long long)record_bound_ms(record->timeout_ms, wish->client->settings.guard.max_clock_skew_rate));
}

/* R14: the store may still be at a Complete that only its fence calls lost. Whoever takes over aborts the upload first;
 * a released record names none any more. */
static os_code check_upload(const struct release_wish *wish, const char *upload, os_error *err)
{
    os_error failure;
    if (wish->force || upload[0] == '\0')
        return OS_OK;
    if (!wish->client->store->has_uploads)
        return error_set(
            err, OS_ERR_BUSY,
            "The record of %.300s names an upload, and whether that is open cannot be asked over signature "
            "V2. Release it by force only when the upload is known to be gone.",
            wish->key);
    char *object_key = NULL;
    os_code code = client_object_key(wish->client, wish->key, &object_key, &failure);
    if (code == OS_OK)
        code = plain_upload_state(wish->client, object_key, upload, wish->call, &failure);
    free(object_key);
    if (code == OS_OK)
        return error_set(
            err, OS_ERR_BUSY,
            "The record of %.300s names an upload that is still open, and that its holder may have asked the "
            "store to complete; other writers abort it and take over by themselves.",
            wish->key);
    if (code == OS_ERR_NOT_FOUND)
        return OS_OK;
    *err = failure;
    return code;
}

static os_code write_release(const struct release_wish *wish, const struct record *seen, uint64_t date_s, os_error *err)
{
    const struct guard_settings *settings = &wish->client->settings.guard;
    struct record released;
    struct record_condition condition = {.kind = RECORD_IF_SEEN};
    if (seen->generation == UINT64_MAX)
        return error_set(err, OS_ERR_TABLE, "The record of %.300s has the last possible generation.", wish->key);
    record_copy(&condition.seen, seen);
    record_released(seen, record_ttl(date_s, settings->ttl_s, seen->timeout_ms, settings->max_clock_skew_rate),
                    &released);
    struct ledger_call put = {
        .request = {
            .verb = LEDGER_PUT, .path = wish->path, .etag = wish->etag, .record = &released, .condition = &condition}};
    enum ledger_outcome outcome = ledger_call_run(&put, wish->client, wish->call, err);
    if (outcome == LEDGER_CONFLICT || outcome == LEDGER_CONFLICT_BLIND)
        return error_set(err, OS_ERR_BUSY,
                         "The record of %.300s was changed meanwhile: somebody is at work on it. Nothing was released.",
                         wish->key);
    return ledger_code_of(outcome, err);
}

static os_code release(const struct release_wish *wish, os_error *err)
{
    struct record seen;
    char upload[RECORD_UPLOAD_SIZE] = "";
    uint64_t date_s = 0;
    os_code code = read_record(wish, &seen, upload, err);
    if (code == OS_OK && seen.timeout_ms == 0)
        return OS_OK; /* released already */
    if (code == OS_OK)
        code = store_time(wish, &date_s, err);
    if (code == OS_OK)
        code = check_holder(wish, &seen, date_s, err);
    if (code == OS_OK)
        code = check_upload(wish, upload, err);
    return code == OS_OK ? write_release(wish, &seen, date_s, err) : code;
}

os_code os_table_release(os_client *client, const char *key, const char *etag, int force, const os_call *call,
                         os_error *err)
{
    char normal[VERSION_ETAG_SIZE] = RECORD_ETAG_CREATE;
    char *path = NULL;
    os_error own;
    error_clear(&own);
    client_enter(client);
    os_code code = OS_OK;
    if (etag && strcmp(etag, RECORD_ETAG_CREATE) != 0)
        code = call_etag(etag, normal, &own);
    if (code == OS_OK && key == NULL)
        code = error_set(&own, OS_ERR_ARGUMENT, "The key whose record is to be released is missing.");
    if (code == OS_OK)
        code = record_path(client, key, &path, &own);
    struct release_wish wish = {
        .client = client, .call = call, .key = key, .path = path, .etag = normal, .force = force != 0};
    if (code == OS_OK)
        code = release(&wish, &own);
    if (code == OS_OK)
        error_clear(&own);
    if (err)
        *err = own;
    free(path);
    client_leave(client);
    return code;
}
