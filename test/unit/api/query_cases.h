/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans by the public functions: what the README of @pocketgems/dynamodb says of them, sentence by sentence. Both
 * stores are asked the same. */
#include "unit/api/query_asking.h"

/* ------------------------------------------------------------------------------------------------ queries */

TEST_WITH(shop, a_query_gives_the_rows_of_one_partition_by_their_sort_key)
{
    put(shop, "a", 8, 11, "\"state\":\"open\",\"points\":1");
    put(shop, "b", 1, 2, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    CHECK_FOUND(&ask, "8 9 10 11");
    assert_int_equal(shop->result.requests, 0);
    ask.options.descending = 1;
    CHECK_FOUND(&ask, "11 10 9 8");
    ask.options.inconsistent = 1;
    CHECK_FOUND(&ask, "11 10 9 8");
    ask = ask_of(shop, "\"c\"");
    CHECK_FOUND(&ask, "");
}

static const struct {
    const char *operation;
    const char *value;
    const char *found;
} sort_rows[] = {
    {"==", "9", "9"},       {">", "9", "10 11"},           {">=", "9", "9 10 11"},    {"<", "10", "8 9"},
    {"<=", "10", "8 9 10"}, {"between", "[9,10]", "9 10"}, {"between", "[9,9]", "9"},
};

TEST_WITH(shop, a_query_asks_for_a_range_of_the_sort_key)
{
    put(shop, "a", 8, 11, "\"state\":\"open\",\"points\":1");
    for (size_t i = 0; i < sizeof(sort_rows) / sizeof(sort_rows[0]); i++) {
        struct ask ask = ask_of(shop, "\"a\"");
        ask.where[1][0] = "at";
        ask.where[1][1] = sort_rows[i].operation;
        ask.where[1][2] = sort_rows[i].value;
        CHECK_FOUND(&ask, sort_rows[i].found);
    }
}

TEST_WITH(shop, a_fetch_gives_as_many_rows_as_are_wanted_and_a_token_for_the_next)
{
    put(shop, "a", 1, 7, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.page = 3;
    CHECK_FOUND(&ask, "1 2 3 4 5 6 7");
    assert_int_equal(ask.pages, 3);
    ask.options.descending = 1;
    ask.page = 100;
    CHECK_FOUND(&ask, "7 6 5 4 3 2 1");
    assert_int_equal(ask.pages, 1);
    ask.page = 4;
    ask.count = 5;
    CHECK_FOUND(&ask, "7 6 5 4 3");
}

/* A request gives a megabyte. */
TEST_WITH(shop, a_fetch_takes_as_many_requests_as_the_rows_need)
{
    enum { LARGE = 200000, LARGE_ROWS = 12 };
    char *fields = malloc(LARGE + 256);
    assert_non_null(fields);
    for (int at = 1; at <= LARGE_ROWS; at++) {
        size_t len =
            (size_t)snprintf(fields, 256, "{\"owner\":\"a\",\"at\":%d,\"state\":\"open\",\"points\":1,\"note\":\"", at);
        memset(fields + len, 'x', LARGE);
        memcpy(fields + len + LARGE, "\"}", sizeof("\"}"));
        let_another_put(shop, fields);
    }
    free(fields);
    struct ask ask = ask_of(shop, "\"a\"");
    ask.page = LARGE_ROWS + 1;
    CHECK_FOUND(&ask, "1 2 3 4 5 6 7 8 9 10 11 12");
    assert_int_equal(ask.pages, 1);
}

TEST_WITH(shop, a_run_ends_when_it_has_given_as_many_as_are_wanted)
{
    put_many(shop, "a", "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.count = 3;
    CHECK_FOUND(&ask, "1 2 3");
    ask.count = 0;
    (void)found(&ask);
    assert_int_equal(ask.rows, MANY);
    ask.count = MANY - 1;
    (void)found(&ask);
    assert_int_equal(ask.rows, MANY - 1);
}

static os_code stop_early(void *context, os_txn *txn, os_error *err)
{
    return look_for(context, txn, err) == OS_ERR_SOURCE ? OS_OK : OS_ERR_PROTOCOL;
}

static os_code end_at_three(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    (void)txn;
    (void)row;
    (void)err;
    return ask->rows == 3 ? OS_ERR_SOURCE : OS_OK;
}

TEST_WITH(shop, the_function_that_is_given_rows_can_end_the_run)
{
    put(shop, "a", 1, 7, "\"state\":\"open\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.then = end_at_three;
    assert_int_equal(transact(shop, look_for, &ask), OS_NOT_EXECUTED);
    assert_int_equal(shop->error.code, OS_ERR_SOURCE);
    CHECK_SAYS(&shop->error, "has ended the run");
    assert_int_equal(ask.rows, 4);
    CHECK_COMMITTED(shop, stop_early, &ask);
}

/* ------------------------------------------------------------------------------------------------ tokens */

struct tokens {
    struct shop *shop;
    char *token; /* of the rows of "a", behind the second */
};

static os_code fetch_with(struct ask *ask, os_txn *txn, const char *token, char **ret_token, os_error *err)
{
    os_query *query = NULL;
    os_row *rows[2];
    size_t count = 0;
    int64_t at = 0;
    const char *next = NULL;
    os_code code = make_query(ask, txn, &query, err);
    if (code == OS_OK)
        code = os_query_fetch(query, 2, token, rows, &count, &next, err);
    if (code == OS_OK && count > 0)
        code = os_row_get_int(rows[0], "at", &at, err);
    ask->rows = (size_t)at;
    if (ret_token != NULL)
        *ret_token = next != NULL ? strdup(next) : NULL;
    return code;
}

static os_code take_token(void *context, os_txn *txn, os_error *err)
{
    struct tokens *tokens = context;
    struct ask ask = ask_of(tokens->shop, "\"a\"");
    return fetch_with(&ask, txn, NULL, &tokens->token, err);
}

static void expect_token_refused(struct ask *ask, os_txn *txn, const char *token, const char *words)
{
    os_error error;
    CHECK_CODE(fetch_with(ask, txn, token, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, words);
}

static os_code use_token(void *context, os_txn *txn, os_error *err)
{
    const struct tokens *tokens = context;
    struct ask same = ask_of(tokens->shop, "\"a\"");
    struct ask other = ask_of(tokens->shop, "\"b\"");
    struct ask turned = ask_of(tokens->shop, "\"a\"");
    static char huge[70000];
    char *forged = strdup(tokens->token);
    memset(huge, ' ', sizeof(huge) - 1);
    turned.options.descending = 1;
    forged[strlen(forged) - 3] = '[';
    expect_token_refused(&other, txn, tokens->token, "asks for something else");
    expect_token_refused(&turned, txn, tokens->token, "asks for something else");
    expect_token_refused(&same, txn, "", "is none");
    expect_token_refused(&same, txn, "{\"of\":1}", "is none");
    expect_token_refused(&same, txn, huge, "is none");
    expect_token_refused(&same, txn, forged, "token");
    free(forged);
    os_code code = fetch_with(&same, txn, tokens->token, NULL, err);
    assert_int_equal(same.rows, 3);
    return code;
}

TEST_WITH(shop, a_token_goes_on_in_another_transaction_with_the_same_query_alone)
{
    struct tokens tokens = {.shop = shop};
    put(shop, "a", 1, 4, "\"state\":\"open\",\"points\":1");
    CHECK_COMMITTED(shop, take_token, &tokens);
    assert_non_null(tokens.token);
    CHECK_COMMITTED(shop, use_token, &tokens);
    free(tokens.token);
}

/* ------------------------------------------------------------------------------------------------ lazy filters */

TEST_WITH(shop, a_lazy_filter_is_allowed_by_an_option_alone)
{
    put(shop, "a", 1, 3, "\"state\":\"open\",\"points\":1");
    put(shop, "a", 4, 6, "\"state\":\"done\",\"points\":2,\"title\":\"write\"");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.where[1][0] = "state";
    ask.where[1][1] = "==";
    ask.where[1][2] = "\"done\"";
    CHECK_REFUSED(&ask, "allow_lazy_filter");
    ask.options.allow_lazy_filter = 1;
    CHECK_FOUND(&ask, "4 5 6");
    ask.where[1][1] = "!=";
    CHECK_FOUND(&ask, "1 2 3");
    ask.where[1][1] = "prefix";
    CHECK_REFUSED(&ask, "only asked of a sort key");
    ask.where[1][0] = "title";
    ask.where[1][1] = "contains";
    ask.where[1][2] = "\"rit\"";
    ask.where[2][0] = "points";
    ask.where[2][1] = "between";
    ask.where[2][2] = "[2,3]";
    CHECK_FOUND(&ask, "4 5 6");
}

TEST_WITH(shop, what_a_filter_passes_over_is_not_counted)
{
    put_many(shop, "a", "\"state\":\"open\",\"points\":1");
    put(shop, "a", 40, 40, "\"state\":\"done\",\"points\":1");
    put(shop, "a", 90, 92, "\"state\":\"done\",\"points\":1");
    put(shop, "a", 149, 149, "\"state\":\"done\",\"points\":1");
    struct ask ask = ask_of(shop, "\"a\"");
    ask.options.allow_lazy_filter = 1;
    ask.where[1][0] = "state";
    ask.where[1][1] = "==";
    ask.where[1][2] = "\"done\"";
    ask.page = 2;
    CHECK_FOUND(&ask, "40 90 91 92 149");
    assert_int_equal(ask.pages, 3);
    ask = ask_index(shop, "byState", "state", "\"done\"");
    ask.options.allow_lazy_filter = 1;
    ask.where[1][0] = "owner";
    ask.where[1][1] = "!=";
    ask.where[1][2] = "\"b\"";
    CHECK_REFUSED(&ask, "INDEX_INCLUDE_KEYS");
}

TEST_WITH(shop, a_page_of_an_index_may_end_between_two_that_a_filter_passes_over)
{
    put(shop, "a", 1, 9, "\"state\":\"open\",\"points\":1");
    put(shop, "a", 3, 3, "\"state\":\"open\",\"points\":2,\"title\":\"t\"");
    put(shop, "a", 5, 6, "\"state\":\"open\",\"points\":3,\"title\":\"t\"");
    put(shop, "a", 7, 7, "\"state\":\"open\",\"points\":4,\"title\":\"t\"");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    ask.options.allow_lazy_filter = 1;
    ask.where[1][0] = "title";
    ask.where[1][1] = "==";
    ask.where[1][2] = "\"t\"";
    ask.page = 2;
    (void)found(&ask);
    assert_int_equal(ask.rows, 4);
    ask.page = 3;
    (void)found(&ask);
    assert_int_equal(ask.rows, 4);
    assert_int_equal(ask.pages, 2);
}

/* ------------------------------------------------------------------------------------------------ indexes */

TEST_WITH(shop, an_index_is_asked_as_the_table_is)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    put(shop, "b", 2, 2, "\"state\":\"open\",\"points\":4,\"title\":\"t\"");
    put(shop, "c", 3, 3, "\"state\":\"open\",\"points\":5");
    put(shop, "d", 4, 4, "\"state\":\"done\",\"points\":5,\"title\":\"t\"");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    CHECK_FOUND(&ask, "2 3 1");
    ask.page = 1;
    CHECK_FOUND(&ask, "2 3 1");
    ask.page = 0;
    ask.options.descending = 1;
    CHECK_FOUND(&ask, "1 3 2");
    ask.where[1][0] = "points";
    ask.where[1][1] = ">=";
    ask.where[1][2] = "5";
    CHECK_FOUND(&ask, "1 3");
    ask = ask_index(shop, "titled", "title", "\"t\"");
    (void)found(&ask);
    assert_int_equal(ask.rows, 2);
    ask.options.index = "nothing";
    CHECK_REFUSED(&ask, "no index \"nothing\"");
    ask = ask_index(shop, "byState", "points", "5");
    CHECK_REFUSED(&ask, "lacks state");
}

static os_code set_points(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    (void)ask;
    (void)txn;
    return os_row_set_int(row, "points", 77, err);
}

TEST_WITH(shop, a_row_of_an_index_is_changed_as_one_of_the_table_is)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    ask.then = set_points;
    CHECK_FOUND(&ask, "1");
    assert_int_equal(shop->result.requests, 1);
    ask.then = NULL;
    ask.where[1][0] = "points";
    ask.where[1][1] = "==";
    ask.where[1][2] = "77";
    CHECK_FOUND(&ask, "1");
}

static os_code find_twice(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    struct ask first = ask_of(ask->shop, "\"a\"");
    os_code code = look_for(&first, txn, err);
    return code == OS_OK ? look_for(ask, txn, err) : code;
}

TEST_WITH(shop, a_row_that_another_query_gave_is_refused_on_each_page_alike)
{
    put(shop, "b", 1, 1, "\"state\":\"open\",\"points\":1");
    put(shop, "a", 2, 2, "\"state\":\"open\",\"points\":2");
    struct ask ask = ask_index(shop, "byState", "state", "\"open\"");
    ask.page = 1;
    assert_int_equal(transact(shop, find_twice, &ask), OS_NOT_EXECUTED);
    CHECK_SAYS(&shop->error, "cache_rows");
}

static os_code change_part(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    int64_t points = 0;
    const char *text = NULL;
    os_row *whole = NULL;
    CHECK_CODE(os_row_get_int(row, "points", &points, err), OS_OK, err);
    assert_int_equal(points, 30);
    CHECK_CODE(os_row_get(row, "title", &text, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "INCLUDE_ONLY");
    CHECK_CODE(os_row_set_int(row, "points", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_increment(row, "points", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_delete(txn, row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "get it first");
    if (ask->context == NULL)
        return OS_OK;
    CHECK_CODE(os_txn_get(txn, ask->shop->task, "{\"owner\":\"a\",\"at\":1}", NULL, &whole, err), OS_OK, err);
    assert_ptr_equal(whole, row);
    CHECK_CODE(os_row_get_string(row, "title", &text, err), OS_OK, err);
    assert_string_equal(text, "t");
    return os_row_set_int(row, "points", 78, err);
}

TEST_WITH(shop, a_row_without_all_its_fields_is_not_changed_until_it_is_read)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30,\"title\":\"t\"");
    struct ask ask = ask_index(shop, "few", "state", "\"open\"");
    ask.where[1][0] = "points";
    ask.where[1][1] = "==";
    ask.where[1][2] = "30";
    ask.then = change_part;
    CHECK_FOUND(&ask, "1");
    ask.context = shop;
    CHECK_FOUND(&ask, "1");
    ask.then = NULL;
    ask.where[1][2] = "78";
    CHECK_FOUND(&ask, "1");
}

static os_code put_other(struct ask *ask, os_txn *txn, os_row *row, os_error *err)
{
    (void)row;
    return os_txn_create_or_put(txn, ask->shop->task, "{\"owner\":\"z\",\"at\":1,\"state\":\"x\",\"points\":1}", NULL,
                                err);
}

/* What only the key of the index has of the row is compared with the fields of the table. */
TEST_WITH(shop, a_row_without_all_its_fields_is_a_condition)
{
    put(shop, "a", 1, 1, "\"state\":\"open\",\"points\":30,\"title\":\"t\"");
    struct ask ask = ask_index(shop, "few", "state", "\"open\"");
    ask.where[1][0] = "points";
    ask.where[1][1] = "==";
    ask.where[1][2] = "30";
    ask.then = put_other;
    CHECK_FOUND(&ask, "1");
    assert_int_equal(shop->result.runs, 1);
    assert_int_equal(shop->result.requests, 1);
}

/* ------------------------------------------------------------------------------------------------ scans */

static struct ask scan_of(struct shop *shop, const char *index)
{
    struct ask ret = {.shop = shop, .options = OS_QUERY_OPTIONS_INIT, .is_scan = true};
    ret.options.index = index;
    return ret;
}

TEST_WITH(shop, a_scan_gives_all_rows_of_the_table_or_of_an_index)
{
    put(shop, "a", 1, 4, "\"state\":\"open\",\"points\":1");
    put(shop, "b", 5, 8, "\"state\":\"open\",\"points\":1,\"title\":\"t\"");
    struct ask ask = scan_of(shop, NULL);
    (void)found(&ask);
    assert_int_equal(ask.rows, 8);
    ask.options.inconsistent = 1;
    ask.page = 3;
    (void)found(&ask);
    assert_int_equal(ask.rows, 8);
    ask.count = 5;
    (void)found(&ask);
    assert_int_equal(ask.rows, 5);
    ask = scan_of(shop, "titled");
    (void)found(&ask);
    assert_int_equal(ask.rows, 4);
    ask.page = 1;
    (void)found(&ask);
    assert_int_equal(ask.rows, 4);
    ask.then = set_points;
    (void)found(&ask);
    assert_int_equal(shop->result.requests, 1);
    ask.where[0][0] = "owner";
    ask.where[0][1] = "==";
    ask.where[0][2] = "\"a\"";
    CHECK_REFUSED(&ask, "A scan of Task has no conditions");
}

TEST_WITH(shop, the_shards_of_a_scan_are_the_table)
{
    enum { OWNERS = 20, SHARDS = 4 };
    size_t sum = 0;
    bool seen[OWNERS + 1] = {false};
    for (int i = 1; i <= OWNERS; i++) {
        char owner[16];
        snprintf(owner, sizeof(owner), "owner-%d", i);
        put(shop, owner, i, i, "\"state\":\"open\",\"points\":1");
    }
    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        struct ask ask = scan_of(shop, NULL);
        char *rest;
        ask.options.shard_index = shard;
        ask.options.shard_count = SHARDS;
        ask.page = 3;
        (void)found(&ask);
        sum += ask.rows;
        for (char *word = strtok_r(ask.found, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
            seen[atoi(word)] = true;
    }
    assert_int_equal(sum, OWNERS);
    for (int i = 1; i <= OWNERS; i++)
        assert_true(seen[i]);
}

TEST_WITH(shop, an_option_that_is_not_for_it_is_refused)
{
    struct ask ask = ask_of(shop, "\"a\"");
    ask.options.shard_count = 2;
    CHECK_REFUSED(&ask, "no shards");
    ask = scan_of(shop, NULL);
    ask.options.descending = 1;
    CHECK_REFUSED(&ask, "no order");
    ask = scan_of(shop, NULL);
    ask.options.allow_lazy_filter = 1;
    CHECK_REFUSED(&ask, "no filters");
    ask = scan_of(shop, NULL);
    ask.options.shard_index = 2;
    ask.options.shard_count = 2;
    CHECK_REFUSED(&ask, "no shard 2 of 2");
    ask.options.shard_count = 0;
    CHECK_REFUSED(&ask, "no shard 2 of 0");
    ask = scan_of(shop, "nothing");
    CHECK_REFUSED(&ask, "no index \"nothing\"");
    ask.options.size = 1;
    CHECK_REFUSED(&ask, "OS_QUERY_OPTIONS_INIT");
    ask = ask_of(shop, "7");
    CHECK_REFUSED(&ask, "owner");
}

static os_code ask_too_late(void *context, os_txn *txn, os_error *err)
{
    struct ask *ask = context;
    os_query *query = NULL;
    os_row *rows[2];
    size_t count = 0;
    CHECK_CODE(make_query(ask, txn, &query, err), OS_OK, err);
    CHECK_CODE(os_query_fetch(query, 0, NULL, rows, &count, NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_query_fetch(query, 2, NULL, rows, &count, NULL, err), OS_OK, err);
    CHECK_CODE(os_query_filter(query, "at", "==", "1", err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "Make another one");
    CHECK_CODE(os_query_filter(NULL, "at", "==", "1", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_query_run(query, 0, take_row, ask, err), OS_ERR_ARGUMENT, err);
    return OS_OK;
}

TEST_WITH(shop, a_query_does_not_change_once_rows_were_fetched)
{
    struct ask ask = ask_of(shop, "\"a\"");
    CHECK_COMMITTED(shop, ask_too_late, &ask);
}
