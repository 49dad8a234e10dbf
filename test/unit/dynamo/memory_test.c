/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out in the middle of reading an answer: the answer then decides nothing, and nothing leaks. */
#include "answers.h"

#include "dynamo/item.h"
#include "syntax/json.h"

#include <jansson.h>
#include <stdlib.h>

static size_t allocations_left;

static void *counted_malloc(size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return malloc(size);
}

static void allow(size_t allocations)
{
    allocations_left = allocations;
    json_set_alloc_funcs(counted_malloc, free);
}

static void allow_all(void)
{
    json_set_alloc_funcs(malloc, free);
}

TEST(a_conflict_that_finds_no_memory_is_ambiguous)
{
    enum table_outcome outcome = TABLE_AMBIGUOUS;
    size_t allowed = 0;
    for (; outcome != TABLE_CONFLICT; allowed++) {
        struct http_response response;
        struct record record;
        os_error err;
        answer(&response, 400, CONFLICT_HEAD ",\"Item\":" ITEM "}");
        allow(allowed);
        outcome = record_read_put(&response, &dir_k, &record, NULL, NULL, &err);
        allow_all();
        http_response_free(&response);
        assert_true(outcome == TABLE_CONFLICT || (outcome == TABLE_AMBIGUOUS && err.code != OS_OK));
        assert_true(allowed < 1000);
    }
    assert_true(allowed > 20);
}

TEST(an_unreadable_item_that_finds_no_memory_is_ambiguous)
{
    enum table_outcome outcome = TABLE_AMBIGUOUS;
    size_t allowed = 0;
    for (; outcome != TABLE_UNREADABLE; allowed++) {
        struct http_response response;
        bool found = true;
        char *seen = NULL;
        os_error err;
        answer(&response, 200, "{\"Item\":{\"path\":{\"S\":\"k\"},\"etag\":{\"L\":[1]}}}");
        allow(allowed);
        outcome = record_read_unreadable(&response, &dir_k, &found, &seen, &err);
        allow_all();
        http_response_free(&response);
        assert_true(outcome == TABLE_UNREADABLE || (outcome == TABLE_AMBIGUOUS && err.code != OS_OK));
        assert_int_equal(seen != NULL, outcome == TABLE_UNREADABLE);
        free(seen);
        assert_true(allowed < 1000);
    }
    assert_true(allowed > 10);
}

static bool go_on(void *context, const struct dynamo_row *row)
{
    size_t *rows = context;
    assert_true(row->readable);
    assert_string_equal(row->other, "{}");
    (*rows)++;
    return true;
}

TEST(a_page_that_finds_no_memory_is_ambiguous)
{
    enum table_outcome outcome = TABLE_AMBIGUOUS;
    size_t allowed = 0;
    for (; outcome != TABLE_OK; allowed++) {
        struct http_response response;
        size_t rows = 0;
        char *last_key = NULL;
        os_error err;
        answer(&response, 200, "{\"Items\":[" ITEM "," PEER_ITEM "],\"LastEvaluatedKey\":{\"path\":{\"S\":\"k\"}}}");
        allow(allowed);
        outcome = dynamo_read_list(&response, &about_table, go_on, &rows, &last_key, NULL, &err);
        allow_all();
        http_response_free(&response);
        assert_true(outcome == TABLE_OK || (outcome == TABLE_AMBIGUOUS && err.code != OS_OK));
        assert_int_equal(last_key != NULL, outcome == TABLE_OK);
        assert_true(outcome != TABLE_OK || rows == 2);
        free(last_key);
        assert_true(allowed < 1000);
    }
    assert_true(allowed > 40);
}

TEST(other_attributes_that_find_no_memory_are_null)
{
    json_t *item = json_loads(ITEM, 0, NULL);
    assert_non_null(item);
    char *other = NULL;
    for (size_t allowed = 0; other == NULL; allowed++) {
        allow(allowed);
        other = record_others(item);
        allow_all();
        assert_true(allowed < 1000);
    }
    assert_string_equal(other, "{}");
    free(other);
    json_decref(item);
}

static void *all_but_one_malloc(size_t size)
{
    return allocations_left-- == 0 ? NULL : malloc(size);
}

/* jansson's lexer goes on without the byte for which there was no memory. */
TEST(no_string_is_short_of_a_byte_for_which_there_was_no_memory)
{
    static const char text[] = "{\"lease_version\":{\"S\":\"5bb4a7d1c005917da25339dbac9f59ff-1\"}}";
    json_t *whole = json_read(text, sizeof(text) - 1);
    size_t unread = 0;
    for (size_t failing = 0; failing < 60; failing++) {
        allocations_left = failing;
        json_set_alloc_funcs(all_but_one_malloc, free);
        json_t *read = json_read(text, sizeof(text) - 1);
        allow_all();
        assert_true(read == NULL || json_equal(read, whole));
        unread += read == NULL;
        json_decref(read);
    }
    assert_in_range(unread, 20, 59); /* it was hit, and it came to an end */
    json_decref(whole);
}
