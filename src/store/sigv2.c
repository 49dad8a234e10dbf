/* SPDX-License-Identifier: Apache-2.0 */
/* The store with Signature V2 behind the store interface: blocking calls of the module liboscommit-sigv2 on worker
 * threads, no fence (E7). */
#include "store/store.h"

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "credentials/credentials.h"
#include "store/answer.h"
#include "store/sigv2_load.h"
#include "store/worker_op.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * The allowance of 70 s for a body that may trickle in after its headers is there to move the fence. Here is no fence:
 * what protects others is that they wait timeout x rate, at least twice the time after which a body of ours is cut off
 * (R6), so a small body keeps the small allowance, and its record the timeout that was set.
 */
enum { SIGV2_SMALL_BODY_BYTES = 65535 };

struct sigv2_store {
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
    atomic_int marks;                  /* enum store_marks (E9); of any worker */
    const struct sigv2_module *module; /* NULL: not loaded, or not started */
};

static struct sigv2_store *sigv2_of(struct store *store)
{
    return (struct sigv2_store *)store;
}

/* ------------------------------------------------------------------------------------------------ requests */

static os_code sigv2_list(const struct sigv2_store *store, const struct libs3_call *call,
                          const struct store_request *request, struct libs3_result *result, os_error *err)
{
    const struct s3_list_options *options = &request->list;
    struct libs3_list_request wanted = {
        .prefix = options->prefix,
        .delimiter = options->delimiter,
        .marker = options->continuation_token ? options->continuation_token : options->start_after,
        .max_keys = options->max_keys,
        .each = request->each,
        .each_context = request->each_context,
    };
    return store->module->list(&store->config, call, &wanted, request->page, result, err);
}

static os_code get(const struct sigv2_store *store, const struct libs3_call *call, const struct store_request *request,
                   struct libs3_result *result, os_error *err)
{
    struct libs3_reading reading = {.offset = request->offset,
                                    .count = request->count,
                                    .sink = request->sink,
                                    .sink_context = request->sink_context};
    return store->module->get(&store->config, call, request->key, &reading, result, err);
}

static os_code sigv2_copy(const struct sigv2_store *store, const struct libs3_call *call,
                          const struct store_request *request, struct libs3_result *result, os_error *err)
{
    struct libs3_copy_request wanted = {.source_key = request->source_key,
                                        .source_etag = request->source_etag,
                                        .key = request->key,
                                        .nonce = request->nonce,
                                        .fencing = request->fencing,
                                        .replaced = request->replaced};
    return store->module->copy(&store->config, call, &wanted, result, err);
}

static os_code sigv2_perform(const struct sigv2_store *store, const struct libs3_call *call,
                             const struct store_request *request, struct libs3_result *result, os_error *err)
{
    const struct sigv2_module *module = store->module;
    const struct libs3_config *config = &store->config;
    struct s3_content content = {0};
    if (request->content)
        content = *request->content;
    if (request->nonce)
        content.nonce = request->nonce;
    content.replaced = request->replaced;
    os_code code = store_answer_refuse_extras(request, "A store with Signature V2", err);
    if (code != OS_OK)
        return code;
    switch (request->verb) {
    case STORE_HEAD: return module->head(config, call, request->key, result, err);
    case STORE_GET: return get(store, call, request, result, err);
    case STORE_PUT: return module->put(config, call, request->key, &request->body, &content, result, err);
    case STORE_COPY: return sigv2_copy(store, call, request, result, err);
    case STORE_DELETE: return module->remove(config, call, request->key, result, err);
    case STORE_HEAD_BUCKET: return module->head_bucket(config, call, result, err);
    case STORE_LIST: return sigv2_list(store, call, request, result, err);
    default: break;
    }
    return error_set(err, OS_ERR_UNSUPPORTED, "Internal error: operation %d is not supported with Signature V2.",
                     (int)request->verb);
}

static void add_date(struct store_answer *answer, int64_t date_s)
{
    answer->has_date = date_s > 0;
    answer->date_s = date_s > 0 ? (uint64_t)date_s : 0;
}

static int sigv2_take_nothing(void *context, const void *data, size_t length)
{
    (void)context;
    (void)data;
    (void)length;
    return 1;
}

/* E9: an error document of S3's, without a mark, for a key that is nowhere: what marks nothing is a store. */
static void ask_for_a_mark(struct sigv2_store *store, const struct libs3_call *call)
{
    unsigned char random[8];
    char key[sizeof(STORE_NOWHERE) + 2 * sizeof(random)] = STORE_NOWHERE;
    struct libs3_result result;
    os_error err;
    memset(&result, 0, sizeof(result));
    if (!random_bytes(random, sizeof(random)))
        return;
    text_hex(random, sizeof(random), key + strlen(STORE_NOWHERE));
    struct libs3_reading reading = {.count = 1, .sink = sigv2_take_nothing};
    os_code code = store->module->get(&store->config, call, key, &reading, &result, &err);
    if (result.marked)
        atomic_store(&store->marks, STORE_MARKS_ALL);
    bool says_s3 = code == OS_OK && s3_status_is_definite(result.status) && result.error.code[0] != '\0';
    if (atomic_load(&store->marks) == STORE_MARKS_UNKNOWN && says_s3)
        atomic_store(&store->marks, STORE_MARKS_NONE);
}

static bool sigv2_is_foreign(struct sigv2_store *store, const struct libs3_call *call,
                             const struct libs3_result *result)
{
    if (result->marked && atomic_load(&store->marks) == STORE_MARKS_UNKNOWN)
        atomic_store(&store->marks, STORE_MARKS_ALL);
    if (result->marked || !s3_status_is_definite(result->status))
        return false;
    if (atomic_load(&store->marks) == STORE_MARKS_UNKNOWN)
        ask_for_a_mark(store, call);
    return atomic_load(&store->marks) != STORE_MARKS_NONE;
}

static void sigv2_execute(struct store_op *op)
{
    struct sigv2_store *store = sigv2_of(op->store);
    struct libs3_call call = {.deadline_monotonic_ms = op->request.deadline_monotonic_ms,
                              .cancelled = &op->borrow.cancelled,
                              .marks = atomic_load(&store->marks) == STORE_MARKS_ALL};
    struct libs3_result result;
    memset(&result, 0, sizeof(result));
    struct store_answer *answer = &op->answer;
    os_code code = sigv2_perform(store, &call, &op->request, &result, &answer->error);
    answer->tried = code != OS_ERR_CREDENTIALS;
    answer->sent = result.sent;
    if (sigv2_is_foreign(store, &call, &result)) {
        const struct store_stranger stranger = {.status = result.status, .type = result.content_type};
        store_answer_foreign(answer, op->request.verb, store->bucket, op->request.key, &stranger,
                             (enum store_marks)atomic_load(&store->marks));
        return;
    }
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

static const struct blocking_kind plain_kind = {.execute = sigv2_execute};
static const struct blocking_kind attempt_kind = {.execute = sigv2_execute, .attempts = true};

static struct store_op *sigv2_store_start(struct store *store, const struct store_request *request, store_done_fn done,
                                          void *context)
{
    return blocking_op_start(sigv2_of(store)->loop, store, request, &plain_kind, NULL, done, context);
}

static os_code sigv2_prepare(struct store *store, const struct store_request *request, uint64_t date_s,
                             uint32_t length_s, struct store_attempt **ret, os_error *err)
{
    (void)store;
    return blocking_attempt_new(request, date_s + length_s, ret, err);
}

/* There is no fence: what else bounds an attempt is how long the record's timeout is. */
static void sigv2_delivery(struct store *store, const struct store_attempt *attempt, struct http_delivery *ret)
{
    (void)store;
    ret->wire_bytes = attempt->request.body.length;
    ret->at_once = ret->wire_bytes <= SIGV2_SMALL_BODY_BYTES;
}

static struct store_op *sigv2_send(struct store *store, struct store_attempt *attempt,
                                   const struct store_sending *sending, store_done_fn done, void *context)
{
    struct store_request request = attempt->request;
    request.deadline_monotonic_ms = sending->deadline_monotonic_ms;
    return blocking_op_start(sigv2_of(store)->loop, store, &request, &attempt_kind, NULL, done, context);
}

static void sigv2_attempt_free(struct store *store, struct store_attempt *attempt)
{
    (void)store;
    free(attempt);
}

static void sigv2_cancel(struct store *store, struct store_op *op)
{
    (void)store;
    blocking_op_cancel(op);
}

/* Never asked: has_fence is false. A request signed by V2 in its header has no expiry that could be probed. */
static struct store_op *sigv2_probe(struct store *store, const char *key, uint64_t now_s, bool live,
                                    uint64_t deadline_ms, store_done_fn done, void *context)
{
    (void)now_s;
    (void)live;
    struct store_request request = {.verb = STORE_HEAD, .key = key, .deadline_monotonic_ms = deadline_ms};
    return sigv2_store_start(store, &request, done, context);
}

static os_code sigv2_check_key(struct store *store, const char *key, os_error *err)
{
    (void)store;
    return s3_check_key(key, err);
}

static void sigv2_free(struct store *store)
{
    struct sigv2_store *sigv2 = sigv2_of(store);
    if (sigv2->module)
        sigv2->module->stop();
    free(sigv2->ca_file);
    free(sigv2->user_agent);
    free(sigv2);
}

static const struct store_vtable sigv2_vtable = {
    .check_key = sigv2_check_key,
    .start = sigv2_store_start,
    .prepare = sigv2_prepare,
    .delivery = sigv2_delivery,
    .send = sigv2_send,
    .attempt_free = sigv2_attempt_free,
    .cancel = sigv2_cancel,
    .probe_expiry = sigv2_probe,
    .free = sigv2_free,
};

static bool copy_strings(struct sigv2_store *sigv2, const struct store_config *config)
{
    if (config->ca_file && (sigv2->ca_file = strdup(config->ca_file)) == NULL)
        return false;
    sigv2->user_agent = strdup(config->user_agent ? config->user_agent : "oscommit");
    return sigv2->user_agent && TEXT_COPY_STR(config->bucket, sigv2->bucket);
}

/* V2 keys do not change while the client lives: they are read once, here. */
static os_code take_keys(struct sigv2_store *sigv2, os_error *err)
{
    os_code code = credentials_get(sigv2->credentials, &sigv2->keys, err);
    if (code == OS_OK && sigv2->keys.session_token && sigv2->keys.session_token[0])
        return error_set(err, OS_ERR_CREDENTIALS,
                         "Signature V2 through libs3 cannot use a session token; give long-lived keys.");
    return code;
}

static os_code start_module(struct sigv2_store *sigv2, os_error *err)
{
    char path[PATH_MAX];
    const struct sigv2_module *module = NULL;
    os_code code = sigv2_place(path, sizeof(path), err);
    if (code == OS_OK)
        code = sigv2_load(path, &module, err);
    if (code == OS_OK)
        code = module->start(err);
    if (code == OS_OK)
        sigv2->module = module;
    return code;
}

os_code sigv2_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    struct sigv2_store *sigv2 = calloc(1, sizeof(*sigv2));
    if (sigv2 == NULL)
        return error_no_memory(err);
    sigv2->credentials = config->credentials;
    os_code code = copy_strings(sigv2, config) ? take_keys(sigv2, err) : error_no_memory(err);
    if (code == OS_OK)
        code = start_module(sigv2, err);
    if (code != OS_OK) {
        sigv2_free(&sigv2->store);
        return code;
    }
    sigv2->store.vtable = &sigv2_vtable;
    atomic_init(&sigv2->marks, config->marks);
    sigv2->loop = config->loop;
    sigv2->endpoint = *config->endpoint;
    sigv2->target = (struct s3_target){
        .endpoint = &sigv2->endpoint,
        .bucket = sigv2->bucket,
        .virtual_host = endpoint_virtual_host(&sigv2->endpoint, config->addressing, sigv2->bucket),
    };
    sigv2->config = (struct libs3_config){
        .target = &sigv2->target,
        .access_key_id = sigv2->keys.access_key_id,
        .secret_access_key = sigv2->keys.secret_access_key,
        .ca_file = sigv2->ca_file,
        .user_agent = sigv2->user_agent,
    };
    *ret = &sigv2->store;
    return OS_OK;
}
