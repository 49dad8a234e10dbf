/* SPDX-License-Identifier: Apache-2.0 */
/* V4.4: how much of a write a HEAD shows. */
#include "commit/version.h"
#include "support/test.h"

TEST(as_many_bytes_as_were_sent_are_the_whole)
{
    assert_int_equal(version_extent_of(true, 7, true, 7), VERSION_WHOLE);
    assert_int_equal(version_extent_of(true, 6, true, 7), VERSION_CUT);
    assert_int_equal(version_extent_of(true, 8, true, 7), VERSION_CUT);
    assert_int_equal(version_extent_of(true, 0, true, 0), VERSION_WHOLE);
}

TEST(a_head_without_a_length_tells_nothing_but_of_nothing)
{
    assert_int_equal(version_extent_of(false, 0, true, 7), VERSION_UNSIZED);
    assert_int_equal(version_extent_of(false, 0, true, 0), VERSION_WHOLE);
}

TEST(where_nobody_knows_what_was_sent_nothing_is_missed)
{
    assert_int_equal(version_extent_of(true, 6, false, 0), VERSION_WHOLE);
    assert_int_equal(version_extent_of(false, 0, false, 0), VERSION_WHOLE);
}
