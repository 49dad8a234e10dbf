/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite tables behind the interface. */
#include "sqlite/ledger_file.h"
#include "sqlite/tables.h"
#include "table/sqlite_opened.h"
#include "table/sqlite_task.h"
#include "table/table.h"

#include "base/container.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct sqlite_service {
    struct table table;
    struct loop *loop;
    char *file;
    struct sqlite_opened opened;
};

struct table_op {
    struct sqlite_task task;
    struct sqlite_service *service;
    struct table_request request;
    table_done_fn done;
    void *context;
    struct sqlite_reading reading; /* of the answer */
    struct table_answer answer;
    bool given; /* LIST: a row, so that beginning again would give it twice */
};

static struct table_op *sqlite_op_of(struct sqlite_task *task)
{
    return container_of(task, struct table_op, task);
}

static struct sqlite_service *sqlite_of(struct table *table)
{
    return (struct sqlite_service *)table;
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
    return !sqlite_task_is_cancelled(&op->task) && op->request.each(op->request.each_context, &row);
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
    return sqlite_tables_write(tables, &write, sqlite_task_patience(&op->task), &op->reading, &op->answer.error);
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
        return sqlite_tables_get(tables, request->schema, request->item, sqlite_task_patience(&op->task), &op->reading,
                                 err);
    case TABLE_LIST:
        return sqlite_tables_list(tables, request->schema, request->partition, sqlite_task_patience(&op->task),
                                  sqlite_give_row, op, err);
    case TABLE_CREATE:
    case TABLE_CHECK: break; /* opening it was the check */
    }
    return TABLE_OK;
}

/* What CREATE makes a table in is made, too. */
static struct sqlite_tables *open_file(struct table_op *op, os_error *err)
{
    struct sqlite_patience patience = sqlite_task_patience(&op->task);
    if (op->request.verb == TABLE_CREATE && sqlite_tables_create(op->service->file, &patience, err) != OS_OK)
        return NULL;
    return sqlite_opened_get(&op->service->opened, sqlite_task_patience(&op->task), err);
}

static void sqlite_execute(struct table_op *op)
{
    os_error *err = &op->answer.error;
    op->answer.requests = 1;
    error_clear(err);
    op->answer.found = false;
    op->answer.item = NULL;
    struct sqlite_tables *tables = open_file(op, err);
    if (tables == NULL) {
        op->answer.outcome = ledger_outcome_of(err->code);
        return;
    }
    sqlite_reading_free(&op->reading);
    op->answer.outcome = sqlite_perform(op, tables);
    op->answer.found = op->reading.found;
    op->answer.item = op->reading.found ? &op->reading.item : NULL;
}

static bool sqlite_work(struct sqlite_task *task)
{
    struct table_op *op = sqlite_op_of(task);
    sqlite_execute(op);
    return op->answer.outcome == TABLE_THROTTLED && !op->given;
}

static void sqlite_done(struct sqlite_task *task)
{
    struct table_op *op = sqlite_op_of(task);
    op->done(op->context, &op->answer);
}

static void sqlite_op_free(struct sqlite_task *task)
{
    struct table_op *op = sqlite_op_of(task);
    sqlite_reading_free(&op->reading);
    free(op);
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
    op->service = sqlite_of(table);
    op->request = *request;
    op->done = done;
    op->context = context;
    op->task.work = sqlite_work;
    op->task.done = sqlite_done;
    op->task.free = sqlite_op_free;
    op->task.until_monotonic_ms = table_try_deadline(request->deadline_monotonic_ms, request->try_ms);
    if (sqlite_task_start(&op->task, op->service->loop,
                          is_read(request->verb) ? LOOP_RECORDS_READ : LOOP_RECORDS_WRITTEN))
        return op;
    free(op);
    return NULL;
}

static void local_cancel(struct table *table, struct table_op *op)
{
    (void)table;
    sqlite_task_cancel(&op->task);
}

static void local_free(struct table *table)
{
    struct sqlite_service *local = sqlite_of(table);
    sqlite_opened_free(&local->opened);
    free(local->file);
    free(local);
}

static const struct table_vtable local_vtable = {
    .start = local_start,
    .cancel = local_cancel,
    .free = local_free,
};

static os_code open_tables(const char *file, const struct sqlite_patience *patience, void **ret, os_error *err)
{
    struct sqlite_tables *tables = NULL;
    os_code code = sqlite_tables_open(file, patience, &tables, err);
    *ret = tables;
    return code;
}

static void close_tables(void *tables)
{
    sqlite_tables_close(tables);
}

os_code sqlite_table_new(const struct table_config *config, struct table **ret, os_error *err)
{
    struct sqlite_service *local = calloc(1, sizeof(*local));
    if (local == NULL)
        return error_no_memory(err);
    local->file = strdup(config->name);
    local->opened = (struct sqlite_opened){.file = local->file, .open_file = open_tables, .close_file = close_tables};
    if (local->file == NULL || !sqlite_opened_init(&local->opened)) {
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
