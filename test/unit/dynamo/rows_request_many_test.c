/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests about several items: every body was accepted by DynamoDB Local 2.6.1 as it stands here. */
#include "dynamo/rows_request.h"

#include "rows.h"

#define ALL_OLD "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'"
#define TOKEN   "0123456789abcdef0123456789abcdef"

static const struct condition_term is_there = {.path = PATH({.name = "id"}), .test = CONDITION_EXISTS};

/* "key 0", "key 1" ... of users. */
static const json_t *user(struct trees *trees, size_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "key %zu", number);
    return keep(trees, json_pack("{s:{s:s}}", "id", "S", name));
}

/* --------------------------------------------------------------------------------------------------------- batch */

TEST_WITH(trees, items_of_several_tables_are_read_at_once)
{
    struct http_request request;
    struct buf body;
    const struct rows_key keys[] = {{&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")},
                                    {&users, tree(trees, "{'id':{'S':'u'}}")},
                                    {&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'2'}}")}};
    os_code code = rows_build_batch(&endpoint, keys, 3, false, &request, &body, NULL);
    assert_request(code, &request, &body, "BatchGetItem",
                   quoted(trees, "{'RequestItems':{'orders':{'Keys':[{'pk':{'S':'a'},'sk':{'N':'1'}},{'pk':{'S':'a'},"
                                 "'sk':{'N':'2'}}],'ConsistentRead':true},'users':{'Keys':[{'id':{'S':'u'}}],"
                                 "'ConsistentRead':true}}}"));
}

TEST_WITH(trees, a_batch_that_may_be_older_says_so)
{
    struct http_request request;
    struct buf body;
    const struct rows_key key = {&users, tree(trees, "{'id':{'S':'u'}}")};
    os_code code = rows_build_batch(&endpoint, &key, 1, true, &request, &body, NULL);
    assert_request(code, &request, &body, "BatchGetItem",
                   quoted(trees, "{'RequestItems':{'users':{'Keys':[{'id':{'S':'u'}}]}}}"));
}

static os_code batch_code(const struct rows_key *keys, size_t count, os_error *err)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_batch(&endpoint, keys, count, false, &request, &body, err);
    assert_int_equal(body.data == NULL, code != OS_OK);
    http_request_free(&request);
    buf_free(&body);
    return code;
}

TEST_WITH(trees, a_batch_has_1_to_100_keys)
{
    struct rows_key keys[101];
    os_error err;
    for (size_t i = 0; i < 101; i++)
        keys[i] = (struct rows_key){&users, user(trees, i)};
    assert_int_equal(batch_code(keys, 100, &err), OS_OK);
    assert_int_equal(batch_code(keys, 101, &err), OS_ERR_ARGUMENT);
    assert_says(err, "A read of several items names 1 to 100 items, and this one would name 101");
    assert_int_equal(batch_code(keys, 0, &err), OS_ERR_ARGUMENT);
}

TEST_WITH(trees, no_key_of_a_batch_comes_twice)
{
    os_error err;
    static const struct rows_table archive = {"archive", {"pk", "sk"}};
    const struct rows_key keys[] = {{&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")},
                                    {&archive, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")},
                                    {&orders, tree(trees, "{'sk':{'N':'1.0'},'pk':{'S':'a'}}")}};
    assert_int_equal(batch_code(keys, 2, &err), OS_OK);
    assert_int_equal(batch_code(keys, 3, &err), OS_ERR_ARGUMENT);
    assert_says(err, "A read of several items names the item pk \"a\", sk \"1.0\" of table \"orders\" twice");
    const struct rows_key wrong = {&users, tree(trees, "{'pk':{'S':'a'}}")};
    assert_int_equal(batch_code(&wrong, 1, &err), OS_ERR_ARGUMENT);
}

/* ---------------------------------------------------------------------------------------------- transactions: writes */

TEST_WITH(trees, a_transaction_writes_to_several_tables)
{
    struct http_request request;
    struct buf body;
    const struct condition_term is_new = {.path = PATH({.name = "pk"}), .test = CONDITION_IS_ABSENT};
    const struct change change = {.path = PATH({.name = "n"}), .kind = CHANGE_ADD, .value = tree(trees, "{'N':'1'}")};
    const struct rows_write writes[] = {
        {.kind = ROWS_PUT,
         .table = &orders,
         .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}"),
         .condition = {&is_new, 1}},
        {.kind = ROWS_UPDATE,
         .table = &users,
         .item = tree(trees, "{'id':{'S':'u'}}"),
         .changes = &change,
         .change_count = 1},
        {.kind = ROWS_DELETE, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'2'}}")},
        {.kind = ROWS_CHECK, .table = &users, .item = tree(trees, "{'id':{'S':'v'}}"), .condition = {&is_there, 1}}};
    const struct rows_transaction transaction = {writes, 4, TOKEN};
    os_code code = rows_build_transact_write(&endpoint, &transaction, &request, &body, NULL);
    assert_request(
        code, &request, &body, "TransactWriteItems",
        quoted(trees,
               "{'ClientRequestToken':'" TOKEN "','TransactItems':[{'Put':{'TableName':'orders','Item':{'pk':{"
               "'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}},'ConditionExpression':'attribute_not_exists(#n0)',"
               "'ExpressionAttributeNames':{'#n0':'pk'}," ALL_OLD "}},{'Update':{'TableName':'users','Key':{'id':{"
               "'S':'u'}},'UpdateExpression':'ADD #n0 :v0','ExpressionAttributeNames':{'#n0':'n'},"
               "'ExpressionAttributeValues':{':v0':{'N':'1'}}}},{'Delete':{'TableName':'orders','Key':{'pk':{'S':"
               "'a'},'sk':{'N':'2'}}}},{'ConditionCheck':{'TableName':'users','Key':{'id':{'S':'v'}},"
               "'ConditionExpression':'attribute_exists(#n0)','ExpressionAttributeNames':{'#n0':'id'}," ALL_OLD
               "}}]}"));
}

static os_code transaction_code(const struct rows_transaction *transaction, os_error *err)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_transact_write(&endpoint, transaction, &request, &body, err);
    assert_int_equal(body.data == NULL, code != OS_OK);
    http_request_free(&request);
    buf_free(&body);
    return code;
}

TEST_WITH(trees, a_transaction_has_1_to_100_writes)
{
    struct rows_write writes[101];
    os_error err;
    for (size_t i = 0; i < 101; i++)
        writes[i] = (struct rows_write){.kind = ROWS_DELETE, .table = &users, .item = user(trees, i)};
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 100, TOKEN}, &err), OS_OK);
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 101, TOKEN}, &err), OS_ERR_ARGUMENT);
    assert_says(err, "A transaction names 1 to 100 items, and this one would name 101");
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 0, TOKEN}, &err), OS_ERR_ARGUMENT);
}

static const struct token_row {
    const char *name;
    const char *token;
    os_code code;
} token_rows[] = {
    {"one", "x", OS_OK},
    {"36", "0123456789abcdef0123456789abcdef0123", OS_OK},
    {"none", NULL, OS_ERR_ARGUMENT},
    {"an empty one", "", OS_ERR_ARGUMENT},
    {"37", "0123456789abcdef0123456789abcdef01234", OS_ERR_ARGUMENT},
    {"a blank", "a b", OS_ERR_ARGUMENT},
    {"no ASCII", "\xc3\xa4", OS_ERR_ARGUMENT},
};

TEST_ROWS_WITH(trees, token_rows, a_token_has_1_to_36_characters)
{
    os_error err;
    const struct rows_write write = {.kind = ROWS_DELETE, .table = &users, .item = user(trees, 0)};
    assert_int_equal(transaction_code(&(struct rows_transaction){&write, 1, row->token}, &err), row->code);
    if (row->code != OS_OK)
        assert_says(err, "needs a token of 1 to 36 visible ASCII characters");
}

TEST_WITH(trees, no_item_of_a_transaction_comes_twice)
{
    os_error err;
    struct rows_write writes[] = {
        {.kind = ROWS_PUT, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}")},
        {.kind = ROWS_DELETE, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1e0'}}")}};
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 2, TOKEN}, &err), OS_ERR_ARGUMENT);
    assert_says(err, "A transaction names the item pk \"a\", sk \"1e0\" of table \"orders\" twice");
    writes[1].item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'10'}}");
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 2, TOKEN}, &err), OS_OK);
}

TEST_WITH(trees, a_check_has_a_condition)
{
    os_error err;
    const struct rows_write check = {.kind = ROWS_CHECK, .table = &users, .item = user(trees, 0)};
    assert_int_equal(transaction_code(&(struct rows_transaction){&check, 1, TOKEN}, &err), OS_ERR_ARGUMENT);
    assert_says(err, "has no condition");
}

/* Items of 390 KB: ten of them are less than 4 MB, eleven are more. */
TEST_WITH(trees, a_transaction_has_at_most_4_MB)
{
    enum { TEXT = 390 * 1024 };
    struct rows_write writes[11];
    os_error err;
    char *text = calloc(1, TEXT + 1);
    assert_non_null(text);
    memset(text, 'x', TEXT);
    for (size_t i = 0; i < 11; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%zu", i);
        writes[i] =
            (struct rows_write){.kind = ROWS_PUT,
                                .table = &users,
                                .item = keep(trees, json_pack("{s:{s:s},s:{s:s}}", "id", "S", name, "x", "S", text))};
    }
    free(text);
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 10, TOKEN}, &err), OS_OK);
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 11, TOKEN}, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "DynamoDB takes at most 4 MB");
}

/* Control characters, of which JSON makes six bytes each: it ends before the memory does. */
TEST_WITH(trees, a_request_that_grows_too_large_is_refused)
{
    enum { TEXT = 390 * 1024, WRITES = 10 };
    struct rows_write writes[WRITES];
    os_error err;
    char *text = calloc(1, TEXT + 1);
    assert_non_null(text);
    memset(text, 1, TEXT);
    for (size_t i = 0; i < WRITES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%zu", i);
        writes[i] =
            (struct rows_write){.kind = ROWS_PUT,
                                .table = &users,
                                .item = keep(trees, json_pack("{s:{s:s},s:{s:s}}", "id", "S", name, "x", "S", text))};
    }
    free(text);
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, 6, TOKEN}, &err), OS_OK);
    assert_int_equal(transaction_code(&(struct rows_transaction){writes, WRITES, TOKEN}, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "The request of a TransactWriteItems has more than 16 MB");
}

/* ----------------------------------------------------------------------------------------------- transactions: reads */

static os_code transact_get_code(const struct rows_get *gets, size_t count, os_error *err)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_transact_get(&endpoint, gets, count, &request, &body, err);
    assert_int_equal(body.data == NULL, code != OS_OK);
    http_request_free(&request);
    buf_free(&body);
    return code;
}

TEST_WITH(trees, items_are_read_in_one_transaction)
{
    struct http_request request;
    struct buf body;
    const struct path path = PATH({.name = "x"}, {.index = 3});
    const struct rows_get gets[] = {{.of = {&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")}},
                                    {.of = {&users, user(trees, 0)}, .paths = &path, .path_count = 1}};
    os_code code = rows_build_transact_get(&endpoint, gets, 2, &request, &body, NULL);
    assert_request(code, &request, &body, "TransactGetItems",
                   quoted(trees,
                          "{'TransactItems':[{'Get':{'TableName':'orders','Key':{'pk':{'S':'a'},'sk':{'N':'1'}}}},"
                          "{'Get':{'TableName':'users','Key':{'id':{'S':'key 0'}},'ProjectionExpression':'#n0[3]',"
                          "'ExpressionAttributeNames':{'#n0':'x'}}}]}"));
}

TEST_WITH(trees, a_read_of_a_transaction_has_1_to_100_items_and_none_twice)
{
    struct rows_get gets[101];
    os_error err;
    for (size_t i = 0; i < 101; i++)
        gets[i] = (struct rows_get){.of = {&users, user(trees, i)}};
    assert_int_equal(transact_get_code(gets, 100, &err), OS_OK);
    assert_int_equal(transact_get_code(gets, 101, &err), OS_ERR_ARGUMENT);
    assert_int_equal(transact_get_code(gets, 0, &err), OS_ERR_ARGUMENT);
    gets[7].of.key = gets[3].of.key;
    assert_int_equal(transact_get_code(gets, 100, &err), OS_ERR_ARGUMENT);
    assert_says(err, "A read of several items names the item id \"key 3\" of table \"users\" twice");
}
