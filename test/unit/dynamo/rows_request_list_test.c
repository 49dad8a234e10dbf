/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests of Query and Scan: every body was accepted by DynamoDB Local 2.6.1 as it stands here. */
#include "dynamo/rows_request.h"

#include "rows.h"

#define PARTITION                                                                                                      \
    "'KeyConditionExpression':'#n0 = :v0','ExpressionAttributeNames':{'#n0':'pk'},'ExpressionAttributeValues':{':v0':" \
    "{'S':'a'}}"

static void assert_list(struct trees *trees, const struct rows_list *list, const char *operation, const char *golden)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_list(&endpoint, list, &request, &body, NULL);
    assert_request(code, &request, &body, operation, quoted(trees, golden));
}

static void assert_refused(const struct rows_list *list, const char *says)
{
    struct http_request request;
    struct buf body;
    os_error err;
    assert_int_equal(rows_build_list(&endpoint, list, &request, &body, &err), OS_ERR_ARGUMENT);
    assert_says(err, says);
    assert_null(body.data);
}

TEST_WITH(trees, a_partition_is_listed)
{
    struct rows_list list = {.table = &orders, .partition = tree(trees, "{'S':'a'}")};
    assert_list(trees, &list, "Query", "{'TableName':'orders','ConsistentRead':true," PARTITION "}");
    list.is_eventual = true;
    list.is_descending = true;
    list.limit = 7;
    list.start_key = tree(trees, "{'sk':{'N':'3'},'pk':{'S':'a'}}");
    assert_list(
        trees, &list, "Query",
        "{'TableName':'orders','ScanIndexForward':false,'Limit':7,'ExclusiveStartKey':{'sk':{'N':'3'},'pk':{'S':"
        "'a'}}," PARTITION "}");
}

TEST_WITH(trees, a_range_a_filter_and_paths_share_their_placeholders)
{
    const struct condition_term filter = {
        .path = PATH({.name = "x"}, {.name = "pk"}), .test = CONDITION_CONTAINS, .value = tree(trees, "{'S':'y'}")};
    const struct path path = PATH({.name = "x"});
    const struct rows_list list = {.table = &orders,
                                   .partition = tree(trees, "{'S':'a'}"),
                                   .sort = {.test = CONDITION_IS_AT_LEAST, .value = tree(trees, "{'N':'1'}")},
                                   .filter = {&filter, 1},
                                   .paths = &path,
                                   .path_count = 1};
    assert_list(trees, &list, "Query",
                "{'TableName':'orders','ConsistentRead':true,'KeyConditionExpression':'#n0 = :v0 AND #n1 >= :v1',"
                "'FilterExpression':'contains(#n2.#n0, :v2)','ProjectionExpression':'#n2','ExpressionAttributeNames':{"
                "'#n0':'pk','#n1':'sk','#n2':'x'},'ExpressionAttributeValues':{':v0':{'S':'a'},':v1':{'N':'1'},':v2':{"
                "'S':'y'}}}");
}

TEST_WITH(trees, an_index_is_listed_and_never_consistent)
{
    struct rows_list list = {.table = &orders,
                             .index = "by-state",
                             .index_keys = {"state", "pk"},
                             .partition = tree(trees, "{'S':'open'}"),
                             .start_key = tree(trees, "{'state':{'S':'open'},'pk':{'S':'a'},'sk':{'N':'3'}}")};
    assert_list(trees, &list, "Query",
                "{'TableName':'orders','IndexName':'by-state','ExclusiveStartKey':{'state':{'S':'open'},'pk':{'S':'a'},"
                "'sk':{'N':'3'}},'KeyConditionExpression':'#n0 = :v0','ExpressionAttributeNames':{'#n0':'state'},"
                "'ExpressionAttributeValues':{':v0':{'S':'open'}}}");
    list.partition = NULL;
    list.start_key = NULL;
    assert_list(trees, &list, "Scan", "{'TableName':'orders','IndexName':'by-state'}");
}

TEST_WITH(trees, a_table_is_scanned)
{
    const struct condition_term filter = {
        .path = PATH({.name = "pk"}), .test = CONDITION_DIFFERS, .value = tree(trees, "{'S':'y'}")};
    struct rows_list list = {.table = &orders};
    assert_list(trees, &list, "Scan", "{'TableName':'orders','ConsistentRead':true}");
    list.filter = (struct condition){&filter, 1};
    list.segment = 3;
    list.segments = 4;
    list.limit = UINT32_MAX;
    list.start_key = tree(trees, "{'sk':{'N':'3'},'pk':{'S':'a'}}");
    assert_list(trees, &list, "Scan",
                "{'TableName':'orders','ConsistentRead':true,'Limit':2147483647,'Segment':3,'TotalSegments':4,"
                "'ExclusiveStartKey':{'sk':{'N':'3'},'pk':{'S':'a'}},'FilterExpression':'#n0 <> :v0',"
                "'ExpressionAttributeNames':{'#n0':'pk'},'ExpressionAttributeValues':{':v0':{'S':'y'}}}");
}

/* ------------------------------------------------------------------------------------------------------- refused */

TEST_WITH(trees, a_filter_of_a_query_says_nothing_of_its_key)
{
    const struct condition_term filter = {.path = PATH({.name = "sk"}), .test = CONDITION_EXISTS};
    struct rows_list list = {.table = &orders, .partition = tree(trees, "{'S':'a'}"), .filter = {&filter, 1}};
    assert_refused(&list, "The filter of a Query says something of \"sk\", which is of the key");
    list.index = "by-state"; /* which has another key */
    list.index_keys = (struct rows_keys){"state", NULL};
    struct http_request request;
    struct buf body;
    assert_int_equal(rows_build_list(&endpoint, &list, &request, &body, NULL), OS_OK);
    http_request_free(&request);
    buf_free(&body);
}

TEST_WITH(trees, no_key_of_a_list_has_anything_inside)
{
    const struct path path = PATH({.name = "pk"}, {.name = "x"});
    const struct path other = PATH({.name = "state"}, {.index = 1});
    const struct condition_term filter = {.path = path, .test = CONDITION_EXISTS};
    struct rows_list list = {.table = &orders, .filter = {&filter, 1}};
    assert_refused(&list, "pk.x: an attribute of the key is an S, an N or a B, which has nothing inside.");
    list = (struct rows_list){.table = &orders, .paths = &path, .path_count = 1};
    assert_refused(&list, "pk.x: an attribute of the key");
    list.index = "by-state";
    list.index_keys = (struct rows_keys){"state", NULL};
    assert_refused(&list, "pk.x: an attribute of the key");
    list.paths = &other;
    assert_refused(&list, "state[1]: an attribute of the key");
}

TEST_WITH(trees, a_query_has_no_segments_and_a_scan_no_order)
{
    struct rows_list query = {.table = &orders, .partition = tree(trees, "{'S':'a'}"), .segments = 2};
    assert_refused(&query, "it has no segments");
    struct rows_list scan = {.table = &orders, .is_descending = true};
    assert_refused(&scan, "A Scan has no order");
    scan = (struct rows_list){.table = &orders, .sort = {.test = CONDITION_EQUALS, .value = tree(trees, "{'N':'1'}")}};
    assert_refused(&scan, "asks nothing of the sort key");
}

static const struct segment_row {
    const char *name;
    uint32_t segment;
    uint32_t segments;
} segment_rows[] = {
    {"one of none", 1, 0},
    {"behind the last", 4, 4},
    {"too many", 0, 1000001},
};

TEST_ROWS(segment_rows, a_segment_that_is_none_is_refused)
{
    assert_refused(&(struct rows_list){.table = &orders, .segment = row->segment, .segments = row->segments},
                   "there is no segment");
}

static const struct start_row {
    const char *name;
    const char *key;
    const char *index;
} start_rows[] = {
    {"no object", "[]", NULL},
    {"a part of the key", "{'pk':{'S':'a'}}", NULL},
    {"more than the key", "{'pk':{'S':'a'},'sk':{'N':'1'},'state':{'S':'b'}}", NULL},
    {"values that are none", "{'pk':'a','sk':{'N':'1'}}", NULL},
    {"an empty value", "{'pk':{'S':''},'sk':{'N':'1'}}", NULL},
    {"the key of the table in an index", "{'pk':{'S':'a'},'sk':{'N':'1'}}", "by-state"},
    {"an attribute that is none of the index's", "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'b'}}", "by-state"},
    {"a value that is no key of the index", "{'pk':{'S':'a'},'sk':{'N':'1'},'state':{'BOOL':true}}", "by-state"},
    {"the key of the index alone", "{'state':{'S':'a'}}", "by-state"},
};

TEST_ROWS_WITH(trees, start_rows, a_page_does_not_begin_at_what_is_no_key)
{
    struct http_request request;
    struct buf body;
    const struct rows_list list = {
        .table = &orders, .index = row->index, .index_keys = {"state", NULL}, .start_key = tree(trees, row->key)};
    assert_int_equal(rows_build_list(&endpoint, &list, &request, &body, NULL), OS_ERR_ARGUMENT);
    assert_null(body.data);
}

/* DynamoDB Local: "The provided starting key does not match the range key predicate". */
TEST_WITH(trees, a_page_of_a_query_begins_at_a_key_that_it_asks_for)
{
    struct rows_list list = {.table = &orders,
                             .partition = tree(trees, "{'S':'a'}"),
                             .start_key = tree(trees, "{'pk':{'S':'b'},'sk':{'N':'1'}}")};
    assert_refused(&list, "the key is none that this Query asks for");
    list.start_key = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'3'}}");
    list.sort = (struct rows_range){.test = CONDITION_IS_ABOVE, .value = tree(trees, "{'N':'3.0'}")};
    assert_refused(&list, "the key is none that this Query asks for");
    list.sort.test = CONDITION_IS_AT_LEAST;
    struct http_request request;
    struct buf body;
    assert_int_equal(rows_build_list(&endpoint, &list, &request, &body, NULL), OS_OK);
    http_request_free(&request);
    buf_free(&body);
}

TEST_WITH(trees, names_that_are_none_are_refused)
{
    static const struct rows_table nameless = {"", {"pk", NULL}};
    struct rows_list list = {.table = &nameless};
    assert_refused(&list, "is not the name of a DynamoDB table");
    list = (struct rows_list){.table = &orders, .index = "a", .index_keys = {"state", NULL}};
    assert_refused(&list, "\"a\" is not the name of an index");
    list.index = "arn:aws:dynamodb:us-east-1:123456789012:table/abc";
    assert_refused(&list, "is not the name of an index");
    list.index = "by-state";
    list.index_keys = (struct rows_keys){NULL, NULL};
    assert_refused(&list, "A key has one or two attributes");
}

TEST_WITH(trees, a_wrong_value_of_a_partition_is_refused)
{
    assert_refused(&(struct rows_list){.table = &orders, .partition = tree(trees, "{'S':''}")}, "of 1 to 2048 bytes");
    assert_refused(&(struct rows_list){.table = &orders, .partition = tree(trees, "{'SS':['a']}")}, "of type SS");
}
