/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that another server gives, and such as have more in them than is read. */
#include "answers.h"

/* An S3 server, a web server, a proxy's page: nothing that DynamoDB says, and without its request id. */
TEST(an_answer_of_another_server_is_told_as_such)
{
    static const int statuses[] = {200, 201, 301, 307, 400, 403, 404, 405, 501};
    static const int passing[] = {408, 429, 500, 502, 503, 504};
    for (size_t s = 0; s < sizeof(statuses) / sizeof(statuses[0]); s++) {
        struct http_response response;
        struct record record;
        struct dynamo_error detail;
        os_error err;
        http_response_init(&response, DYNAMO_ANSWER_MAX);
        response.status = statuses[s];
        assert_true(http_headers_add(&response.headers, "Content-Type", "application/xml"));
        assert_true(buf_add_str(&response.body, "<?xml version=\"1.0\"?><Error><Code>InvalidRequest</Code></Error>"));
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, &err), TABLE_AMBIGUOUS);
        assert_true(detail.foreign);
        assert_int_equal(err.code, OS_ERR_CONFIG);
        assert_says(err, "something that is not DynamoDB");
        assert_says(err, "application/xml");
        assert_true(http_headers_add(&response.headers, "x-amzn-RequestId", "A"));
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, NULL), TABLE_AMBIGUOUS);
        assert_false(detail.foreign);
        http_response_free(&response);
    }
    for (size_t s = 0; s < sizeof(passing) / sizeof(passing[0]); s++) {
        struct http_response response;
        struct record record;
        struct dynamo_error detail;
        http_response_init(&response, DYNAMO_ANSWER_MAX);
        response.status = passing[s];
        assert_true(buf_add_str(&response.body, "<html>try again later</html>"));
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, NULL), TABLE_AMBIGUOUS);
        assert_false(detail.foreign);
        http_response_free(&response);
    }
}

/* E9. An API gateway's {} would be a PutItem that is done, and a GetItem that found nothing. */
TEST(an_object_without_a_mark_is_no_success)
{
    static const char *const marks[][2] = {{"x-amzn-RequestId", "A"}, {"Content-Type", "application/x-amz-json-1.0"}};
    for (size_t i = 0; i < 3; i++) {
        struct http_response response;
        struct record record;
        struct dynamo_error detail;
        bool found = true;
        http_response_init(&response, DYNAMO_ANSWER_MAX);
        response.status = 200;
        assert_true(buf_add_str(&response.body, "{}"));
        if (i < 2)
            assert_true(http_headers_add(&response.headers, marks[i][0], marks[i][1]));
        enum table_outcome wanted = i < 2 ? TABLE_OK : TABLE_AMBIGUOUS;
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, NULL), wanted);
        assert_int_equal(detail.foreign, i == 2);
        assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, &detail, NULL), wanted);
        assert_int_equal(found, i == 2);
        http_response_free(&response);
    }
}

/* An item that somebody has filled with more than is read: what it is in the way of can still be read and mended. */
static void add_crowd(struct buf *ret, const char *before, const char *after)
{
    buf_add_str(ret, before);
    for (size_t i = 0; i < 300 * 1024; i++)
        buf_add_str(ret, i > 0 ? ",{\"S\":\"\"}" : "{\"S\":\"\"}");
    buf_add_str(ret, after);
    assert_true(buf_ok(ret));
}

TEST(a_conflict_with_too_much_in_it_is_followed_by_a_read)
{
    struct http_response response;
    struct record record;
    http_response_init(&response, DYNAMO_ANSWER_MAX);
    response.status = 400;
    add_crowd(&response.body, CONFLICT_HEAD ",\"Item\":{\"path\":{\"S\":\"dir/k\"},\"x\":{\"L\":[", "]}}}");
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), TABLE_AMBIGUOUS); /* whose? */
    assert_true(http_headers_add(&response.headers, "x-amzn-requestid", "A"));
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), TABLE_CONFLICT_BLIND);
    response.status = 200;
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), TABLE_AMBIGUOUS);
    http_response_free(&response);
}

static const struct crowded_row {
    const char *name; /* how it begins */
    enum table_outcome outcome;
} crowded_rows[] = {
    {"{\"__type\":\"" SPACE "ConditionalCheckFailedException\",\"x\":[", TABLE_CONFLICT_BLIND},
    {" { \"__type\" : \"ConditionalCheckFailedException\" , \"x\":[", TABLE_CONFLICT_BLIND},
    {"{\"__type\":\"" SPACE "TransactionCanceledException\",\"x\":[", TABLE_AMBIGUOUS},
    {"{\"__type\":\"" SPACE "ConditionalCheckFailedException#\",\"x\":[", TABLE_AMBIGUOUS},
    {"{\"__type\":\"x\\\"#ConditionalCheckFailedException\",\"x\":[", TABLE_AMBIGUOUS},
    {"{\"__type\":[\"ConditionalCheckFailedException\"],\"x\":[", TABLE_AMBIGUOUS},
    {"{\"Item\":{\"__type\":\"ConditionalCheckFailedException\"},\"x\":[", TABLE_AMBIGUOUS},
    {"{\"x\":[", TABLE_AMBIGUOUS},
};

/* Without its code the answer may be to any request, and the write may have been applied. */
TEST_ROWS(crowded_rows, too_much_is_a_conflict_only_where_its_code_is_one)
{
    struct http_response response;
    struct record record;
    http_response_init(&response, DYNAMO_ANSWER_MAX);
    response.status = 400;
    add_crowd(&response.body, row->name, "]}");
    assert_true(http_headers_add(&response.headers, "x-amzn-requestid", "A"));
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), row->outcome);
    http_response_free(&response);
}

TEST(a_record_with_too_much_in_it_is_unreadable)
{
    struct http_response response;
    struct record record;
    bool found = false;
    struct dynamo_error detail;
    os_error err;
    http_response_init(&response, DYNAMO_ANSWER_MAX);
    response.status = 200;
    add_crowd(&response.body, "{\"Item\":{\"path\":{\"S\":\"dir/k\"},\"nonce\":{\"L\":[", "]}}}");
    assert_true(http_headers_add(&response.headers, "x-amzn-requestid", "A"));
    assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, NULL, &err), TABLE_UNREADABLE);
    assert_says(err, "too large to be a record");
    assert_says(err, "table release --force");
    char *next = NULL;
    assert_int_equal(dynamo_read_list(&response, &about_table, NULL, NULL, &next, &detail, NULL), TABLE_AMBIGUOUS);
    assert_true(detail.too_large);
    http_response_free(&response);
}
