/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "support/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TEST(a_buffer_starts_empty_and_is_a_string_all_the_same)
{
    struct buf buf;
    buf_init(&buf, 10);
    assert_true(buf_ok(&buf));
    assert_int_equal(buf.len, 0);
    assert_null(buf.data);
    assert_string_equal(buf_str(&buf), "");
    buf_free(&buf);
}

TEST(pieces_of_every_kind_are_put_behind_each_other)
{
    struct buf buf;
    buf_init(&buf, 100);
    assert_true(buf_add_str(&buf, "ab"));
    assert_true(buf_add_char(&buf, 'c'));
    assert_true(buf_add(&buf, "\0d", 2));
    assert_true(buf_add_f(&buf, "%s-%d", "e", 42));
    assert_true(buf_add_f(&buf, "%s", ""));
    assert_true(buf_add(&buf, NULL, 0));
    assert_int_equal(buf.len, 9);
    assert_memory_equal(buf.data, "abc\0de-42", 10);
    buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.max, 100);
}

TEST(numbers_and_rows_of_strings_are_put_behind_each_other)
{
    struct buf buf;
    buf_init(&buf, 100);
    assert_true(buf_add_number(&buf, 0));
    assert_true(buf_add_strs(&buf, "-", "", "ab", NULL));
    assert_true(buf_add_number(&buf, UINT64_MAX));
    assert_string_equal(buf_str(&buf), "0-ab18446744073709551615");
    buf_free(&buf);
}

TEST(a_row_of_strings_that_does_not_fit_fails_as_a_whole)
{
    struct buf buf;
    buf_init(&buf, 3);
    assert_false(buf_add_strs(&buf, "ab", "cd", "e", NULL));
    assert_string_equal(buf_str(&buf), "");
    assert_false(buf_add_number(&buf, 1));
    assert_false(buf_add_char(&buf, 'c'));
    buf_free(&buf);
}

TEST(reserved_room_is_not_over_the_maximum_and_not_grown_again)
{
    struct buf buf;
    buf_init(&buf, 300);
    assert_true(buf_reserve(&buf, 200));
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf_str(&buf), "");
    const char *block = buf.data;
    for (int i = 0; i < 200; i++)
        assert_true(buf_add_char(&buf, 'x'));
    assert_ptr_equal(buf.data, block);
    assert_true(buf_reserve(&buf, 1000));
    assert_true(buf.cap <= 301);
    buf_free(&buf);
}

TEST(a_buffer_holds_its_maximum_and_not_one_byte_more)
{
    struct buf buf;
    buf_init(&buf, 3);
    assert_true(buf_add_str(&buf, "abc"));
    assert_string_equal(buf_str(&buf), "abc");
    assert_true(buf_add_str(&buf, ""));
    assert_false(buf_add_char(&buf, 'd'));
    assert_false(buf_ok(&buf));
    assert_null(buf.data);
    assert_int_equal(buf.len, 0);
    buf_free(&buf);
    assert_true(buf_add_f(&buf, "%d", 123));
    assert_false(buf_add_f(&buf, "%d", 4));
    buf_free(&buf);
    buf_init(&buf, 0);
    assert_true(buf_add_str(&buf, ""));
    assert_false(buf_add_str(&buf, "a"));
    buf_free(&buf);
}

TEST(every_step_after_a_failed_one_fails)
{
    struct buf buf;
    buf_init(&buf, 2);
    assert_false(buf_add_str(&buf, "abc"));
    assert_false(buf_add_str(&buf, ""));
    assert_false(buf_add_char(&buf, 'a'));
    assert_false(buf_add_f(&buf, "a"));
    assert_false(buf_add(&buf, "a", 1));
    assert_string_equal(buf_str(&buf), "");
    assert_null(buf_take(&buf));
    assert_false(buf_ok(&buf));
    buf_reset(&buf);
    assert_true(buf_add_str(&buf, "ab"));
    buf_free(&buf);
}

TEST(a_length_beyond_all_memory_is_refused)
{
    struct buf buf;
    buf_init(&buf, SIZE_MAX - 1);
    assert_true(buf_add_str(&buf, "abc"));
    assert_false(buf_add(&buf, "x", SIZE_MAX - 1)); /* the sum would run over */
    assert_false(buf_ok(&buf));
    buf_free(&buf);
}

TEST(reset_keeps_the_memory_and_free_gives_it_back)
{
    struct buf buf;
    buf_init(&buf, 1000);
    assert_true(buf_add_str(&buf, "some text"));
    const size_t cap = buf.cap;
    buf_reset(&buf);
    assert_int_equal(buf.cap, cap);
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf_str(&buf), "");
    buf_free(&buf);
    assert_int_equal(buf.cap, 0);
}

TEST(the_block_goes_to_who_takes_it)
{
    struct buf buf;
    buf_init(&buf, 10);
    assert_true(buf_add_str(&buf, "mine"));
    char *taken = buf_take(&buf);
    assert_string_equal(taken, "mine");
    assert_null(buf.data);
    assert_true(buf_ok(&buf));
    assert_true(buf_add_str(&buf, "0123456789"));
    free(taken);
    buf_free(&buf);
    taken = buf_take(&buf);
    assert_string_equal(taken, "");
    free(taken);
}

TEST(growth_byte_by_byte_keeps_what_was_there)
{
    struct buf buf;
    buf_init(&buf, 5000);
    for (size_t i = 0; i < 5000; i++) {
        assert_true(buf_add_char(&buf, (char)('a' + i % 26)));
        assert_in_range(buf.cap, buf.len + 1, 5001);
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(buf.data[i], 'a' + i % 26);
    assert_false(buf_add_char(&buf, 'x'));
    buf_free(&buf);
}
