/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite ledger behind the ledger interface. */
#include "ledger/ledger.h"
#include "loop/borrow.h"
#include "sqlite/ledger.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A worker waits for a busy database no longer than a usual write takes; then others have their turn. */
enum { SLICE_MS = 20, PAUSE_FIRST_MS = 4, PAUSE_MOST_MS = 64 };

struct local_ledger {
    struct ledger ledger;
    struct loop *loop;
    char *file;
    pthread_mutex_t mutex;      /* of `open` */
    struct sqlite_ledger *open; /* NULL until the file is there */
};

struct ledger_op {
    struct loop_blocking blocking;
    struct local_ledger *ledger;
    struct ledger_request request;
    ledger_done_fn done;
    void *context;
    struct ledger_answer answer;
    uint64_t until_monotonic_ms;
    struct borrow borrow;
    bool given;              /* LIST: a row, so that beginning again would give it twice */
    bool waits;              /* for a busy database */
    struct loop_timer timer; /* set while it waits without a worker */
    uint32_t pause_ms;
    uint64_t jitter; /* state of random_next */
};

static struct ledger_op *sqlite_op_of(struct loop_blocking *blocking)
{
    return container_of(blocking, struct ledger_op, blocking);
}

static struct local_ledger *sqlite_of(struct ledger *ledger)
{
    return (struct local_ledger *)ledger;
}

static uint64_t sqlite_now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms;
}

/* A busy database is waited for until the deadline of the request, and no longer than it is wanted; but a slice at a
 * time. */
static struct sqlite_patience patience_of(const struct ledger_op *op)
{
    uint64_t slice_end_ms = sqlite_now_ms() + SLICE_MS;
    uint64_t until_ms = op->until_monotonic_ms;
    return (struct sqlite_patience){.until_ms = slice_end_ms < until_ms ? slice_end_ms : until_ms,
                                    .cancelled = &op->borrow.cancelled};
}

/* The one that is open, which becomes `made` if there is none; what is then too much is closed. */
static struct sqlite_ledger *settle_on(struct local_ledger *ledger, struct sqlite_ledger *made)
{
    pthread_mutex_lock(&ledger->mutex);
    if (ledger->open == NULL) {
        ledger->open = made;
        made = NULL;
    }
    struct sqlite_ledger *open = ledger->open;
    pthread_mutex_unlock(&ledger->mutex);
    sqlite_ledger_close(made);
    return open;
}

/* Opened when first needed, and again after a failure: `oscommit table create` may come later than the client. Not
 * under the mutex: one who waits for a busy file would make others wait beyond their deadlines. */
static struct sqlite_ledger *sqlite_opened(const struct ledger_op *op, os_error *err)
{
    struct sqlite_ledger *made = NULL;
    struct sqlite_ledger *open = settle_on(op->ledger, NULL);
    if (open != NULL)
        return open;
    struct sqlite_patience patience = patience_of(op);
    return sqlite_ledger_open(op->ledger->file, &patience, &made, err) == OS_OK ? settle_on(op->ledger, made) : NULL;
}

static bool sqlite_give_row(void *context, const char *path, const char *etag, const struct record *record,
                            const char *upload)
{
    struct ledger_op *op = context;
    struct ledger_row row = {.path = path,
                             .etag = etag,
                             .readable = record != NULL,
                             .upload = upload,
                             .bucket = "",
                             .other = "{}",
                             .fault = record ? "" : "A column has a value of a type or length that no record has."};
    if (record)
        row.record = *record;
    op->given = true;
    return !borrow_is_cancelled(&op->borrow) && op->request.each(op->request.each_context, &row);
}

static enum ledger_outcome sqlite_perform(struct ledger_op *op, struct sqlite_ledger *ledger)
{
    const struct ledger_request *request = &op->request;
    struct ledger_answer *answer = &op->answer;
    struct clock_reading now;
    clock_read(&now);
    struct sqlite_patience patience = patience_of(op);
    switch (request->verb) {
    case LEDGER_PUT:
        return sqlite_ledger_put(ledger,
                                 &(struct sqlite_write){.path = request->path,
                                                        .etag = request->etag,
                                                        .record = request->record,
                                                        .upload = request->upload,
                                                        .condition = request->condition,
                                                        .now_s = (int64_t)(now.realtime_ms / 1000)},
                                 patience, &answer->record, answer->upload, &answer->error);
    case LEDGER_DELETE:
        return sqlite_ledger_delete(ledger, request->path, request->etag, request->condition, patience, &answer->record,
                                    &answer->error);
    case LEDGER_GET:
        return sqlite_ledger_get(ledger, &(struct sqlite_key){request->path, request->etag}, patience, &answer->found,
                                 &answer->record, answer->upload, &answer->error);
    case LEDGER_LIST: return sqlite_ledger_list(ledger, request->path, patience, sqlite_give_row, op, &answer->error);
    case LEDGER_FIX:
        return sqlite_ledger_fix(ledger, request->path, request->etag, request->record, patience, &answer->error);
    default: return LEDGER_OK; /* CHECK_TABLE: opening it was the check */
    }
}

static void sqlite_execute(struct ledger_op *op)
{
    os_error *err = &op->answer.error;
    op->answer.requests = 1;
    struct sqlite_patience patience = patience_of(op);
    op->answer.outcome = LEDGER_REFUSED;
    if (op->request.verb == LEDGER_CREATE_TABLE && sqlite_ledger_create(op->ledger->file, &patience, err) != OS_OK)
        return;
    struct sqlite_ledger *ledger = sqlite_opened(op, err);
    if (ledger == NULL)
        return;
    error_clear(err);
    op->answer.outcome = sqlite_perform(op, ledger);
}

/* Nothing was done, and there is time to try it again. */
static bool has_to_wait(const struct ledger_op *op)
{
    bool busy = (op->answer.outcome == LEDGER_THROTTLED || op->answer.outcome == LEDGER_REFUSED) &&
                op->answer.error.code == OS_ERR_THROTTLED;
    return busy && !op->given && sqlite_now_ms() < op->until_monotonic_ms;
}

static void sqlite_work(struct loop_blocking *blocking)
{
    struct ledger_op *op = sqlite_op_of(blocking);
    if (!borrow_enter(&op->borrow))
        return;
    sqlite_execute(op);
    op->waits = has_to_wait(op);
    borrow_leave(&op->borrow);
}

static void sqlite_end(struct ledger_op *op)
{
    loop_timer_clear(op->ledger->loop, &op->timer);
    if (!borrow_is_cancelled(&op->borrow))
        op->done(op->context, &op->answer);
    borrow_destroy(&op->borrow);
    free(op);
}

/* The last try is made when the time is over. */
static void sqlite_wait(struct ledger_op *op)
{
    uint64_t now = sqlite_now_ms();
    uint64_t left_ms = op->until_monotonic_ms > now ? op->until_monotonic_ms - now : 0;
    uint32_t most_ms = op->pause_ms * 2 < PAUSE_MOST_MS ? op->pause_ms * 2 : PAUSE_MOST_MS;
    uint64_t pause_ms = most_ms / 2 + random_next(&op->jitter) % (most_ms / 2 + 1);
    op->pause_ms = most_ms;
    loop_timer_set(op->ledger->loop, &op->timer, pause_ms < left_ms ? pause_ms : left_ms);
}

static void sqlite_on_timer(struct loop_timer *timer)
{
    struct ledger_op *op = container_of(timer, struct ledger_op, timer);
    error_clear(&op->answer.error);
    loop_run_blocking(op->ledger->loop, &op->blocking);
}

static void work_done(struct loop_blocking *blocking)
{
    struct ledger_op *op = sqlite_op_of(blocking);
    if (op->waits && !borrow_is_cancelled(&op->borrow))
        sqlite_wait(op);
    else
        sqlite_end(op);
}

/* They need not wait for who writes. */
static bool is_read(enum ledger_verb verb)
{
    return verb == LEDGER_GET || verb == LEDGER_LIST || verb == LEDGER_CHECK_TABLE;
}

static struct ledger_op *local_start(struct ledger *ledger, const struct ledger_request *request, ledger_done_fn done,
                                     void *context)
{
    struct ledger_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    if (!borrow_init(&op->borrow)) {
        free(op);
        return NULL;
    }
    op->ledger = sqlite_of(ledger);
    op->request = *request;
    op->until_monotonic_ms = ledger_try_deadline(request);
    op->done = done;
    op->context = context;
    op->timer.fire = sqlite_on_timer;
    op->pause_ms = PAUSE_FIRST_MS / 2;
    (void)random_bytes(&op->jitter, sizeof(op->jitter)); /* without it: less jitter */
    op->blocking.lane = is_read(request->verb) ? LOOP_RECORDS_READ : LOOP_RECORDS_WRITTEN;
    op->blocking.work = sqlite_work;
    op->blocking.done = work_done;
    loop_run_blocking(op->ledger->loop, &op->blocking);
    return op;
}

/* Waits for a worker that is at it: not long, as SQLite's busy wait ends with the cancellation. */
static void local_cancel(struct ledger *ledger, struct ledger_op *op)
{
    (void)ledger;
    borrow_cancel(&op->borrow);
    if (op->timer.node.inside)
        sqlite_end(op);
}

static void local_free(struct ledger *ledger)
{
    struct local_ledger *local = sqlite_of(ledger);
    sqlite_ledger_close(local->open);
    pthread_mutex_destroy(&local->mutex);
    free(local->file);
    free(local);
}

static const struct ledger_vtable local_vtable = {
    .start = local_start,
    .cancel = local_cancel,
    .free = local_free,
};

os_code local_ledger_new(const struct ledger_config *config, struct ledger **ret, os_error *err)
{
    struct local_ledger *local = calloc(1, sizeof(*local));
    if (local == NULL)
        return error_no_memory(err);
    local->file = strdup(config->table);
    if (local->file == NULL || pthread_mutex_init(&local->mutex, NULL) != 0) {
        free(local->file);
        free(local);
        return error_no_memory(err);
    }
    local->ledger.vtable = &local_vtable;
    local->ledger.is_local = true;
    local->ledger.hint = "Check ledger_url, and the disk that it is on.";
    local->loop = config->loop;
    *ret = &local->ledger;
    return OS_OK;
}
