/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client finds out before its first guarded call: that the bucket is there (a HEAD of an object cannot tell),
 * the store's time, and whether the store refuses expired requests (E7). Calls that come meanwhile wait for it.
 */
#include "client/fence_check.h"

#include "base/container.h"
#include "base/error.h"
#include "store/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A client without fences stalls its contenders, and itself wherever an answer is lost: that one of the two HEADs went
 * unanswered, once or twice, is no reason to do without. PROBES_MOST and CHECK_PATIENCE_MS bound what the
 * first calls wait for. */
enum { CHECK_PATIENCE_MS = 10000, CHECK_AGAIN_MS = 5000, PROBES_MOST = 5 };

struct fence_check {
    os_client *client;
    struct fence_waiter *waiting; /* the eldest first */
    struct fence_waiter **behind; /* where the next one is linked in */
    char *key;
    bool is_nowhere; /* the key */
    struct store_request bucket_request;
    struct store_op *bucket_op;
    struct store_op *live_op;
    struct store_op *expired_op;
    int live_status; /* 0: no answer */
    int expired_status;
    uint32_t probes;
    uint32_t requests;  /* HEADs of the bucket */
    struct retry retry; /* begun to ask the bucket, and then, with the first pair, to probe */
    struct clock_reading sent;
    os_error last_error; /* of the bucket's HEAD */
};

static void check_free(struct fence_check *check)
{
    os_client *client = check->client;
    assert(client->fence_check == check);
    struct store *store = client->store;
    struct store_op *ops[] = {check->bucket_op, check->live_op, check->expired_op};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (ops[i])
            store->vtable->cancel(store, ops[i]);
    retry_stop(&check->retry);
    client->fence_check = NULL;
    free(check->key);
    free(check);
}

void fence_check_free(os_client *client)
{
    if (client->fence_check)
        check_free(client->fence_check);
}

/* All that wait go on: refused with `error`, or, if that is NULL, as they are. */
static void end_check(struct fence_check *check, const os_error *error)
{
    os_error why =
        error ? *error : (os_error){.code = OS_OK}; /* `error` may be of an answer that ends with this call */
    struct fence_waiter *waiter = check->waiting;
    uint32_t requests = check->requests;
    check_free(check);
    while (waiter) {
        struct fence_waiter *next = waiter->next;
        waiter->next = NULL;
        waiter->requests = requests;
        if (error)
            waiter->refused(waiter, &why);
        else
            waiter->ready(waiter);
        waiter = next;
    }
}

/* ------------------------------------------------------------------------------------------------ E7 */

static bool shows_object_or_none(int status)
{
    return (status >= 200 && status < 300) || status == 404;
}

/* Nothing was said of the request itself. */
static bool fence_check_is_passing(int status)
{
    return status == 0 || status == 429 || status == 500 || (status >= 502 && status <= 504);
}

static bool is_out_of_patience(const struct fence_check *check)
{
    return retry_elapsed_ms(&check->retry) > CHECK_PATIENCE_MS;
}

/* Not by a client that has gone without fences before: it asks now and then, and its calls wait for one pair. */
static bool may_probe_again(const struct fence_check *check)
{
    bool unanswered = fence_check_is_passing(check->live_status) || fence_check_is_passing(check->expired_status);
    return unanswered && !check->client->fences_unclear && check->probes < PROBES_MOST && !is_out_of_patience(check);
}

static bool take_key(struct fence_check *check, const struct fence_waiter *waiter)
{
    char *key = strdup(waiter->key);
    if (key == NULL)
        return false;
    free(check->key);
    check->key = key;
    check->is_nowhere = waiter->is_nowhere;
    return true;
}

/* Of a key that is nowhere, and denied: the others that wait know better ones. */
static bool take_better_key(struct fence_check *check)
{
    const struct fence_waiter *waiter = check->waiting;
    while (waiter && waiter->is_nowhere)
        waiter = waiter->next;
    return waiter && take_key(check, waiter);
}

static void fence_check_classify(struct fence_check *check)
{
    if (check->live_op || check->expired_op)
        return;
    os_client *client = check->client;
    bool live = shows_object_or_none(check->live_status);
    bool says_nothing = check->is_nowhere && !live && !fence_check_is_passing(check->live_status);
    if (may_probe_again(check) || (says_nothing && take_better_key(check))) {
        retry_later(&check->retry);
        return;
    }
    if (says_nothing) {
        end_check(check, NULL);
        return;
    }
    bool refused = check->expired_status == 400 || check->expired_status == 403;
    bool accepted = shows_object_or_none(check->expired_status);
    if (live && refused)
        client->fences = CLIENT_FENCES_YES;
    else if (live && accepted)
        client->fences = CLIENT_FENCES_NO;
    client->fences_unclear = client->fences == CLIENT_FENCES_UNKNOWN; /* denied, 5xx, no answer: asked again later */
    client->fences_probed = check->sent;
    bool yes = client->fences == CLIENT_FENCES_YES;
    log_line(&client->log, OS_LOG_INFO, "E7: a live presigned HEAD was answered %d, an expired one %d: records %s",
             check->live_status, check->expired_status,
             yes ? "carry fences"
                 : "carry no fences, so a dead writer's record blocks for timeout x max_clock_skew_rate");
    end_check(check, NULL);
}

static void live_done(void *context, const struct store_answer *answer)
{
    struct fence_check *check = context;
    check->live_op = NULL;
    check->live_status = answer->complete ? answer->status : 0;
    client_note_request(check->client, "HEAD", check->key, &check->sent, answer->status, answer->code);
    fence_check_classify(check);
}

static void expired_done(void *context, const struct store_answer *answer)
{
    struct fence_check *check = context;
    check->expired_op = NULL;
    check->expired_status = answer->complete ? answer->status : 0;
    client_note_request(check->client, "HEAD", check->key, &check->sent, answer->status, answer->code);
    fence_check_classify(check);
}

static void fence_check_probe(struct fence_check *check, uint64_t now_s)
{
    assert(check->live_op == NULL && check->expired_op == NULL && check->client->fences == CLIENT_FENCES_UNKNOWN);
    os_client *client = check->client;
    const struct store_vtable *vtable = client->store->vtable;
    check->live_status = 0;
    check->expired_status = 0;
    clock_read(&check->sent);
    if (check->probes++ == 0)
        check->retry.started = check->sent;
    uint64_t deadline_ms = check->sent.monotonic_ms + client->settings.request_timeout_ms;
    check->live_op = vtable->probe_expiry(client->store, check->key, now_s, true, deadline_ms, live_done, check);
    /* Over by as much as a fence counts on, and no more: what is an hour late, a store refuses too that forgives some
     * minutes, or that only bounds how old a date may be. */
    uint64_t ended_s = now_s - client->settings.guard.margin_s - 1;
    check->expired_op =
        vtable->probe_expiry(client->store, check->key, ended_s, false, deadline_ms, expired_done, check);
    if (check->live_op == NULL && check->expired_op == NULL)
        fence_check_classify(check); /* no memory for either: no fences */
}

/* ------------------------------------------------------------------------------------------------ the bucket */

/* E7: "a profile may override it". What a store's documentation says is asked of the store all the same. */
static enum client_fences report_fences(const os_client *client)
{
    const struct profile *profile = client->settings.profile;
    if (client->settings.fences == OS_OFF || !client->store->has_fence)
        return CLIENT_FENCES_NO;
    if (client->settings.fences == OS_ON)
        return CLIENT_FENCES_YES;
    if (profile == NULL || profile->expiry == PROFILE_EXPIRY_UNKNOWN || strcmp(profile->source, "documentation") == 0)
        return CLIENT_FENCES_UNKNOWN;
    return profile->expiry == PROFILE_EXPIRY_NONE ? CLIENT_FENCES_NO : CLIENT_FENCES_YES;
}

static void decide_fences(struct fence_check *check, const struct store_answer *answer)
{
    os_client *client = check->client;
    client->bucket = CLIENT_BUCKET_CHECKED;
    client->fences = report_fences(client);
    if (client->fences == CLIENT_FENCES_UNKNOWN && client->belief == DATE_BELIEVED) {
        fence_check_probe(check, answer->date_s);
        return;
    }
    if (client->fences == CLIENT_FENCES_UNKNOWN && (answer->code != OS_OK || answer->has_date)) {
        fence_check_classify(
            check); /* something in between has refused it, or one clock is wrong (E10): the next may be better */
        return;
    }
    if (client->fences == CLIENT_FENCES_UNKNOWN)
        client->fences = CLIENT_FENCES_NO; /* a store without Date has no S3 time */
    end_check(check, NULL);
}

/* A first Date that is far ahead of this machine's time: the next answer says the same, or it does not (E10). */
static bool is_doubted(struct fence_check *check)
{
    if (check->client->belief != DATE_DOUBTED || is_out_of_patience(check))
        return false;
    retry_later(&check->retry);
    return true;
}

static void ask_again(struct fence_check *check)
{
    client_note_retry(check->client, &check->last_error);
    retry_later(&check->retry);
}

static void bucket_done(void *context, const struct store_answer *answer)
{
    struct fence_check *check = context;
    assert(check->bucket_op != NULL);
    check->bucket_op = NULL;
    check->last_error = answer->error;
    check->requests += store_answer_is_of_request(answer) ? 1 : 0;
    client_note_date(check->client, answer, &check->sent);
    client_note_request(check->client, "HEAD bucket", "", &check->sent, answer->status, answer->code);
    if (is_doubted(check))
        return;
    /* It may also be a gateway that has no such HEAD. */
    bool bad_head = answer->code == OS_ERR_CREDENTIALS && answer->status == 400;
    switch (bad_head ? OS_ERR_REFUSED : answer->code) {
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_PROTOCOL:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED:
        if (!is_out_of_patience(check))
            ask_again(check);
        else if (check->probes == 0 && check->client->bucket != CLIENT_BUCKET_CHECKED)
            end_check(check, &answer->error);
        else
            fence_check_classify(
                check); /* the bucket has answered before: the calls find out by themselves what the matter is */
        return;
    case OS_OK:
    case OS_ERR_DENIED: /* s3:ListBucket may be missing: the object's HEAD will tell */
    case OS_ERR_REFUSED:
    case OS_ERR_UNSUPPORTED:
    case OS_ERR_CONFLICT: decide_fences(check, answer); return;
    default: end_check(check, &answer->error); return;
    }
}

static void ask_bucket(struct retry *retry)
{
    struct fence_check *check = container_of(retry, struct fence_check, retry);
    assert(check->bucket_op == NULL && check->live_op == NULL && check->expired_op == NULL);
    struct store *store = check->client->store;
    clock_read(&check->sent);
    check->bucket_request = (struct store_request){
        .verb = STORE_HEAD_BUCKET,
        .deadline_monotonic_ms = check->sent.monotonic_ms + check->client->settings.request_timeout_ms,
    };
    check->bucket_op = store->vtable->start(store, &check->bucket_request, bucket_done, check);
    if (check->bucket_op == NULL) {
        os_error error;
        error_no_memory(&error);
        end_check(check, &error);
    }
}

static struct fence_check *check_new(os_client *client, const struct fence_waiter *waiter)
{
    struct fence_check *check = calloc(1, sizeof(*check));
    if (check == NULL)
        return NULL;
    check->client = client;
    check->behind = &check->waiting;
    if (!take_key(check, waiter)) {
        free(check);
        return NULL;
    }
    retry_init(&check->retry, client->loop, ask_bucket);
    retry_after(&check->retry, 0);
    return check;
}

void fence_check_wait(os_client *client, struct fence_waiter *waiter, const char *key)
{
    assert(waiter->next == NULL);
    waiter->key = key;
    struct clock_reading now;
    clock_read(&now);
    bool wait_to_ask = client->fences_unclear && clock_elapsed_max(&client->fences_probed, &now) < CHECK_AGAIN_MS;
    if (client->bucket == CLIENT_BUCKET_CHECKED && (client->fences != CLIENT_FENCES_UNKNOWN || wait_to_ask)) {
        waiter->ready(waiter);
        return;
    }
    if (client->fence_check == NULL)
        client->fence_check = check_new(client, waiter);
    if (client->fence_check == NULL) {
        waiter->ready(waiter); /* no memory: without a check there are no fences for this call */
        return;
    }
    *client->fence_check->behind = waiter;
    client->fence_check->behind = &waiter->next;
}

const os_error *fence_check_leave(os_client *client, struct fence_waiter *waiter)
{
    struct fence_check *check = client->fence_check;
    if (check == NULL)
        return NULL;
    for (struct fence_waiter **link = &check->waiting; *link; link = &(*link)->next) {
        if (*link == waiter) {
            *link = waiter->next;
            waiter->requests = check->requests;
            if (check->behind == &waiter->next)
                check->behind = link;
            waiter->next = NULL;
            break;
        }
    }
    return check->last_error.code != OS_OK ? &check->last_error : NULL;
}
