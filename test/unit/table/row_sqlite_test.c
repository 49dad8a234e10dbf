/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the embedded file behind the asynchronous interface. */
#include "unit/sqlite/rows_state.h"
#include "unit/table/row_asking.h"

#define KEY   "{'p':{'S':'a'},'s':{'N':'1'}}"
#define OTHER "{'p':{'S':'a'},'s':{'N':'2'}}"
#define ITEM  "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'5'}}"

struct local_rows {
    struct state state;
    struct on_loop on;
    struct row_service *service;
    sqlite3 *locked;
};

static void open_service(struct local_rows *rows, const char *file)
{
    const struct table_config config = {.loop = rows->on.loop, .name = file};
    assert_int_equal(row_sqlite_new(&config, &rows->service, &error), OS_OK);
}

static void local_rows_set_up(struct local_rows *rows)
{
    state_set_up(&rows->state);
    on_loop_set_up(&rows->on);
    open_service(rows, rows->state.file);
}

static void local_rows_tear_down(struct local_rows *rows)
{
    if (rows->locked != NULL)
        assert_int_equal(sqlite3_close(rows->locked), SQLITE_OK);
    on_loop_settle(&rows->on);
    rows->service->vtable->free(rows->service);
    state_tear_down(&rows->state);
}

static struct row_answer ask(struct local_rows *rows, const struct row_request *request)
{
    return row_ask(&rows->on, rows->service, request);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* Another program writes. */
static void lock(struct local_rows *rows)
{
    assert_int_equal(sqlite3_open_v2(rows->state.file, &rows->locked, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    run_sql(rows->locked, "BEGIN IMMEDIATE");
}

static void unlock(struct local_rows *rows)
{
    run_sql(rows->locked, "ROLLBACK");
}

/* A PUT of an item where there is none, alone and in a transaction. */
struct put {
    json_t *item;
    struct path_step step;
    struct condition_term is_new;
    struct rows_write write;
    struct rows_transaction transaction;
    struct row_request alone;
    struct row_request together;
};

static void put_make(struct put *ret, const char *item)
{
    ret->item = case_json(item);
    ret->step = (struct path_step){.name = "p"};
    ret->is_new = (struct condition_term){.path = {&ret->step, 1}, .test = CONDITION_IS_ABSENT};
    ret->write = (struct rows_write){
        .kind = ROWS_PUT, .table = &things_table, .item = ret->item, .condition = {&ret->is_new, 1}};
    ret->transaction = (struct rows_transaction){&ret->write, 1, "token"};
    ret->alone = (struct row_request){.verb = ROW_WRITE, .write = &ret->write};
    ret->together = (struct row_request){.verb = ROW_TRANSACT, .transaction = &ret->transaction};
}

static void put_free(struct put *put)
{
    json_decref(put->item);
}

/* ------------------------------------------------------------------------------------------------ requests */

TEST_WITH(local_rows, items_are_written_and_read)
{
    struct put put;
    json_t *keys[] = {case_json(KEY), case_json(OTHER)};
    const struct rows_get gets[] = {{.of = {&things_table, keys[0]}}, {.of = {&things_table, keys[1]}}};
    const struct rows_list list = {.table = &things_table, .limit = 1};
    put_make(&put, ITEM);
    struct row_answer answer = ask(local_rows, &put.alone);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.requests, 1);
    row_answer_free(&answer);
    answer = ask(local_rows, &put.alone);
    CHECK_ANSWER(&answer, TABLE_CONFLICT);
    CHECK_ITEM(json_incref(answer.item), ITEM);
    row_answer_free(&answer);
    answer = ask(local_rows, &put.together);
    CHECK_ANSWER(&answer, TABLE_CONFLICT);
    assert_int_equal(answer.answer_count, 1);
    assert_int_equal(answer.answers[0].verdict, ROWS_CONDITION_FAILED);
    CHECK_ITEM(json_incref(answer.answers[0].item), ITEM);
    row_answer_free(&answer);
    for (int snapshot = 0; snapshot < 2; snapshot++) {
        answer =
            ask(local_rows,
                &(struct row_request){.verb = ROW_READ, .gets = gets, .get_count = 2, .is_snapshot = snapshot != 0});
        CHECK_ANSWER(&answer, TABLE_OK);
        CHECK_ITEM(json_incref(answer.items.items[0]), ITEM);
        assert_null(answer.items.items[1]);
        row_answer_free(&answer);
    }
    answer = ask(local_rows, &(struct row_request){.verb = ROW_LIST, .list = &list});
    CHECK_ANSWER(&answer, TABLE_OK);
    CHECK_ITEM(json_incref(answer.page.last_key), KEY);
    row_answer_free(&answer);
    put_free(&put);
    json_decref(keys[0]);
    json_decref(keys[1]);
}

static void check_refused(struct local_rows *rows, const struct row_request *request, const char *words)
{
    struct row_answer answer = ask(rows, request);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&answer, words);
    row_answer_free(&answer);
}

TEST_WITH(local_rows, none_and_too_many_are_refused)
{
    enum { TOO_MANY = ROWS_AT_ONCE_MAX + 1 };
    static struct rows_get gets[TOO_MANY];
    static struct rows_write writes[TOO_MANY];
    json_t *key = case_json(KEY);
    for (size_t i = 0; i < TOO_MANY; i++) {
        gets[i] = (struct rows_get){.of = {&things_table, key}};
        writes[i] = (struct rows_write){.kind = ROWS_DELETE, .table = &things_table, .item = key};
    }
    for (size_t count = 0; count <= TOO_MANY; count += TOO_MANY) {
        const struct rows_transaction transaction = {writes, count, "token"};
        const char *words = count == 0 ? "would name 0" : "would name 101";
        check_refused(local_rows, &(struct row_request){.verb = ROW_READ, .gets = gets, .get_count = count}, words);
        check_refused(local_rows, &(struct row_request){.verb = ROW_TRANSACT, .transaction = &transaction}, words);
    }
    json_decref(key);
}

/* ------------------------------------------------------------------------------------------------ a busy file */

TEST_WITH(local_rows, a_busy_file_is_waited_for)
{
    struct put put;
    struct row_asking writer;
    json_t *key = case_json(KEY);
    const struct rows_get get = {.of = {&things_table, key}};
    put_make(&put, ITEM);
    lock(local_rows);
    row_asking_begin(&writer, &local_rows->on, local_rows->service, &put.together);
    for (int i = 0; i < 20; i++) { /* who reads does not wait; meanwhile the writer has had a turn or more */
        struct row_answer answer =
            ask(local_rows, &(struct row_request){.verb = ROW_READ, .gets = &get, .get_count = 1});
        CHECK_ANSWER(&answer, TABLE_OK);
        assert_null(answer.items.items[0]);
        row_answer_free(&answer);
    }
    assert_int_equal(event_count(&writer.done), 0);
    unlock(local_rows);
    row_asking_end(&writer);
    CHECK_ANSWER(&writer.answer, TABLE_OK);
    CHECK_ITEM(get_item(&local_rows->state, &things_table, KEY), ITEM);
    row_asking_free(&writer);
    put_free(&put);
    json_decref(key);
}

TEST_WITH(local_rows, a_file_that_stays_busy_puts_off)
{
    struct put put;
    put_make(&put, ITEM);
    put.alone.deadline_monotonic_ms = now_ms() + 150;
    lock(local_rows);
    struct row_answer answer = ask(local_rows, &put.alone);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_THROTTLED);
    row_answer_free(&answer);
    unlock(local_rows);
    assert_null(get_item(&local_rows->state, &things_table, KEY));
    put_free(&put);
}

/* A program that has the file for itself also keeps others from opening it. */
TEST_WITH(local_rows, a_file_that_cannot_be_opened_yet_puts_off)
{
    struct put put;
    put_make(&put, ITEM);
    put.alone.try_ms = 150;
    sqlite_rows_close(local_rows->state.rows);
    local_rows->state.rows = NULL;
    assert_int_equal(sqlite3_open_v2(local_rows->state.file, &local_rows->locked, SQLITE_OPEN_READWRITE, NULL),
                     SQLITE_OK);
    run_sql(local_rows->locked, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    struct row_answer answer = ask(local_rows, &put.alone);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_THROTTLED);
    row_answer_free(&answer);
    unlock(local_rows);
    put_free(&put);
}

TEST_WITH(local_rows, who_waits_for_a_busy_file_can_be_cancelled)
{
    struct put put;
    struct row_asking writer;
    put_make(&put, ITEM);
    lock(local_rows);
    row_asking_begin(&writer, &local_rows->on, local_rows->service, &put.together);
    on_loop_call(&local_rows->on, row_asking_cancel, &writer);
    unlock(local_rows);
    on_loop_settle(&local_rows->on);
    assert_int_equal(writer.told, 0);
    assert_true(writer.is_untouched);
    assert_null(get_item(&local_rows->state, &things_table, KEY));
    put_free(&put);
}

struct late {
    struct row_asking writer;
    const char *file;
};

static bool has_an_item(sqlite3 *db)
{
    sqlite3_stmt *look = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM rows_items", -1, &look, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(look), SQLITE_ROW);
    bool has_one = sqlite3_column_int(look, 0) > 0;
    assert_int_equal(sqlite3_finalize(look), SQLITE_OK);
    return has_one;
}

/* That it is done is on its way to the loop, which waits here for what was written. */
static void start_and_cancel_late(void *context)
{
    struct late *late = context;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(late->file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    row_asking_start(&late->writer);
    while (!has_an_item(db))
        sched_yield();
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    row_asking_cancel(&late->writer);
}

TEST_WITH(local_rows, what_is_done_can_be_cancelled_before_it_is_told)
{
    struct put put;
    struct late late = {.file = local_rows->state.file};
    put_make(&put, ITEM);
    late.writer = (struct row_asking){
        .on = &local_rows->on, .service = local_rows->service, .request = put.together, .done = EVENT_INIT};
    on_loop_call(&local_rows->on, start_and_cancel_late, &late);
    on_loop_settle(&local_rows->on);
    assert_int_equal(late.writer.told, 0);
    assert_false(late.writer.is_untouched);
    CHECK_ITEM(get_item(&local_rows->state, &things_table, KEY), ITEM);
    put_free(&put);
}

/* ------------------------------------------------------------------------------------------------ files, tables */

static const struct row_request create = {.verb = ROW_CREATE, .table = "things", .definition = &things};
static const struct row_request check = {.verb = ROW_CHECK, .table = "things", .definition = &things};

static void check_failed(struct local_rows *rows, const struct row_request *request, os_code code, const char *words)
{
    struct row_answer answer = ask(rows, request);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, code);
    CHECK_SAYS(&answer, words);
    row_answer_free(&answer);
}

static void check_done(struct local_rows *rows, const struct row_request *request)
{
    struct row_answer answer = ask(rows, request);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_string_equal(answer.error.message, "");
    row_answer_free(&answer);
}

/* A service of a file that is not there. */
static void absent_set_up(struct local_rows *rows)
{
    char file[1100];
    state_set_up(&rows->state);
    on_loop_set_up(&rows->on);
    (void)snprintf(file, sizeof(file), "%s/later.db", rows->state.folder);
    open_service(rows, file);
}

TEST_WITH_AS(local_rows, absent_set_up, a_file_may_be_made_later)
{
    struct put put;
    char file[1100];
    struct sqlite_rows *others = NULL;
    put_make(&put, ITEM);
    (void)snprintf(file, sizeof(file), "%s/later.db", local_rows->state.folder);
    check_failed(local_rows, &put.alone, OS_ERR_NO_TABLE, "later.db. Make it with os_model_table_create or");
    CHECK_OK(sqlite_tables_create(file, NULL, &error));
    check_failed(local_rows, &put.alone, OS_ERR_NO_TABLE, "There is no table \"things\"");
    check_failed(local_rows, &put.alone, OS_ERR_NO_TABLE, "Make it with os_model_table_create or");
    CHECK_OK(sqlite_rows_open(file, NULL, &others, &error));
    CHECK_OK(sqlite_rows_create(others, "things", &things, patient(), &error));
    check_done(local_rows, &put.alone);
    sqlite_rows_close(others);
    put_free(&put);
}

TEST_WITH_AS(local_rows, absent_set_up, a_table_is_made_with_its_file)
{
    struct put put;
    put_make(&put, ITEM);
    check_failed(local_rows, &check, OS_ERR_NO_TABLE, "later.db");
    check_done(local_rows, &create);
    check_done(local_rows, &create);
    check_done(local_rows, &check);
    check_done(local_rows, &put.alone);
    put_free(&put);
}

TEST_WITH(local_rows, a_table_with_another_definition_is_refused)
{
    static const struct rows_definition other = {.keys = {.partition = {"p", VALUE_S}}};
    static const struct rows_definition none = {.ttl = "t"};
    struct row_request requests[] = {create, check};
    check_done(local_rows, &check);
    for (size_t i = 0; i < 2; i++) {
        requests[i].definition = &other;
        check_failed(local_rows, &requests[i], OS_ERR_TABLE, "is there with another definition: the sort key is");
        requests[i].definition = &none;
        check_failed(local_rows, &requests[i], OS_ERR_ARGUMENT, "no partition key");
        requests[i].definition = &things;
        requests[i].table = "no";
        check_failed(local_rows, &requests[i], OS_ERR_ARGUMENT, "is not the name of a table");
    }
    check_failed(local_rows, &(struct row_request){.verb = ROW_CHECK, .table = "others", .definition = &other},
                 OS_ERR_NO_TABLE, "There is no table \"others\"");
}
