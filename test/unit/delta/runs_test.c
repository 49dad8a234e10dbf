/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of small numbers: many times one, packed, and both. */
#include "delta/runs.h"

#include "footer.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned width;
    const char *hex;
    const char *numbers; /* until there is none, or twelve */
} runs[] = {
    {"one, four times", 1, "0801", "1 1 1 1 "},
    {"packed, three bits each", 3, "0388c6fa", "0 1 2 3 4 5 6 7 "},
    {"one after the other", 3,
     "0405"
     "0388c6fa",
     "5 5 0 1 2 3 4 5 6 7 "},
    {"a number of two bytes", 9, "04ff01", "511 511 "},
    {"a number of four bytes", 32, "0201000080", "2147483649 "},
    {"a group that is cut short", 8, "0307", "7 "},
    {"numbers of no bits", 0, "06", "0 0 0 "},
    {"groups of no bits", 0, "05", "0 0 0 0 0 0 0 0 0 0 0 0 "},
    {"runs of none", 1,
     "00000000"
     "0201",
     "1 "},
    {"nothing", 1, "", ""},
    {"a header that is cut", 1, "80", ""},
    {"a header without end", 1, "808080808080", ""},
    {"a number that is cut", 9, "04ff", ""},
};

TEST_ROWS(runs, numbers_come_in_their_order)
{
    char numbers[200] = "";
    struct buf in;
    struct runs reader;
    uint32_t number;
    buf_init(&in, 4096);
    footer_add_hex(&in, row->hex);
    assert_true(runs_init(&reader, buf_str(&in), in.len, row->width));
    for (int i = 0; i < 12 && runs_next(&reader, &number); i++)
        (void)snprintf(numbers + strlen(numbers), sizeof(numbers) - strlen(numbers), "%u ", number);
    assert_string_equal(numbers, row->numbers);
    buf_free(&in);
}

TEST(a_width_that_cannot_be_is_refused)
{
    struct runs reader;
    assert_false(runs_init(&reader, "", 0, 33));
}
