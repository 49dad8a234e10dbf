/* SPDX-License-Identifier: Apache-2.0 */
/* A row is read as pylance 14.0.2 has left it in DynamoDB Local. */
#include "lance/row.h"

#include "aws/endpoint.h"
#include "dynamo/item.h"
#include "dynamo/request.h"
#include "support/test.h"
#include "syntax/json.h"

#include <string.h>

static const char theirs[] =
    "{\"path\":{\"S\":\"tables/events/_versions/18446744073709551611.manifest\"},\"size\":{\"N\":\"583\"},"
    "\"committer\":{\"S\":\"lancedb\"},\"version\":{\"N\":\"4\"},\"base_uri\":{\"S\":\"tables/events\"}}";

TEST(a_row_of_pylance_is_read_also_without_a_size)
{
    json_t *json = json_read(theirs, strlen(theirs));
    struct item item;
    os_error error;
    assert_int_equal(dynamo_item_read(&row_schema, json, &item, &error), OS_OK);
    assert_string_equal(item_text_of(&item, ROW_AT_BASE_URI), "tables/events");
    assert_string_equal(item_text_of(&item, ROW_AT_PATH), "tables/events/_versions/18446744073709551611.manifest");
    assert_int_equal(item.values[ROW_AT_VERSION].number, 4);
    assert_int_equal(item.values[ROW_AT_SIZE].number, 583);
    assert_int_equal(json_object_del(json, "size"), 0);
    assert_int_equal(dynamo_item_read(&row_schema, json, &item, &error), OS_OK);
    assert_int_equal(item.values[ROW_AT_SIZE].type, ITEM_NONE);
    assert_int_equal(json_object_del(json, "path"), 0);
    assert_int_equal(dynamo_item_read(&row_schema, json, &item, &error), OS_ERR_PROTOCOL);
    json_decref(json);
}

TEST(a_key_may_have_a_number)
{
    static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};
    const struct dynamo_target target = {&endpoint, "rows", &row_schema};
    struct item item = {.values = {[ROW_AT_BASE_URI] = {ITEM_STRING, "events", 0}, [ROW_AT_VERSION] = item_number(4)}};
    struct http_request request;
    struct buf body;
    os_error error;
    assert_int_equal(dynamo_build_get(&target, &item, &request, &body, &error), OS_OK);
    assert_non_null(strstr(buf_str(&body), "\"Key\":{\"base_uri\":{\"S\":\"events\"},\"version\":{\"N\":\"4\"}}"));
    http_request_free(&request);
    buf_free(&body);
    item.values[ROW_AT_BASE_URI] = item_text("");
    assert_int_equal(dynamo_build_get(&target, &item, &request, &body, &error), OS_ERR_ARGUMENT);
}
