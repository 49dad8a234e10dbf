/* SPDX-License-Identifier: Apache-2.0 */
/* Making and checking a table of items of any attributes at DynamoDB, by its definition. */
#include "unit/table/row_dynamo_state.h"

static const char *const included[] = {"x"};
static const struct rows_index things_indexes[] = {
    {.name = "by_g",
     .keys = {.partition = {"g", VALUE_S}, .sort = {"s", VALUE_N}},
     .projection = ROWS_PROJECT_INCLUDE,
     .names = included,
     .name_count = 1},
    {.name = "all_g", .keys = {.partition = {"g", VALUE_S}}, .projection = ROWS_PROJECT_ALL},
};
static const struct rows_definition things = {.keys = {.partition = {"p", VALUE_S}, .sort = {"s", VALUE_N}},
                                              .indexes = things_indexes,
                                              .index_count = 2,
                                              .ttl = "until"};

#define ATTRIBUTE(name, type) "{'AttributeName':'" name "','AttributeType':'" type "'}"
#define ATTRIBUTES            "'AttributeDefinitions':[" ATTRIBUTE("p", "S") "," ATTRIBUTE("s", "N") "," ATTRIBUTE("g", "S") "]"
#define HASH(name)            "{'AttributeName':'" name "','KeyType':'HASH'}"
#define RANGE(name)           "{'AttributeName':'" name "','KeyType':'RANGE'}"
#define KEYS                  "'KeySchema':[" HASH("p") "," RANGE("s") "]"
#define INDEX(name, keys, projection, more) \
    "{'IndexName':'" name "','KeySchema':[" keys "],'Projection':{'ProjectionType':'" projection "'" more "}"
#define BY_G  INDEX("by_g", HASH("g") "," RANGE("s"), "INCLUDE", ",'NonKeyAttributes':['x']")
#define ALL_G INDEX("all_g", HASH("g"), "ALL", "")
#define INDEXES(status) \
    "'GlobalSecondaryIndexes':[" ALL_G ",'IndexStatus':'ACTIVE'}," BY_G ",'IndexStatus':'" status "'}]"
#define TABLE(status, index_status) \
    "{'Table':{'TableName':'things'," ATTRIBUTES "," KEYS "," INDEXES(index_status) ",'TableStatus':'" status "'}}"
#define TTL(status, attribute) \
    "{'TimeToLiveDescription':{'TimeToLiveStatus':'" status "','AttributeName':'" attribute "'}}"
#define TTL_OFF "{'TimeToLiveDescription':{'TimeToLiveStatus':'DISABLED'}}"

static const struct row_request create = {.verb = ROW_CREATE, .table = "things", .definition = &things};
static const struct row_request check = {.verb = ROW_CHECK, .table = "things", .definition = &things};

static void check_operations(struct dynamo_rows *rows, const char *const *operations, size_t count)
{
    assert_int_equal(http_server_count(rows->server), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(strchr(header_of(rows, i, "x-amz-target"), '.') + 1, operations[i]);
}

/* ------------------------------------------------------------------------------------------------ making one */

TEST_WITH(dynamo_rows, a_table_is_made_and_waited_for_with_its_indexes)
{
    static const char *const operations[] = {"CreateTable",   "DescribeTable",    "DescribeTable",
                                             "DescribeTable", "UpdateTimeToLive", "DescribeTimeToLive"};
    push(dynamo_rows, "{'TableDescription':{'TableStatus':'CREATING'}}");
    push(dynamo_rows, TABLE("CREATING", "CREATING"));
    push(dynamo_rows, TABLE("ACTIVE", "CREATING"));
    push(dynamo_rows, TABLE("ACTIVE", "ACTIVE"));
    push(dynamo_rows, "{'TimeToLiveSpecification':{'AttributeName':'until','Enabled':true}}");
    push(dynamo_rows, TTL("ENABLING", "until"));
    struct row_answer answer = ask(dynamo_rows, &create);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_string_equal(answer.error.message, "");
    assert_int_equal(answer.requests, 6);
    check_operations(dynamo_rows, operations, 6);
    assert_string_equal(http_server_record(dynamo_rows->server, 0)->body,
                        quoted(&dynamo_rows->trees,
                               "{'TableName':'things'," ATTRIBUTES "," KEYS ",'GlobalSecondaryIndexes':[" BY_G
                               "}," ALL_G "}],'BillingMode':'PAY_PER_REQUEST'}"));
    assert_string_equal(http_server_record(dynamo_rows->server, 4)->body,
                        quoted(&dynamo_rows->trees, "{'TableName':'things','TimeToLiveSpecification':{'Enabled':true,"
                                                    "'AttributeName':'until'}}"));
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_table_without_ttl_is_looked_at_for_it_all_the_same)
{
    static const struct rows_definition plain = {.keys = {.partition = {"id", VALUE_B}}};
    static const char *const operations[] = {"CreateTable", "DescribeTable", "DescribeTimeToLive"};
    push(dynamo_rows, "{}");
    push(dynamo_rows, "{'Table':{'AttributeDefinitions':[" ATTRIBUTE("id", "B") "],'KeySchema':[" HASH(
                          "id") "],'TableStatus':'ACTIVE'}}");
    push(dynamo_rows, TTL("ENABLED", "t"));
    struct row_answer answer =
        ask(dynamo_rows, &(struct row_request){.verb = ROW_CREATE, .table = "plain", .definition = &plain});
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_TABLE);
    CHECK_SAYS(&answer, "the TTL attribute is t, not none");
    check_operations(dynamo_rows, operations, 3);
    row_answer_free(&answer);
}

/* Nothing of a table that others made is changed. */
TEST_WITH(dynamo_rows, a_table_that_is_there_with_another_definition_is_left_alone)
{
    static const char *const operations[] = {"CreateTable", "DescribeTable", "DescribeTimeToLive"};
    push_refusal(dynamo_rows, REFUSAL("ResourceInUseException", "Table already exists: things"));
    push(dynamo_rows, "{'Table':{" ATTRIBUTES "," KEYS ",'TableStatus':'ACTIVE'}}");
    push(dynamo_rows, TTL_OFF);
    struct row_answer answer = ask(dynamo_rows, &create);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_TABLE);
    CHECK_SAYS(&answer, "The table things in eu-west-1 is there with another definition: ");
    check_operations(dynamo_rows, operations, 3);
    row_answer_free(&answer);
}

/* It comes as something that may be sent again after a pause, and went on coming until the deadline. */
TEST_WITH(dynamo_rows, a_clock_that_is_wrong_is_mended_before_the_table_is_made)
{
    push_with(dynamo_rows, "400 Bad Request", "Date: Tue, 01 Jan 2030 00:00:00 GMT\r\n",
              REFUSAL("InvalidSignatureException", "Signature expired: 2026 is now earlier than 2030"));
    push(dynamo_rows, "{}");
    push(dynamo_rows, TABLE("ACTIVE", "ACTIVE"));
    push(dynamo_rows, "{}");
    push(dynamo_rows, TTL("ENABLED", "until"));
    struct row_answer answer = ask(dynamo_rows, &create);
    CHECK_ANSWER(&answer, TABLE_OK);
    CHECK_REQUEST(dynamo_rows, 1, "CreateTable");
    assert_memory_equal(header_of(dynamo_rows, 1, "x-amz-date"), "20300101T0000", 13);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_server_without_ttl_is_said)
{
    push(dynamo_rows, "{}");
    push(dynamo_rows, TABLE("ACTIVE", "ACTIVE"));
    push_refusal(dynamo_rows, REFUSAL("UnknownOperationException", ""));
    push_refusal(dynamo_rows, REFUSAL("UnknownOperationException", ""));
    struct row_answer answer = ask(dynamo_rows, &create);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.error.code, OS_OK);
    CHECK_SAYS(&answer, "its server has no TTL");
    row_answer_free(&answer);
}

static void be_creating(void *context, const struct http_server_record *record, struct buf *scratch,
                        struct http_server_step *ret)
{
    static const char body[] = "{\"Table\":{\"TableStatus\":\"CREATING\",\"KeySchema\":[{\"AttributeName\":\"p\","
                               "\"KeyType\":\"HASH\"}]}}";
    (void)context;
    (void)record;
    buf_add_f(scratch, "HTTP/1.1 200 OK\r\nx-amzn-requestid: A\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static void creating_set_up(struct dynamo_rows *rows)
{
    rows->server = http_server_start(&(struct http_server_options){.respond = be_creating});
    dynamo_rows_open(rows, http_server_host(rows->server));
}

TEST_WITH_AS(dynamo_rows, creating_set_up, a_table_is_not_waited_for_beyond_the_deadline)
{
    struct row_answer answer = row_ask_until_a_pause(&dynamo_rows->on, dynamo_rows->service, &create, 300);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_DEADLINE);
    CHECK_SAYS(&answer, "did not become ACTIVE before the deadline");
    row_answer_free(&answer);
}

TEST_WITH_AS(dynamo_rows, creating_set_up, who_waits_for_a_table_can_be_cancelled)
{
    struct row_asking asking;
    row_asking_begin(&asking, &dynamo_rows->on, dynamo_rows->service, &create);
    assert_true(http_server_wait_count(dynamo_rows->server, 4));
    on_loop_call(&dynamo_rows->on, row_asking_cancel, &asking);
    on_loop_settle(&dynamo_rows->on);
    assert_int_equal(asking.told, 0);
}

TEST_WITH(dynamo_rows, what_can_be_no_table_is_refused_before_anything_is_sent)
{
    static const struct rows_definition none = {.ttl = "until"};
    const struct row_request requests[] = {{.verb = ROW_CREATE, .table = "things", .definition = &none},
                                           {.verb = ROW_CHECK, .table = "things", .definition = &none},
                                           {.verb = ROW_CREATE, .table = "no", .definition = &things},
                                           {.verb = ROW_CHECK, .table = "", .definition = &things}};
    for (size_t i = 0; i < 4; i++) {
        struct row_answer answer = ask(dynamo_rows, &requests[i]);
        CHECK_ANSWER(&answer, TABLE_REFUSED);
        assert_int_equal(answer.error.code, OS_ERR_ARGUMENT);
        row_answer_free(&answer);
    }
    assert_int_equal(http_server_connections(dynamo_rows->server), 0);
}

/* ------------------------------------------------------------------------------------------------ checking one */

TEST_WITH(dynamo_rows, a_table_that_is_as_it_should_be_is_found_so)
{
    static const char *const operations[] = {"DescribeTable", "DescribeTimeToLive"};
    push(dynamo_rows, TABLE("ACTIVE", "ACTIVE"));
    push(dynamo_rows, TTL("ENABLED", "until"));
    struct row_answer answer = ask(dynamo_rows, &check);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_string_equal(answer.error.message, "");
    check_operations(dynamo_rows, operations, 2);
    row_answer_free(&answer);
}

#define DESCRIBED(attributes, keys, more) \
    "{'Table':{" attributes ",'KeySchema':[" keys "]" more ",'TableStatus':'ACTIVE'}}"
#define BOTH HASH("p") "," RANGE("s")
#define OF_G ",'GlobalSecondaryIndexes':["

static const struct misfit {
    const char *name;
    const char *table;
    const char *ttl; /* NULL: it is not asked for */
    const char *words;
} misfits[] = {
    {"another type", DESCRIBED("'AttributeDefinitions':[" ATTRIBUTE("p", "S") "," ATTRIBUTE("s", "S") "]", BOTH, ""),
     TTL("ENABLED", "until"), "the sort key is \"s\" (S), not \"s\" (N)"},
    {"no sort key", DESCRIBED(ATTRIBUTES, HASH("p"), ""), TTL("ENABLED", "until"),
     "the sort key is none, not \"s\" (N)"},
    {"no index", DESCRIBED(ATTRIBUTES, BOTH, OF_G ALL_G "}]"), TTL("ENABLED", "until"), "it has no index \"by_g\""},
    {"one index more",
     DESCRIBED(ATTRIBUTES, BOTH,
               OF_G ALL_G "}," BY_G "}],'LocalSecondaryIndexes':[" INDEX("local", HASH("p"), "ALL", "") "}]"),
     TTL("ENABLED", "until"), "it has an index \"local\""},
    {"another projection", DESCRIBED(ATTRIBUTES, BOTH, OF_G BY_G "}," INDEX("all_g", HASH("g"), "KEYS_ONLY", "") "}]"),
     TTL("ENABLED", "until"), "the projection of the index \"all_g\" is KEYS_ONLY, not ALL"},
    {"no TTL", TABLE("ACTIVE", "ACTIVE"), TTL_OFF, "the TTL attribute is none, not until"},
    {"TTL that is turned off", TABLE("ACTIVE", "ACTIVE"), TTL("DISABLING", "until"),
     "the TTL attribute is none, not until"},
    {"another TTL", TABLE("ACTIVE", "ACTIVE"), TTL("ENABLED", "t"), "the TTL attribute is t, not until"},
    {"a table that is changed", TABLE("UPDATING", "ACTIVE"), TTL("ENABLED", "until"), "is UPDATING"},
    {"an index that is made", TABLE("ACTIVE", "CREATING"), TTL("ENABLED", "until"), "is CREATING"},
    {"two regions", DESCRIBED(ATTRIBUTES, BOTH, ",'Replicas':[{'RegionName':'eu-west-2'}]"), TTL("ENABLED", "until"),
     "multi-region eventual consistency"},
    {"a key of three", DESCRIBED(ATTRIBUTES, BOTH, OF_G INDEX("all_g", HASH("g") "," HASH("p"), "ALL", "") "}]"), NULL,
     "that a definition cannot say"},
};

TEST_ROWS_WITH(dynamo_rows, misfits, a_table_that_is_not_as_it_should_be_is_refused)
{
    push(dynamo_rows, row->table);
    if (row->ttl != NULL)
        push(dynamo_rows, row->ttl);
    struct row_answer answer = ask(dynamo_rows, &check);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_TABLE);
    CHECK_SAYS(&answer, row->words);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_table_that_is_not_there_is_said)
{
    push_refusal(dynamo_rows, REFUSAL("ResourceNotFoundException", "Requested resource not found"));
    struct row_answer answer = ask(dynamo_rows, &check);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_NO_TABLE);
    CHECK_SAYS(&answer, "There is no table things in eu-west-1.");
    row_answer_free(&answer);
}
