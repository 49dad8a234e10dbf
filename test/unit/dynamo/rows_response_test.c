/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about one item. */
#include "dynamo/rows_response.h"

#include "rows.h"

#define FAILED "{'__type':'" SPACE "ConditionalCheckFailedException','Message':'The conditional request failed'"

static const struct condition_term is_absent = {.path = PATH({.name = "pk"}), .test = CONDITION_IS_ABSENT};

struct reading {
    struct trees trees;
    struct http_response response;
    struct rows_write write;
    json_t *item;
    struct dynamo_error detail;
    os_error err;
};

static void reading_set_up(struct reading *reading)
{
    reading->write = (struct rows_write){.kind = ROWS_PUT,
                                         .table = &orders,
                                         .item = tree(&reading->trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'n':{'S':''}}"),
                                         .condition = {&is_absent, 1}};
}

static void forget(struct reading *reading)
{
    http_response_free(&reading->response);
    json_decref(reading->item);
    reading->item = NULL;
}

static void reading_tear_down(struct reading *reading)
{
    forget(reading);
    trees_tear_down(&reading->trees);
}

static enum table_outcome write_outcome(struct reading *reading, int status, const char *body)
{
    forget(reading);
    answer(&reading->response, status, quoted(&reading->trees, body));
    return rows_read_write(&reading->response, ORDERS, &reading->write, &reading->item, &reading->detail,
                           &reading->err);
}

static void assert_item(const struct reading *reading, const char *text)
{
    json_t *item = case_json(text);
    assert_true(json_equal(reading->item, item));
    json_decref(item);
}

/* -------------------------------------------------------------------------------------------------------- writes */

TEST_WITH(reading, a_write_is_done)
{
    assert_int_equal(write_outcome(reading, 200, "{}"), TABLE_OK);
    assert_null(reading->item);
}

TEST_WITH(reading, a_failed_condition_gives_the_item_in_the_way)
{
    assert_int_equal(write_outcome(reading, 400, FAILED ",'Item':" ORDER "}"), TABLE_CONFLICT);
    assert_item(reading, ORDER);
    assert_string_equal(reading->detail.code, "ConditionalCheckFailedException");
}

TEST_WITH(reading, a_number_of_a_key_is_the_same_however_it_is_written)
{
    assert_int_equal(write_outcome(reading, 400, FAILED ",'Item':{'pk':{'S':'a'},'sk':{'N':'1.0'}}}"), TABLE_CONFLICT);
}

static const struct conflict_row {
    const char *name;
    enum table_outcome outcome;
    int status;
    const char *body;
    const char *says;
} conflict_rows[] = {
    {"without an item", TABLE_CONFLICT_BLIND, 400, FAILED "}", NULL},
    {"with an empty item", TABLE_CONFLICT_BLIND, 400, FAILED ",'Item':{}}", NULL},
    {"with the item of another key", TABLE_AMBIGUOUS, 400, FAILED ",'Item':{'pk':{'S':'b'},'sk':{'N':'1'}}}",
     "PutItem of the item pk \"a\", sk \"1\" in " ORDERS " was answered with an item of another key"},
    {"with an item without a key", TABLE_AMBIGUOUS, 400, FAILED ",'Item':{'v':{'N':'1'}}}", "may have been applied"},
    {"with an item that is none", TABLE_UNREADABLE, 400, FAILED ",'Item':'x'}", "is not a JSON object"},
    {"with a value that is none", TABLE_UNREADABLE, 400,
     FAILED ",'Item':{'pk':{'S':'a'},'sk':{'N':'1'},'v':{'N':'x'}}}",
     "found an item there that is none of DynamoDB's. v: the number \"x\" "},
    {"at another status", TABLE_AMBIGUOUS, 404, FAILED ",'Item':" ORDER "}", "decides nothing"},
    {"of a transaction", TABLE_AMBIGUOUS, 400,
     "{'__type':'" SPACE "TransactionCanceledException','CancellationReasons':[{'Code':'ConditionalCheckFailed'}]}",
     "decides nothing"},
    {"that is cut off", TABLE_AMBIGUOUS, 400, FAILED ",'Item':{'pk':{'S':'a'},'sk'", "is not a JSON object"},
    {"that is another JSON", TABLE_AMBIGUOUS, 400, "[1]", "is not a JSON object"},
};

TEST_ROWS_WITH(reading, conflict_rows, a_failed_condition)
{
    assert_int_equal(write_outcome(reading, row->status, row->body), row->outcome);
    assert_null(reading->item);
    if (row->says != NULL)
        assert_says(reading->err, row->says);
}

/* It is an answer to somebody else: the write may have been applied. */
TEST_WITH(reading, a_write_without_a_condition_has_none_that_failed)
{
    reading->write.condition.count = 0;
    assert_int_equal(write_outcome(reading, 400, FAILED ",'Item':" ORDER "}"), TABLE_AMBIGUOUS);
    assert_says(reading->err, "although it had none");
    assert_null(reading->item);
}

TEST_WITH(reading, an_update_gives_what_it_has_made)
{
    reading->write.kind = ROWS_UPDATE;
    reading->write.returns_item = true;
    assert_int_equal(write_outcome(reading, 200, "{'Attributes':" ORDER "}"), TABLE_OK);
    assert_item(reading, ORDER);
}

#define DONE "was done, but its answer has no readable item in it"
#define OTHER \
    "was answered with an item of another key: that is an answer to another request. This one may have been applied"

static const struct made_row {
    const char *name;
    enum rows_write_kind kind;
    enum table_outcome outcome;
    const char *body;
    const char *says;
} made_rows[] = {
    {"an update says nothing", ROWS_UPDATE, TABLE_AMBIGUOUS, "{}", DONE},
    {"an update made nothing", ROWS_UPDATE, TABLE_AMBIGUOUS, "{'Attributes':{}}", DONE},
    {"an update made another item", ROWS_UPDATE, TABLE_AMBIGUOUS, "{'Attributes':{'pk':{'S':'b'},'sk':{'N':'1'}}}",
     OTHER},
    {"an update made what is no item", ROWS_UPDATE, TABLE_AMBIGUOUS, "{'Attributes':{'pk':{'S':1},'sk':{'N':'1'}}}",
     DONE},
    {"a put replaced nothing", ROWS_PUT, TABLE_OK, "{}", NULL},
    {"a delete found nothing", ROWS_DELETE, TABLE_OK, "{'Attributes':{}}", NULL},
    {"a delete took another item", ROWS_DELETE, TABLE_AMBIGUOUS, "{'Attributes':{'pk':{'S':'a'},'sk':{'N':'2'}}}",
     OTHER},
    {"a put replaced what is no item", ROWS_PUT, TABLE_AMBIGUOUS, "{'Attributes':[]}", DONE},
};

/* It was done all the same, but for what is said of another item: that is no answer to it. */
TEST_ROWS_WITH(reading, made_rows, what_a_write_gives)
{
    reading->write.kind = row->kind;
    reading->write.returns_item = true;
    assert_int_equal(write_outcome(reading, 200, row->body), row->outcome);
    assert_null(reading->item);
    if (row->says != NULL)
        assert_says(reading->err, row->says);
}

static const struct stray_row {
    const char *name; /* the body */
    const char *member;
} stray_rows[] = {
    {"{'Item':" ORDER "}", "Item"},
    {"{'Attributes':" ORDER "}", "Attributes"},
    {"{'Items':[],'Count':0}", "Items"},
    {"{'Responses':[{}]}", "Responses"},
    {"{'Responses':{},'UnprocessedKeys':{'users':{'Keys':[{'id':{'S':'a'}}]}}}", "UnprocessedKeys"},
    {"{'Table':{'TableName':'orders','TableStatus':'ACTIVE'}}", "Table"},
    {"{'TableDescription':{'TableName':'orders','TableStatus':'CREATING'}}", "TableDescription"},
    {"{'TimeToLiveDescription':{'TimeToLiveStatus':'DISABLED'}}", "TimeToLiveDescription"},
    {"{'TimeToLiveSpecification':{'AttributeName':'ttl','Enabled':true}}", "TimeToLiveSpecification"},
    {"{'message':'Service unavailable'}", "message"},
    {"{'Message':null}", "Message"},
};

/* {} would be enough to be done; so nothing may say that it is an answer to another request. */
TEST_ROWS_WITH(reading, stray_rows, a_success_of_another_request_is_none_of_a_write)
{
    char says[64];
    snprintf(says, sizeof(says), "got an answer with \"%s\"", row->member);
    assert_int_equal(write_outcome(reading, 200, row->name), TABLE_AMBIGUOUS);
    assert_int_equal(reading->err.code, OS_ERR_PROTOCOL);
    assert_says(reading->err, says);
    assert_says(reading->err, "This one may have been applied: read what is there.");
    assert_null(reading->item);
}

TEST_WITH(reading, what_is_not_known_here_may_stand_beside_a_success)
{
    assert_int_equal(write_outcome(reading, 200, "{'ConsumedCapacity':{'TableName':'orders'},'New':[1]}"), TABLE_OK);
    assert_int_equal(write_outcome(reading, 200, "{'Attributes':{}}"), TABLE_OK);
}

/* A version that is what was expected is in nobody's way. */
TEST_WITH(reading, a_condition_that_holds_of_the_item_has_not_failed)
{
    const struct condition_term is_seven = {
        .path = PATH({.name = "v"}), .test = CONDITION_EQUALS, .value = tree(&reading->trees, "{'N':'7.0'}")};
    reading->write.condition = (struct condition){&is_seven, 1};
    assert_int_equal(write_outcome(reading, 400, FAILED ",'Item':" ORDER "}"), TABLE_AMBIGUOUS);
    assert_says(reading->err, "with an item of which the condition holds");
    assert_null(reading->item);
    assert_int_equal(write_outcome(reading, 400, FAILED ",'Item':{'pk':{'S':'a'},'sk':{'N':'1'},'v':{'N':'8'}}}"),
                     TABLE_CONFLICT);
}

static const struct code_row {
    const char *name; /* the code */
    enum table_outcome outcome;
    os_code code;
    const char *says;
} code_rows[] = {
    {"TransactionConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED,
     "A transaction on the same item was in progress."},
    {"ReplicatedWriteConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, "was writing the same item"},
    {"ProvisionedThroughputExceededException", TABLE_THROTTLED, OS_ERR_THROTTLED, "give the table more capacity"},
    {"ThrottlingException", TABLE_THROTTLED, OS_ERR_THROTTLED, "may be sent again after a pause"},
    {"ValidationException", TABLE_REFUSED, OS_ERR_REFUSED,
     "a write with the item: the types of its values, whether it has a place for the change, and its size, which is at "
     "most 400 KB. Keep large values in objects."},
    {"ItemCollectionSizeLimitExceededException", TABLE_REFUSED, OS_ERR_TABLE, "use more partition values"},
    {"ResourceNotFoundException", TABLE_REFUSED, OS_ERR_NO_TABLE, "Create the table with the program that writes such"},
    {"AccessDeniedException", TABLE_REFUSED, OS_ERR_DENIED, "Allow these credentials"},
    {"InternalServerError", TABLE_AMBIGUOUS, OS_ERR_SERVICE, "It may have been applied"},
    {"RequestTimeoutException", TABLE_AMBIGUOUS, OS_ERR_SERVICE, "It may have been applied"},
    {"TransactionInProgressException", TABLE_AMBIGUOUS, OS_ERR_SERVICE, "It may have been applied"},
    {"IdempotentParameterMismatchException", TABLE_AMBIGUOUS, OS_ERR_SERVICE, "It may have been applied"},
};

TEST_ROWS_WITH(reading, code_rows, a_code_says_whether_the_write_was_applied)
{
    char body[256];
    snprintf(body, sizeof(body), "{'__type':'" SPACE "%s','message':'Some words.'}", row->name);
    assert_int_equal(write_outcome(reading, 400, body), row->outcome);
    assert_int_equal(reading->err.code, row->code);
    assert_string_equal(reading->err.service_code, row->name);
    assert_says(reading->err, row->says);
    assert_says(reading->err, "the item pk \"a\", sk \"1\" in " ORDERS);
}

TEST_WITH(reading, what_is_no_answer_decides_nothing)
{
    assert_int_equal(write_outcome(reading, 500, "{}"), TABLE_AMBIGUOUS);
    assert_int_equal(write_outcome(reading, 200, "{"), TABLE_AMBIGUOUS);
    assert_int_equal(write_outcome(reading, 0, "{}"), TABLE_AMBIGUOUS);
    assert_says(reading->err, "got no answer");
    forget(reading);
    answer(&reading->response, 200, "{}");
    answer_crc(&reading->response, 1);
    assert_int_equal(
        rows_read_write(&reading->response, ORDERS, &reading->write, &reading->item, &reading->detail, &reading->err),
        TABLE_AMBIGUOUS);
    assert_true(reading->detail.crc_wrong);
}

/* --------------------------------------------------------------------------------------------------------- reads */

static enum table_outcome get_outcome(struct reading *reading, size_t paths, const char *body)
{
    const struct path path = PATH({.name = "v"});
    const struct rows_get get = {
        .of = {&orders, tree(&reading->trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")}, .paths = &path, .path_count = paths};
    forget(reading);
    answer(&reading->response, 200, quoted(&reading->trees, body));
    return rows_read_get(&reading->response, ORDERS, &get, &reading->item, &reading->detail, &reading->err);
}

TEST_WITH(reading, an_item_is_there_or_not)
{
    assert_int_equal(get_outcome(reading, 0, "{'Item':" ORDER ",'ConsumedCapacity':{'TableName':'orders'}}"), TABLE_OK);
    assert_item(reading, ORDER);
    assert_int_equal(get_outcome(reading, 0, "{}"), TABLE_OK);
    assert_null(reading->item);
}

TEST_WITH(reading, an_answer_to_another_request_does_not_say_that_there_is_no_item)
{
    assert_int_equal(get_outcome(reading, 0, "{'Attributes':" ORDER "}"), TABLE_AMBIGUOUS);
    assert_says(reading->err, "got an answer with \"Attributes\", which is none to this request. Ask again.");
    assert_int_equal(get_outcome(reading, 0, "{'message':'x'}"), TABLE_AMBIGUOUS);
    assert_int_equal(get_outcome(reading, 0, "{'Item':" ORDER ",'Items':[]}"), TABLE_AMBIGUOUS);
    assert_null(reading->item);
}

TEST_WITH(reading, a_part_of_an_item_may_lack_its_key)
{
    assert_int_equal(get_outcome(reading, 1, "{'Item':{'v':{'N':'7'}}}"), TABLE_OK);
    assert_item(reading, "{'v':{'N':'7'}}");
    assert_int_equal(get_outcome(reading, 1, "{'Item':{}}"), TABLE_OK);
    assert_item(reading, "{}");
    assert_int_equal(get_outcome(reading, 1, "{'Item':{'pk':{'S':'b'}}}"), TABLE_AMBIGUOUS);
    assert_int_equal(get_outcome(reading, 0, "{'Item':{'v':{'N':'7'}}}"), TABLE_AMBIGUOUS);
    assert_says(reading->err, "was answered with an item of another key");
    assert_null(reading->item);
}

TEST_WITH(reading, an_item_that_is_none_is_unreadable)
{
    assert_int_equal(get_outcome(reading, 0, "{'Item':null}"), TABLE_UNREADABLE);
    assert_int_equal(get_outcome(reading, 0, "{'Item':{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'M':[]}}}"),
                     TABLE_UNREADABLE);
    assert_says(reading->err, "x: an M is a JSON object");
    assert_null(reading->item);
}

/* The service knows best how large its items are. */
TEST_WITH(reading, an_item_that_is_counted_larger_than_400_KB_is_one)
{
    enum { TEXT = 410000 };
    struct buf body;
    buf_init(&body, DYNAMO_ANSWER_MAX);
    buf_add_str(&body, "{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"},\"x\":{\"S\":\"");
    for (size_t i = 0; i < TEXT; i++)
        buf_add_char(&body, 'x');
    assert_true(buf_add_str(&body, "\"}}}"));
    const struct rows_get get = {.of = {&orders, reading->write.item}};
    answer_bytes(&reading->response, 200, body.data, body.len);
    assert_int_equal(rows_read_get(&reading->response, ORDERS, &get, &reading->item, &reading->detail, &reading->err),
                     TABLE_OK);
    assert_int_equal(json_object_size(reading->item), 3);
    buf_free(&body);
}

TEST_WITH(reading, an_item_with_more_values_than_are_read_is_unreadable)
{
    struct buf body;
    buf_init(&body, DYNAMO_ANSWER_MAX);
    buf_add_str(&body, "{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"},\"x\":{\"L\":[{\"N\":\"1\"}");
    for (size_t i = 0; i < JSON_VALUES_MAX; i++)
        buf_add_str(&body, ",{\"N\":\"1\"}");
    assert_true(buf_add_str(&body, "]}}}"));
    const struct rows_get get = {.of = {&orders, reading->write.item}};
    answer_bytes(&reading->response, 200, body.data, body.len);
    assert_int_equal(rows_read_get(&reading->response, ORDERS, &get, &reading->item, &reading->detail, &reading->err),
                     TABLE_UNREADABLE);
    assert_int_equal(reading->err.code, OS_ERR_TOO_LARGE);
    assert_says(reading->err, "got more than is read of one answer. Ask for a part of the item.");
    buf_free(&body);
}

/* Whatever is in the way. */
TEST_WITH(reading, a_failed_condition_with_more_values_than_are_read_is_one)
{
    struct buf body;
    buf_init(&body, DYNAMO_ANSWER_MAX);
    buf_add_str(&body, "{\"__type\":\"" SPACE "ConditionalCheckFailedException\",\"Item\":{\"x\":{\"L\":[{}");
    for (size_t i = 0; i < JSON_VALUES_MAX; i++)
        buf_add_str(&body, ",{}");
    assert_true(buf_add_str(&body, "]}}}"));
    answer_bytes(&reading->response, 400, body.data, body.len);
    assert_int_equal(
        rows_read_write(&reading->response, ORDERS, &reading->write, &reading->item, &reading->detail, &reading->err),
        TABLE_CONFLICT_BLIND);
    assert_string_equal(reading->detail.code, "ConditionalCheckFailedException");
    assert_null(reading->item);
    buf_free(&body);
}
