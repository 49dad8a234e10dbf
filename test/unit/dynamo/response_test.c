/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

static const struct record expected = {.generation = 7,
                                       .timeout_ms = 20000,
                                       .ttl_s = 1800000000,
                                       .fence_s = 1799999999,
                                       .has_fence = true,
                                       .nonce = NONCE,
                                       .saw = "ffff"};

/* A row of what is named by itself: a body, an item, or a sum. */
struct given {
    const char *name;
};

/* ---------------------------------------------------------------------------------------------------- PutItem */

TEST(an_empty_object_with_200_is_applied)
{
    struct dynamo_error detail;
    os_error err;
    assert_int_equal(put_outcome(200, "{}", &detail, &err), TABLE_OK);
    assert_int_equal(err.code, OS_OK);
    assert_string_equal(err.message, "");
    assert_string_equal(detail.request_id, "REQ1");
    assert_string_equal(detail.code, "");
    assert_int_equal(put_outcome(200, "{\"ConsumedCapacity\":{\"CapacityUnits\":1.0}}", NULL, NULL), TABLE_OK);
}

TEST(a_conflict_gives_the_record)
{
    struct http_response response;
    struct record record;
    struct dynamo_error detail;
    os_error err;
    answer(&response, 400, CONFLICT_HEAD ",\"Item\":" ITEM "}");
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, &err), TABLE_CONFLICT);
    assert_memory_equal(&record, &expected, sizeof(record));
    assert_string_equal(detail.code, "ConditionalCheckFailedException");
    assert_string_equal(detail.message, "The conditional request failed");
    assert_int_equal(err.code, OS_OK);
    http_response_free(&response);
}

#define UPLOAD_ITEM                                                                \
    "{\"path\":{\"S\":\"k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"1\"}," \
    "\"timeout\":{\"N\":\"1\"},\"ttl\":{\"N\":\"1\"},\"upload\":{\"S\":\"an-id\"}}"

TEST(R14_a_conflict_and_a_read_give_the_upload_id)
{
    for (int get = 0; get < 2; get++) {
        struct http_response response;
        struct record record = {.generation = 0};
        char upload[RECORD_UPLOAD_SIZE] = "";
        bool found = false;
        answer(&response, get ? 200 : 400,
               get ? "{\"Item\":" UPLOAD_ITEM "}" : CONFLICT_HEAD ",\"Item\":" UPLOAD_ITEM "}");
        enum table_outcome outcome =
            get ? record_read_get(&response, &(struct record_about){WHERE, "k", "*"}, &found, &record, upload, NULL,
                                  NULL)
                : record_read_put(&response, &(struct record_about){WHERE, "k", "*"}, &record, upload, NULL, NULL);
        assert_int_equal(outcome, get ? TABLE_OK : TABLE_CONFLICT);
        assert_int_equal(record.upload, record_upload_number("an-id"));
        assert_string_equal(upload, "an-id");
        http_response_free(&response);
    }
}

#define BUCKET_ITEM                                                                \
    "{\"path\":{\"S\":\"k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"1\"}," \
    "\"timeout\":{\"N\":\"1\"},\"ttl\":{\"N\":\"1\"},\"bucket\":{\"S\":\"fleet-7\"}}"

/* T4.3 */
TEST(a_conflict_names_the_bucket_of_the_record)
{
    static const char *const bodies[][2] = {
        {CONFLICT_HEAD ",\"Item\":" BUCKET_ITEM "}", "fleet-7"},
        {CONFLICT_HEAD ",\"Item\":" ITEM "}", ""},
        {CONFLICT_HEAD "}", ""},
        {"not JSON", ""},
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct http_response response;
        char bucket[RECORD_BUCKET_SIZE] = "";
        struct item key;
        struct record record;
        struct dynamo_reading reading;
        record_key_item("k", "*", &key);
        answer(&response, 400, bodies[i][0]);
        (void)dynamo_read_write(&response,
                                &(struct dynamo_about){.where = WHERE, .schema = &record_schema, .key = &key},
                                DYNAMO_PUT, &reading, NULL);
        assert_int_equal(reading.found, i < 2);
        if (reading.found)
            record_from_item(&reading.item, &record, NULL, bucket);
        dynamo_reading_free(&reading);
        assert_string_equal(bucket, bodies[i][1]);
        http_response_free(&response);
    }
}

TEST(R4_a_conflict_without_item_is_blind)
{
    assert_int_equal(put_outcome(400, CONFLICT_HEAD "}", NULL, NULL), TABLE_CONFLICT_BLIND);
    assert_int_equal(put_outcome(400, CONFLICT_HEAD ",\"Item\":{}}", NULL, NULL), TABLE_CONFLICT_BLIND);
}

TEST(T1_a_conflict_whose_item_is_no_record_is_unreadable)
{
    os_error err;
    assert_int_equal(put_outcome(400,
                                 CONFLICT_HEAD ",\"Item\":{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"},"
                                               "\"generation\":{\"N\":\"1.5\"}}}",
                                 NULL, &err),
                     TABLE_UNREADABLE);
    assert_int_equal(err.code, OS_ERR_PROTOCOL);
    assert_int_equal(err.http_status, 400);
    assert_says(err, "\"dir/k\"");
    assert_says(err, "(etag *)");
    assert_says(err, WHERE);
    assert_says(err, "\"generation\" is not a plain unsigned 64-bit integer");
    assert_says(err, "When no writer of this key is running, replace it with `oscommit table release --force`");
}

static const struct given no_records[] = {
    {.name = "null"},
    {.name = "[]"},
    {.name = "\"x\""},
    {.name = "7"},
    {.name = "{\"x\":{\"S\":\"y\"}}"},
    {.name = "{\"path\":{\"S\":\"k\\u0000\"}}"},
    {.name = "5"},
};

TEST_ROWS(no_records, T1_an_item_that_is_no_record_in_a_conflict)
{
    char body[512];
    os_error err;
    snprintf(body, sizeof(body), CONFLICT_HEAD ",\"Item\":%s}", row->name);
    assert_int_equal(put_outcome(400, body, NULL, &err), TABLE_UNREADABLE);
}

TEST(no_answer_is_ambiguous)
{
    os_error err;
    assert_int_equal(put_outcome(0, "", NULL, &err), TABLE_AMBIGUOUS);
    assert_int_equal(err.code, OS_ERR_NETWORK);
    assert_int_equal(err.http_status, 0);
    assert_says(err, "PutItem of the record of key \"dir/k\" (etag *) in " WHERE " got no answer.");
    assert_says(err, "It may have been applied");
}

/* Whatever a 5xx or 408 says, and even if it names a code that is definite elsewhere. */
static const struct given any_bodies[] = {
    {.name = ""},
    {.name = "{}"},
    {.name = "<html>"},
    {.name = CONFLICT_HEAD ",\"Item\":" ITEM "}"},
    {.name = "{\"__type\":\"AccessDeniedException\"}"},
    {.name = "{\"__type\":\"x#ThrottlingException\",\"message\":\"m\"}"},
};

TEST_ROWS(any_bodies, every_status_that_is_neither_200_nor_a_definite_4xx_is_ambiguous)
{
    static const int statuses[] = {100, 201, 202, 204, 206, 299, 301, 302, 304,
                                   307, 308, 408, 500, 501, 502, 503, 504, 599};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct dynamo_error detail;
        os_error err;
        assert_int_equal(put_outcome(statuses[i], row->name, &detail, &err), TABLE_AMBIGUOUS);
        assert_int_equal(err.code, OS_ERR_SERVICE);
        assert_int_equal(err.http_status, statuses[i]);
        assert_false(detail.skewed || detail.token_expired || detail.crc_wrong);
        assert_says(err, "It may have been applied");
    }
}

TEST(a_server_error_tells_what_the_service_said)
{
    struct dynamo_error detail;
    os_error err;
    assert_int_equal(
        put_outcome(500, "{\"__type\":\"" SPACE "InternalServerError\",\"message\":\"Sorry.\"}", &detail, &err),
        TABLE_AMBIGUOUS);
    assert_string_equal(detail.code, "InternalServerError");
    assert_string_equal(err.service_code, "InternalServerError");
    assert_string_equal(err.request_id, "REQ1");
    assert_says(err, "HTTP 500 InternalServerError: Sorry (request id REQ1). It may");
}

static const struct given unknown_codes[] = {
    {.name = "{}"},
    {.name = "{\"__type\":\"\"}"},
    {.name = "{\"__type\":\"x#\"}"},
    {.name = "{\"__type\":null}"},
    {.name = "{\"__type\":7}"},
    {.name = "{\"__type\":\"" SPACE "NewException\"}"},
    {.name = "{\"__type\":\"RequestAbortedException\"}"},
    {.name = "{\"__type\":\"RequestTimeoutException\"}"},
    {.name = "{\"__type\":\"accessdeniedexception\"}"},
    {.name = "{\"__type\":\"AccessDeniedException\\u0000\"}"},
    {.name = "{\"__type\":\"AccessDeniedException \"}"},
    {.name = "{\"__type\":\"InternalServerError\"}"},
    {.name = "{\"Item\":" ITEM "}"},
};

TEST_ROWS(unknown_codes, an_unknown_code_with_4xx_is_ambiguous)
{
    os_error err;
    assert_int_equal(put_outcome(400, row->name, NULL, &err), TABLE_AMBIGUOUS);
    assert_int_equal(err.code, OS_ERR_SERVICE);
    assert_says(err, "decides nothing");
}

TEST(a_code_longer_than_its_place_is_cut_and_unknown)
{
    char body[512];
    struct dynamo_error detail;
    memset(body, 'A', sizeof(body));
    memcpy(body, "{\"__type\":\"x#", 13);
    memcpy(body + 500, "\"}", 3);
    assert_int_equal(put_outcome(400, body, &detail, NULL), TABLE_AMBIGUOUS);
    assert_int_equal(strlen(detail.code), sizeof(detail.code) - 1);
}

static const struct given no_objects[] = {
    {.name = ""},  {.name = " "},   {.name = "<html>Forbidden</html>"},    {.name = "[]"}, {.name = "null"},
    {.name = "{"}, {.name = "{}x"}, {.name = "\"AccessDeniedException\""},
};

TEST_ROWS(no_objects, a_body_that_is_not_json_is_ambiguous)
{
    static const int statuses[] = {200, 400, 403, 404, 413, 429};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        os_error err;
        assert_int_equal(put_outcome(statuses[i], row->name, NULL, &err), TABLE_AMBIGUOUS);
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        assert_int_equal(err.http_status, statuses[i]);
        assert_says(err, "not a JSON object");
    }
}

TEST(an_error_inside_a_200_is_ambiguous)
{
    os_error err;
    assert_int_equal(put_outcome(200, CONFLICT_HEAD ",\"Item\":" ITEM "}", NULL, &err), TABLE_AMBIGUOUS);
    assert_int_equal(err.code, OS_ERR_PROTOCOL);
}

/* {} is a PutItem that is done, and a GetItem that found none: nothing else may say that it is none of that. */
TEST(a_200_that_says_something_else_is_ambiguous)
{
    static const char *const bodies[] = {"{\"Items\":[" ITEM "],\"Count\":1}", "{\"Responses\":{}, \"Message\":\"x\"}",
                                         "{\"message\":\"Service unavailable\"}",
                                         "{\"CancellationReasons\":[{\"Code\":\"None\"}]}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct record record;
        bool found;
        os_error err;
        assert_int_equal(put_outcome(200, bodies[i], NULL, &err), TABLE_AMBIGUOUS);
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        assert_says(err, "which is none to this request. This one may have been applied: read what is there.");
        struct http_response response;
        answer(&response, 200, bodies[i]);
        assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, NULL, &err), TABLE_AMBIGUOUS);
        assert_says(err, "which is none to this request. Ask again.");
        http_response_free(&response);
    }
    assert_int_equal(put_outcome(200, "{\"Item\":" ITEM "}", NULL, NULL), TABLE_AMBIGUOUS);
    assert_int_equal(put_outcome(200, "{\"Attributes\":{},\"ConsumedCapacity\":{\"TableName\":\"t\"}}", NULL, NULL),
                     TABLE_OK);
}

TEST(duplicate_members_make_an_answer_ambiguous)
{
    assert_int_equal(put_outcome(400, CONFLICT_HEAD ",\"Item\":" ITEM ",\"Item\":" PEER_ITEM "}", NULL, NULL),
                     TABLE_AMBIGUOUS);
    assert_int_equal(
        put_outcome(400, "{\"__type\":\"AccessDeniedException\",\"__type\":\"ThrottlingException\"}", NULL, NULL),
        TABLE_AMBIGUOUS);
}

TEST(a_conflict_cut_short_anywhere_is_ambiguous)
{
    static const char whole[] = CONFLICT_HEAD ",\"Item\":" ITEM "}";
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        struct http_response response;
        struct record record = {.generation = 99};
        answer_bytes(&response, 400, whole, len);
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), TABLE_AMBIGUOUS);
        assert_int_equal(record.generation, 99);
        http_response_free(&response);
    }
}

TEST(nul_bytes_anywhere_in_an_answer_are_harmless)
{
    static const char whole[] = CONFLICT_HEAD ",\"Item\":" ITEM "}";
    for (size_t at = 0; at < sizeof(whole) - 1; at++) {
        struct http_response response;
        struct record record;
        char changed[sizeof(whole)];
        memcpy(changed, whole, sizeof(whole));
        changed[at] = '\0';
        answer_bytes(&response, 400, changed, sizeof(whole) - 1);
        assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, NULL), TABLE_AMBIGUOUS);
        http_response_free(&response);
    }
}

/* -------------------------------------------------------------------------------------------------- checksums */

static enum table_outcome put_with_crc(int status, const char *body, const char *crc, struct dynamo_error *ret_detail,
                                       os_error *err)
{
    struct http_response response;
    struct record record;
    answer(&response, status, body);
    if (crc != NULL)
        assert_true(http_headers_add(&response.headers, "x-amz-crc32", crc));
    enum table_outcome outcome = record_read_put(&response, &dir_k, &record, NULL, ret_detail, err);
    http_response_free(&response);
    return outcome;
}

TEST(a_right_checksum_changes_nothing)
{
    struct dynamo_error detail;
    assert_int_equal(put_with_crc(200, "{}", "2745614147", &detail, NULL), TABLE_OK);
    assert_false(detail.crc_wrong);
    assert_int_equal(put_with_crc(200, "{}", NULL, &detail, NULL), TABLE_OK);
    assert_false(detail.crc_wrong);
    assert_int_equal(put_with_crc(200, "{}", " 2745614147 ", &detail, NULL), TABLE_OK);
}

static const struct given wrong_sums[] = {
    {.name = "2745614148"}, {.name = "0"},           {.name = ""},
    {.name = "-1"},         {.name = "a3a6bf43"},    {.name = "0xa3a6bf43"},
    {.name = "7040581443"}, {.name = "2745614147x"}, {.name = "99999999999999999999999"},
};

TEST_ROWS(wrong_sums, R4_a_wrong_checksum_makes_the_whole_answer_ambiguous)
{
    static const char *const bodies[] = {"{}", CONFLICT_HEAD ",\"Item\":" ITEM "}",
                                         "{\"__type\":\"AccessDeniedException\"}"};
    static const int statuses[] = {200, 400, 403, 500};
    size_t body = (size_t)(row - wrong_sums) % 3;
    const char *sum = body != 0 && row->name[0] == '2' ? "1" : row->name;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct dynamo_error detail;
        os_error err;
        assert_int_equal(put_with_crc(statuses[i], bodies[body], sum, &detail, &err), TABLE_AMBIGUOUS);
        assert_true(detail.crc_wrong);
        assert_string_equal(detail.code, ""); /* nothing in it counts */
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        assert_says(err, "x-amz-crc32");
    }
}

TEST(the_checksum_of_a_conflict_is_looked_at_too)
{
    static const char body[] = CONFLICT_HEAD ",\"Item\":" ITEM "}";
    struct http_response response;
    struct record record;
    struct dynamo_error detail;
    answer(&response, 400, body);
    answer_crc(&response, crc32_of(body, sizeof(body) - 1));
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, NULL), TABLE_CONFLICT);
    response.body.data[10] ^= 1;
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, &detail, NULL), TABLE_AMBIGUOUS);
    assert_true(detail.crc_wrong);
    http_response_free(&response);
}

/* ------------------------------------------------------------------------------------------------ huge bodies */

TEST(an_answer_over_its_maximum_is_ambiguous)
{
    struct http_response response;
    struct record record;
    os_error err;
    http_response_init(&response, 16);
    response.status = 200;
    assert_false(buf_add_str(&response.body, "{\"a\":\"more than sixteen bytes\"}"));
    assert_int_equal(record_read_put(&response, &dir_k, &record, NULL, NULL, &err), TABLE_AMBIGUOUS);
    assert_says(err, "too long");
    http_response_free(&response);
}

TEST(an_answer_longer_than_any_of_dynamodbs_is_ambiguous)
{
    struct http_response response;
    bool found = false;
    struct record record;
    os_error err;
    http_response_init(&response, 2 * (size_t)DYNAMO_ANSWER_MAX);
    response.status = 200;
    buf_add_str(&response.body, "{\"x\":\"");
    for (size_t i = 0; i <= DYNAMO_ANSWER_MAX / 16; i++)
        buf_add_str(&response.body, "0123456789abcdef");
    buf_add_str(&response.body, "\"}");
    assert_true(buf_ok(&response.body));
    assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, NULL, &err), TABLE_AMBIGUOUS);
    assert_says(err, "too long");
    http_response_free(&response);
}

TEST(a_large_item_within_the_limits_is_read)
{
    struct http_response response;
    bool found = false;
    struct record record;
    http_response_init(&response, DYNAMO_ANSWER_MAX);
    response.status = 200;
    assert_true(http_headers_add(&response.headers, "x-amzn-requestid", "REQ1"));
    buf_add(&response.body, "{\"Item\":" ITEM, strlen("{\"Item\":" ITEM) - 1);
    buf_add_str(&response.body, ",\"big\":{\"S\":\"");
    for (size_t i = 0; i < 400 * 1024; i++)
        buf_add_str(&response.body, "\\u0001");
    buf_add_str(&response.body, "\"}}}");
    assert_true(buf_ok(&response.body));
    assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, NULL, NULL), TABLE_OK);
    assert_true(found);
    http_response_free(&response);
}

/* ---------------------------------------------------------------------------------------------------- GetItem */

static enum table_outcome get_outcome(int status, const char *body, bool *ret_found, struct record *ret, os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = record_read_get(&response, &dir_k, ret_found, ret, NULL, NULL, err);
    http_response_free(&response);
    return outcome;
}

TEST(an_item_is_found_or_not)
{
    bool found = false;
    struct record record;
    os_error err;
    assert_int_equal(get_outcome(200, "{\"Item\":" ITEM "}", &found, &record, &err), TABLE_OK);
    assert_true(found);
    assert_memory_equal(&record, &expected, sizeof(record));
    assert_int_equal(err.code, OS_OK);
    assert_int_equal(get_outcome(200, "{}", &found, &record, &err), TABLE_OK);
    assert_false(found);
}

TEST(T1_an_item_that_is_no_record_is_unreadable)
{
    bool found = false;
    struct record record;
    os_error err;
    static const char *const items[] = {"null", "[]", "{}", "{\"path\":{\"S\":\"k\"}}"};
    for (size_t i = 0; i < 4; i++) {
        char body[128];
        snprintf(body, sizeof(body), "{\"Item\":%s}", items[i]);
        assert_int_equal(get_outcome(200, body, &found, &record, &err), TABLE_UNREADABLE);
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
    }
    assert_false(found);
}

TEST(a_failed_condition_is_no_answer_to_a_read)
{
    bool found = false;
    struct record record;
    os_error err;
    assert_int_equal(get_outcome(400, CONFLICT_HEAD ",\"Item\":" ITEM "}", &found, &record, &err), TABLE_AMBIGUOUS);
    assert_int_equal(err.code, OS_ERR_PROTOCOL);
    assert_says(err, "although it had none");
    assert_says(err, "ask again");
}

TEST(a_failed_read_says_that_nothing_was_changed)
{
    bool found = false;
    struct record record;
    os_error err;
    assert_int_equal(get_outcome(503, "", &found, &record, &err), TABLE_AMBIGUOUS);
    assert_says(err, "GetItem of the record of key \"dir/k\"");
    assert_says(err, "It changed nothing: ask again.");
}

TEST(an_item_cut_short_anywhere_is_ambiguous)
{
    static const char whole[] = "{\"Item\":" ITEM "}";
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        struct http_response response;
        struct record record;
        bool found = false;
        answer_bytes(&response, 200, whole, len);
        assert_int_equal(record_read_get(&response, &dir_k, &found, &record, NULL, NULL, NULL), TABLE_AMBIGUOUS);
        assert_false(found);
        http_response_free(&response);
    }
}
