/* SPDX-License-Identifier: Apache-2.0 */
/* The store over S3's REST API: signs with aws/, sends with http/; s3_store_http.h has how requests and answers look.
 */
#include "base/container.h"
#include "base/error.h"
#include "store/answer.h"
#include "store/proxied.h"
#include "store/s3_internal.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    S3_ANSWER_MAX = 8 << 20, /* a LIST page of 1,000 keys of 1,024 bytes, all escaped, fits */
    S3_PROBE_LENGTH_S = 60,
    S3_SEGMENT_LEAST = 1208, /* that every connection carries: the least path MTU of IPv6 without its headers */
    S3_SEGMENT_LOOPBACK = 32 << 10,
    S3_TLS_RECORD = 16384,
    S3_HEAD = 1024, /* for headers with a signature in the query; S3_HEAD_TLS: with a session token, too */
    S3_HEAD_TLS = 4096
};

static struct s3_store *s3_of(struct store *store)
{
    return (struct s3_store *)store;
}

static struct s3_target target_of(const struct s3_store *store)
{
    return (struct s3_target){
        .endpoint = &store->endpoint,
        .bucket = store->bucket,
        .virtual_host = endpoint_virtual_host(&store->endpoint, store->addressing, store->bucket),
        .sums_puts = store->endpoint.checksums.of_requests == ENDPOINT_CHECKSUM_SUPPORTED,
        .no_sums_of_gets = store->endpoint.checksums.of_responses == ENDPOINT_CHECKSUM_REQUIRED,
    };
}

static os_code s3_sign(struct s3_store *store, struct http_request *http, bool query, int64_t date_s, uint32_t length_s,
                       os_error *err)
{
    struct sigv4_keys keys;
    os_code code = credentials_get(store->store.credentials, &keys, err);
    if (code == OS_OK)
        code = sigv4_check_size(&keys, http, query, err);
    if (code != OS_OK)
        return code;
    const char *payload = http->body.kind == HTTP_BODY_NONE ? SIGV4_EMPTY_SHA256 : SIGV4_UNSIGNED_PAYLOAD;
    bool ok = query ? sigv4_sign_query(store->signer, &keys, date_s, length_s, http)
                    : sigv4_sign_header(store->signer, &keys, date_s, payload, http);
    return ok ? OS_OK : error_no_memory(err);
}

/* ------------------------------------------------------------------------------------------------ the answer */

static void s3_op_free(struct store_op *op)
{
    s3_store_end_doubt(op);
    if (op->get)
        s3_store_get_free(op->get);
    free(op->get);
    free(op->failed);
    s3_store_http_free(&op->http);
    free(op);
}

static void s3_finish(struct store_op *op, const struct store_answer *answer)
{
    store_done_fn done = op->done;
    void *context = op->context;
    done(context, answer);
    s3_op_free(op);
}

static void s3_run_failed(struct loop_job *job)
{
    struct store_op *op = container_of(job, struct store_op, failed_job);
    struct store_answer answer = {.sent = false};
    if (op->failed)
        answer.error = *op->failed;
    else
        error_no_memory(&answer.error);
    answer.code = answer.error.code;
    if (op->cancelled)
        s3_op_free(op);
    else
        s3_finish(op, &answer);
}

/* Nothing was sent: the answer is given later, as `done` never runs inside start. */
static void s3_fail_later(struct store_op *op, const os_error *err)
{
    assert(err->code != OS_OK && op->failed == NULL);
    op->failed = malloc(sizeof(*op->failed));
    if (op->failed)
        *op->failed = *err;
    op->failed_posted = true;
    op->failed_job.run = s3_run_failed;
    loop_post(op->store->loop, &op->failed_job);
}

static os_code s3_launch(struct store_op *op, os_error *err);

/* With `refused` the keys of the last time are no good any more. */
static void launch_with_keys(struct store_op *op, bool refused)
{
    credentials_ask(op->store->store.credentials, refused, &op->keys);
}

/* Definite answers that ask for exactly one repetition of a request that is no attempt. */
static bool repeat(struct store_op *op, const struct store_answer *answer)
{
    if (op->attempt || op->presigned || op->repeated || !answer->complete)
        return false;
    bool renew;
    if (!s3_store_learns(op, answer, &renew))
        return false;
    op->repeated = true;
    s3_store_http_free(&op->http);
    launch_with_keys(op, renew);
    return true;
}

static bool send_again(struct store_op *op)
{
    os_error err;
    s3_store_http_free(&op->http);
    if (s3_launch(op, &err) != OS_OK)
        return false;
    if (op->get)
        op->get->doubted = false;
    s3_store_end_doubt(op);
    return true;
}

static bool is_tls(const struct s3_store *store)
{
    return strcmp(store->endpoint.scheme, "https") == 0;
}

/* A proxy in the clear writes head and body anew. */
static bool is_parted(const struct s3_store *store)
{
    return store->proxied && !is_tls(store);
}

/* In the clear a request arrives at once in one segment, over TLS in one record: 16 KiB (RFC 8446, section 5.1). */
static uint32_t at_once_bytes(const struct s3_store *store)
{
    if (is_parted(store)) /* then parts bring nothing either, as their Complete has a body, too */
        return UINT32_MAX;
    uint32_t unit = is_tls(store) ? S3_TLS_RECORD : store->segment_bytes;
    uint32_t head = is_tls(store) ? S3_HEAD_TLS : S3_HEAD;
    return unit > head ? unit - head : 0;
}

static void learn_segment(struct s3_store *store, uint32_t segment_bytes)
{
    store->segment_bytes = segment_bytes;
    atomic_store_explicit(&store->store.at_once_bytes, at_once_bytes(store), memory_order_relaxed);
}

static void answered(struct store_op *op, const struct http_result *result)
{
    struct store_answer answer;
    enum store_marks marks = op->is_question ? STORE_MARKS_NONE : op->store->marks;
    s3_store_read(&op->request, op->store->bucket, result, marks, &answer);
    if (!answer.sent || (answer.foreign && marks != STORE_MARKS_ALL))
        store_answer_name_setting(&answer, &op->store->endpoint);
    if (op->get)
        s3_store_get_end(op->get, &answer);
    if (repeat(op, &answer))
        return;
    s3_store_explain_place(op, &answer);
    s3_store_explain_head(op, &answer);
    s3_finish(op, &answer);
}

static void on_trusted(struct store_op *op, bool ask_once_more)
{
    if (!ask_once_more || !send_again(op))
        answered(op, &op->held->result);
}

static void s3_http_done(void *context, const struct http_result *result)
{
    struct store_op *op = context;
    op->http_id = 0;
    if (result->segment_bytes > 0)
        learn_segment(op->store, result->segment_bytes);
    if (!s3_store_doubts(op, result))
        answered(op, result);
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

/* What takes as long as the bytes of an object do. A guarded attempt has a lease, and a race of conditions is one. */
static bool is_bulk(const struct store_op *op)
{
    enum store_verb verb = op->request.verb;
    const struct s3_condition *condition = &op->request.condition;
    bool conditional = condition->vendor != 0 || condition->if_none_match_any || condition->if_match != NULL;
    return op->attempt == NULL && !conditional &&
           (verb == STORE_GET || verb == STORE_PUT || verb == STORE_COPY || verb == STORE_UPLOAD_PART ||
            verb == STORE_UPLOAD_PART_COPY);
}

static os_code start_http(struct store_op *op, struct http_request *http, const struct store_sending *sending,
                          os_error *err)
{
    bool reads = op->get != NULL;
    struct http_start start = {
        .request = http,
        .once = is_once(op->request.verb),
        .bulk = is_bulk(op),
        .user_timeout_ms = sending->user_timeout_ms,
        .tail = sending->tail,
        .tail_clock = sending->tail_clock,
        .tail_before_ms = sending->tail_before_ms,
        .late_segment_ms = sending->late_segment_ms,
        .deadline_monotonic_ms = sending->deadline_monotonic_ms,
        .stall_ms = stall_ms_of(op),
        .body_max = S3_ANSWER_MAX,
        .loopback = op->store->endpoint.loopback,
        .approve = reads ? s3_store_get_approve : NULL,
        .approve_context = op->get,
        .sink = reads ? s3_store_get_take : NULL,
        .sink_context = op->get,
        .progress = op->request.progress,
        .progress_context = op->request.progress_context,
        .done = s3_http_done,
        .done_context = op,
    };
    return http_engine_start(loop_http(op->store->loop), &start, &op->http_id, err);
}

static os_code s3_launch(struct store_op *op, os_error *err)
{
    struct s3_store *store = op->store;
    struct s3_target target = target_of(store);
    os_code code = s3_store_build(&target, &op->request, &op->http, err);
    if (code == OS_OK && op->presigned)
        code = s3_sign(store, &op->http.request, true, (int64_t)op->sign_s, S3_PROBE_LENGTH_S, err);
    if (code == OS_OK && !op->presigned) {
        op->sign_s = (uint64_t)s3_store_now_s(store);
        code = s3_sign(store, &op->http.request, false, (int64_t)op->sign_s, 0, err);
    }
    struct store_sending sending = {.deadline_monotonic_ms = op->request.deadline_monotonic_ms};
    if (code == OS_OK)
        code = start_http(op, &op->http.request, &sending, err);
    return code;
}

static void on_keys(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct store_op *op = container_of(waiter, struct store_op, keys);
    os_error err;
    if (why_none != NULL)
        s3_fail_later(op, why_none);
    else if (s3_launch(op, &err) != OS_OK)
        s3_fail_later(op, &err);
}

static struct store_op *op_new(struct store *store, const struct store_request *request, store_done_fn done,
                               void *context)
{
    struct store_op *op = calloc(1, sizeof(*op));
    struct s3_store_get *get = request->verb == STORE_GET ? calloc(1, sizeof(*get)) : NULL;
    if (op == NULL || (request->verb == STORE_GET && get == NULL)) {
        free(op);
        free(get);
        return NULL;
    }
    op->store = s3_of(store);
    op->request = *request;
    if (get)
        *get =
            (struct s3_store_get){.request = &op->request,
                                  .marks = &op->store->marks,
                                  .no_sum = op->store->endpoint.checksums.of_responses == ENDPOINT_CHECKSUM_REQUIRED};
    op->get = get;
    op->trusted = on_trusted;
    op->keys.ready = on_keys;
    op->done = done;
    op->context = context;
    s3_store_http_init(&op->http);
    return op;
}

static struct store_op *s3_start(struct store *store, const struct store_request *request, store_done_fn done,
                                 void *context)
{
    struct store_op *op = op_new(store, request, done, context);
    if (op)
        launch_with_keys(op, false);
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
    launch_with_keys(op, false);
    return op;
}

static os_code s3_prepare(struct store *store, const struct store_request *request, uint64_t date_s, uint32_t length_s,
                          struct store_attempt **ret, os_error *err)
{
    struct store_attempt *attempt = calloc(1, sizeof(*attempt));
    if (attempt == NULL)
        return error_no_memory(err);
    attempt->request = *request;
    s3_store_http_init(&attempt->http);
    struct s3_target target = target_of(s3_of(store));
    os_code code = s3_store_build(&target, request, &attempt->http, err);
    if (code == OS_OK)
        code = s3_sign(s3_of(store), &attempt->http.request, true, (int64_t)date_s, length_s, err);
    if (code != OS_OK) {
        s3_store_http_free(&attempt->http);
        free(attempt);
        return code;
    }
    *ret = attempt;
    return OS_OK;
}

static void s3_delivery(struct store *store, const struct store_attempt *attempt, struct http_delivery *ret)
{
    const struct http_request *request = &attempt->http.request;
    http_engine_delivery(loop_http(s3_of(store)->loop), request, s3_of(store)->segment_bytes, ret);
    ret->at_once = ret->at_once && (request->body.kind == HTTP_BODY_NONE || !is_parted(s3_of(store)));
}

static struct store_op *s3_send(struct store *store, struct store_attempt *attempt, const struct store_sending *sending,
                                store_done_fn done, void *context)
{
    struct store_op *op = op_new(store, &attempt->request, done, context);
    if (op == NULL)
        return NULL;
    op->attempt = attempt;
    os_error err;
    os_code code = start_http(op, &attempt->http.request, sending, &err);
    if (code != OS_OK)
        s3_fail_later(op, &err);
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
    if (op->keys.waits) {
        credentials_leave(op->store->store.credentials, &op->keys);
        s3_op_free(op);
        return;
    }
    op->done = ignore_done;
    op->repeated = true;
    if (op->question) {
        struct store_op *question = op->question;
        op->question = NULL;
        s3_cancel(store, question);
        s3_op_free(op);
        return;
    }
    http_engine_cancel(loop_http(s3_of(store)->loop), op->http_id); /* calls http_done, which frees */
}

static os_code s3_check(struct store *store, const char *key, os_error *err)
{
    (void)store;
    return s3_check_key(key, err);
}

static void s3_free(struct store *store)
{
    struct s3_store *s3 = s3_of(store);
    sigv4_signer_free(s3->signer);
    free(s3);
}

struct s3_target s3_store_target(const struct s3_store *store)
{
    return target_of(store);
}

os_code s3_store_sign_query(struct s3_store *store, struct http_request *http, int64_t date_s, uint32_t expires_s,
                            os_error *err)
{
    return s3_sign(store, http, true, date_s, expires_s, err);
}

static const struct store_vtable s3_vtable = {
    .check_key = s3_check,
    .start = s3_start,
    .prepare = s3_prepare,
    .delivery = s3_delivery,
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
    store->marks = config->marks;
    store->store.credentials = config->credentials;
    store->proxied = store_is_proxied(config->endpoint);
    learn_segment(store, config->endpoint->loopback ? S3_SEGMENT_LOOPBACK : S3_SEGMENT_LEAST);
    *ret = &store->store;
    return OS_OK;
}
