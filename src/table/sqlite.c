/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite tables behind the interface. */
#include "loop/borrow.h"
#include "sqlite/tables.h"
#include "table/table.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A worker waits for a busy database no longer than a usual write takes; then others have their turn. */
enum { SLICE_MS = 20, PAUSE_FIRST_MS = 4, PAUSE_MOST_MS = 64 };

struct sqlite_service {
    struct table table;
    struct loop *loop;
    char *file;
    pthread_mutex_t mutex;      /* of `open` */
    struct sqlite_tables *open; /* NULL until the file is there */
};

struct table_op {
    struct loop_blocking blocking;
    struct sqlite_service *service;
    struct table_request request;
    table_done_fn done;
    void *context;
    struct sqlite_reading reading; /* of the answer */
    struct table_answer answer;
    uint64_t until_monotonic_ms;
    struct borrow borrow;
    bool given;              /* LIST: a row, so that beginning again would give it twice */
    bool waits;              /* for a busy database */
    struct loop_timer timer; /* set while it waits without a worker */
    uint32_t pause_ms;
    uint64_t jitter; /* state of random_next */
};

static struct table_op *sqlite_op_of(struct loop_blocking *blocking)
{
    return container_of(blocking, struct table_op, blocking);
}

static struct sqlite_service *sqlite_of(struct table *table)
{
    return (struct sqlite_service *)table;
}

static uint64_t sqlite_now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms;
}

/* A busy database is waited for until the deadline of the request, and no longer than it is wanted; but a slice at a
 * time. */
static struct sqlite_patience patience_of(const struct table_op *op)
{
    uint64_t slice_end_ms = sqlite_now_ms() + SLICE_MS;
    uint64_t until_ms = op->until_monotonic_ms;
    return (struct sqlite_patience){.until_ms = slice_end_ms < until_ms ? slice_end_ms : until_ms,
                                    .cancelled = &op->borrow.cancelled};
}

/* The one that is open, which becomes `made` if there is none; what is then too much is closed. */
static struct sqlite_tables *settle_on(struct sqlite_service *service, struct sqlite_tables *made)
{
    pthread_mutex_lock(&service->mutex);
    if (service->open == NULL) {
        service->open = made;
        made = NULL;
    }
    struct sqlite_tables *open = service->open;
    pthread_mutex_unlock(&service->mutex);
    sqlite_tables_close(made);
    return open;
}

/* Opened when first needed, and again after a failure: `oscommit table create` may come later than the client. Not
 * under the mutex: one who waits for a busy file would make others wait beyond their deadlines. */
static struct sqlite_tables *sqlite_opened(const struct table_op *op, os_error *err)
{
    struct sqlite_tables *made = NULL;
    struct sqlite_tables *open = settle_on(op->service, NULL);
    if (open != NULL)
        return open;
    struct sqlite_patience patience = patience_of(op);
    return sqlite_tables_open(op->service->file, &patience, &made, err) == OS_OK ? settle_on(op->service, made) : NULL;
}

static bool sqlite_give_row(void *context, const struct item *item, bool readable)
{
    struct table_op *op = context;
    struct table_row row = {
        .readable = readable,
        .item = item,
        .other = "{}",
        .fault = readable ? "" : "A column has a value of a type or length that it cannot have.",
    };
    op->given = true;
    return !borrow_is_cancelled(&op->borrow) && op->request.each(op->request.each_context, &row);
}

static enum table_outcome write_item(struct table_op *op, struct sqlite_tables *tables, enum sqlite_write_kind kind)
{
    const struct table_request *request = &op->request;
    struct clock_reading now;
    clock_read(&now);
    struct sqlite_write write = {.kind = kind,
                                 .schema = request->schema,
                                 .item = request->item,
                                 .condition = request->condition,
                                 .changes = request->changes,
                                 .change_count = request->change_count,
                                 .now_s = (int64_t)(now.realtime_ms / 1000)};
    return sqlite_tables_write(tables, &write, patience_of(op), &op->reading, &op->answer.error);
}

static enum table_outcome sqlite_perform(struct table_op *op, struct sqlite_tables *tables)
{
    const struct table_request *request = &op->request;
    os_error *err = &op->answer.error;
    switch (request->verb) {
    case TABLE_PUT: return write_item(op, tables, SQLITE_PUT_ITEM);
    case TABLE_UPDATE: return write_item(op, tables, SQLITE_UPDATE_ITEM);
    case TABLE_DELETE: return write_item(op, tables, SQLITE_DELETE_ITEM);
    case TABLE_REPLACE: return write_item(op, tables, SQLITE_REPLACE_ITEM);
    case TABLE_GET:
        return sqlite_tables_get(tables, request->schema, request->item, patience_of(op), &op->reading, err);
    case TABLE_LIST:
        return sqlite_tables_list(tables, request->schema, request->partition, patience_of(op), sqlite_give_row, op,
                                  err);
    case TABLE_CREATE:
    case TABLE_CHECK: break; /* opening it was the check */
    }
    return TABLE_OK;
}

static void sqlite_execute(struct table_op *op)
{
    os_error *err = &op->answer.error;
    op->answer.requests = 1;
    struct sqlite_patience patience = patience_of(op);
    op->answer.outcome = TABLE_REFUSED;
    op->answer.found = false;
    op->answer.item = NULL;
    if (op->request.verb == TABLE_CREATE && sqlite_tables_create(op->service->file, &patience, err) != OS_OK)
        return;
    struct sqlite_tables *tables = sqlite_opened(op, err);
    if (tables == NULL)
        return;
    error_clear(err);
    sqlite_reading_free(&op->reading);
    op->answer.outcome = sqlite_perform(op, tables);
    op->answer.found = op->reading.found;
    op->answer.item = op->reading.found ? &op->reading.item : NULL;
}

/* Nothing was done, and there is time to try it again. */
static bool has_to_wait(const struct table_op *op)
{
    bool busy = (op->answer.outcome == TABLE_THROTTLED || op->answer.outcome == TABLE_REFUSED) &&
                op->answer.error.code == OS_ERR_THROTTLED;
    return busy && !op->given && sqlite_now_ms() < op->until_monotonic_ms;
}

static void sqlite_work(struct loop_blocking *blocking)
{
    struct table_op *op = sqlite_op_of(blocking);
    if (!borrow_enter(&op->borrow))
        return;
    sqlite_execute(op);
    op->waits = has_to_wait(op);
    borrow_leave(&op->borrow);
}

static void sqlite_end(struct table_op *op)
{
    loop_timer_clear(op->service->loop, &op->timer);
    if (!borrow_is_cancelled(&op->borrow))
        op->done(op->context, &op->answer);
    sqlite_reading_free(&op->reading);
    borrow_destroy(&op->borrow);
    free(op);
}

/* The last try is made when the time is over. */
static void sqlite_wait(struct table_op *op)
{
    uint64_t now = sqlite_now_ms();
    uint64_t left_ms = op->until_monotonic_ms > now ? op->until_monotonic_ms - now : 0;
    uint32_t most_ms = op->pause_ms * 2 < PAUSE_MOST_MS ? op->pause_ms * 2 : PAUSE_MOST_MS;
    uint64_t pause_ms = most_ms / 2 + random_next(&op->jitter) % (most_ms / 2 + 1);
    op->pause_ms = most_ms;
    loop_timer_set(op->service->loop, &op->timer, pause_ms < left_ms ? pause_ms : left_ms);
}

static void sqlite_on_timer(struct loop_timer *timer)
{
    struct table_op *op = container_of(timer, struct table_op, timer);
    error_clear(&op->answer.error);
    loop_run_blocking(op->service->loop, &op->blocking);
}

static void work_done(struct loop_blocking *blocking)
{
    struct table_op *op = sqlite_op_of(blocking);
    if (op->waits && !borrow_is_cancelled(&op->borrow))
        sqlite_wait(op);
    else
        sqlite_end(op);
}

/* They need not wait for who writes. */
static bool is_read(enum table_verb verb)
{
    return verb == TABLE_GET || verb == TABLE_LIST || verb == TABLE_CHECK;
}

static struct table_op *local_start(struct table *table, const struct table_request *request, table_done_fn done,
                                    void *context)
{
    struct table_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    if (!borrow_init(&op->borrow)) {
        free(op);
        return NULL;
    }
    op->service = sqlite_of(table);
    op->request = *request;
    op->until_monotonic_ms = table_try_deadline(request);
    op->done = done;
    op->context = context;
    op->timer.fire = sqlite_on_timer;
    op->pause_ms = PAUSE_FIRST_MS / 2;
    (void)random_bytes(&op->jitter, sizeof(op->jitter)); /* without it: less jitter */
    op->blocking.lane = is_read(request->verb) ? LOOP_RECORDS_READ : LOOP_RECORDS_WRITTEN;
    op->blocking.work = sqlite_work;
    op->blocking.done = work_done;
    loop_run_blocking(op->service->loop, &op->blocking);
    return op;
}

/* Waits for a worker that is at it: not long, as SQLite's busy wait ends with the cancellation. */
static void local_cancel(struct table *table, struct table_op *op)
{
    (void)table;
    borrow_cancel(&op->borrow);
    if (op->timer.node.inside)
        sqlite_end(op);
}

static void local_free(struct table *table)
{
    struct sqlite_service *local = sqlite_of(table);
    sqlite_tables_close(local->open);
    pthread_mutex_destroy(&local->mutex);
    free(local->file);
    free(local);
}

static const struct table_vtable local_vtable = {
    .start = local_start,
    .cancel = local_cancel,
    .free = local_free,
};

os_code sqlite_table_new(const struct table_config *config, struct table **ret, os_error *err)
{
    struct sqlite_service *local = calloc(1, sizeof(*local));
    if (local == NULL)
        return error_no_memory(err);
    local->file = strdup(config->name);
    if (local->file == NULL || pthread_mutex_init(&local->mutex, NULL) != 0) {
        free(local->file);
        free(local);
        return error_no_memory(err);
    }
    local->table.vtable = &local_vtable;
    local->table.is_local = true;
    local->table.hint = "Check ledger_url (--ledger, OSCOMMIT_LEDGER), and the disk that it is on.";
    local->loop = config->loop;
    *ret = &local->table;
    return OS_OK;
}
