/* SPDX-License-Identifier: Apache-2.0 */
/* Items of any attributes in the embedded file (sqlite/rows.h). */
#include "table/row_service.h"

#include "base/container.h"
#include "base/error.h"
#include "sqlite/ledger_file.h"
#include "sqlite/rows.h"
#include "sqlite/tables.h"
#include "table/sqlite_opened.h"
#include "table/sqlite_task.h"

#include <stdlib.h>
#include <string.h>

struct row_sqlite {
    struct row_service service;
    struct loop *loop;
    char *file;
    struct sqlite_opened opened;
};

struct row_op {
    struct sqlite_task task;
    struct row_sqlite *sqlite;
    struct row_request request;
    row_done_fn done;
    void *context;
    struct row_answer answer;
};

static struct row_op *op_of(struct sqlite_task *task)
{
    return container_of(task, struct row_op, task);
}

/* ------------------------------------------------------------------------------------------------ on a worker */

static enum table_outcome outcome_of(os_code code)
{
    if (code == OS_OK)
        return TABLE_OK;
    return code == OS_ERR_UNDECIDED ? TABLE_AMBIGUOUS : ledger_outcome_of(code);
}

static enum table_outcome perform(struct row_op *op, struct sqlite_rows *rows, int64_t now_s)
{
    const struct row_request *request = &op->request;
    struct row_answer *answer = &op->answer;
    struct sqlite_patience patience = sqlite_task_patience(&op->task);
    os_error *err = &answer->error;
    switch (request->verb) {
    case ROW_WRITE: return sqlite_rows_write(rows, request->write, patience, now_s, &answer->item, err);
    case ROW_TRANSACT: return sqlite_rows_transact(rows, request->transaction, patience, now_s, answer->answers, err);
    case ROW_LIST: return sqlite_rows_list(rows, request->list, patience, &answer->page, err);
    case ROW_CREATE: return outcome_of(sqlite_rows_create(rows, request->table, request->definition, patience, err));
    case ROW_CHECK: return outcome_of(sqlite_rows_check(rows, request->table, request->definition, patience, err));
    case ROW_READ: break;
    }
    return sqlite_rows_get(rows, request->gets, request->get_count, patience, &answer->items, err);
}

/* What CREATE makes a table in is made, too. */
static struct sqlite_rows *open_file(struct row_op *op, os_error *err)
{
    struct row_sqlite *sqlite = op->sqlite;
    struct sqlite_patience patience = sqlite_task_patience(&op->task);
    if (op->request.verb == ROW_CREATE && sqlite_tables_create(sqlite->file, &patience, err) != OS_OK)
        return NULL;
    return sqlite_opened_get(&sqlite->opened, sqlite_task_patience(&op->task), err);
}

static bool row_work(struct sqlite_task *task)
{
    struct row_op *op = op_of(task);
    struct row_answer *answer = &op->answer;
    struct clock_reading now;
    clock_read(&now);
    row_answer_free(answer);
    error_clear(&answer->error);
    answer->requests = 1;
    struct sqlite_rows *rows = open_file(op, &answer->error);
    if (rows != NULL && row_answer_make_room(answer, &op->request))
        answer->outcome = perform(op, rows, (int64_t)(now.realtime_ms / 1000));
    else
        answer->outcome = ledger_outcome_of(rows != NULL ? error_no_memory(&answer->error) : answer->error.code);
    return answer->outcome == TABLE_THROTTLED;
}

/* ------------------------------------------------------------------------------------------------ the interface */

static void row_done(struct sqlite_task *task)
{
    op_of(task)->done(op_of(task)->context, &op_of(task)->answer);
}

static void row_op_free(struct sqlite_task *task)
{
    struct row_op *op = op_of(task);
    row_answer_free(&op->answer);
    free(op);
}

static struct row_sqlite *row_sqlite_of(struct row_service *service)
{
    return container_of(service, struct row_sqlite, service);
}

static struct row_op *row_sqlite_start(struct row_service *service, const struct row_request *request, row_done_fn done,
                                       void *context)
{
    struct row_op *op = calloc(1, sizeof(*op));
    bool reads = request->verb == ROW_READ || request->verb == ROW_LIST || request->verb == ROW_CHECK;
    if (op == NULL)
        return NULL;
    op->sqlite = row_sqlite_of(service);
    op->request = *request;
    op->done = done;
    op->context = context;
    op->task.work = row_work;
    op->task.done = row_done;
    op->task.free = row_op_free;
    op->task.until_monotonic_ms = table_try_deadline(request->deadline_monotonic_ms, request->try_ms);
    if (sqlite_task_start(&op->task, op->sqlite->loop, reads ? LOOP_RECORDS_READ : LOOP_RECORDS_WRITTEN))
        return op;
    free(op);
    return NULL;
}

static bool row_sqlite_cancel(struct row_service *service, struct row_op *op, os_error *err)
{
    (void)service;
    bool is_untouched = sqlite_task_stop(&op->task);
    if (is_untouched && op->answer.error.code != OS_OK)
        *err = op->answer.error;
    sqlite_task_leave(&op->task);
    return is_untouched;
}

static void row_sqlite_free(struct row_service *service)
{
    struct row_sqlite *sqlite = row_sqlite_of(service);
    sqlite_opened_free(&sqlite->opened);
    free(sqlite->file);
    free(sqlite);
}

static const struct row_service_vtable row_sqlite_vtable = {
    .start = row_sqlite_start,
    .cancel = row_sqlite_cancel,
    .free = row_sqlite_free,
};

static os_code open_rows(const char *file, const struct sqlite_patience *patience, void **ret, os_error *err)
{
    struct sqlite_rows *rows = NULL;
    os_code code = sqlite_rows_open(file, patience, &rows, err);
    *ret = rows;
    return code;
}

static void close_rows(void *rows)
{
    sqlite_rows_close(rows);
}

os_code row_sqlite_new(const struct table_config *config, struct row_service **ret, os_error *err)
{
    struct row_sqlite *sqlite = calloc(1, sizeof(*sqlite));
    if (sqlite == NULL)
        return error_no_memory(err);
    sqlite->file = strdup(config->name);
    sqlite->opened = (struct sqlite_opened){.file = sqlite->file, .open_file = open_rows, .close_file = close_rows};
    if (sqlite->file == NULL || !sqlite_opened_init(&sqlite->opened)) {
        free(sqlite->file);
        free(sqlite);
        return error_no_memory(err);
    }
    sqlite->service.vtable = &row_sqlite_vtable;
    sqlite->loop = config->loop;
    *ret = &sqlite->service;
    return OS_OK;
}
