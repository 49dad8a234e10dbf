/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with a time of expiry, as the README of @pocketgems/dynamodb has them, and what a commit makes of one that comes. Both
 * stores are asked the same. */
#include "unit/api/readme_book.h"

#include <time.h>

#define FIVE_YEARS_S 157680000

static const os_model *expiring_model(struct book *book)
{
    return book_model(
        book, "Expiring",
        "{'title':'TTLExample','type':'object','properties':{'id':{'type':'string'},'product':{'type':"
        "'string'},'quantity':{'type':'integer'},'until':{'type':'integer'}},'required':['id'],'KEY':['id'],"
        "'EXPIRE_EPOCH_FIELD':'until'}");
}

TEST_WITH(book, a_row_that_has_expired_is_gone_and_its_key_is_free)
{
    char expired[96];
    char long_ago[96];
    const os_model *model = expiring_model(book);
    snprintf(expired, sizeof(expired), "{\"id\":\"7\",\"until\":%lld}", (long long)time(NULL) - 1000);
    snprintf(long_ago, sizeof(long_ago), "{\"id\":\"8\",\"until\":%lld}", (long long)time(NULL) - FIVE_YEARS_S - 1000);
    book_put(book, model, expired);
    book_put(book, model, long_ago);
    book_put(book, model, "{\"id\":\"9\",\"until\":0}");
    check_is_there(book, model, "{\"id\":\"7\"}", false);
    check_is_there(book, model, "{\"id\":\"8\"}", true);
    check_is_there(book, model, "{\"id\":\"9\"}", true);
    CHECK_COMMITTED(book, create_order);
    check_field(book, model, "{\"id\":\"7\"}", "product", "\"coffee\"");
}

static os_code expire_in(struct book *book, os_txn *txn, int seconds, os_error *err)
{
    char fields[96];
    snprintf(fields, sizeof(fields), "{\"id\":\"7\",\"until\":%lld}", (long long)time(NULL) + seconds);
    return os_txn_create_or_put(txn, book->models[0], fields, NULL, err);
}

static os_code let_it_expire(void *context, os_txn *txn, os_error *err)
{
    return expire_in(context, txn, -1000, err);
}

static os_code let_it_live(void *context, os_txn *txn, os_error *err)
{
    return expire_in(context, txn, 2000, err);
}

static os_code note_whether_it_is_there(void *context, os_txn *txn, os_error *err)
{
    struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"id\":\"7\"}", NULL, &row, err), OS_OK, err);
    book_let_another(book);
    return os_txn_create_or_put(
        txn, book->models[0],
        row != NULL ? "{\"id\":\"8\",\"product\":\"there\"}" : "{\"id\":\"8\",\"product\":\"gone\"}", NULL, err);
}

/* Without a time of expiry, with none that counts, with one of long ago, and with one to come. */
enum { LIVING_KINDS = 4 };
static void make_it_live(struct book *book, const os_model *model, size_t kind)
{
    static const char *const others[] = {"{\"id\":\"7\"}", "{\"id\":\"7\",\"until\":0}", "{\"id\":\"7\",\"until\":1}"};
    if (kind < LIVING_KINDS - 1)
        book_put(book, model, others[kind]);
    else
        CHECK_COMMITTED(book, let_it_live);
}

TEST_WITH(book, a_row_that_was_there_must_not_have_expired_at_the_commit)
{
    const os_model *model = expiring_model(book);
    for (size_t i = 0; i < LIVING_KINDS; i++) {
        make_it_live(book, model, i);
        CHECK_COMMITTED(book, note_whether_it_is_there);
        assert_int_equal(book->result.runs, 1);
        check_field(book, model, "{\"id\":\"8\"}", "product", "\"there\"");
        book->meanwhile = let_it_expire;
        CHECK_COMMITTED(book, note_whether_it_is_there);
        assert_int_equal(book->result.runs, 2);
        check_field(book, model, "{\"id\":\"8\"}", "product", "\"gone\"");
    }
}

TEST_WITH(book, that_a_row_lives_longer_than_was_read_is_no_contention)
{
    (void)expiring_model(book);
    CHECK_COMMITTED(book, let_it_live);
    book->meanwhile = let_it_live;
    CHECK_COMMITTED(book, note_whether_it_is_there);
    assert_int_equal(book->result.runs, 1);
}

static os_code let_the_indexed_expire(void *context, os_txn *txn, os_error *err)
{
    char fields[96];
    const struct book *book = context;
    snprintf(fields, sizeof(fields), "{\"id\":\"7\",\"product\":\"tea\",\"until\":%lld}", (long long)time(NULL) - 1000);
    return os_txn_create_or_put(txn, book->models[0], fields, NULL, err);
}

static os_code note_whether_an_index_has_it(void *context, os_txn *txn, os_error *err)
{
    struct book *book = context;
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    os_query *query = NULL;
    os_row *row = NULL;
    const char *id = NULL;
    size_t count = 0;
    options.index = "byProduct";
    CHECK_CODE(os_txn_query(txn, book->models[0], &options, &query, err), OS_OK, err);
    CHECK_CODE(os_query_filter(query, "product", "==", "\"tea\"", err), OS_OK, err);
    CHECK_CODE(os_query_fetch(query, 1, NULL, &row, &count, NULL, err), OS_OK, err);
    if (count > 0)
        CHECK_CODE(os_row_get_string(row, "id", &id, err), OS_OK, err);
    book_let_another(book);
    return os_txn_create_or_put(txn, book->models[0], count > 0 ? "{\"id\":\"8\"}" : "{\"id\":\"9\"}", NULL, err);
}

TEST_WITH(book, nor_must_one_of_an_index_that_has_the_time_of_expiry)
{
    const os_model *model = book_model(
        book, "Indexed",
        "{'title':'Indexed','type':'object','properties':{'id':{'type':'string'},'product':{'type':'string'},"
        "'until':{'type':'integer'}},'required':['id'],'KEY':['id'],'EXPIRE_EPOCH_FIELD':'until','INDEXES':"
        "{'byProduct':{'KEY':['product'],'SPARSE':true,'INCLUDE_ONLY':['until']}}}");
    book_put(book, model, "{\"id\":\"7\",\"product\":\"tea\"}");
    book->meanwhile = let_the_indexed_expire;
    CHECK_COMMITTED(book, note_whether_an_index_has_it);
    assert_int_equal(book->result.runs, 2);
    check_is_there(book, model, "{\"id\":\"8\"}", false);
    check_is_there(book, model, "{\"id\":\"9\"}", true);
}

static os_code update_it(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    return os_txn_update(txn, book->models[0], "{\"id\":\"7\",\"product\":null}", "{\"product\":\"coffee\"}", err);
}

/* Without being read: one that no read would find is not there. */
TEST_WITH(book, a_row_that_has_expired_is_not_updated)
{
    const os_model *model = expiring_model(book);
    CHECK_COMMITTED(book, let_it_expire);
    if (book_transact(book, update_it) != OS_CONFLICT)
        fail_msg("%s: %s", os_verdict_name(book->result.verdict), book->error.message);
    CHECK_SAYS(&book->error, "was not as the transaction expects it");
    for (size_t i = 0; i < LIVING_KINDS; i++) {
        make_it_live(book, model, i);
        CHECK_COMMITTED(book, update_it);
        check_field(book, model, "{\"id\":\"7\"}", "product", "\"coffee\"");
    }
}
