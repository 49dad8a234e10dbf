/* SPDX-License-Identifier: Apache-2.0 */
/* The store over S3's REST API: signs with aws/, sends with http/; s3_store_http.h has how requests and answers look.
 */
#include "aws/credentials.h"
#include "aws/sigv4.h"
#include "base/error.h"
#include "client/s3_store_http.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    S3_ANSWER_MAX = 8 << 20, /* a LIST page of 1,000 keys of 1,024 bytes, all escaped, fits */
    S3_PROBE_LENGTH_S = 60,
    S3_SKEW_MIN_S = 300
};

struct s3_store {
    struct store store;
    struct loop *loop;
    struct endpoint endpoint;
    char bucket[256];
    os_addressing addressing;
    struct credentials *credentials;
    struct sigv4_signer *signer; /* of endpoint.region */
    int64_t skew_s;              /* the store's clock minus ours (E2) */
    uint64_t stall_ms;
};

struct store_attempt {
    struct store_request request;
    struct s3_store_http http;
};

struct store_op {
    struct s3_store *store;
    struct store_request request;
    struct s3_store_http http; /* of a request that is no attempt */
    struct store_attempt *attempt;
    store_done_fn done;
    void *context;
    uint64_t http_id;
    bool repeated; /* the one quiet repetition has been made */
    bool presigned;
    uint64_t sign_s;            /* the date in its signature, but for an attempt's */
    struct loop_job failed_job; /* tells of a failure before anything was sent */
    struct store_answer failed;
    bool failed_posted;
    bool cancelled;
};

static struct s3_store *of(struct store *store)
{
    return (struct s3_store *)store;
}

static int64_t now_s(const struct s3_store *store)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000) + store->skew_s;
}

static struct s3_target target_of(const struct s3_store *store)
{
    return (struct s3_target){
        .endpoint = &store->endpoint,
        .bucket = store->bucket,
        .virtual_host = endpoint_virtual_host(&store->endpoint, store->addressing, store->bucket),
    };
}

static os_code sign(struct s3_store *store, struct http_request *http, bool query, int64_t date_s, uint32_t length_s,
                    bool renew, os_error *err)
{
    struct sigv4_keys keys;
    os_code code = credentials_get(store->credentials, now_s(store), renew, &keys, err);
    if (code != OS_OK)
        return code;
    const char *payload = http->body.kind == HTTP_BODY_NONE ? SIGV4_EMPTY_SHA256 : SIGV4_UNSIGNED_PAYLOAD;
    bool ok = query ? sigv4_sign_query(store->signer, &keys, date_s, length_s, http)
                    : sigv4_sign_header(store->signer, &keys, date_s, payload, http);
    return ok ? OS_OK
              : error_set(err, OS_ERR_NO_MEMORY,
                          "The request could not be signed: it is too large, or memory is short.");
}

/* ------------------------------------------------------------------------------------------------ the answer */

static void op_free(struct store_op *op)
{
    s3_store_http_free(&op->http);
    free(op);
}

static void finish(struct store_op *op, const struct store_answer *answer)
{
    store_done_fn done = op->done;
    void *context = op->context;
    done(context, answer);
    op_free(op);
}

static void run_failed(struct loop_job *job)
{
    struct store_op *op = (struct store_op *)((char *)job - offsetof(struct store_op, failed_job));
    if (op->cancelled)
        op_free(op);
    else
        finish(op, &op->failed);
}

/* Nothing was sent: the answer is given later, as `done` never runs inside start. */
static void fail_later(struct store_op *op, os_code code, const os_error *err)
{
    op->failed.code = code;
    op->failed.error = *err;
    op->failed_posted = true;
    op->failed_job.run = run_failed;
    loop_post(op->store->loop, &op->failed_job);
}

/* The store named another region than the one we sign for: go there. */
static bool learn_region(struct s3_store *store, const struct store_answer *answer)
{
    const char *region = answer->service.region;
    bool redirect = answer->status == 301 || answer->status == 307 || answer->status == 400;
    if (!redirect || region[0] == '\0' || strcmp(region, store->endpoint.region) == 0)
        return false;
    struct endpoint moved = store->endpoint;
    if (store->endpoint.is_aws && endpoint_parse("s3", NULL, region, &moved, NULL) != OS_OK)
        return false;
    struct sigv4_signer *signer = sigv4_signer_new(region, "s3");
    if (signer == NULL)
        return false;
    if (!text_copy(text_from(region), moved.region, sizeof(moved.region))) {
        sigv4_signer_free(signer);
        return false;
    }
    sigv4_signer_free(store->signer);
    store->signer = signer;
    store->endpoint = moved;
    return true;
}

static bool is_far(int64_t seconds)
{
    return seconds > S3_SKEW_MIN_S || seconds < -S3_SKEW_MIN_S;
}

/* E2. A HEAD's answer has no body to carry RequestTimeTooSkewed: there a 403 with a Date far from ours says the same,
 * or one far from the signature's, which has waited in a machine that was suspended. S3 takes 15 minutes. */
static bool learn_time(const struct store_op *op, const struct store_answer *answer)
{
    struct s3_store *store = op->store;
    if (!answer->has_date)
        return false;
    int64_t off_s = (int64_t)answer->date_s - now_s(store);
    bool far = is_far(off_s) || is_far((int64_t)answer->date_s - (int64_t)op->sign_s);
    bool said = strcmp(answer->service.code, "RequestTimeTooSkewed") == 0;
    bool implied = answer->status == 403 && answer->service.code[0] == '\0' && far;
    if (said || implied)
        store->skew_s += off_s;
    return said || implied;
}

/* E2. S3 answers a HEAD with 400 for it, again without a code; nothing else in a HEAD of ours is a bad request. */
static bool token_expired(const struct store_op *op, const struct store_answer *answer)
{
    bool head = op->request.verb == STORE_HEAD || op->request.verb == STORE_HEAD_BUCKET;
    bool implied = head && answer->status == 400 && answer->service.code[0] == '\0';
    return implied || strcmp(answer->service.code, "ExpiredToken") == 0;
}

static os_code launch(struct store_op *op, bool renew, os_error *err);

/* Definite answers that ask for exactly one repetition of a request that is no attempt. */
static bool repeat(struct store_op *op, const struct store_answer *answer)
{
    if (op->attempt || op->presigned || op->repeated || !answer->complete)
        return false;
    bool elsewhere = learn_region(op->store, answer); /* a bare 400 to a HEAD may mean that, too */
    bool renew = !elsewhere && token_expired(op, answer);
    if (!elsewhere && !renew && !learn_time(op, answer))
        return false;
    op->repeated = true;
    s3_store_http_free(&op->http);
    os_error err;
    return launch(op, renew, &err) == OS_OK;
}

static void http_done(void *context, const struct http_result *result)
{
    struct store_op *op = context;
    op->http_id = 0;
    struct store_answer answer;
    s3_store_read(&op->request, op->store->bucket, result, &answer);
    if (!repeat(op, &answer))
        finish(op, &answer);
}

/* ------------------------------------------------------------------------------------------------ sending */

/* R6: what may be a guarded attempt leaves once, guarded or not. Parts may be repeated, but not unnoticed (R14). */
static bool is_once(enum store_verb verb)
{
    return verb == STORE_PUT || verb == STORE_COPY || verb == STORE_DELETE || verb == STORE_COMPLETE ||
           verb == STORE_RENAME || verb == STORE_UPLOAD_PART || verb == STORE_UPLOAD_PART_COPY;
}

/* The store says nothing while it copies or joins what may be gigabytes: there the deadline alone counts. */
static uint64_t stall_ms_of(const struct store_op *op)
{
    enum store_verb verb = op->request.verb;
    bool silent = op->attempt != NULL || verb == STORE_UPLOAD_PART_COPY || verb == STORE_COMPLETE;
    return silent ? 0 : op->store->stall_ms;
}

static os_code start_http(struct store_op *op, struct http_request *http, uint64_t deadline_ms,
                          uint32_t user_timeout_ms, os_error *err)
{
    struct http_start start = {
        .request = http,
        .once = is_once(op->request.verb),
        .user_timeout_ms = user_timeout_ms,
        .deadline_monotonic_ms = deadline_ms,
        .stall_ms = stall_ms_of(op),
        .body_max = S3_ANSWER_MAX,
        .loopback = op->store->endpoint.loopback,
        .sink = op->request.sink,
        .sink_context = op->request.sink_context,
        .progress = op->request.progress,
        .progress_context = op->request.progress_context,
        .done = http_done,
        .done_context = op,
    };
    return http_engine_start(loop_http(op->store->loop), &start, &op->http_id, err);
}

static os_code launch(struct store_op *op, bool renew, os_error *err)
{
    struct s3_store *store = op->store;
    struct s3_target target = target_of(store);
    os_code code = s3_store_build(&target, &op->request, &op->http, err);
    if (code == OS_OK && op->presigned)
        code = sign(store, &op->http.request, true, (int64_t)op->sign_s, S3_PROBE_LENGTH_S, renew, err);
    if (code == OS_OK && !op->presigned) {
        op->sign_s = (uint64_t)now_s(store);
        code = sign(store, &op->http.request, false, (int64_t)op->sign_s, 0, renew, err);
    }
    if (code == OS_OK)
        code = start_http(op, &op->http.request, op->request.deadline_monotonic_ms, 0, err);
    return code;
}

static struct store_op *op_new(struct store *store, const struct store_request *request, store_done_fn done,
                               void *context)
{
    struct store_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->store = of(store);
    op->request = *request;
    op->done = done;
    op->context = context;
    s3_store_http_init(&op->http);
    return op;
}

static void launch_or_fail(struct store_op *op)
{
    os_error err;
    os_code code = launch(op, false, &err);
    if (code != OS_OK)
        fail_later(op, code, &err);
}

static struct store_op *s3_start(struct store *store, const struct store_request *request, store_done_fn done,
                                 void *context)
{
    struct store_op *op = op_new(store, request, done, context);
    if (op)
        launch_or_fail(op);
    return op;
}

static struct store_op *s3_probe_expiry(struct store *store, const char *key, uint64_t at_s, bool live,
                                        uint64_t deadline_ms, store_done_fn done, void *context)
{
    struct store_request request = {.verb = STORE_HEAD, .key = key, .deadline_monotonic_ms = deadline_ms};
    struct store_op *op = op_new(store, &request, done, context);
    if (op == NULL)
        return NULL;
    op->presigned = true;
    op->sign_s = live ? at_s : at_s - S3_PROBE_LENGTH_S;
    launch_or_fail(op);
    return op;
}

static os_code s3_prepare(struct store *store, const struct store_request *request, uint64_t date_s, uint32_t length_s,
                          bool renew, struct store_attempt **ret, os_error *err)
{
    struct store_attempt *attempt = calloc(1, sizeof(*attempt));
    if (attempt == NULL)
        return error_no_memory(err);
    attempt->request = *request;
    s3_store_http_init(&attempt->http);
    struct s3_target target = target_of(of(store));
    os_code code = s3_store_build(&target, request, &attempt->http, err);
    if (code == OS_OK)
        code = sign(of(store), &attempt->http.request, true, (int64_t)date_s, length_s, renew, err);
    if (code != OS_OK) {
        s3_store_http_free(&attempt->http);
        free(attempt);
        return code;
    }
    *ret = attempt;
    return OS_OK;
}

static bool s3_one_write(struct store *store, const struct store_attempt *attempt)
{
    return http_engine_one_write(loop_http(of(store)->loop), &attempt->http.request);
}

static struct store_op *s3_send(struct store *store, struct store_attempt *attempt, uint64_t deadline_ms,
                                uint32_t user_timeout_ms, store_done_fn done, void *context)
{
    struct store_op *op = op_new(store, &attempt->request, done, context);
    if (op == NULL)
        return NULL;
    op->attempt = attempt;
    os_error err;
    os_code code = start_http(op, &attempt->http.request, deadline_ms, user_timeout_ms, &err);
    if (code != OS_OK)
        fail_later(op, code, &err);
    return op;
}

static void s3_attempt_free(struct store *store, struct store_attempt *attempt)
{
    (void)store;
    if (attempt == NULL)
        return;
    s3_store_http_free(&attempt->http);
    free(attempt);
}

static void ignore_done(void *context, const struct store_answer *answer)
{
    (void)context;
    (void)answer;
}

static void s3_cancel(struct store *store, struct store_op *op)
{
    if (op->failed_posted) {
        op->cancelled = true; /* freed by its job */
        return;
    }
    op->done = ignore_done;
    op->repeated = true;
    http_engine_cancel(loop_http(of(store)->loop), op->http_id); /* calls http_done, which frees */
}

static os_code s3_check(struct store *store, const char *key, os_error *err)
{
    (void)store;
    return s3_check_key(key, err);
}

static void s3_free(struct store *store)
{
    struct s3_store *s3 = of(store);
    credentials_free(s3->credentials);
    sigv4_signer_free(s3->signer);
    free(s3);
}

static const struct store_vtable s3_vtable = {
    .check_key = s3_check,
    .start = s3_start,
    .prepare = s3_prepare,
    .one_write = s3_one_write,
    .send = s3_send,
    .attempt_free = s3_attempt_free,
    .cancel = s3_cancel,
    .probe_expiry = s3_probe_expiry,
    .free = s3_free,
};

os_code s3_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    struct s3_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return error_no_memory(err);
    store->signer = sigv4_signer_new(config->endpoint->region, "s3");
    if (store->signer == NULL || !TEXT_COPY_STR(config->bucket, store->bucket)) {
        sigv4_signer_free(store->signer);
        free(store);
        return error_no_memory(err);
    }
    store->store.vtable = &s3_vtable;
    store->store.has_fence = true;
    store->store.has_uploads = true;
    store->store.has_attributes = true;
    store->loop = config->loop;
    store->endpoint = *config->endpoint;
    store->addressing = config->addressing;
    store->stall_ms = config->stall_ms;
    store->credentials = config->credentials;
    *ret = &store->store;
    return OS_OK;
}
