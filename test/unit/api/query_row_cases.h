/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of queries and scans in their transaction by the public functions: what the README of @pocketgems/dynamodb says of them, sentence by sentence. Both
 * stores are asked the same. */
#include "unit/api/query_asking.h"

#include <time.h>

/* ------------------------------------------------------------------------------------------------ conditions */

static os_code be_late(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *meanwhile = ask->context;
    (void)txn;
    ask->context = NULL;
    if (meanwhile != NULL)
        let_another_put(ask->shop, meanwhile);
    return os_row_set_string(row, "title", "late", err);
}

TEST_WITH(shop, what_the_query_has_asked_of_a_row_is_a_condition)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    ask.then = be_late;
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"done\",\"points\":30}";
    CHECK_FOUND(&ask, "");
    assert_int_equal(shop->result.runs, 2);
}

static os_code write_elsewhere(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *meanwhile = ask->context;
    (void)row;
    ask->context = NULL;
    if (meanwhile != NULL)
        let_another_put(ask->shop, meanwhile);
    return os_txn_create_or_put(txn, ask->shop->task, "{\"owner\":\"z\",\"at\":1,\"state\":\"x\",\"points\":1}", NULL,
                                err);
}

TEST_WITH(shop, so_it_is_of_a_row_whose_key_alone_is_read)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    ask.then = write_elsewhere;
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"done\",\"points\":30}";
    CHECK_FOUND(&ask, "");
    assert_int_equal(shop->result.runs, 2);
}

static struct ask ask_few(struct shop *shop)
{
    struct ask ret = ask_index(shop, "few", "state", "\"open\"");
    ret.where[1][0] = "points";
    ret.where[1][1] = "==";
    ret.where[1][2] = "30";
    return ret;
}

static os_code get_late(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *meanwhile = ask->context;
    int64_t points = 0;
    os_row *whole = NULL;
    os_code code = os_row_get_int(row, "points", &points, err);
    ask->context = NULL;
    if (meanwhile != NULL)
        let_another_put(ask->shop, meanwhile);
    if (code == OS_OK)
        code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &whole, err);
    return code == OS_OK ? os_row_set_string(row, "title", "late", err) : code;
}

TEST_WITH(shop, a_row_that_an_index_gave_and_that_has_changed_runs_it_again)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_few(shop);
    ask.then = get_late;
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":31}";
    CHECK_FOUND(&ask, "");
    assert_int_equal(shop->result.runs, 2);
}

static os_code borrow_and_get(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *state = NULL;
    const char *again = NULL;
    os_row *whole = NULL;
    CHECK_CODE(os_row_get_string(row, "state", &state, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &whole, err), OS_OK, err);
    CHECK_CODE(os_row_get_string(whole, "state", &again, err), OS_OK, err);
    assert_ptr_equal(state, again);
    return OS_OK;
}

TEST_WITH(shop, what_was_borrowed_of_an_index_stays_when_the_row_is_read)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_few(shop);
    ask.then = borrow_and_get;
    CHECK_FOUND(&ask, "1");
}

static os_code get_as_another(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    os_model *other = NULL;
    os_row *whole = NULL;
    (void)row;
    CHECK_CODE(os_model_parse(task_schema, ask->shop->table, &other, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, other, "{\"owner\":\"a\",\"at\":1}", NULL, &whole, err), OS_ERR_ARGUMENT, err);
    os_model_free(other);
    return OS_OK;
}

TEST_WITH(shop, what_an_index_gave_as_a_row_of_one_model_is_not_read_as_one_of_another)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_few(shop);
    ask.then = get_as_another;
    CHECK_FOUND(&ask, "1");
}

static os_code move_first(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *meanwhile = ask->context;
    (void)txn;
    (void)row;
    (void)err;
    ask->context = NULL;
    if (meanwhile != NULL)
        let_another_put(ask->shop, meanwhile);
    return OS_OK;
}

/* Reads the row, of which no field is looked at, and lists it. */
static os_code get_and_find(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_row *row = NULL;
    const char *before = ask->then != NULL ? NULL : ask->context;
    os_code code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &row, err);
    if (before != NULL) {
        let_another_put(ask->shop, before);
        ask->context = NULL;
    }
    return code == OS_OK ? look_for(ask, txn, err) : code;
}

/* Not given twice either, where rows are cached, and one was read by its key before. */
TEST_WITH(shop, a_row_that_moves_in_an_index_while_it_is_listed_runs_it_again)
{
    for (int i = 0; i < 3; i++) {
        put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":1");
        put(shop, "a", 2, 2, "\"state\":\"open\",\"points\":2");
        shop->options.cache_rows = i > 0;
        struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
        ask.page = 1;
        ask.then = move_first;
        ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":3}";
        CHECK_COMMITTED(shop, i < 2 ? look_for : get_and_find, &ask);
        assert_string_equal(ask.found, "2 1");
        assert_int_equal(shop->result.runs, 2);
    }
}

static os_code set_title(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    (void)ask;
    (void)txn;
    return os_row_set_string(row, "title", "late", err);
}

struct sieve {
    struct ask ask;
    size_t touched;
};

static os_code touch_some(void *context, os_txn *txn, os_error *err)
{
    struct sieve *sieve = context;
    os_query *query = NULL;
    os_row *rows[MANY];
    size_t count = 0;
    const char *token = NULL;
    os_code code = make_query(&sieve->ask, txn, &query, err);
    if (code == OS_OK)
        code = os_query_fetch(query, MANY, NULL, rows, &count, &token, err);
    assert_int_equal(count, MANY);
    for (size_t i = 0; i < sieve->touched && code == OS_OK; i++)
        code = set_title(&sieve->ask, txn, rows[i], err);
    return code == OS_OK ? write_elsewhere(&sieve->ask, txn, NULL, err) : code;
}

TEST_WITH(shop, a_transaction_has_any_number_of_rows_of_which_a_hundred_take_part)
{
    put_many(shop, "a", "\"state\":\"open\",\"points\":1");
    struct sieve sieve = {.ask = ask_of(shop, "\"a\""), .touched = 99};
    CHECK_COMMITTED(shop, touch_some, &sieve);
    assert_int_equal(shop->result.requests, 1);
    sieve.touched = 100;
    assert_int_equal(transact(shop, touch_some, &sieve), OS_NOT_EXECUTED);
    assert_int_equal(shop->error.code, OS_ERR_TOO_LARGE);
    shop->options.read_only = 1;
    struct ask ask = ask_of(shop, "\"a\"");
    (void)found(&ask);
    assert_int_equal(ask.rows, MANY);
}

static os_code get_and_list(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"x\",\"at\":1}", NULL, &row, err);
    if (code == OS_OK && ask->context != NULL)
        code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"x\",\"at\":2}", NULL, &row, err);
    return code == OS_OK ? look_for(ask, txn, err) : code;
}

TEST_WITH(shop, where_nothing_is_written_the_rows_of_a_list_are_not_looked_at_again)
{
    put_many(shop, "a", "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    CHECK_COMMITTED(shop, get_and_list, &ask);
    assert_int_equal(ask.rows, MANY);
    assert_int_equal(shop->result.requests, 0);
    ask.context = shop;
    CHECK_COMMITTED(shop, get_and_list, &ask);
    assert_int_equal(shop->result.requests, 1);
}

/* ------------------------------------------------------------------------------------------------ repeated reads */

static os_code get_first(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &row, err);
    if (code == OS_OK && row != NULL)
        code = os_row_set_int(row, "points", 99, err);
    if (code == OS_OK && row == NULL && ask->context != NULL)
        let_another_put(ask->shop, ask->context);
    ask->context = NULL;
    return code == OS_OK ? look_for(ask, txn, err) : code;
}

static os_code expect_points(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    int64_t points = 0;
    (void)ask;
    (void)txn;
    os_code code = os_row_get_int(row, "points", &points, err);
    assert_int_equal(points, 99);
    return code;
}

TEST_WITH(shop, a_row_that_was_read_is_found_again_where_rows_are_cached)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.then = expect_points;
    assert_int_equal(transact(shop, get_first, &ask), OS_NOT_EXECUTED);
    CHECK_SAYS(&shop->error, "cache_rows");
    shop->options.cache_rows = 1;
    CHECK_COMMITTED(shop, get_first, &ask);
    assert_string_equal(ask.found, "1");
}

TEST_WITH(shop, what_the_query_has_asked_of_a_row_that_was_read_before_is_a_condition)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_of(shop, "\"a\"");
    shop->options.cache_rows = 1;
    ask.options.allow_lazy_filter = 1;
    ask.where[1][0] = "state";
    ask.where[1][1] = "==";
    ask.where[1][2] = "\"open\"";
    ask.then = write_elsewhere;
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"done\",\"points\":30}";
    CHECK_COMMITTED(shop, get_and_find, &ask);
    assert_string_equal(ask.found, "");
    assert_int_equal(shop->result.runs, 2);
}

TEST_WITH(shop, one_that_was_read_before_it_became_what_is_asked_runs_it_again)
{
    put(shop, "a", 1, 1, "\"state\":\"done\",\"points\":30");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    shop->options.cache_rows = 1;
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":30}";
    CHECK_COMMITTED(shop, get_and_find, &ask);
    assert_string_equal(ask.found, "1");
    assert_int_equal(shop->result.runs, 2);
}

TEST_WITH(shop, a_row_that_was_missing_and_is_found_runs_it_again)
{
    struct ask ask = ask_of(shop, "\"a\"");
    ask.context = "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":5}";
    shop->options.cache_rows = 1;
    CHECK_COMMITTED(shop, get_first, &ask);
    assert_int_equal(shop->result.runs, 2);
    assert_string_equal(ask.found, "1");
}

static os_code erase_first(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_code code = os_txn_delete_key(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", err);
    return code == OS_OK ? look_for(ask, txn, err) : code;
}

TEST_WITH(shop, a_row_that_was_deleted_here_is_not_found)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    shop->options.cache_rows = 1;
    assert_int_equal(transact(shop, erase_first, &ask), OS_NOT_EXECUTED);
    assert_int_equal(shop->error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&shop->error, "made or deleted here");
}

static os_code erase_one(void *context, os_txn *txn, os_error *err)
{
    const struct shop *shop = context;
    return os_txn_delete_key(txn, shop->task, "{\"owner\":\"a\",\"at\":1}", err);
}

/* Lists the row, reads it by its key, which gives the same again, and looks at no field of it. */
static os_code list_and_get(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_query *query = NULL;
    os_row *row = NULL;
    size_t count = 0;
    os_code code = make_query(ask, txn, &query, err);
    if (code == OS_OK)
        code = os_query_fetch(query, 1, NULL, &row, &count, NULL, err);
    if (code == OS_OK)
        code = os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &row, err);
    ask->rows = row != NULL;
    if (ask->context != NULL)
        assert_int_equal(os_transact(ask->shop->client, NULL, erase_one, ask->context, NULL, NULL, NULL), OS_COMMITTED);
    ask->context = NULL;
    return code == OS_OK ? write_elsewhere(ask, txn, row, err) : code;
}

TEST_WITH(shop, a_row_that_was_listed_and_is_read_by_its_key_must_still_be_there)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    shop->options.cache_rows = 1;
    ask.context = shop;
    CHECK_COMMITTED(shop, list_and_get, &ask);
    assert_int_equal(shop->result.runs, 2);
    assert_int_equal(ask.rows, 0);
}

static os_code list_and_get_all(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_query *query = NULL;
    os_row *rows[MANY];
    size_t count = 0;
    os_code code = make_query(ask, txn, &query, err);
    if (code == OS_OK)
        code = os_query_fetch(query, MANY, NULL, rows, &count, NULL, err);
    for (ask->rows = 0; ask->rows < MANY && code == OS_OK; ask->rows++) {
        char key[64];
        snprintf(key, sizeof(key), "{\"owner\":\"a\",\"at\":%zu}", ask->rows + 1);
        code = os_txn_get(txn, ask->shop->task, key, NULL, &rows[0], err);
    }
    return code;
}

TEST_WITH(shop, of_rows_that_were_listed_a_hundred_are_read_by_their_keys)
{
    put_many(shop, "a", "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    shop->options.cache_rows = 1;
    assert_int_equal(transact(shop, list_and_get_all, &ask), OS_NOT_EXECUTED);
    assert_int_equal(shop->error.code, OS_ERR_TOO_LARGE);
    assert_int_equal(ask.rows, 101);
}

static os_code get_points(const struct ask *ask, os_txn *txn, const char *key, int64_t *ret, os_error *err)
{
    os_row *row = NULL;
    os_code code = os_txn_get(txn, ask->shop->task, key, NULL, &row, err);
    return code == OS_OK ? os_row_get_int(row, "points", ret, err) : code;
}

/* Between the list and the reads by keys both rows change. */
static os_code list_and_add_up(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    int64_t points[2] = {0, 0};
    os_code code = look_for(ask, txn, err);
    if (ask->context != NULL) {
        let_another_put(ask->shop, "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":0}");
        let_another_put(ask->shop, "{\"owner\":\"b\",\"at\":1,\"state\":\"open\",\"points\":10}");
    }
    ask->context = NULL;
    if (code == OS_OK)
        code = get_points(ask, txn, "{\"owner\":\"b\",\"at\":1}", &points[1], err);
    if (code == OS_OK)
        code = get_points(ask, txn, "{\"owner\":\"a\",\"at\":1}", &points[0], err);
    ask->rows = (size_t)(points[0] + points[1]);
    return code;
}

TEST_WITH(shop, rows_that_are_read_by_their_keys_are_of_one_instant_though_one_was_listed)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":10");
    put(shop, "b", 1, 1, "\"state\":\"open\",\"points\":0");
    struct ask ask = ask_of(shop, "\"a\"");
    shop->options.cache_rows = 1;
    ask.context = shop;
    CHECK_COMMITTED(shop, list_and_add_up, &ask);
    assert_int_equal(ask.rows, 10);
    assert_int_equal(shop->result.runs, 2);
}

/* ------------------------------------------------------------------------------------------------ expiry */

TEST_WITH(shop, rows_that_have_expired_are_passed_over)
{
    char past[96];
    snprintf(past, sizeof(past), "\"state\":\"open\",\"points\":1,\"until\":%lld", (long long)time(NULL) - 1000);
    put(shop, "a", 1, 5, past);
    put(shop, "a", 6, 9, "\"state\":\"open\",\"points\":1,\"until\":0");
    put(shop, "a", 10, 12, past);
    struct ask ask = ask_of(shop, "\"a\"");
    ask.page = 2;
    CHECK_FOUND(&ask, "6 7 8 9");
    ask.page = 0;
    ask.is_scan = true;
    ask.where[0][0] = NULL;
    CHECK_FOUND(&ask, "6 7 8 9");
    ask.options.index = "byState";
    (void)found(&ask);
    assert_int_equal(ask.rows, 4);
}

TEST_WITH(shop, one_that_has_expired_is_as_missing_to_a_query_as_to_a_read)
{
    char past[96];
    snprintf(past, sizeof(past), "\"state\":\"open\",\"points\":1,\"until\":%lld", (long long)time(NULL) - 1000);
    put(shop, "a", 1, 1, past);
    put(shop, "a", 2, 2, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    CHECK_COMMITTED(shop, get_first, &ask);
    assert_int_equal(shop->result.runs, 1);
    assert_string_equal(ask.found, "2");
}

static const char one_task[] = "{\"owner\":\"a\",\"at\":1,\"state\":\"open\",\"points\":30}";

static os_code make_what_is_gone(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    CHECK_CODE(os_txn_get(txn, ask->shop->task, one_task, &creates, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "has expired");
    return write_elsewhere(ask, txn, row, err);
}

static os_code get_what_is_gone(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    const char *state = NULL;
    os_row *whole = row;
    CHECK_CODE(os_row_get_string(row, "state", &state, err), OS_OK, err);
    for (int i = 0; i < 2; i++) {
        CHECK_CODE(os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &whole, err), OS_OK, err);
        assert_null(whole);
    }
    assert_string_equal(state, "open");
    return write_elsewhere(ask, txn, row, err);
}

TEST_WITH(shop, what_an_index_gives_that_does_not_know_that_it_has_expired_is_missing)
{
    char past[96];
    snprintf(past, sizeof(past), "\"state\":\"open\",\"points\":30,\"until\":%lld", (long long)time(NULL) - 1000);
    put(shop, "a", 1, 1, past);
    struct ask ask = ask_few(shop);
    ask.then = get_what_is_gone;
    CHECK_FOUND(&ask, "1");
    assert_int_equal(shop->result.runs, 1);
    ask.then = make_what_is_gone;
    CHECK_FOUND(&ask, "1");
    shop->options.no_retries = 1;
    ask.context = (void *)one_task;
    assert_int_equal(transact(shop, look_for, &ask), OS_CONFLICT);
    put(shop, "a", 1, 1, past);
    ask.then = get_what_is_gone;
    ask.context = (void *)one_task;
    assert_int_equal(transact(shop, look_for, &ask), OS_CONFLICT);
}
