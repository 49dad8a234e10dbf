/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <stdlib.h>

struct seen {
    size_t count;
    size_t stop_after; /* 0: never */
    struct {
        char path[32];
        char etag[32];
        bool readable;
        uint64_t generation;
        char other[512];
        char upload[32];
    } rows[4];
};

static bool note_row(void *context, const struct dynamo_row *row)
{
    struct seen *seen = context;
    assert_true(seen->count < 4);
    snprintf(seen->rows[seen->count].path, sizeof(seen->rows[0].path), "%s", item_text_of(&row->item, RECORD_AT_PATH));
    snprintf(seen->rows[seen->count].etag, sizeof(seen->rows[0].etag), "%s", item_text_of(&row->item, RECORD_AT_ETAG));
    snprintf(seen->rows[seen->count].other, sizeof(seen->rows[0].other), "%s", row->other);
    snprintf(seen->rows[seen->count].upload, sizeof(seen->rows[0].upload), "%s",
             item_text_of(&row->item, RECORD_AT_UPLOAD));
    seen->rows[seen->count].readable = row->readable;
    seen->rows[seen->count].generation = row->readable ? row->item.values[RECORD_AT_GENERATION].number : 0;
    seen->count++;
    return seen->count != seen->stop_after;
}

static enum table_outcome list_outcome(int status, const char *body, struct seen *seen, char **ret_last_key,
                                       os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = dynamo_read_list(&response, &about_table, note_row, seen, ret_last_key, NULL, err);
    http_response_free(&response);
    return outcome;
}

TEST(a_page_gives_its_rows_and_where_the_next_one_starts)
{
    struct seen seen = {.count = 0};
    char *last_key = NULL;
    os_error err;
    assert_int_equal(list_outcome(200,
                                  "{\"Count\":2,\"Items\":[" ITEM "," PEER_ITEM
                                  "],\"ScannedCount\":2,\"LastEvaluatedKey\":"
                                  "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"\\\"e\\\"\"}}}",
                                  &seen, &last_key, &err),
                     TABLE_OK);
    assert_int_equal(seen.count, 2);
    assert_true(seen.rows[0].readable);
    assert_int_equal(seen.rows[0].generation, 7);
    assert_string_equal(seen.rows[0].path, "dir/k");
    assert_string_equal(seen.rows[0].etag, "*");
    assert_string_equal(seen.rows[0].other, "{}");
    assert_string_equal(seen.rows[1].etag, "\"e\"");
    assert_string_equal(last_key, "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"\\\"e\\\"\"}}");
    free(last_key);
}

TEST(the_last_page_has_no_next_one)
{
    struct seen seen = {.count = 0};
    char *last_key = (char *)"untouched";
    assert_int_equal(list_outcome(200, "{\"Items\":[],\"Count\":0}", &seen, &last_key, NULL), TABLE_OK);
    assert_int_equal(seen.count, 0);
    assert_null(last_key);
    assert_int_equal(list_outcome(200, "{\"Items\":[" ITEM "],\"LastEvaluatedKey\":{}}", &seen, &last_key, NULL),
                     TABLE_OK);
    assert_null(last_key);
}

TEST(a_row_that_is_no_record_is_given_whole)
{
    struct seen seen = {.count = 0};
    char *last_key = NULL;
    assert_int_equal(list_outcome(200,
                                  "{\"Items\":[{\"path\":{\"S\":\"p\"},\"etag\":{\"N\":\"1\"},\"x\":{\"L\":[]}},"
                                  "{\"path\":{},\"etag\":{}},"
                                  "{\"path\":{\"S\":\"a\\u0000b\"},\"etag\":{\"S\":\"e\"}}]}",
                                  &seen, &last_key, NULL),
                     TABLE_OK);
    assert_int_equal(seen.count, 3);
    assert_false(seen.rows[0].readable);
    assert_string_equal(seen.rows[0].path, "p");
    assert_string_equal(seen.rows[0].etag, "");
    assert_string_equal(seen.rows[0].other, "{\"path\":{\"S\":\"p\"},\"etag\":{\"N\":\"1\"},\"x\":{\"L\":[]}}");
    assert_string_equal(seen.rows[1].path, "");
    assert_string_equal(seen.rows[1].other, "{\"path\":{},\"etag\":{}}");
    assert_false(seen.rows[2].readable);
    assert_string_equal(seen.rows[2].path, "");
    assert_string_equal(seen.rows[2].etag, "e");
    assert_string_equal(seen.rows[2].other, "{\"path\":{\"S\":\"a\\u0000b\"},\"etag\":{\"S\":\"e\"}}");
}

TEST(an_item_without_the_keys_is_of_another_kind_of_table)
{
    static const char *const items[] = {
        "{}", "{\"path\":{\"S\":\"p\"}}", "{\"etag\":{\"S\":\"*\"}}",
        "{\"key\":{\"S\":\"nightly\"},\"lease_expiry\":{\"N\":\"1\"},\"lease_version\":{\"S\":\"v\"}}"};
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        char body[512];
        struct seen seen = {.count = 0};
        char *last_key = NULL;
        os_error err;
        (void)snprintf(body, sizeof(body), "{\"Items\":[" ITEM ",%s]}", items[i]);
        assert_int_equal(list_outcome(200, body, &seen, &last_key, &err), TABLE_REFUSED);
        assert_int_equal(err.code, OS_ERR_TABLE);
        assert_says(
            err,
            "has an item without the keys of one of records. This table has other keys than one of records: another "
            "kind of items is in it, perhaps leases or locks. Name a table of records, or make one with ");
        assert_int_equal(seen.count, 0);
        assert_null(last_key);
    }
}

TEST(attributes_of_others_come_with_their_row)
{
    struct seen seen = {.count = 0};
    char *last_key = NULL;
    assert_int_equal(
        list_outcome(200,
                     "{\"Items\":[{\"path\":{\"S\":\"p\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"1\"},"
                     "\"timeout\":{\"N\":\"0\"},\"ttl\":{\"N\":\"1\"},\"upload\":{\"S\":\"u\"},"
                     "\"colour\":{\"S\":\"u\"}}]}",
                     &seen, &last_key, NULL),
        TABLE_OK);
    assert_true(seen.rows[0].readable);
    assert_string_equal(seen.rows[0].upload, "u");
    assert_string_equal(seen.rows[0].other, "{\"colour\":{\"S\":\"u\"}}");
}

TEST(a_caller_that_says_stop_gets_no_more)
{
    struct seen seen = {.stop_after = 1};
    char *last_key = (char *)"untouched";
    assert_int_equal(list_outcome(200, "{\"Items\":[" ITEM "," ITEM "],\"LastEvaluatedKey\":{\"path\":{\"S\":\"k\"}}}",
                                  &seen, &last_key, NULL),
                     TABLE_OK);
    assert_int_equal(seen.count, 1);
    assert_null(last_key);
}

TEST(a_broken_page_gives_no_row_at_all)
{
    static const char *const bodies[] = {"{}",
                                         "{\"Items\":null}",
                                         "{\"Items\":{}}",
                                         "{\"Items\":[" ITEM ",1]}",
                                         "{\"Items\":[" ITEM ",null]}",
                                         "{\"Items\":[" ITEM ",[]]}",
                                         "{\"Items\":[" ITEM "],\"LastEvaluatedKey\":\"k\"}",
                                         "{\"Items\":[" ITEM "],\"LastEvaluatedKey\":null}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct seen seen = {.count = 0};
        char *last_key = NULL;
        os_error err;
        assert_int_equal(list_outcome(200, bodies[i], &seen, &last_key, &err), TABLE_AMBIGUOUS);
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        assert_int_equal(seen.count, 0);
        assert_null(last_key);
    }
}

TEST(a_page_cut_short_anywhere_gives_no_row)
{
    static const char whole[] = "{\"Items\":[" ITEM "],\"LastEvaluatedKey\":{\"path\":{\"S\":\"k\"}}}";
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        struct seen seen = {.count = 0};
        struct http_response response;
        char *last_key = NULL;
        answer_bytes(&response, 200, whole, len);
        assert_int_equal(dynamo_read_list(&response, &about_table, note_row, &seen, &last_key, NULL, NULL),
                         TABLE_AMBIGUOUS);
        assert_int_equal(seen.count, 0);
        http_response_free(&response);
    }
}

TEST(a_missing_table_is_named_when_it_is_listed)
{
    struct seen seen = {.count = 0};
    char *last_key = NULL;
    os_error err;
    assert_int_equal(list_outcome(400, "{\"__type\":\"" SPACE "ResourceNotFoundException\",\"Message\":\"no\"}", &seen,
                                  &last_key, &err),
                     TABLE_REFUSED);
    assert_int_equal(err.code, OS_ERR_NO_TABLE);
    assert_says(err, WHERE);
}

TEST(a_page_with_anything_but_items_and_a_key_is_not_used)
{
    static const char *const bodies[] = {"{\"Items\":[" ITEM ",1]}", "{\"Items\":[],\"LastEvaluatedKey\":5}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct seen seen = {.count = 0};
        char *last_key = NULL;
        os_error err;
        assert_int_not_equal(list_outcome(200, bodies[i], &seen, &last_key, &err), TABLE_OK);
        assert_int_equal(seen.count, 0);
        assert_null(last_key);
    }
}

/* No key of DynamoDB's is so long: it could not be asked for. */
TEST(a_last_key_without_an_end_is_no_page)
{
    enum { LENGTH = 40000 };
    struct buf body;
    struct seen seen = {0};
    char *last_key = NULL;
    buf_init(&body, 2 * LENGTH);
    buf_add_str(&body, "{\"Items\":[],\"LastEvaluatedKey\":{\"path\":{\"S\":\"");
    for (size_t i = 0; i < LENGTH; i++)
        buf_add_char(&body, 'k');
    buf_add_str(&body, "\"}}}");
    assert_true(buf_ok(&body));
    assert_int_equal(list_outcome(200, buf_str(&body), &seen, &last_key, NULL), TABLE_AMBIGUOUS);
    assert_null(last_key);
    buf_free(&body);
}
