/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that have several items: each is given to the key that asked for it, or nothing is. */
#include "dynamo/rows_response.h"

#include "rows.h"

#undef WHERE
#define WHERE  "tables orders and users in us-east-1"
#define A1     "{'pk':{'S':'a'},'sk':{'N':'1'}}"
#define A2     "{'pk':{'S':'a'},'sk':{'N':'2'}}"
#define U      "{'id':{'S':'u'}}"
#define ITEM_A "{'sk':{'N':'1.0'},'pk':{'S':'a'},'v':{'S':'x'}}"
#define ITEM_U "{'id':{'S':'u'},'v':{'NULL':true}}"

struct batching {
    struct trees trees;
    struct http_response response;
    struct rows_get gets[3];
    struct rows_key keys[3];
    struct rows_items batch;
    struct dynamo_error detail;
    os_error err;
};

static void batching_set_up(struct batching *batching)
{
    const struct rows_key keys[] = {{&orders, tree(&batching->trees, A1)},
                                    {&users, tree(&batching->trees, U)},
                                    {&orders, tree(&batching->trees, A2)}};
    for (size_t i = 0; i < 3; i++) {
        batching->keys[i] = keys[i];
        batching->gets[i] = (struct rows_get){.of = keys[i]};
    }
}

static void forget(struct batching *batching)
{
    http_response_free(&batching->response);
    rows_items_free(&batching->batch);
}

static void batching_tear_down(struct batching *batching)
{
    forget(batching);
    trees_tear_down(&batching->trees);
}

static void assert_item(const json_t *item, const char *text)
{
    json_t *expected = case_json(text);
    assert_true(json_equal((json_t *)item, expected));
    json_decref(expected);
}

static void assert_nothing(const struct batching *batching)
{
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        assert_true(batching->batch.items[i] == NULL && !batching->batch.left[i]);
    assert_int_equal(batching->batch.left_count, 0);
}

/* ---------------------------------------------------------------------------------------------------- BatchGetItem */

static enum table_outcome batch_outcome(struct batching *batching, const char *body)
{
    forget(batching);
    answer(&batching->response, 200, quoted(&batching->trees, body));
    return rows_read_batch(&batching->response, WHERE, batching->keys, 3, &batching->batch, &batching->detail,
                           &batching->err);
}

TEST_WITH(batching, items_come_to_their_keys)
{
    assert_int_equal(
        batch_outcome(batching, "{'Responses':{'users':[" ITEM_U "],'orders':[" ITEM_A "]},'UnprocessedKeys':{}}"),
        TABLE_OK);
    assert_item(batching->batch.items[0], ITEM_A);
    assert_item(batching->batch.items[1], ITEM_U);
    assert_null(batching->batch.items[2]);
    assert_int_equal(batching->batch.left_count, 0);
}

TEST_WITH(batching, keys_that_were_left_are_not_missing)
{
    assert_int_equal(
        batch_outcome(batching, "{'Responses':{'orders':[" ITEM_A "]},'UnprocessedKeys':{'orders':{'Keys':["
                                "{'pk':{'S':'a'},'sk':{'N':'2'}}],'ConsistentRead':true},'users':{'Keys':[" U "]}}}"),
        TABLE_OK);
    assert_non_null(batching->batch.items[0]);
    assert_false(batching->batch.left[0]);
    assert_true(batching->batch.left[1] && batching->batch.left[2]);
    assert_int_equal(batching->batch.left_count, 2);
}

static const struct batch_row {
    const char *name;
    enum table_outcome outcome;
    const char *body;
} batch_rows[] = {
    {"no items", TABLE_AMBIGUOUS, "{'UnprocessedKeys':{}}"},
    {"no keys that are left", TABLE_AMBIGUOUS, "{'Responses':{'orders':[" ITEM_A "]}}"},
    {"items that are none", TABLE_AMBIGUOUS, "{'Responses':{'orders':{}},'UnprocessedKeys':{}}"},
    {"tables that are none", TABLE_AMBIGUOUS, "{'Responses':[],'UnprocessedKeys':{}}"},
    {"left keys that are none", TABLE_AMBIGUOUS,
     "{'Responses':{'orders':[" ITEM_A "]},'UnprocessedKeys':{'users':[" U "]}}"},
    {"an item nobody asked for", TABLE_AMBIGUOUS,
     "{'Responses':{'users':[" ITEM_U ",{'id':{'S':'w'}}]},'UnprocessedKeys':{}}"},
    {"an item of another table", TABLE_AMBIGUOUS, "{'Responses':{'orders':[" ITEM_U "]},'UnprocessedKeys':{}}"},
    {"a table nobody asked", TABLE_AMBIGUOUS, "{'Responses':{'archive':[" ITEM_A "]},'UnprocessedKeys':{}}"},
    {"no item of a table nobody asked", TABLE_AMBIGUOUS, "{'Responses':{'archive':[]},'UnprocessedKeys':{}}"},
    {"no key that is left of a table nobody asked", TABLE_AMBIGUOUS,
     "{'Responses':{},'UnprocessedKeys':{'archive':{'Keys':[]}}}"},
    {"an error without a code", TABLE_AMBIGUOUS, "{'Responses':{},'UnprocessedKeys':{},'message':'x'}"},
    {"an item twice", TABLE_AMBIGUOUS, "{'Responses':{'users':[" ITEM_U "," ITEM_U "]},'UnprocessedKeys':{}}"},
    {"an item that is left", TABLE_AMBIGUOUS,
     "{'Responses':{'users':[" ITEM_U "]},'UnprocessedKeys':{'users':{'Keys':[" U "]}}}"},
    {"a key that is left twice", TABLE_AMBIGUOUS,
     "{'Responses':{},'UnprocessedKeys':{'users':{'Keys':[" U "," U "]}}}"},
    {"an item that is none", TABLE_UNREADABLE,
     "{'Responses':{'users':[" ITEM_U "],'orders':[1]},'UnprocessedKeys':{}}"},
    {"a value that is none", TABLE_UNREADABLE,
     "{'Responses':{'users':[{'id':{'S':'u'},'v':{'NULL':false}}]},'UnprocessedKeys':{}}"},
    {"a failed condition", TABLE_AMBIGUOUS, "{'__type':'x#ConditionalCheckFailedException'}"},
    {"another JSON", TABLE_AMBIGUOUS, "'text'"},
    {"half an answer", TABLE_AMBIGUOUS, "{'Responses':{'users':[" ITEM_U "]},'Unproc"},
};

TEST_ROWS_WITH(batching, batch_rows, an_answer_that_is_not_in_order_gives_nothing)
{
    assert_int_equal(batch_outcome(batching, row->body), row->outcome);
    assert_nothing(batching);
    assert_says(batching->err, "BatchGetItem of " WHERE " ");
}

TEST_WITH(batching, a_batch_that_nobody_answers_is_put_off_or_refused)
{
    answer(&batching->response, 400, "{\"__type\":\"" SPACE "ProvisionedThroughputExceededException\"}");
    assert_int_equal(rows_read_batch(&batching->response, WHERE, batching->keys, 3, &batching->batch, &batching->detail,
                                     &batching->err),
                     TABLE_THROTTLED);
    forget(batching);
    answer(&batching->response, 400, "{\"__type\":\"" SPACE "ValidationException\"}");
    assert_int_equal(rows_read_batch(&batching->response, WHERE, batching->keys, 3, &batching->batch, &batching->detail,
                                     &batching->err),
                     TABLE_REFUSED);
    assert_nothing(batching);
}

/* ------------------------------------------------------------------------------------------------ TransactGetItems */

static enum table_outcome transact_outcome(struct batching *batching, int status, const char *body)
{
    forget(batching);
    answer(&batching->response, status, quoted(&batching->trees, body));
    return rows_read_transact_get(&batching->response, WHERE, batching->gets, 3, &batching->batch, &batching->detail,
                                  &batching->err);
}

TEST_WITH(batching, items_come_to_their_places)
{
    const struct path path = PATH({.name = "v"});
    batching->gets[2].paths = &path;
    batching->gets[2].path_count = 1;
    assert_int_equal(transact_outcome(batching, 200, "{'Responses':[{'Item':" ITEM_A "},{},{'Item':{'v':{'S':'y'}}}]}"),
                     TABLE_OK);
    assert_item(batching->batch.items[0], ITEM_A);
    assert_null(batching->batch.items[1]);
    assert_item(batching->batch.items[2], "{'v':{'S':'y'}}");
    assert_int_equal(batching->batch.left_count, 0);
}

#define CANCELLED "{'__type':'" SPACE "TransactionCanceledException','Message':'Transaction cancelled'"

static const struct transact_row {
    const char *name;
    enum table_outcome outcome;
    int status;
    const char *body;
    const char *says;
} transact_rows[] = {
    {"no places", TABLE_AMBIGUOUS, 200, "{}", "as many places as there are items"},
    {"too few places", TABLE_AMBIGUOUS, 200, "{'Responses':[{},{}]}", "as many places as there are items"},
    {"too many places", TABLE_AMBIGUOUS, 200, "{'Responses':[{},{},{},{}]}", "as many places as there are items"},
    {"a place that is none", TABLE_AMBIGUOUS, 200, "{'Responses':[{'Item':" ITEM_A "},{},null]}", "as many places"},
    {"an item at another place", TABLE_AMBIGUOUS, 200, "{'Responses':[{'Item':" ITEM_A "},{},{'Item':" ITEM_A "}]}",
     "an item of another key"},
    {"an item that is none", TABLE_UNREADABLE, 200, "{'Responses':[{'Item':" ITEM_A "},{},{'Item':7}]}",
     "none of Dynamo"},
    {"an error without a code", TABLE_AMBIGUOUS, 200, "{'Responses':[{},{},{}],'message':'x'}", "with \"message\""},
    {"one is being written", TABLE_THROTTLED, 400,
     CANCELLED
     ",'CancellationReasons':[{'Code':'None'},{'Code':'TransactionConflict','Message':'Transaction is ongoing "
     "for the item'},{'Code':'None'}]}",
     "TransactGetItems of " WHERE
     " was put off, for the item id \"u\" in table users (request id REQ1): TransactionConflict: Transaction is "
     "ongoing for the item. Another transaction or write had this item under way. Send it again after a pause."},
    {"one is refused", TABLE_REFUSED, 400,
     CANCELLED ",'CancellationReasons':[{'Code':'None'},{'Code':'TransactionConflict'},{'Code':'ValidationError'}]}",
     "was refused, for the item pk \"a\", sk \"2\" in table orders (request id REQ1): ValidationError. Compare"},
    {"a condition, which it does not have", TABLE_AMBIGUOUS, 400,
     CANCELLED ",'CancellationReasons':[{'Code':'ConditionalCheckFailed'},{'Code':'None'},{'Code':'None'}]}",
     "whose reasons are not those of this request, or cannot be read. Ask again."},
    {"reasons of another request", TABLE_AMBIGUOUS, 400,
     CANCELLED ",'CancellationReasons':[{'Code':'TransactionConflict'}]}", "whose reasons are not those"},
    {"a failed condition", TABLE_AMBIGUOUS, 400, "{'__type':'x#ConditionalCheckFailedException'}", "whose reasons"},
    {"it is throttled", TABLE_THROTTLED, 400, "{'__type':'x#ThrottlingException'}", "was put off"},
};

TEST_ROWS_WITH(batching, transact_rows, a_read_of_a_transaction_that_gives_nothing)
{
    assert_int_equal(transact_outcome(batching, row->status, row->body), row->outcome);
    assert_says(batching->err, row->says);
    assert_nothing(batching);
}
