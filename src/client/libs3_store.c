/* SPDX-License-Identifier: Apache-2.0 */
/* The store over libs3 (Signature V2) behind the store interface: blocking calls on worker threads, no fence (E7). */
#include "client/store.h"

#include "aws/credentials.h"
#include "base/error.h"

#ifndef OSCOMMIT_HAVE_LIBS3

os_code libs3_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    (void)config;
    (void)ret;
    return error_set(
        err, OS_ERR_UNSUPPORTED,
        "signature=v2 needs libs3, which this build of the library does not have; install libs3-dev and build "
        "with -DOSCOMMIT_WITH_LIBS3=ON.");
}

#else

#include "client/blocking_op.h"
#include "client/store_answer.h"
#include "s3/libs3_driver.h"

#include <stdlib.h>
#include <string.h>

/*
 * The allowance of 70 s for a body that may trickle in after its headers is there to move the fence. Here is no fence:
 * what protects others is that they wait timeout x rate, at least twice the time after which a body of ours is cut off
 * (R6), so a small body keeps the small allowance, and its record the timeout that was set.
 */
enum { LIBS3_SMALL_BODY_BYTES = 65535 };

struct libs3_store {
    struct store store;
    struct loop *loop;
    struct endpoint endpoint;
    struct s3_target target;
    struct credentials *credentials;
    struct sigv4_keys keys;
    char bucket[256];
    char *ca_file;
    char *user_agent;
    struct libs3_config config;
    bool started;
};

static struct libs3_store *of(struct store *store)
{
    return (struct libs3_store *)store;
}

/* ------------------------------------------------------------------------------------------------ requests */

static os_code list(const struct libs3_config *config, const struct libs3_call *call,
                    const struct store_request *request, struct libs3_result *result, os_error *err)
{
    const struct s3_list_options *options = &request->list;
    const char *marker = options->continuation_token ? options->continuation_token : options->start_after;
    return libs3_list(config, call, options->prefix, options->delimiter, marker, options->max_keys, request->each,
                      request->each_context, request->page, result, err);
}

static os_code perform(const struct libs3_config *config, const struct libs3_call *call,
                       const struct store_request *request, struct libs3_result *result, os_error *err)
{
    struct s3_content content = {0};
    if (request->content)
        content = *request->content;
    if (request->nonce)
        content.nonce = request->nonce;
    os_code code = store_answer_refuse_extras(request, "A store spoken to with Signature V2", err);
    if (code != OS_OK)
        return code;
    switch (request->verb) {
    case STORE_HEAD: return libs3_head(config, call, request->key, result, err);
    case STORE_GET:
        return libs3_get(config, call, request->key, request->offset, request->count, request->sink,
                         request->sink_context, result, err);
    case STORE_PUT: return libs3_put(config, call, request->key, &request->body, &content, result, err);
    case STORE_COPY:
        return libs3_copy(config, call, request->source_key, request->source_etag, request->key,
                          request->nonce ? request->nonce : NULL, result, err);
    case STORE_DELETE: return libs3_delete(config, call, request->key, result, err);
    case STORE_HEAD_BUCKET: return libs3_head_bucket(config, call, result, err);
    case STORE_LIST: return list(config, call, request, result, err);
    default: break;
    }
    return error_set(err, OS_ERR_UNSUPPORTED, "A store spoken to with Signature V2 has no request number %d here.",
                     (int)request->verb);
}

static void add_date(struct store_answer *answer, int64_t date_s)
{
    answer->has_date = date_s > 0;
    answer->date_s = date_s > 0 ? (uint64_t)date_s : 0;
}

static void execute(struct store_op *op)
{
    const struct libs3_store *store = of(op->store);
    struct libs3_call call = {.deadline_monotonic_ms = op->request.deadline_monotonic_ms,
                              .cancelled = &op->gate.cancelled};
    struct libs3_result result;
    memset(&result, 0, sizeof(result));
    struct store_answer *answer = &op->answer;
    os_code code = perform(&store->config, &call, &op->request, &result, &answer->error);
    answer->sent = result.sent;
    answer->status = result.status;
    answer->complete = code == OS_OK;
    answer->service = result.error;
    answer->object = result.object;
    add_date(answer, result.date_s);
    store_answer_content_type(answer, result.content_type);
    if (code != OS_OK) {
        answer->code = code;
        return;
    }
    if (result.status >= 200 && result.status < 300) {
        answer->result_document = op->request.verb == STORE_COPY;
        if (op->request.verb == STORE_PUT && op->request.progress)
            op->request.progress(op->request.progress_context, op->request.body.length, op->request.body.length);
        return;
    }
    store_answer_explain(answer, op->request.verb, store->bucket, op->request.key);
}

/* ------------------------------------------------------------------------------------------------ the interface */

static struct store_op *libs3_store_start(struct store *store, const struct store_request *request, store_done_fn done,
                                          void *context)
{
    return blocking_op_start(of(store)->loop, store, request, execute, NULL, done, context);
}

static os_code libs3_prepare(struct store *store, const struct store_request *request, uint64_t date_s,
                             uint32_t length_s, bool renew, struct store_attempt **ret, os_error *err)
{
    (void)store;
    (void)renew;
    return blocking_attempt_new(request, date_s + length_s, ret, err);
}

static bool libs3_one_write(struct store *store, const struct store_attempt *attempt)
{
    (void)store;
    return attempt->request.body.length <= LIBS3_SMALL_BODY_BYTES;
}

static struct store_op *libs3_send(struct store *store, struct store_attempt *attempt, uint64_t deadline_ms,
                                   uint32_t user_timeout_ms, store_done_fn done, void *context)
{
    (void)user_timeout_ms;
    struct store_request request = attempt->request;
    request.deadline_monotonic_ms = deadline_ms;
    return blocking_op_start(of(store)->loop, store, &request, execute, NULL, done, context);
}

static void libs3_attempt_free(struct store *store, struct store_attempt *attempt)
{
    (void)store;
    free(attempt);
}

static void libs3_cancel(struct store *store, struct store_op *op)
{
    (void)store;
    blocking_op_cancel(op);
}

/* Never asked: has_fence is false. A request signed by V2 in its header has no expiry that could be probed. */
static struct store_op *libs3_probe(struct store *store, const char *key, uint64_t now_s, bool live,
                                    uint64_t deadline_ms, store_done_fn done, void *context)
{
    (void)now_s;
    (void)live;
    struct store_request request = {.verb = STORE_HEAD, .key = key, .deadline_monotonic_ms = deadline_ms};
    return libs3_store_start(store, &request, done, context);
}

static os_code libs3_check_key(struct store *store, const char *key, os_error *err)
{
    (void)store;
    return s3_check_key(key, err);
}

static void libs3_free(struct store *store)
{
    struct libs3_store *libs3 = of(store);
    if (libs3->started)
        libs3_stop();
    credentials_free(libs3->credentials);
    free(libs3->ca_file);
    free(libs3->user_agent);
    free(libs3);
}

static const struct store_vtable libs3_vtable = {
    .check_key = libs3_check_key,
    .start = libs3_store_start,
    .prepare = libs3_prepare,
    .one_write = libs3_one_write,
    .send = libs3_send,
    .attempt_free = libs3_attempt_free,
    .cancel = libs3_cancel,
    .probe_expiry = libs3_probe,
    .free = libs3_free,
};

static bool copy_strings(struct libs3_store *libs3, const struct store_config *config)
{
    if (config->ca_file && (libs3->ca_file = strdup(config->ca_file)) == NULL)
        return false;
    libs3->user_agent = strdup(config->user_agent ? config->user_agent : "oscommit");
    return libs3->user_agent && TEXT_COPY_STR(config->bucket, libs3->bucket);
}

/* V2 keys do not change while the client lives: they are read once, here. */
static os_code take_keys(struct libs3_store *libs3, os_error *err)
{
    struct clock_reading now;
    clock_read(&now);
    os_code code = credentials_get(libs3->credentials, (int64_t)(now.realtime_ms / 1000), false, &libs3->keys, err);
    if (code == OS_OK && libs3->keys.session_token && libs3->keys.session_token[0])
        return error_set(err, OS_ERR_CREDENTIALS,
                         "Signature V2 through libs3 cannot use a session token; give long-lived keys.");
    return code;
}

os_code libs3_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    struct libs3_store *libs3 = calloc(1, sizeof(*libs3));
    if (libs3 == NULL)
        return error_no_memory(err);
    libs3->credentials = config->credentials;
    os_code code = copy_strings(libs3, config) ? take_keys(libs3, err) : error_no_memory(err);
    if (code == OS_OK)
        code = libs3_start(err);
    if (code != OS_OK) {
        libs3->credentials = NULL; /* still the caller's */
        libs3_free(&libs3->store);
        return code;
    }
    libs3->started = true;
    libs3->store.vtable = &libs3_vtable;
    libs3->loop = config->loop;
    libs3->endpoint = *config->endpoint;
    libs3->target = (struct s3_target){
        .endpoint = &libs3->endpoint,
        .bucket = libs3->bucket,
        .virtual_host = endpoint_virtual_host(&libs3->endpoint, config->addressing, libs3->bucket),
    };
    libs3->config = (struct libs3_config){
        .target = &libs3->target,
        .access_key_id = libs3->keys.access_key_id,
        .secret_access_key = libs3->keys.secret_access_key,
        .ca_file = libs3->ca_file,
        .user_agent = libs3->user_agent,
    };
    *ret = &libs3->store;
    return OS_OK;
}

#endif
