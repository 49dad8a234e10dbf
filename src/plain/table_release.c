/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record is handed over by a person (T3), or an item that is none and so in everybody's way is replaced by one. On
 * the condition that it is what was seen; nothing is deleted.
 */
#include "client/arguments.h"
#include "client/ledger_call.h"
#include "client/store_call.h"
#include "plain/call.h"

#include "base/error.h"
#include "base/human.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { FENCE_MOST_S = 2 * 86400, TTL_MOST_S = 400 * 86400 };

struct release_params {
    os_client *client;
    const os_call *call;
    const char *key; /* as the caller wrote it, for sentences */
    const char *path;
    const char *etag;
    bool force;
};

/* S3 time, from a HEAD of the object (whatever it says of it). */
static os_code store_time(const struct release_params *params, uint64_t *ret_s, os_error *err)
{
    const struct plain_arguments head = {.key = params->key, .call = params->call};
    os_code code = plain_call(params->client, &head, plain_head, err);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return code;
    return client_store_time(params->client, ret_s, err);
}

/* ------------------------------------------------------------------------------------------------ who holds it */

/* No fence lies further ahead: length, allowance and margin are a minute, a day and an hour at most. */
static bool is_possible_fence(uint64_t fence_s, uint64_t date_s)
{
    return fence_s < date_s || fence_s - date_s <= FENCE_MOST_S;
}

static os_code refuse_fenced(const struct release_params *params, uint64_t fence_s, uint64_t date_s, os_error *err)
{
    uint64_t margin_s = params->client->settings.guard.margin_s;
    char until[HUMAN_SIZE];
    char left[HUMAN_SIZE];
    if (!is_possible_fence(fence_s, date_s)) {
        human_time(fence_s, until);
        return error_set(err, OS_ERR_BUSY,
                         "The record of %.300s (etag %.100s) has a fence that no writer of this protocol writes: %s. "
                         "Nobody will take it over. When no writer of this key is running, release it by force.",
                         params->key, params->etag, until);
    }
    human_time(fence_s + margin_s, until);
    human_span((fence_s + margin_s >= date_s ? fence_s + margin_s - date_s + 1 : 1) * 1000, left);
    return error_set(err, OS_ERR_BUSY,
                     "The holder of the record of %.300s (etag %.100s) may still write for %s, until %s by the store's "
                     "clock. After that other writers take the record over by themselves.",
                     params->key, params->etag, left, until);
}

static os_code check_holder(const struct release_params *params, const struct record *record, uint64_t date_s,
                            os_error *err)
{
    const struct guard_settings *settings = &params->client->settings.guard;
    uint64_t margin_s = settings->margin_s;
    if (params->force || (record->has_fence && date_s > margin_s && date_s - margin_s > record->fence_s))
        return OS_OK;
    if (record->has_fence)
        return refuse_fenced(params, record->fence_s, date_s, err);
    char bound[HUMAN_SIZE];
    human_span(record_bound_ms(record->timeout_ms, settings->max_clock_skew_rate), bound);
    return error_set(
        err, OS_ERR_BUSY,
        "The record of %.300s (etag %.100s) has no fence, so its holder may still write. Other writers take the record "
        "over after waiting %s. Release it by force only if the holder is known to be dead.",
        params->key, params->etag, bound);
}

/* R14: the store may still be at a Complete that only its fence calls lost. Whoever takes over aborts the upload first;
 * a released record names none any more. */
static os_code table_release_check_upload(const struct release_params *params, const char *upload, os_error *err)
{
    os_error failure;
    if (params->force || upload[0] == '\0')
        return OS_OK;
    if (!params->client->store->has_uploads)
        return error_set(err, OS_ERR_BUSY,
                         "The record of %.300s names an upload, and signature V2 cannot ask whether that is open. "
                         "Release it by force only if the upload is known to be gone.",
                         params->key);
    char *object_key = NULL;
    os_code code = client_object_key(params->client, params->key, &object_key, &failure);
    if (code == OS_OK)
        code = store_call_upload_state(params->client, object_key, upload, params->call, &failure);
    free(object_key);
    if (code == OS_OK)
        return error_set(
            err, OS_ERR_BUSY,
            "The record of %.300s names an upload that is still open, and its holder may have asked the store to "
            "complete it. Other writers abort that upload and take the record over by themselves.",
            params->key);
    if (code == OS_ERR_NOT_FOUND)
        return OS_OK;
    error_set(err, code,
              "The store did not say whether the upload that the record of %.300s (etag %.100s) names is open: %.400s "
              "Release the record by force only if the upload is known to be gone.",
              params->key, params->etag, failure.message);
    error_service(err, failure.http_status, failure.service_code, failure.request_id);
    return code;
}

/* ------------------------------------------------------------------------------------------------ handing over */

static os_code table_release_changed(const struct release_params *params, os_error *err)
{
    return error_set(err, OS_ERR_BUSY,
                     "The record of %.300s (etag %.100s) was changed or removed meanwhile. Nothing was released.",
                     params->key, params->etag);
}

/* T2. */
static os_code new_generation(uint64_t *ret, os_error *err)
{
    if (!random_bytes(ret, sizeof(*ret)))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes for a new generation; try again.");
    *ret >>= 16;
    return OS_OK;
}

static uint64_t fresh_ttl(const struct release_params *params, uint64_t date_s, uint64_t timeout_ms)
{
    const struct guard_settings *settings = &params->client->settings.guard;
    return record_ttl(date_s, settings->ttl_s, timeout_ms, settings->max_clock_skew_rate);
}

/* T3, but the last possible generation is followed by one that nobody can have seen. */
static os_code write_release(const struct release_params *params, const struct record *seen, uint64_t date_s,
                             os_error *err)
{
    uint64_t longest_ms = (uint64_t)FENCE_MOST_S * 1000;
    uint64_t timeout_ms = seen->timeout_ms < longest_ms ? seen->timeout_ms : longest_ms;
    struct record released;
    struct record_condition condition = {.kind = RECORD_IF_SEEN};
    record_copy(&condition.seen, seen);
    record_released(seen, fresh_ttl(params, date_s, timeout_ms), &released);
    os_code code = seen->generation == UINT64_MAX ? new_generation(&released.generation, err) : OS_OK;
    if (code != OS_OK)
        return code;
    struct ledger_call put = {.request = {.verb = LEDGER_PUT,
                                          .path = params->path,
                                          .etag = params->etag,
                                          .record = &released,
                                          .condition = &condition}};
    enum ledger_outcome outcome = ledger_call_run(&put, params->client, params->call, err);
    if (outcome == LEDGER_CONFLICT || outcome == LEDGER_CONFLICT_BLIND)
        return table_release_changed(params, err);
    return ledger_code_of(outcome, err);
}

/* An item that is no record says nothing that could be kept, and what others make of one without a nonce is on the safe
 * side: it counts as a peer's. */
static os_code table_release_fix(const struct release_params *params, os_error *err)
{
    struct record record;
    uint64_t date_s = 0;
    memset(&record, 0, sizeof(record));
    os_code code = store_time(params, &date_s, err);
    if (code == OS_OK)
        code = new_generation(&record.generation, err);
    if (code != OS_OK)
        return code;
    record.ttl_s = fresh_ttl(params, date_s, params->client->settings.guard.timeout_ms);
    struct ledger_call put = {
        .request = {.verb = LEDGER_FIX, .path = params->path, .etag = params->etag, .record = &record}};
    enum ledger_outcome outcome = ledger_call_run(&put, params->client, params->call, err);
    bool is_other = outcome == LEDGER_CONFLICT || outcome == LEDGER_CONFLICT_BLIND || outcome == LEDGER_UNREADABLE;
    return is_other ? table_release_changed(params, err) : ledger_code_of(outcome, err);
}

static os_code release_seen(const struct release_params *params, const struct ledger_answer *seen, os_error *err)
{
    uint64_t date_s = 0;
    bool released = seen->record.timeout_ms == 0;
    if (released && !params->force)
        return OS_OK;
    os_code code = store_time(params, &date_s, err);
    bool ends = seen->record.ttl_s <= date_s || seen->record.ttl_s - date_s <= TTL_MOST_S;
    if (code == OS_OK && released && ends)
        return OS_OK; /* one whose ttl never comes gets another */
    if (code == OS_OK && !released)
        code = check_holder(params, &seen->record, date_s, err);
    if (code == OS_OK && !released)
        code = table_release_check_upload(params, seen->upload, err);
    return code == OS_OK ? write_release(params, &seen->record, date_s, err) : code;
}

static os_code table_release_record(const struct release_params *params, os_error *err)
{
    struct ledger_call get = {.request = {.verb = LEDGER_GET, .path = params->path, .etag = params->etag}};
    enum ledger_outcome outcome = ledger_call_run(&get, params->client, params->call, err);
    if (outcome == LEDGER_UNREADABLE && params->force)
        return table_release_fix(params, err);
    if (outcome != LEDGER_OK)
        return ledger_code_of(outcome, err);
    if (!get.answer.found)
        return error_set(err, OS_ERR_NOT_FOUND, "There is no record of %.300s under %s.", params->key, params->etag);
    return release_seen(params, &get.answer, err);
}

static os_code table_release_checked(struct plain *plain)
{
    os_client *client = plain->client;
    const struct plain_arguments *arguments = plain->arguments;
    os_error *err = &plain->error;
    char normal[VERSION_ETAG_SIZE] = RECORD_ETAG_CREATE;
    char *path = NULL;
    os_code code = OS_OK;
    if (arguments->etag && strcmp(arguments->etag, RECORD_ETAG_CREATE) != 0)
        code = arguments_etag(arguments->etag, normal, err);
    if (code == OS_OK && arguments->key == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "The key is missing; name the object whose record is to be released.");
    if (code == OS_OK)
        code = client_record_path_of(client, arguments->key, &path, err);
    const struct release_params params = {.client = client,
                                          .call = &plain->call,
                                          .key = arguments->key,
                                          .path = path,
                                          .etag = normal,
                                          .force = arguments->force};
    if (code == OS_OK)
        code = table_release_record(&params, err);
    free(path);
    return code;
}

static enum steps_next table_release(struct plain *plain)
{
    plain_take_time(plain);
    return plain_over(plain, table_release_checked(plain));
}

enum steps_next plain_table_release(struct plain *plain)
{
    return plain_table_block(plain, table_release);
}
