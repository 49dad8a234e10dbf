/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded file store behind the store interface. It answers as S3 would, expiry included, so that the guard need
 * not know it apart. */
#include "local/file_lock.h"
#include "local/file_store.h"
#include "store/answer.h"
#include "store/file_upload.h"
#include "store/worker_op.h"

#include "base/container.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { LOCAL_PROBE_LENGTH_S = 60 };

struct local_store {
    struct store store;
    struct loop *loop;
    struct file_store *files;
    struct file_locks *locks;
    struct lock_lines *lines; /* of those who wait for them */
};

static struct local_store *file_of(struct store *store)
{
    return (struct local_store *)store;
}

static uint64_t file_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms / 1000;
}

/* ------------------------------------------------------------------------------------------------ answers */

struct local_meaning {
    os_code code;
    int status;
    const char *service_code;
};

/* As S3 would have said it. What the file store refuses it has not done and will not do ("LocalFailure" is definite);
 * open is only what failed in the call that changes the name at the key, or in the flush after it. */
static const struct local_meaning meanings[] = {
    {OS_OK, 200, ""},
    {OS_ERR_NOT_FOUND, 404, "NoSuchKey"},
    {OS_ERR_ARGUMENT, 400, "InvalidArgument"},
    {OS_ERR_SOURCE, 404, "NoSuchKey"},
    {OS_ERR_NO_SPACE, 400, "QuotaExceeded"},
    {OS_ERR_UNSUPPORTED, 501, "NotImplemented"},
    {OS_ERR_UNDECIDED, 500, "InternalError"},
};

static void answer_with(struct store_op *op, os_code code)
{
    static const struct local_meaning other = {OS_ERR_IO, 400, "LocalFailure"};
    const struct local_meaning *m = &other;
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (meanings[i].code == code)
            m = &meanings[i];
    op->answer.code = code;
    op->answer.sent = true;
    op->answer.complete = true;
    op->answer.status = m->status;
    memcpy(op->answer.service.code, m->service_code, strlen(m->service_code) + 1);
    if (code == OS_ERR_NOT_FOUND && local_is_upload_verb(op->request.verb))
        TEXT_COPY_STR("NoSuchUpload", op->answer.service.code);
}

static void answer_expired(struct store_op *op)
{
    op->answer.sent = true;
    op->answer.complete = true;
    op->answer.status = 403;
    TEXT_COPY_STR("AccessDenied", op->answer.service.code);
    TEXT_COPY_STR("Request has expired", op->answer.service.message);
    op->answer.code = error_set(&op->answer.error, OS_ERR_DENIED, "The write of %.300s came too late and was refused.",
                                op->request.key ? op->request.key : "");
}

static void take_object(struct store_op *op, const struct file_object *object)
{
    struct s3_object *ret = &op->answer.object;
    text_copy(text_from(object->etag), ret->etag, sizeof(ret->etag));
    text_copy(text_from(object->nonce), ret->nonce, sizeof(ret->nonce));
    text_copy(text_from(object->replaced), ret->replaced, sizeof(ret->replaced));
    ret->fencing = object->fencing;
    ret->has_length = true;
    ret->length = object->length;
    ret->last_modified_s = object->last_modified_s;
    store_answer_content_type(&op->answer, object->content_type);
}

/* ------------------------------------------------------------------------------------------------ requests */

static os_code file_put(struct file_store *files, const struct store_request *request, struct file_object *object,
                        os_error *err)
{
    struct file_content content = local_content_of(request, request->content);
    os_code code = file_store_put(files, request->key, &request->body, &content, object, err);
    if (code == OS_OK && request->progress)
        request->progress(request->progress_context, request->body.length, request->body.length);
    return code;
}

/* A cancelled op has no use for more, and its canceller waits. */
static int give_piece(void *context, const void *data, size_t length)
{
    struct store_op *op = context;
    return borrow_is_cancelled(&op->borrow) ? 1 : op->request.sink(op->request.sink_context, data, length);
}

struct list_state {
    struct store_op *op;
    uint64_t count;
    uint64_t most;
    bool stopped;   /* by the caller */
    bool truncated; /* by `most` */
    char *last;
};

/* One more than wanted is asked for, to know whether there are more. */
static bool list_each(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    struct list_state *state = context;
    if (state->count == state->most) {
        state->truncated = true;
        return false;
    }
    struct s3_list_entry entry = {.key = key, .is_prefix = is_prefix};
    if (object) {
        text_copy(text_from(object->etag), entry.etag, sizeof(entry.etag));
        entry.length = object->length;
        entry.last_modified_s = object->last_modified_s;
    }
    state->count++;
    free(state->last);
    state->last = strdup(key);
    const struct store_request *request = &state->op->request;
    if (state->last && !borrow_is_cancelled(&state->op->borrow) && request->each(request->each_context, &entry))
        return true;
    state->stopped = true;
    return false;
}

static os_code file_list(struct file_store *files, struct store_op *op, os_error *err)
{
    const struct store_request *request = &op->request;
    const struct s3_list_options *options = &request->list;
    struct list_state state = {.op = op, .most = options->max_keys ? options->max_keys : 1000};
    const char *after = options->continuation_token ? options->continuation_token : options->start_after;
    os_code code = file_store_list(files,
                                   &(struct file_list_range){.prefix = options->prefix,
                                                             .delimiter = options->delimiter,
                                                             .start_after = after,
                                                             .max_keys = state.most + 1},
                                   list_each, &state, err);
    if (code == OS_ERR_STOPPED && state.truncated)
        code = OS_OK;
    if (code == OS_ERR_STOPPED && state.last == NULL)
        code = error_no_memory(err);
    request->page->truncated = state.truncated;
    request->page->next_token = NULL;
    if (code == OS_OK && state.truncated)
        request->page->next_token = state.last;
    else
        free(state.last);
    return code;
}

static os_code file_copy(struct file_store *files, const struct store_request *request, struct file_object *object,
                         os_error *err)
{
    const struct file_copy_request wanted = {.source_key = request->source_key,
                                             .source_etag = request->source_etag,
                                             .key = request->key,
                                             .nonce = request->nonce,
                                             .fencing = request->fencing,
                                             .replaced = request->replaced};
    return file_store_copy(files, &wanted, object, err);
}

static os_code perform_on(struct file_store *files, struct store_op *op, struct file_object *object)
{
    const struct store_request *request = &op->request;
    os_error *err = &op->answer.error;
    os_code code = store_answer_refuse_extras(request, "The embedded store", err);
    if (code != OS_OK)
        return code;
    switch (request->verb) {
    case STORE_HEAD_BUCKET: return OS_OK;
    case STORE_HEAD: return file_store_head(files, request->key, object, err);
    case STORE_GET:
        return file_store_get(files, request->key,
                              &(struct file_range){.offset = request->offset, .count = request->count}, give_piece, op,
                              object, err);
    case STORE_PUT: return file_put(files, request, object, err);
    case STORE_COPY: return file_copy(files, request, object, err);
    case STORE_DELETE: return file_store_delete(files, request->key, err);
    case STORE_LIST: return file_list(files, op, err);
    case STORE_GET_TAGS: return file_store_head(files, request->key, object, err); /* it has none */
    case STORE_GET_VERSIONING: op->answer.versioning = S3_VERSIONING_NEVER; return OS_OK;
    default: break;
    }
    return local_upload_perform(files, op);
}

/* A busy index is waited for until the deadline of the request, and no longer than it is wanted. */
static struct file_store *lend(struct store_op *op)
{
    struct sqlite_patience patience = {.until_ms = op->request.deadline_monotonic_ms,
                                       .cancelled = &op->borrow.cancelled};
    return file_store_lend(file_of(op->store)->files, &patience);
}

static os_code file_perform(struct store_op *op, struct file_object *object)
{
    struct file_store *files = lend(op);
    if (files == NULL)
        return error_no_memory(&op->answer.error);
    os_code code = perform_on(files, op, object);
    file_store_return(files);
    return code;
}

static bool file_is_write(enum store_verb verb)
{
    return verb == STORE_PUT || verb == STORE_COPY || verb == STORE_DELETE || verb == STORE_COMPLETE;
}

/* The time is read under the lock, and before the object: see file_lock.h. */
static void execute_locked(struct store_op *op)
{
    op->answer.has_date = true;
    op->answer.date_s = file_now_s();
    if (op->expires && op->answer.date_s > op->not_after_s) {
        answer_expired(op);
        return;
    }
    struct file_object object;
    memset(&object, 0, sizeof(object));
    os_code code =
        op->completion ? file_upload_complete(op->completion, &object, &op->answer.error) : file_perform(op, &object);
    if (code == OS_ERR_CANCELLED) {
        op->answer.code = code; /* nothing was done, as with the lock of the key */
        return;
    }
    answer_with(op, code);
    op->answer.result_document =
        code == OS_OK && (op->request.verb == STORE_COPY || op->request.verb == STORE_COMPLETE);
    if (code == OS_OK)
        take_object(op, &object);
}

/* Without the lock nothing is done: `sent` stays false. */
static void execute_in_turn(struct store_op *op)
{
    struct file_lock lock;
    bool taken = false;
    os_code code = file_lock_try(file_of(op->store)->locks, op->request.key, file_is_write(op->request.verb), &lock,
                                 &taken, &op->answer.error);
    op->answer.code = code;
    op->waits = code == OS_OK && !taken;
    op->locked = taken;
    if (!taken)
        return;
    execute_locked(op);
    file_lock_drop(&lock);
}

/* What takes long, the flush of the bytes, comes before the lock of the key; and once, however long that is waited for.
 */
static bool prepare_complete(struct store_op *op)
{
    if (op->completion)
        return true;
    op->files = lend(op);
    op->answer.date_s = file_now_s();
    os_code code = op->files ? local_upload_check(op->files, &op->request, &op->completion, &op->answer.error)
                             : error_no_memory(&op->answer.error);
    if (code == OS_ERR_DEADLINE || code == OS_ERR_CANCELLED) {
        op->answer.code = code; /* the upload was busy: nothing was done, as with the lock of the key */
    } else if (code != OS_OK) {
        op->answer.has_date = true;
        answer_with(op, code);
    }
    return code == OS_OK;
}

static bool needs_lock(const struct store_op *op)
{
    return file_is_write(op->request.verb) || op->request.verb == STORE_HEAD;
}

static void let_go_of_upload(struct store_op *op)
{
    file_completion_free(op->completion);
    file_store_return(op->files);
    op->completion = NULL;
    op->files = NULL;
}

static void execute_complete(struct store_op *op)
{
    if (prepare_complete(op))
        execute_in_turn(op);
    if (!op->waits)
        let_go_of_upload(op);
}

static void file_execute(struct store_op *op)
{
    if (op->request.verb == STORE_COMPLETE)
        execute_complete(op);
    else if (needs_lock(op))
        execute_in_turn(op);
    else
        execute_locked(op);
}

/* ------------------------------------------------------------------------------------------------ waiting */

static struct store_op *file_op_of(struct lock_waiter *waiter)
{
    return container_of(waiter, struct store_op, waiter);
}

/* The others came first. A Complete has something to do before it needs the lock. */
static bool must_wait(struct store_op *op)
{
    struct lock_lines *lines = file_of(op->store)->lines;
    op->waiter.shares = !file_is_write(op->request.verb);
    op->waiter.deadline_ms = op->request.deadline_monotonic_ms;
    op->waiter.came = lock_line_number(lines);
    op->lock_number = needs_lock(op) ? file_lock_number(op->request.key) : 0;
    return needs_lock(op) && op->request.verb != STORE_COMPLETE && !lock_line_is_empty(lines, op->lock_number);
}

static void file_wait(struct store_op *op)
{
    lock_line_wait(file_of(op->store)->lines, op->lock_number, &op->waiter);
}

static void out_of_line(struct lock_waiter *waiter)
{
    blocking_op_resume(file_op_of(waiter));
}

static void late_in_line(struct lock_waiter *waiter)
{
    struct store_op *op = file_op_of(waiter);
    op->answer.code = file_lock_late(op->request.key, &op->answer.error);
    blocking_op_end(op);
}

/* Of one that was cancelled nothing that it borrowed is there any more. */
static void ended(struct store_op *op)
{
    lock_line_leave(&op->waiter);
    let_go_of_upload(op);
    if (op->locked)
        lock_line_let_go(file_of(op->store)->lines, op->lock_number);
}

static const struct blocking_kind plain_kind = {
    .execute = file_execute, .must_wait = must_wait, .wait = file_wait, .ended = ended};
static const struct blocking_kind attempt_kind = {
    .execute = file_execute, .must_wait = must_wait, .wait = file_wait, .ended = ended, .attempts = true};

/* ------------------------------------------------------------------------------------------------ the interface */

static struct store_op *local_start(struct store *store, const struct store_request *request, store_done_fn done,
                                    void *context)
{
    return blocking_op_start(file_of(store)->loop, store, request, &plain_kind, NULL, done, context);
}

static os_code local_prepare(struct store *store, const struct store_request *request, uint64_t date_s,
                             uint32_t length_s, struct store_attempt **ret, os_error *err)
{
    (void)store;
    return blocking_attempt_new(request, date_s + length_s, ret, err);
}

static struct store_op *local_send(struct store *store, struct store_attempt *attempt,
                                   const struct store_sending *sending, store_done_fn done, void *context)
{
    struct store_request request = attempt->request;
    request.deadline_monotonic_ms = sending->deadline_monotonic_ms;
    return blocking_op_start(file_of(store)->loop, store, &request, &attempt_kind, &attempt->not_after_s, done,
                             context);
}

static void local_attempt_free(struct store *store, struct store_attempt *attempt)
{
    (void)store;
    free(attempt);
}

static void local_cancel(struct store *store, struct store_op *op)
{
    (void)store;
    blocking_op_cancel(op);
}

static struct store_op *local_probe(struct store *store, const char *key, uint64_t at_s, bool live,
                                    uint64_t deadline_ms, store_done_fn done, void *context)
{
    struct store_request request = {.verb = STORE_HEAD, .key = key, .deadline_monotonic_ms = deadline_ms};
    uint64_t not_after_s = live ? at_s + LOCAL_PROBE_LENGTH_S : at_s;
    return blocking_op_start(file_of(store)->loop, store, &request, &plain_kind, &not_after_s, done, context);
}

static os_code local_check_key(struct store *store, const char *key, os_error *err)
{
    (void)store;
    os_code code = s3_check_key(key, err);
    return code == OS_OK ? file_store_check_key(key, err) : code;
}

static void local_free(struct store *store)
{
    struct local_store *local = file_of(store);
    lock_lines_free(local->lines);
    file_locks_close(local->locks);
    file_store_close(local->files);
    free(local);
}

/* No network, so no body that stalls after its headers. */
static void local_delivery(struct store *store, const struct store_attempt *attempt, struct http_delivery *ret)
{
    (void)store;
    *ret = (struct http_delivery){.wire_bytes = attempt->request.body.length, .at_once = true};
}

static const struct store_vtable local_vtable = {
    .check_key = local_check_key,
    .start = local_start,
    .prepare = local_prepare,
    .delivery = local_delivery,
    .send = local_send,
    .attempt_free = local_attempt_free,
    .cancel = local_cancel,
    .probe_expiry = local_probe,
    .free = local_free,
};

os_code local_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    struct local_store *local = calloc(1, sizeof(*local));
    if (local == NULL)
        return error_no_memory(err);
    os_code code = file_store_open(config->root, &local->files, err);
    if (code == OS_OK)
        code = file_locks_open(config->root, &local->locks, err);
    if (code == OS_OK) {
        local->lines = lock_lines_new(config->loop, FILE_LOCK_COUNT, out_of_line, late_in_line);
        code = local->lines ? OS_OK : error_no_memory(err);
    }
    if (code != OS_OK) {
        local_free(&local->store);
        return code;
    }
    local->store.vtable = &local_vtable;
    local->store.has_fence = true;
    local->store.is_local = true;
    local->store.has_uploads = true;
    atomic_store_explicit(&local->store.at_once_bytes, UINT32_MAX, memory_order_relaxed); /* nothing is on its way */
    local->loop = config->loop;
    *ret = &local->store;
    return OS_OK;
}

os_code os_init(const char *root, os_error *err)
{
    error_clear(err);
    if (root == NULL || root[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The folder for the store is missing.");
    return file_store_init(root, err);
}
