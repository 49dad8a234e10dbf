/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers that were built with an older or a newer header. */
#include "client/settings.h"
#include "unit/api/client_scratch.h"

#include <string.h>

struct newer {
    os_call call;
    uint64_t field_of_a_later_release;
};

TEST(no_struct_is_all_defaults)
{
    os_call own;
    os_error error;
    memset(&own, 0x5a, sizeof(own));
    assert_int_equal(versioned_copy(NULL, &own, sizeof(own), "os_call", &error), OS_OK);
    assert_int_equal(own.size, sizeof(own));
    assert_int_equal(own.deadline_ms, 0);
    assert_null(own.cancel);
}

TEST(an_older_struct_leaves_what_it_does_not_have_at_its_default)
{
    os_call call = {.size = offsetof(os_call, cancel), .deadline_ms = 7, .cancel = (os_cancel *)&call};
    os_call own;
    os_error error;
    assert_int_equal(versioned_copy(&call, &own, sizeof(own), "os_call", &error), OS_OK);
    assert_int_equal(own.deadline_ms, 7);
    assert_null(own.cancel);
    assert_int_equal(own.size, sizeof(own));
}

TEST(a_newer_struct_is_taken_while_its_unknown_part_is_zero)
{
    struct newer newer = {.call = {.size = sizeof(newer), .deadline_ms = 9}};
    os_call own;
    os_error error;
    assert_int_equal(versioned_copy(&newer, &own, sizeof(own), "os_call", &error), OS_OK);
    assert_int_equal(own.deadline_ms, 9);
    newer.field_of_a_later_release = UINT64_C(1) << 56;
    CHECK_CODE(versioned_copy(&newer, &own, sizeof(own), "os_call", &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "os_call");
    CHECK_SAYS(&error, os_version());
}

TEST(a_size_that_none_can_have_is_refused)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 64 * 1024 + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        os_call call = {.size = sizes[i]};
        os_call own;
        os_error error;
        CHECK_CODE(versioned_copy(&call, &own, sizeof(own), "os_call", &error), OS_ERR_ARGUMENT, &error);
        CHECK_SAYS(&error, "sizeof(os_call)");
    }
}

TEST(an_older_caller_is_given_what_it_has_room_for)
{
    const os_call ours = {.size = sizeof(ours), .deadline_ms = 7, .cancel = (os_cancel *)&ours};
    os_call theirs = {.size = offsetof(os_call, cancel)};
    versioned_give(&ours, sizeof(ours), &theirs);
    assert_int_equal(theirs.size, offsetof(os_call, cancel));
    assert_int_equal(theirs.deadline_ms, 7);
    assert_null(theirs.cancel);
}

TEST(a_newer_caller_is_told_how_much_it_was_given)
{
    const os_call ours = {.size = sizeof(ours), .deadline_ms = 7};
    struct newer theirs = {.call = {.size = sizeof(theirs)}, .field_of_a_later_release = 5};
    versioned_give(&ours, sizeof(ours), &theirs);
    assert_int_equal(theirs.call.size, sizeof(ours));
    assert_int_equal(theirs.call.deadline_ms, 7);
    assert_int_equal(theirs.field_of_a_later_release, 5);
    theirs.call.size = 0; /* of a caller that says nothing */
    versioned_give(&ours, sizeof(ours), &theirs);
    assert_int_equal(theirs.call.size, sizeof(ours));
}
