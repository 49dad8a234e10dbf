/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the public functions, before anything is sent. */
#include "client/call.h"
#include "client/carried.h"
#include "unit/client/client_scratch.h"

#include <stdio.h>
#include <string.h>

static void deadlines_of_nought_and_of_ages_are_numbers_that_can_be_added(void **state)
{
    (void)state;
    os_call call = OS_CALL_INIT;
    os_call own;
    os_error error = {0};
    assert_int_equal(call_take(NULL, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, SETTINGS_DEADLINE_MS);
    assert_int_equal(call_take(&call, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, SETTINGS_DEADLINE_MS);
    call.deadline_ms = 1;
    assert_int_equal(call_take(&call, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, 1);
    call.deadline_ms = UINT64_MAX;
    assert_int_equal(call_take(&call, &own, &error), OS_OK);
    assert_true(own.deadline_ms > UINT64_C(1000) * 365 * 86400 * 1000);
    assert_true(own.deadline_ms < UINT64_MAX / 2);
    call.size = 1;
    CHECK_CODE(call_take(&call, &own, &error), OS_ERR_ARGUMENT, &error);
}

static void etags_are_given_their_quotes_and_weak_ones_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {NULL, "", "W/\"a\"", "w/\"a\"", "\"a", "a\"b", "a b", "\"\"", "a\tb"};
    char etag[VERSION_ETAG_SIZE];
    char longest[200];
    os_error error = {0};
    assert_int_equal(call_etag("abc", etag, &error), OS_OK);
    assert_string_equal(etag, "\"abc\"");
    assert_int_equal(call_etag("\"abc-2\"", etag, &error), OS_OK);
    assert_string_equal(etag, "\"abc-2\"");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_CODE(call_etag(bad[i], etag, &error), OS_ERR_ARGUMENT, &error);
    memset(longest, 'e', sizeof(longest));
    longest[VERSION_ETAG_SIZE - 3] = '\0';
    assert_int_equal(call_etag(longest, etag, &error), OS_OK);
    longest[VERSION_ETAG_SIZE - 3] = 'e';
    longest[VERSION_ETAG_SIZE - 2] = '\0';
    CHECK_CODE(call_etag(longest, etag, &error), OS_ERR_ARGUMENT, &error);
}

static os_code content_of(const os_metadata *list, size_t count, struct s3_content *ret, os_error *error)
{
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.metadata = list;
    options.metadata_count = count;
    return call_content(&options, ret, error);
}

static void metadata_that_no_header_can_carry_is_refused(void **state)
{
    (void)state;
    static const os_metadata bad[] = {
        {NULL, "v"},  {"", "v"},         {"a", NULL},       {"A", "v"},
        {"a b", "v"}, {"a:b", "v"},      {"\xc3\xa9", "v"}, {S3_NONCE_METADATA, "v"},
        {"a", "\n"},  {"a", "\xc3\xa9"},
    };
    struct s3_content content;
    os_error error = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_CODE(content_of(&bad[i], 1, &content, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(content_of(NULL, 1, &content, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(content_of(NULL, 0, &content, &error), OS_OK);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.cache_control = "no\r\nx: y";
    CHECK_CODE(call_content(&options, &content, &error), OS_ERR_ARGUMENT, &error);
}

static void metadata_has_the_room_that_the_nonce_leaves(void **state)
{
    (void)state;
    char value[S3_METADATA_MAX];
    size_t room = S3_METADATA_MAX - strlen(S3_NONCE_METADATA) - 32 - 1;
    os_metadata one = {"m", value};
    struct s3_content content;
    os_error error = {0};
    memset(value, 'v', sizeof(value));
    value[room] = '\0';
    assert_int_equal(content_of(&one, 1, &content, &error), OS_OK);
    assert_int_equal(content.metadata_count, 1);
    value[room] = 'v';
    value[room + 1] = '\0';
    CHECK_CODE(content_of(&one, 1, &content, &error), OS_ERR_ARGUMENT, &error);
}

static void so_many_entries_are_taken_as_a_copy_can_carry(void **state)
{
    (void)state;
    char names[CARRIED_METADATA_MAX + 1][8];
    os_metadata list[CARRIED_METADATA_MAX + 1];
    struct s3_content content;
    os_error error = {0};
    for (size_t i = 0; i <= CARRIED_METADATA_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "m%zu", i);
        list[i] = (os_metadata){names[i], "v"};
    }
    assert_int_equal(content_of(list, CARRIED_METADATA_MAX, &content, &error), OS_OK);
    CHECK_CODE(content_of(list, CARRIED_METADATA_MAX + 1, &content, &error), OS_ERR_ARGUMENT, &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlines_of_nought_and_of_ages_are_numbers_that_can_be_added),
        cmocka_unit_test(etags_are_given_their_quotes_and_weak_ones_refused),
        cmocka_unit_test(metadata_that_no_header_can_carry_is_refused),
        cmocka_unit_test(metadata_has_the_room_that_the_nonce_leaves),
        cmocka_unit_test(so_many_entries_are_taken_as_a_copy_can_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
