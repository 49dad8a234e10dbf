/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions and their operations as the README of @pocketgems/dynamodb has them, sample by sample. Both stores are asked the
 * same. */
#include "unit/api/readme_book.h"

#include <stdlib.h>

#define THING(title, fields, required)                                                                                \
    "{'title':'" title "','type':'object','properties':{'id':{'type':'string'}," fields "},'required':['id'" required \
    "],'KEY':['id']}"
#define KEY_7 "{\"id\":\"7\"}"
#define KEY_8 "{\"id\":\"8\"}"

/* ------------------------------------------------------------------------------------------------ contention */

static os_code sign(struct book *book, os_txn *txn, const char *name, os_error *err)
{
    char text[128];
    os_row *row = NULL;
    const char *names = NULL;
    os_code code = os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err);
    if (code == OS_OK)
        code = os_row_get(row, "names", &names, err);
    if (code != OS_OK)
        return code;
    bool is_empty = strcmp(names, "[]") == 0;
    snprintf(text, sizeof(text), "%.*s%s\"%s\"]", (int)strlen(names) - 1, names, is_empty ? "" : ",", name);
    book_let_another(book);
    return os_row_set(row, "names", text, err);
}

static os_code sign_as_bob(void *context, os_txn *txn, os_error *err)
{
    return sign(context, txn, "Bob", err);
}

static os_code sign_as_alice(void *context, os_txn *txn, os_error *err)
{
    return sign(context, txn, "Alice", err);
}

TEST_WITH(book, two_who_sign_a_guestbook_at_once_are_both_in_it)
{
    const os_model *guestbook = book_model(
        book, "Guestbook", THING("Guestbook", "'names':{'type':'array','items':{'type':'string'}}", ",'names'"));
    book_put(book, guestbook, "{\"id\":\"7\",\"names\":[]}");
    book->meanwhile = sign_as_bob;
    CHECK_COMMITTED(book, sign_as_alice);
    assert_int_equal(book->result.runs, 2);
    check_field(book, guestbook, KEY_7, "names", "[\"Bob\",\"Alice\"]");
}

static os_code count_again(const struct book *book, os_txn *txn, const char *key, os_error *err)
{
    os_row *row = NULL;
    int64_t count = 0;
    os_code code = os_txn_get(txn, book->models[0], key, NULL, &row, err);
    if (code == OS_OK)
        code = os_row_get_int(row, "count", &count, err);
    return code == OS_OK ? os_row_set_int(row, "count", count + 1, err) : code;
}

static os_code count_outer(void *context, os_txn *txn, os_error *err)
{
    return count_again(context, txn, KEY_7, err);
}

static os_code count_inner(void *context, os_txn *txn, os_error *err)
{
    return count_again(context, txn, KEY_8, err);
}

static os_code count_both(void *context, os_txn *txn, os_error *err)
{
    struct book *book = context;
    os_code code = count_outer(book, txn, err);
    CHECK_CODE(code, OS_OK, err);
    assert_int_equal(os_transact(book->client, NULL, count_inner, book, NULL, NULL, err), OS_COMMITTED);
    book_let_another(book);
    return OS_OK;
}

static os_code count_both_and_fail(void *context, os_txn *txn, os_error *err)
{
    CHECK_CODE(count_both(context, txn, err), OS_OK, err);
    return OS_ERR_SOURCE;
}

TEST_WITH(book, an_inner_transaction_commits_first_and_again_with_each_run_of_the_outer_one)
{
    const os_model *counter = book_model(book, "Counter", THING("Counter", "'count':{'type':'integer'}", ",'count'"));
    book_put(book, counter, "{\"id\":\"7\",\"count\":0}");
    book_put(book, counter, "{\"id\":\"8\",\"count\":0}");
    book->meanwhile = count_outer;
    CHECK_COMMITTED(book, count_both);
    assert_int_equal(book->result.runs, 2);
    check_field(book, counter, KEY_7, "count", "2");
    check_field(book, counter, KEY_8, "count", "2");
    assert_int_equal(book_transact(book, count_both_and_fail), OS_NOT_EXECUTED);
    check_field(book, counter, KEY_7, "count", "2");
    check_field(book, counter, KEY_8, "count", "3");
}

/* ------------------------------------------------------------------------------------------------ create if missing */

#define STATS(title, field) THING(title, "'" field "':{'type':'integer','minimum':0,'default':0}", ",'" field "'")

static os_code take_lift(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    const struct book *book = context;
    os_row *rows[2];
    int64_t skiers = 0;
    const os_row_key keys[] = {{book->models[0], KEY_7}, {book->models[1], KEY_7}};
    CHECK_CODE(os_txn_get_many(txn, keys, 2, &creates, rows, err), OS_OK, err);
    assert_true(os_row_is_new(rows[0]));
    assert_false(os_row_is_new(rows[1]));
    CHECK_CODE(os_row_get_int(rows[0], "numSkiers", &skiers, err), OS_OK, err);
    assert_int_equal(skiers, 0);
    CHECK_CODE(os_row_set_int(rows[0], "numSkiers", 1, err), OS_OK, err);
    return os_row_set_int(rows[1], "numLiftRides", 9, err);
}

TEST_WITH(book, what_is_missing_of_several_rows_is_made)
{
    const os_model *skiers = book_model(book, "SkierStats", STATS("SkierStats", "numSkiers"));
    const os_model *lifts = book_model(book, "LiftStats", STATS("LiftStats", "numLiftRides"));
    book_put(book, lifts, "{\"id\":\"7\",\"numLiftRides\":8}");
    CHECK_COMMITTED(book, take_lift);
    assert_int_equal(book->result.requests, 1);
    check_field(book, skiers, KEY_7, "numSkiers", "1");
    check_field(book, lifts, KEY_7, "numLiftRides", "9");
}

static os_code ride(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    CHECK_CODE(os_txn_create_or_put(txn, book->models[0], "{\"id\":\"7\",\"numSkiers\":1}", NULL, err), OS_OK, err);
    return os_txn_create_or_put(txn, book->models[1], "{\"id\":\"7\",\"numLiftRides\":1}", NULL, err);
}

static os_code look_at_both(void *context, os_txn *txn, os_error *err)
{
    struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_row_get_int(row, "numSkiers", &book->seen[0], err), OS_OK, err);
    book_let_another(book);
    CHECK_CODE(os_txn_get(txn, book->models[1], KEY_7, NULL, &row, err), OS_OK, err);
    return os_row_get_int(row, "numLiftRides", &book->seen[1], err);
}

TEST_WITH(book, rows_that_are_read_one_after_the_other_are_of_one_instant)
{
    book_put(book, book_model(book, "SkierStats", STATS("SkierStats", "numSkiers")), KEY_7);
    book_put(book, book_model(book, "LiftStats", STATS("LiftStats", "numLiftRides")), KEY_7);
    book->meanwhile = ride;
    CHECK_COMMITTED(book, look_at_both);
    assert_int_equal(book->result.runs, 2);
    assert_int_equal(book->seen[0], 1);
    assert_int_equal(book->seen[1], 1);
}

static os_code erase(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    return os_txn_delete_key(txn, book->models[0], KEY_7, err);
}

static os_code look_and_write_another(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[0], KEY_7, &creates, &row, err), OS_OK, err);
    book_let_another(book);
    return os_txn_create_or_put(txn, book->models[0],
                                os_row_is_new(row) ? "{\"id\":\"8\",\"n\":0}" : "{\"id\":\"8\",\"n\":1}", NULL, err);
}

TEST_WITH(book, a_row_that_was_there_must_be_there_at_the_commit)
{
    const os_model *model = book_model(book, "Stats", STATS("Stats", "n"));
    book_put(book, model, KEY_7);
    CHECK_COMMITTED(book, look_and_write_another);
    assert_int_equal(book->result.runs, 1);
    check_field(book, model, KEY_8, "n", "1");
    book->meanwhile = erase;
    CHECK_COMMITTED(book, look_and_write_another);
    assert_int_equal(book->result.runs, 2);
    check_field(book, model, KEY_8, "n", "0");
    check_is_there(book, model, KEY_7, true);
}

/* ------------------------------------------------------------------------------------------------ deletes */

static os_code delete_what_was_read(void *context, os_txn *txn, os_error *err)
{
    struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err), OS_OK, err);
    book_let_another(book);
    return row != NULL ? os_txn_delete(txn, row, err) : OS_OK;
}

static os_code erase_both(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    CHECK_CODE(os_txn_delete_key(txn, book->models[0], KEY_8, err), OS_OK, err);
    return os_txn_delete_key(txn, book->models[0], KEY_7, err);
}

TEST_WITH(book, a_row_that_was_read_and_is_gone_is_not_deleted_but_a_key_is)
{
    const os_model *model = book_model(book, "Stats", STATS("Stats", "n"));
    book_put(book, model, KEY_7);
    book->meanwhile = erase;
    book->options.no_retries = 1;
    assert_int_equal(book_transact(book, delete_what_was_read), OS_CONFLICT);
    assert_int_equal(book->error.code, OS_ERR_CONFLICT);
    CHECK_COMMITTED(book, erase);
    book_put(book, model, KEY_8);
    CHECK_COMMITTED(book, erase_both);
    check_is_there(book, model, KEY_8, false);
}

/* ------------------------------------------------------------------------------------------------ blind writes */

static os_code use(struct book *book, os_txn *txn, const char *fields, const char *expected, os_error *err)
{
    return os_txn_create_or_put(txn, book->models[0], fields, expected, err);
}

static os_code use_first(void *context, os_txn *txn, os_error *err)
{
    return use(context, txn, "{\"user\":\"Bob\",\"feature\":\"refer a friend\",\"epoch\":234,\"note\":\"x\"}", NULL,
               err);
}

static os_code use_later(void *context, os_txn *txn, os_error *err)
{
    return use(context, txn, "{\"user\":\"Bob\",\"feature\":\"refer a friend\",\"epoch\":123}", "{\"epoch\":234}", err);
}

static os_code use_another(void *context, os_txn *txn, os_error *err)
{
    return use(context, txn, "{\"user\":\"Bob\",\"feature\":\"other\",\"epoch\":1}", "{\"epoch\":234}", err);
}

TEST_WITH(book, a_row_is_put_whatever_is_there_or_if_it_is_as_expected)
{
#define USED "{\"user\":\"Bob\",\"feature\":\"refer a friend\"}"
    const os_model *used = book_model(book, "LastUsedFeature",
                                      "{'title':'LastUsedFeature','type':'object','properties':{'user':{'type':'"
                                      "string'},'feature':{'type':'string'},'epoch':{'type':'integer'},'note':{'type':'"
                                      "string'}},'required':['user','feature','epoch'],'KEY':['user','feature']}");
    book->options.no_retries = 1;
    for (int i = 0; i < 2; i++)
        CHECK_COMMITTED(book, use_first);
    CHECK_COMMITTED(book, use_later);
    check_field(book, used, USED, "epoch", "123");
    check_field(book, used, USED, "note", NULL);
    assert_int_equal(book_transact(book, use_later), OS_CONFLICT);
    assert_int_equal(book->error.code, OS_ERR_CONFLICT);
    CHECK_COMMITTED(book, use_another); /* there is none */
}

static os_code update_order(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    const os_model *order = book->models[0];
    CHECK_CODE(os_txn_update(txn, order, "{\"id\":\"7\",\"product\":\"coffee\"}", "{\"quantity\":2}", err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "its old value is not given");
    CHECK_CODE(os_txn_update(txn, order, "{\"id\":\"7\",\"quantity\":1}", "{}", err), OS_ERR_ARGUMENT, err);
    return os_txn_update(txn, order, "{\"id\":\"7\",\"quantity\":1,\"product\":\"coffee\"}", "{\"quantity\":2}", err);
}

TEST_WITH(book, a_row_is_updated_only_if_all_old_values_are_given_and_hold)
{
    const os_model *order =
        book_model(book, "Order", THING("Order", "'product':{'type':'string'},'quantity':{'type':'integer'}", ""));
    book->options.no_retries = 1;
    assert_int_equal(book_transact(book, update_order), OS_CONFLICT); /* there is none */
    check_is_there(book, order, KEY_7, false);
    book_put(book, order, "{\"id\":\"7\",\"product\":\"tea\",\"quantity\":1}");
    assert_int_equal(book_transact(book, update_order), OS_CONFLICT);
    check_field(book, order, KEY_7, "quantity", "1");
    book_put(book, order, "{\"id\":\"7\",\"product\":\"coffee\",\"quantity\":1}");
    CHECK_COMMITTED(book, update_order);
    assert_int_equal(book->result.requests, 1);
    check_field(book, order, KEY_7, "quantity", "2");
    check_field(book, order, KEY_7, "product", "\"coffee\"");
}

/* ------------------------------------------------------------------------------------------------ increments */

static os_code hit(struct book *book, os_txn *txn, bool looks, os_error *err)
{
    os_row *row = NULL;
    int64_t count = 0;
    CHECK_CODE(os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err), OS_OK, err);
    if (looks) {
        CHECK_CODE(os_row_get_int(row, "count", &count, err), OS_OK, err);
        CHECK_CODE(os_row_increment(row, "none", 1, err), OS_ERR_ARGUMENT, err);
        CHECK_SAYS(err, "it has no number");
    }
    book_let_another(book);
    return os_row_increment(row, "count", 1, err);
}

static os_code hit_quickly(void *context, os_txn *txn, os_error *err)
{
    return hit(context, txn, false, err);
}

static os_code hit_after_a_look(void *context, os_txn *txn, os_error *err)
{
    return hit(context, txn, true, err);
}

TEST_WITH(book, an_increment_contends_if_its_field_was_read)
{
    const os_model *counter = book_model(
        book, "WebsiteHitCounter",
        THING("WebsiteHitCounter", "'count':{'type':'integer','minimum':0},'none':{'type':'integer'}", ",'count'"));
    book_put(book, counter, "{\"id\":\"7\",\"count\":0}");
    book->meanwhile = hit_quickly;
    CHECK_COMMITTED(book, hit_quickly);
    assert_int_equal(book->result.runs, 1);
    book->meanwhile = hit_quickly;
    CHECK_COMMITTED(book, hit_after_a_look);
    assert_int_equal(book->result.runs, 2);
    check_field(book, counter, KEY_7, "count", "4");
}

/* ------------------------------------------------------------------------------------------------ sizes */

/* A list of so many ones; each field may have it, and not both. */
static os_code fill(struct book *book, os_txn *txn, const char *field, os_error *err)
{
    enum { ONES = 40000 };
    static char list[2 * ONES + 2];
    os_row *row = NULL;
    memset(list, ',', sizeof(list) - 1);
    for (size_t i = 0; i < ONES; i++)
        list[2 * i + 1] = '1';
    list[0] = '[';
    list[sizeof(list) - 2] = ']';
    os_code code = os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err);
    return code == OS_OK ? os_row_set(row, field, list, err) : code;
}

static os_code fill_ones(void *context, os_txn *txn, os_error *err)
{
    return fill(context, txn, "ones", err);
}

static os_code fill_more(void *context, os_txn *txn, os_error *err)
{
    return fill(context, txn, "more", err);
}

TEST_WITH(book, no_row_gets_more_values_than_can_be_read_back)
{
    const os_model *model =
        book_model(book, "Long", THING("Long", "'ones':{'type':'array'},'more':{'type':'array'}", ""));
    book_put(book, model, KEY_7);
    CHECK_COMMITTED(book, fill_ones);
    assert_int_equal(book_transact(book, fill_more), OS_NOT_EXECUTED);
    assert_int_equal(book->error.code, OS_ERR_TOO_LARGE);
    CHECK_SAYS(&book->error, "the row Long \"7\"");
    check_field(book, model, KEY_7, "more", NULL);
}

/* ------------------------------------------------------------------------------------------------ repeated reads */

static os_code add_one(struct book *book, os_txn *txn, os_error *err)
{
    os_row *row = NULL;
    int64_t n = 0;
    os_code code = os_txn_get(txn, book->models[0], KEY_7, NULL, &row, err);
    if (code == OS_OK)
        code = os_row_get_int(row, "n", &n, err);
    return code == OS_OK ? os_row_set_int(row, "n", n + 1, err) : code;
}

static os_code add_twice(void *context, os_txn *txn, os_error *err)
{
    os_code code = add_one(context, txn, err);
    return code == OS_OK ? add_one(context, txn, err) : code;
}

static os_code add_twice_with_a_cache(void *context, os_txn *txn, os_error *err)
{
    os_txn_cache_rows(txn);
    return add_twice(context, txn, err);
}

TEST_WITH(book, a_row_is_read_twice_where_rows_are_cached_as_it_was_left)
{
    const os_model *model = book_model(book, "Stats", STATS("Stats", "n"));
    book_put(book, model, KEY_7);
    assert_int_equal(book_transact(book, add_twice), OS_NOT_EXECUTED);
    assert_int_equal(book->error.code, OS_ERR_ARGUMENT);
    CHECK_COMMITTED(book, add_twice_with_a_cache);
    check_field(book, model, KEY_7, "n", "2");
    book->options.cache_rows = 1;
    CHECK_COMMITTED(book, add_twice);
    check_field(book, model, KEY_7, "n", "4");
}

static void check_not_read(os_txn *txn, const os_model *model, const char *key)
{
    os_error error;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, model, key, NULL, &row, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "made or deleted here");
    assert_null(row);
}

static os_code read_what_is_written(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    const os_model *model = book->models[0];
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, model, KEY_7, NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_txn_delete(txn, row, err), OS_OK, err);
    check_not_read(txn, model, KEY_7);
    CHECK_CODE(os_txn_create(txn, model, KEY_8, NULL, err), OS_OK, err);
    check_not_read(txn, model, KEY_8);
    CHECK_CODE(os_txn_delete_key(txn, model, "{\"id\":\"9\"}", err), OS_OK, err);
    check_not_read(txn, model, "{\"id\":\"9\"}");
    CHECK_CODE(os_txn_create_or_put(txn, model, "{\"id\":\"10\",\"n\":1}", NULL, err), OS_OK, err);
    check_not_read(txn, model, "{\"id\":\"10\"}");
    CHECK_CODE(os_txn_update(txn, model, "{\"id\":\"11\",\"n\":1}", "{\"n\":2}", err), OS_OK, err);
    check_not_read(txn, model, "{\"id\":\"11\"}");
    return OS_OK;
}

TEST_WITH(book, what_was_made_or_deleted_here_is_not_read_though_rows_are_cached)
{
    const os_model *model = book_model(book, "Stats", STATS("Stats", "n"));
    book_put(book, model, KEY_7);
    book_put(book, model, "{\"id\":\"11\",\"n\":1}");
    book->options.cache_rows = 1;
    CHECK_COMMITTED(book, read_what_is_written);
    check_is_there(book, model, KEY_7, false);
    check_field(book, model, "{\"id\":\"11\"}", "n", "2");
}
