/* SPDX-License-Identifier: Apache-2.0 */
/* Models, keys and fields as the README of @pocketgems/dynamodb has them, sample by sample. Both stores are asked the same. */
#include "unit/api/readme_book.h"

#include <time.h>

#define ORDER                                                                                                \
    "{'title':'Order','type':'object','properties':{'id':{'type':'string'},'product':{'type':'string'},"     \
    "'quantity':{'type':'integer'},'note':{'type':'string'}},'required':['id','product','quantity'],'KEY':[" \
    "'id']}"

/* ------------------------------------------------------------------------------------------------ minimal example */

static os_code create_order(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    int64_t quantity = 0;
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"7\",\"product\":\"coffee\",\"quantity\":1}", &row, err),
               OS_OK, err);
    assert_true(os_row_is_new(row));
    CHECK_CODE(os_row_get_int(row, "quantity", &quantity, err), OS_OK, err);
    assert_int_equal(quantity, 1);
    return OS_OK;
}

static os_code change_order(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    const char *text = NULL;
    int64_t quantity = 0;
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"id\":\"7\"}", NULL, &row, err), OS_OK, err);
    assert_non_null(row);
    assert_false(os_row_is_new(row));
    CHECK_CODE(os_row_get_string(row, "id", &text, err), OS_OK, err);
    assert_string_equal(text, "7");
    CHECK_CODE(os_row_get_string(row, "product", &text, err), OS_OK, err);
    assert_string_equal(text, "coffee");
    CHECK_CODE(os_row_get_int(row, "quantity", &quantity, err), OS_OK, err);
    assert_int_equal(quantity, 1);
    return os_row_set_int(row, "quantity", 2, err);
}

TEST_WITH(book, a_row_is_made_and_later_read_and_changed)
{
    const os_model *order = book_model(book, "Order", ORDER);
    CHECK_COMMITTED(book, create_order);
    CHECK_COMMITTED(book, change_order);
    check_field(book, order, "{\"id\":\"7\"}", "quantity", "2");
}

/* ------------------------------------------------------------------------------------------------ keys */

static os_code create_by_uuid(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    const os_model *order = book->models[0];
    CHECK_CODE(os_txn_create(txn, order, "{\"product\":\"coffee\"}", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "id");
    CHECK_CODE(os_txn_create(txn, order, "{\"id\":\"7\",\"product\":\"coffee\"}", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "id");
    return os_txn_create(txn, order, "{\"id\":\"c40ef065-4034-4be8-8a1d-0959695b213e\",\"product\":\"coffee\"}", NULL,
                         err);
}

TEST_WITH(book, without_a_key_it_is_id_and_a_uuid)
{
    const os_model *order = book_model(
        book, "Order", "{'title':'Order','properties':{'product':{'type':'string'}},'required':['product']}");
    CHECK_COMMITTED(book, create_by_uuid);
    check_field(book, order, "{\"id\":\"c40ef065-4034-4be8-8a1d-0959695b213e\"}", "product", "\"coffee\"");
}

#define RACE_RESULT                                                                                          \
    "{'title':'RaceResult','type':'object','properties':{'raceID':{'type':'integer'},'runnerName':{'type':'" \
    "string'}},'required':['raceID','runnerName'],'KEY':['raceID','runnerName']}"

static os_code finish_race(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    const struct book *book = context;
    os_row *row = NULL;
    const char *runner = NULL;
    int64_t race = 0;
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"raceID\":99,\"runnerName\":\"Bo\"}", &creates, &row, err), OS_OK,
               err);
    CHECK_CODE(os_row_get_int(row, "raceID", &race, err), OS_OK, err);
    assert_int_equal(race, 99);
    CHECK_CODE(os_row_get_string(row, "runnerName", &runner, err), OS_OK, err);
    assert_string_equal(runner, "Bo");
    CHECK_CODE(os_row_set_int(row, "raceID", 100, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "part of the key");
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"raceID\":99,\"runnerName\":\"Bo\"}", NULL, &row, err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "The row RaceResult \"99\", \"Bo\" is in this transaction");
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"raceID\":99}", NULL, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "runnerName");
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"raceID\":\"1\",\"runnerName\":\"Bo\"}", NULL, err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "raceID");
    return OS_OK;
}

TEST_WITH(book, the_parts_of_a_key_are_checked_are_fields_and_stay)
{
    const os_model *result = book_model(book, "RaceResult", RACE_RESULT);
    CHECK_COMMITTED(book, finish_race);
    check_is_there(book, result, "{\"runnerName\":\"Bo\",\"raceID\":99}", true);
    check_is_there(book, result, "{\"runnerName\":\"Bo\",\"raceID\":9}", false);
}

TEST_WITH(book, a_key_is_of_its_table_alone)
{
    const os_model *order = book_model(book, "Order", ORDER);
    const os_model *other = book_model(book, "OldOrder", ORDER);
    book_put(book, order, "{\"id\":\"7\",\"product\":\"coffee\",\"quantity\":1}");
    check_is_there(book, other, "{\"id\":\"7\"}", false);
    book_put(book, other, "{\"id\":\"7\",\"product\":\"tea\",\"quantity\":1}");
    check_field(book, order, "{\"id\":\"7\"}", "product", "\"coffee\"");
}

static os_code create_with_nul(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"a\\u0000b\"}", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "NUL");
    return os_txn_create(txn, book->models[1], "{\"id\":{\"raw\":\"a\\u0000b\"}}", NULL, err);
}

TEST_WITH(book, a_nul_in_a_key_is_refused_and_kept_inside_an_object)
{
    (void)book_model(book, "Plain",
                     "{'title':'Plain','type':'object','properties':{'id':{'type':'string'}},'required':['id'],'KEY':["
                     "'id']}");
    const os_model *nested =
        book_model(book, "Nested",
                   "{'title':'StringKeyWithNullBytes','type':'object','properties':{'id':{'type':'object',"
                   "'properties':{'raw':{'type':'string'}},'required':['raw']}},'required':['id'],'KEY':['id']}");
    CHECK_COMMITTED(book, create_with_nul);
    check_field(book, nested, "{\"id\":{\"raw\":\"a\\u0000b\"}}", "id", "{\"raw\":\"a\\u0000b\"}");
    check_is_there(book, nested, "{\"id\":{\"raw\":\"ab\"}}", false);
}

/* ------------------------------------------------------------------------------------------------ fields */

static void check_refused(os_row *row, const char *field, const char *json)
{
    os_error error;
    CHECK_CODE(os_row_set(row, field, json, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, field);
}

static os_code set_fields(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    const char *text = NULL;
    os_row *row = NULL;
    CHECK_CODE(os_txn_create(txn, book->models[0],
                             "{\"id\":\"7\",\"someInt\":\"1\",\"someBool\":true,\"someObj\":{\"arr\":[]}}", NULL, err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "someInt");
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"7\",\"someInt\":1,\"someBool\":true}", NULL, err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "someObj");
    CHECK_CODE(os_txn_create(txn, book->models[0],
                             "{\"id\":\"7\",\"someInt\":1,\"someBool\":true,\"someObj\":{\"arr\":[]}}", &row, err),
               OS_OK, err);
    check_refused(row, "someInt", "-1");
    check_refused(row, "someBool", "1");
    check_refused(row, "someObj", "{}");
    check_refused(row, "someObj", "{\"arr\":[5]}");
    check_refused(row, "someObj", NULL);
    CHECK_CODE(os_row_get(row, "someObj", &text, err), OS_OK, err);
    assert_string_equal(text, "{\"arr\":[]}");
    return os_row_set(row, "someObj", "{\"arr\":[\"ok\"]}", err);
}

TEST_WITH(book, fields_are_checked_when_a_row_is_made_and_when_they_are_set)
{
    const os_model *model =
        book_model(book, "Fields",
                   "{'title':'ModelWithFields','type':'object','properties':{'id':{'type':'string'},'someInt':{"
                   "'type':'integer','minimum':0},'someBool':{'type':'boolean'},'someObj':{'type':'object',"
                   "'properties':{'arr':{'type':'array','items':{'type':'string'}}},'required':['arr']}},"
                   "'required':['id','someInt','someBool','someObj'],'KEY':['id']}");
    CHECK_COMMITTED(book, set_fields);
    check_field(book, model, "{\"id\":\"7\"}", "someObj", "{\"arr\":[\"ok\"]}");
}

static void check_text(os_row *row, const char *field, const char *wanted)
{
    os_error error;
    const char *text = NULL;
    CHECK_CODE(os_row_get(row, field, &text, &error), OS_OK, &error);
    assert_int_equal(text != NULL, wanted != NULL);
    if (wanted != NULL)
        assert_string_equal(text, wanted);
}

static os_code create_complex(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"1\",\"aNonNegInt\":0,\"immutableInt\":3}", &row, err),
               OS_OK, err);
    check_text(row, "aNonNegInt", "0");
    check_text(row, "anOptBool", NULL);
    check_text(row, "immutableInt", "3");
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"2\",\"aNonNegInt\":1,\"anOptBool\":true}", &row, err),
               OS_OK, err);
    check_text(row, "aNonNegInt", "1");
    check_text(row, "anOptBool", "true");
    check_text(row, "immutableInt", "5");
    check_refused(row, "immutableInt", "3");
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"id\":\"3\"}", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "aNonNegInt");
    return OS_OK;
}

static os_code change_complex(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[0], "{\"id\":\"2\"}", NULL, &row, err), OS_OK, err);
    check_refused(row, "immutableInt", "3");
    CHECK_CODE(os_txn_update(txn, book->models[0], "{\"id\":\"1\",\"immutableInt\":3}", "{\"immutableInt\":4}", err),
               OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "read-only");
    return os_row_set(row, "anOptBool", NULL, err);
}

TEST_WITH(book, a_field_may_be_left_out_stay_or_have_a_default)
{
    const os_model *model =
        book_model(book, "Complex",
                   "{'title':'ComplexFieldsExample','type':'object','properties':{'id':{'type':'string'},'aNonNegInt':{"
                   "'type':'integer','minimum':0},'anOptBool':{'type':'boolean'},'immutableInt':{'type':'integer',"
                   "'readOnly':true,'default':5}},'required':['id','aNonNegInt','immutableInt'],'KEY':['id']}");
    CHECK_COMMITTED(book, create_complex);
    CHECK_COMMITTED(book, change_complex);
    check_field(book, model, "{\"id\":\"2\"}", "anOptBool", NULL);
    check_field(book, model, "{\"id\":\"2\"}", "immutableInt", "5");
}

#define VERSION(fields, required)                                                                                     \
    "{'title':'Versioned','type':'object','properties':{'id':{'type':'string'}," fields "},'required':['id'" required \
    "],'KEY':['id']}"

static os_code set_count(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, book->models[1], "{\"id\":\"7\"}", NULL, &row, err), OS_OK, err);
    check_text(row, "added", "5");
    check_text(row, "maybe", NULL);
    CHECK_CODE(os_row_get(row, "old", &(const char *){NULL}, err), OS_ERR_ARGUMENT, err);
    return os_row_set_int(row, "count", 2, err);
}

TEST_WITH(book, a_model_that_changes_leaves_what_rows_have)
{
    const os_model *before =
        book_model(book, "Versioned", VERSION("'count':{'type':'integer'},'old':{'type':'string'}", ",'count'"));
    const os_model *after = book_model(
        book, "Versioned",
        VERSION(
            "'count':{'type':'integer'},'added':{'type':'integer','default':5},'maybe':{'type':'integer','default':9}",
            ",'count','added'"));
    book_put(book, before, "{\"id\":\"7\",\"count\":1,\"old\":\"kept\"}");
    CHECK_COMMITTED(book, set_count);
    check_field(book, before, "{\"id\":\"7\"}", "old", "\"kept\"");
    check_field(book, after, "{\"id\":\"7\"}", "count", "2");
}

static os_code get_unfit(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_row *row = NULL;
    return os_txn_get(txn, book->models[1], "{\"id\":\"7\"}", NULL, &row, err);
}

static os_code scan_unfit(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_query *query = NULL;
    os_row *row = NULL;
    size_t count = 0;
    CHECK_CODE(os_txn_scan(txn, book->models[1], NULL, &query, err), OS_OK, err);
    return os_query_fetch(query, 1, NULL, &row, &count, NULL, err);
}

TEST_WITH(book, a_row_that_does_not_fit_its_model_is_named)
{
    const os_txn_fn reads[] = {get_unfit, scan_unfit};
    const os_model *before = book_model(book, "Versioned", VERSION("'count':{'type':'integer'}", ",'count'"));
    (void)book_model(book, "Versioned", VERSION("'count':{'type':'string'}", ",'count'"));
    book_put(book, before, "{\"id\":\"7\",\"count\":1}");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(book_transact(book, reads[i]), OS_NOT_EXECUTED);
        CHECK_CODE(book->error.code, OS_ERR_PROTOCOL, &book->error);
        CHECK_SAYS(&book->error, "Versioned.count: ");
        CHECK_SAYS(&book->error, "So is the row Versioned \"7\" in the table: mend the row, or the model.");
    }
}

/* ------------------------------------------------------------------------------------------------ overlapping models */

static os_code arm(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    CHECK_CODE(os_txn_create(txn, book->models[0], "{\"userID\":\"u\",\"stuff\":{\"usd\":123}}", NULL, err), OS_OK,
               err);
    return os_txn_create(txn, book->models[1],
                         "{\"userID\":\"u\",\"typeKey\":\"weapon\",\"stuff\":{\"ax\":{}},\"weaponSkillLevel\":13}",
                         NULL, err);
}

static os_code count_row(void *context, os_row *row, os_error *err)
{
    (void)err;
    assert_non_null(row);
    ++*(int *)context;
    return OS_OK;
}

static os_code list_partition(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    os_query *query = NULL;
    int count = 0;
    CHECK_CODE(os_txn_query(txn, book->models[0], NULL, &query, err), OS_OK, err);
    CHECK_CODE(os_query_filter(query, "userID", "==", "\"u\"", err), OS_OK, err);
    CHECK_CODE(os_query_run(query, SIZE_MAX, count_row, &count, err), OS_OK, err);
    assert_int_equal(count, 2);
    return OS_OK;
}

static os_code arm_again(void *context, os_txn *txn, os_error *err)
{
    const struct book *book = context;
    return os_txn_create(txn, book->models[0], "{\"userID\":\"u\"}", NULL, err);
}

TEST_WITH(book, two_models_may_have_one_table)
{
#define INVENTORY(title, type, more, required)                                                                  \
    "{'title':'" title "','type':'object','properties':{'userID':{'type':'string'},'typeKey':{'type':'string'," \
    "'default':'" type "'},'stuff':{'type':'object','default':{}}" more                                         \
    "},'required':['userID','typeKey','stuff'" required "],'KEY':['userID'],'SORT_KEY':['typeKey']}"
    const os_model *currency = book_model(book, "Inventory", INVENTORY("Currency", "money", "", ""));
    const os_model *weapon =
        book_model(book, "Inventory",
                   INVENTORY("Weapon", "weapon", ",'weaponSkillLevel':{'type':'integer'}", ",'weaponSkillLevel'"));
    CHECK_COMMITTED(book, arm);
    check_field(book, currency, "{\"userID\":\"u\",\"typeKey\":\"money\"}", "stuff", "{\"usd\":123}");
    check_field(book, weapon, "{\"userID\":\"u\",\"typeKey\":\"weapon\"}", "weaponSkillLevel", "13");
    CHECK_COMMITTED(book, list_partition);
    assert_int_equal(book_transact(book, arm_again), OS_CONFLICT);
    CHECK_SAYS(&book->error, "The row Currency \"u\", \"money\" is there already");
}
