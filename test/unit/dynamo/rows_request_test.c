/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests about one item: every body was accepted by DynamoDB Local 2.6.1 as it stands here. */
#include "dynamo/rows_request.h"

#include "rows.h"

#define KEY         "'Key':{'pk':{'S':'a'},'sk':{'N':'1'}}"
#define NAMES_OF_PK "'ExpressionAttributeNames':{'#n0':'pk'}"
#define ALL_OLD     "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'"

static const struct condition_term is_absent = {.path = PATH({.name = "pk"}), .test = CONDITION_IS_ABSENT};
static const struct condition_term is_there = {.path = PATH({.name = "pk"}), .test = CONDITION_EXISTS};

static void assert_write(struct trees *trees, const struct rows_write *write, const char *operation, const char *golden)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_write(&endpoint, write, &request, &body, NULL);
    assert_request(code, &request, &body, operation, quoted(trees, golden));
}

/* Nothing is left of it. */
static void assert_refused(const struct rows_write *write, os_code code, const char *says)
{
    struct http_request request;
    struct buf body;
    os_error err;
    assert_int_equal(rows_build_write(&endpoint, write, &request, &body, &err), code);
    assert_int_equal(err.code, code);
    assert_says(err, says);
    assert_null(body.data);
    assert_null(request.host);
}

TEST_WITH(trees, an_item_of_all_types_is_put)
{
    const struct rows_write put = {
        .kind = ROWS_PUT,
        .table = &orders,
        .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'b':{'B':'AAE='},'t':{'BOOL':true},'z':{'NULL':true},'l':{"
                            "'L':[{'S':''},{'M':{}}]},'m':{'M':{'x':{'N':'-1.5'}}},'ss':{'SS':['x']},'ns':{'NS':['1']},"
                            "'bs':{'BS':['AA==']},'nul':{'S':'a\\u0000b'}}")};
    assert_write(
        trees, &put, "PutItem",
        "{'TableName':'orders','Item':{'pk':{'S':'a'},'sk':{'N':'1'},'b':{'B':'AAE='},'t':{'BOOL':true},'z':{"
        "'NULL':true},'l':{'L':[{'S':''},{'M':{}}]},'m':{'M':{'x':{'N':'-1.5'}}},'ss':{'SS':['x']},'ns':{'NS':["
        "'1']},'bs':{'BS':['AA==']},'nul':{'S':'a\\u0000b'}}}");
}

TEST_WITH(trees, an_item_is_put_where_none_is)
{
    const struct rows_write put = {.kind = ROWS_PUT,
                                   .table = &orders,
                                   .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}"),
                                   .condition = {&is_absent, 1},
                                   .returns_item = true};
    assert_write(trees, &put, "PutItem",
                 "{'TableName':'orders','Item':{'pk':{'S':'a'},'sk':{'N':'1'}},'ConditionExpression':'attribute_not_"
                 "exists(#n0)'," NAMES_OF_PK "," ALL_OLD ",'ReturnValues':'ALL_OLD'}");
}

TEST_WITH(trees, an_item_is_updated)
{
    const struct condition_term terms[] = {
        {.path = PATH({.name = "v"}), .test = CONDITION_EQUALS, .value = tree(trees, "{'N':'7'}")}};
    const struct change changes[] = {
        {.path = PATH({.name = "v"}), .kind = CHANGE_INCREMENT, .value = tree(trees, "{'N':'1'}")},
        {.path = PATH({.name = "s"}), .kind = CHANGE_SET, .value = tree(trees, "{'S':'new'}")}};
    const struct rows_write update = {.kind = ROWS_UPDATE,
                                      .table = &orders,
                                      .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}"),
                                      .changes = changes,
                                      .change_count = 2,
                                      .condition = {terms, 1},
                                      .returns_item = true};
    assert_write(trees, &update, "UpdateItem",
                 "{'TableName':'orders'," KEY ",'UpdateExpression':'SET #n0 = #n0 + :v0, #n1 = :v1',"
                 "'ConditionExpression':'#n0 = :v2','ExpressionAttributeNames':{'#n0':'v','#n1':'s'},"
                 "'ExpressionAttributeValues':{':v0':{'N':'1'},':v1':{'S':'new'},':v2':{'N':'7'}}," ALL_OLD
                 ",'ReturnValues':'ALL_NEW'}");
}

TEST_WITH(trees, an_update_without_changes_makes_an_item_of_its_key)
{
    const struct rows_write update = {
        .kind = ROWS_UPDATE, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")};
    assert_write(trees, &update, "UpdateItem", "{'TableName':'orders'," KEY "}");
}

TEST_WITH(trees, an_item_is_deleted_where_one_is)
{
    const struct rows_write delete = {.kind = ROWS_DELETE,
                                      .table = &orders,
                                      .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}"),
                                      .condition = {&is_there, 1},
                                      .returns_item = true};
    assert_write(trees, &delete, "DeleteItem",
                 "{'TableName':'orders'," KEY ",'ConditionExpression':'attribute_exists(#n0)'," NAMES_OF_PK "," ALL_OLD
                 ",'ReturnValues':'ALL_OLD'}");
}

static void assert_get(struct trees *trees, const struct rows_get *get, const char *golden)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_get(&endpoint, get, &request, &body, NULL);
    assert_request(code, &request, &body, "GetItem", quoted(trees, golden));
}

TEST_WITH(trees, an_item_is_read_consistently)
{
    const struct path paths[] = {PATH({.name = "l"}, {.index = 0}), PATH({.name = "pk"})};
    struct rows_get get = {.of = {&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")}};
    assert_get(trees, &get, "{'TableName':'orders'," KEY ",'ConsistentRead':true}");
    get.paths = paths;
    get.path_count = 2;
    get.is_eventual = true;
    assert_get(trees, &get,
               "{'TableName':'orders'," KEY
               ",'ProjectionExpression':'#n0[0], #n1','ExpressionAttributeNames':{'#n0':'l',"
               "'#n1':'pk'}}");
}

/* ------------------------------------------------------------------------------------------------------- refused */

#define A1  "{'pk':{'S':'a'},'sk':{'N':'1'}}"
#define A1X "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}"

static const struct refused_row {
    const char *name;
    enum rows_write_kind kind;
    struct rows_table table;
    const char *item;
    const char *says;
} refused_rows[] = {
    {"a table without a name", ROWS_PUT, {"", {"pk", "sk"}}, A1, "is not the name of a DynamoDB table"},
    {"a table without a key", ROWS_PUT, {"orders", {NULL, NULL}}, A1, "A key has one or two attributes"},
    {"a sort key without a name", ROWS_PUT, {"orders", {"pk", ""}}, A1, "A key has one or two attributes"},
    {"two key attributes of one name", ROWS_PUT, {"orders", {"pk", "pk"}}, A1, "a name of its own"},
    {"an item without its partition key",
     ROWS_PUT,
     {"orders", {"pk", "sk"}},
     "{'sk':{'N':'1'}}",
     "pk: the value is not"},
    {"an item without its sort key", ROWS_PUT, {"orders", {"pk", "sk"}}, "{'pk':{'S':'a'}}", "sk: the value is not"},
    {"an item that is none", ROWS_PUT, {"orders", {"pk", "sk"}}, "[]", "is not a JSON object of attributes"},
    {"a value that is none",
     ROWS_PUT,
     {"orders", {"pk", "sk"}},
     "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'N':'y'}}",
     "x: "},
    {"an empty key", ROWS_PUT, {"orders", {"pk", "sk"}}, "{'pk':{'S':''},'sk':{'N':'1'}}", "of 1 to 2048 bytes"},
    {"a key of a type that is none of keys",
     ROWS_PUT,
     {"orders", {"pk", "sk"}},
     "{'pk':{'S':'a'},'sk':{'BOOL':true}}",
     "is an S, an N or a B of 1 to 1024 bytes; this one is of type BOOL"},
    {"more than the key", ROWS_UPDATE, {"orders", {"pk", "sk"}}, A1X, "has the attribute \"pk\", the attribute \"sk\""},
    {"less than the key", ROWS_DELETE, {"orders", {"pk", "sk"}}, "{'pk':{'S':'a'}}", "and no other"},
    {"another key", ROWS_DELETE, {"orders", {"pk", "sk"}}, "{'pk':{'S':'a'},'x':{'N':'1'}}", "sk: the value is not"},
    {"one key of two", ROWS_DELETE, {"users", {"pk", NULL}}, A1, "has the attribute \"pk\" and no other"},
    {"a check that is not in a transaction", ROWS_CHECK, {"orders", {"pk", "sk"}}, A1, "stands only in a transaction"},
};

TEST_ROWS_WITH(trees, refused_rows, a_write_is_refused)
{
    const struct rows_write write = {.kind = row->kind, .table = &row->table, .item = tree(trees, row->item)};
    assert_refused(&write, OS_ERR_ARGUMENT, row->says);
}

TEST_WITH(trees, a_key_does_not_change)
{
    const struct change change = {
        .path = PATH({.name = "sk"}), .kind = CHANGE_INCREMENT, .value = tree(trees, "{'N':'1'}")};
    const struct rows_write update = {
        .kind = ROWS_UPDATE, .table = &orders, .item = tree(trees, A1), .changes = &change, .change_count = 1};
    assert_refused(&update, OS_ERR_ARGUMENT, "sk: the attributes of an item's key do not change");
}

TEST_WITH(trees, a_wrong_expression_is_refused)
{
    const struct change change = {.path = PATH({.name = "x"}), .kind = CHANGE_ADD, .value = tree(trees, "{'S':'1'}")};
    const struct condition_term term = {
        .path = PATH({.name = "x"}), .test = CONDITION_BEGINS_WITH, .value = tree(trees, "{'N':'1'}")};
    struct rows_write update = {
        .kind = ROWS_UPDATE, .table = &orders, .item = tree(trees, A1), .changes = &change, .change_count = 1};
    assert_refused(&update, OS_ERR_ARGUMENT, "ADD takes a number");
    update.change_count = 0;
    update.condition = (struct condition){&term, 1};
    assert_refused(&update, OS_ERR_ARGUMENT, "The condition on x asks for a beginning");
}

TEST_WITH(trees, a_key_has_nothing_inside)
{
    static const char says[] = "sk[0]: an attribute of the key is an S, an N or a B, which has nothing inside.";
    const struct path path = PATH({.name = "sk"}, {.index = 0});
    const struct condition_term terms[] = {{.path = PATH({.name = "sk"}), .test = CONDITION_EXISTS},
                                           {.path = path, .test = CONDITION_IS_ABSENT}};
    struct rows_write write = {.kind = ROWS_PUT, .table = &orders, .item = tree(trees, A1), .condition = {terms, 2}};
    assert_refused(&write, OS_ERR_ARGUMENT, says);
    write.kind = ROWS_DELETE;
    assert_refused(&write, OS_ERR_ARGUMENT, says);
    struct http_request request;
    struct buf body;
    os_error err;
    const struct rows_get get = {.of = {&orders, tree(trees, A1)}, .paths = &path, .path_count = 1};
    assert_int_equal(rows_build_get(&endpoint, &get, &request, &body, &err), OS_ERR_ARGUMENT);
    assert_says(err, says);
}

/* They would be left out, and the write be done. */
TEST_WITH(trees, only_an_update_has_changes)
{
    const struct change change = {.path = PATH({.name = "x"}), .kind = CHANGE_REMOVE};
    struct rows_write write = {
        .kind = ROWS_PUT, .table = &orders, .item = tree(trees, A1), .changes = &change, .change_count = 1};
    assert_refused(&write, OS_ERR_ARGUMENT, "Only an UPDATE has changes.");
    write.kind = ROWS_DELETE;
    assert_refused(&write, OS_ERR_ARGUMENT, "Only an UPDATE has changes.");
}

TEST_WITH(trees, an_item_of_more_than_400_KB_is_refused)
{
    char *text = calloc(1, 400 * 1024 + 1);
    assert_non_null(text);
    memset(text, 'x', 400 * 1024);
    const struct rows_write put = {.kind = ROWS_PUT,
                                   .table = &users,
                                   .item = keep(trees, json_pack("{s:{s:s},s:{s:s}}", "id", "S", "a", "x", "S", text))};
    assert_refused(&put, OS_ERR_TOO_LARGE, "DynamoDB takes at most 409600");
    free(text);
}

TEST_WITH(trees, a_key_is_as_long_as_it_may_be)
{
    char text[2050];
    memset(text, 'x', sizeof(text));
    struct http_request request;
    struct buf body;
    for (size_t len = 2048; len <= 2049; len++) {
        const struct rows_get get = {.of = {&users, keep(trees, json_pack("{s:{s:s#}}", "id", "S", text, (int)len))}};
        os_code code = rows_build_get(&endpoint, &get, &request, &body, NULL);
        assert_int_equal(code, len <= 2048 ? OS_OK : OS_ERR_ARGUMENT);
        http_request_free(&request);
        buf_free(&body);
    }
}
