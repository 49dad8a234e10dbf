/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the table of records. */
#include "client/call.h"
#include "client/cancel.h"

#include "base/error.h"
#include "commit/backoff.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ one request */

struct ledger_call {
    struct sync sync;
    os_client *client;
    struct ledger_request request;
    os_call call;
    struct ledger_op *op;
    struct loop_timer deadline_timer;
    struct cancel_link cancel_link;
    struct cancel_link closing_link;
    struct clock_reading sent;
    struct loop_timer again_timer;
    struct backoff backoff;
    bool given; /* LIST: a row, so that beginning again would give it twice */
    struct ledger_answer answer;
};

static void finish(struct ledger_call *call)
{
    loop_timer_clear(call->client->loop, &call->deadline_timer);
    loop_timer_clear(call->client->loop, &call->again_timer);
    cancel_unlink(&call->cancel_link);
    cancel_unlink(&call->closing_link);
    sync_finish(&call->sync);
}

static void done(void *context, const struct ledger_answer *answer)
{
    struct ledger_call *call = context;
    call->op = NULL;
    call->answer = *answer;
    if (answer->outcome == LEDGER_THROTTLED && answer->error.code == OS_ERR_THROTTLED && !call->given) { /* E1 */
        loop_timer_set(call->client->loop, &call->again_timer, backoff_next_ms(&call->backoff));
        return;
    }
    client_note_request(call->client, "table", "", &call->sent, answer->error.http_status, answer->error.code);
    finish(call);
}

static void stop(struct ledger_call *call, os_code code, const char *why)
{
    if (call->op)
        call->client->ledger->vtable->cancel(call->client->ledger, call->op);
    call->op = NULL;
    call->answer.outcome = LEDGER_AMBIGUOUS;
    os_error last = call->answer.error;
    bool trouble = last.code != OS_OK;
    error_set(&call->answer.error, code, "The request to the table was ended: %s.%s%.500s", why,
              trouble ? " Last trouble: " : "", trouble ? last.message : "");
    finish(call);
}

static void on_deadline(struct loop_timer *timer)
{
    stop((struct ledger_call *)((char *)timer - offsetof(struct ledger_call, deadline_timer)), OS_ERR_DEADLINE,
         "its deadline passed");
}

static void on_cancel(struct cancel_link *link)
{
    stop((struct ledger_call *)((char *)link - offsetof(struct ledger_call, cancel_link)), OS_ERR_CANCELLED,
         "it was cancelled");
}

static void on_closing(struct cancel_link *link)
{
    stop((struct ledger_call *)((char *)link - offsetof(struct ledger_call, closing_link)), OS_ERR_CANCELLED,
         "its client was closed");
}

static void send_call(struct ledger_call *call)
{
    struct ledger *ledger = call->client->ledger;
    clock_read(&call->sent);
    call->op = ledger->vtable->start(ledger, &call->request, done, call);
    if (call->op == NULL) {
        call->answer.outcome = LEDGER_REFUSED;
        error_no_memory(&call->answer.error);
        finish(call);
    }
}

static void on_again(struct loop_timer *timer)
{
    send_call((struct ledger_call *)((char *)timer - offsetof(struct ledger_call, again_timer)));
}

static void start(struct sync *sync)
{
    struct ledger_call *call = (struct ledger_call *)sync;
    clock_read(&call->sent);
    call->backoff.random = call->sent.realtime_ms;
    call->again_timer.fire = on_again;
    call->request.deadline_monotonic_ms = call->sent.monotonic_ms + call->call.deadline_ms;
    call->deadline_timer.fire = on_deadline;
    call->cancel_link.heard = on_cancel;
    call->closing_link.heard = on_closing;
    if (cancel_link(call->call.cancel, &call->cancel_link, call->client->loop) &&
        cancel_link(call->client->closing, &call->closing_link, call->client->loop)) {
        loop_timer_set(call->client->loop, &call->deadline_timer, call->call.deadline_ms);
        send_call(call);
        return;
    }
    call->answer.outcome = LEDGER_REFUSED;
    error_no_memory(&call->answer.error);
    finish(call);
}

/* Gives what the ledger said; *err is filled for every outcome but OK and the conflicts. */
static enum ledger_outcome ledger_call_run(struct ledger_call *ledger_call, os_client *client, const os_call *call,
                                           os_error *err)
{
    if (client->ledger == NULL) {
        error_set(err, OS_ERR_CONFIG,
                  "The client has no ledger: set ledger_url to dynamodb://TABLE or sqlite:///FILE.");
        return LEDGER_REFUSED;
    }
    ledger_call->client = client;
    ledger_call->sync.start = start;
    if (call_take(call, &ledger_call->call, err) != OS_OK || sync_run(client, &ledger_call->sync, err) != OS_OK)
        return LEDGER_REFUSED;
    if (ledger_call->answer.outcome != LEDGER_OK && err)
        *err = ledger_call->answer.error;
    return ledger_call->answer.outcome;
}

static os_code code_of(enum ledger_outcome outcome, os_error *err)
{
    if (outcome == LEDGER_OK)
        return OS_OK;
    return err->code != OS_OK ? err->code : OS_ERR_SERVICE;
}

static os_code simple(os_client *client, enum ledger_verb verb, const os_call *call, os_error *err)
{
    struct ledger_call ledger_call = {.request = {.verb = verb}};
    os_error own;
    error_clear(&own);
    client_enter(client);
    os_code code = code_of(ledger_call_run(&ledger_call, client, call, &own), &own);
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

struct kept_row {
    char *path;
    char *etag;
    char *other;
    char *upload;
    bool readable;
    struct record record;
};

struct kept_rows {
    struct kept_row *list;
    size_t count;
    size_t cap;
    struct ledger_call *call;
    bool failed;
};

static bool grow(struct kept_rows *rows)
{
    if (rows->count < rows->cap)
        return true;
    size_t cap = rows->cap ? rows->cap * 2 : 64;
    struct kept_row *list = realloc(rows->list, cap * sizeof(*list));
    if (list == NULL)
        return false;
    rows->list = list;
    rows->cap = cap;
    return true;
}

static bool keep_row(void *context, const struct ledger_row *row)
{
    struct kept_rows *rows = context;
    rows->call->given = true;
    rows->failed = rows->failed || !grow(rows);
    if (rows->failed)
        return false;
    struct kept_row *kept = &rows->list[rows->count++];
    kept->path = strdup(row->path);
    kept->etag = strdup(row->etag);
    kept->other = strdup(row->other ? row->other : "{}");
    kept->upload = strdup(row->upload);
    kept->readable = row->readable;
    kept->record = row->record;
    rows->failed = kept->path == NULL || kept->etag == NULL || kept->other == NULL || kept->upload == NULL;
    return !rows->failed;
}

static void free_rows(struct kept_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->list[i].path);
        free(rows->list[i].etag);
        free(rows->list[i].other);
        free(rows->list[i].upload);
    }
    free(rows->list);
}

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
    struct ledger_call ledger_call = {
        .request = {.verb = LEDGER_LIST, .path = path, .each = keep_row, .each_context = &rows}};
    rows.call = &ledger_call;
    if (code == OS_OK)
        code = code_of(ledger_call_run(&ledger_call, client, call, &own), &own);
    if (rows.failed)
        code = error_no_memory(&own);
    if (code == OS_OK)
        code = give_rows(&rows, each, context, &own);
    if (err)
        *err = own;
    free_rows(&rows);
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

static os_code read_record(const struct release_wish *wish, struct record *ret, os_error *err)
{
    struct ledger_call get = {.request = {.verb = LEDGER_GET, .path = wish->path, .etag = wish->etag}};
    os_code code = code_of(ledger_call_run(&get, wish->client, wish->call, err), err);
    if (code == OS_OK && !get.answer.found)
        return error_set(err, OS_ERR_NOT_FOUND, "There is no record of %.300s under %s.", wish->key, wish->etag);
    *ret = get.answer.record;
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
    return code_of(outcome, err);
}

static os_code release(const struct release_wish *wish, os_error *err)
{
    struct record seen;
    uint64_t date_s = 0;
    os_code code = read_record(wish, &seen, err);
    if (code == OS_OK && seen.timeout_ms == 0)
        return OS_OK; /* released already */
    if (code == OS_OK)
        code = store_time(wish, &date_s, err);
    if (code == OS_OK)
        code = check_holder(wish, &seen, date_s, err);
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
