/* SPDX-License-Identifier: Apache-2.0 */
/* Raw Snappy: what is packed in each way is unpacked, and what cannot be is refused. */
#include "delta/snappy.h"

#include "footer.h"
#include "support/test.h"

#include <string.h>

static const struct {
    const char *name;
    const char *hex;
    const char *text; /* NULL: refused */
} packed[] = {
    {"nothing", "00", ""},
    {"a literal", "0308616263", "abc"},
    {"a literal whose length has a byte of its own", "03f002616263", "abc"},
    {"a literal whose length has two", "03f40200616263", "abc"},
    {"a copy of four",
     "0708616263"
     "0103",
     "abcabca"},
    {"a copy with two bytes of offset",
     "0608616263"
     "0a0300",
     "abcabc"},
    {"a copy with four bytes of offset",
     "0608616263"
     "0b03000000",
     "abcabc"},
    {"a copy of itself",
     "050061"
     "0101",
     "aaaaa"},
    {"no length", "", NULL},
    {"a length without end", "ffffffffff01", NULL},
    {"a length of more than 32 bits", "ffffffff7f", NULL},
    {"a literal that is cut", "030861", NULL},
    {"a literal whose length is cut", "03f4", NULL},
    {"an offset of nothing",
     "070861626301"
     "00",
     NULL},
    {"an offset before the start",
     "070861626301"
     "04",
     NULL},
    {"an offset of one byte that is cut",
     "0708616263"
     "01",
     NULL},
    {"an offset of four bytes that is cut",
     "0708616263"
     "0b030000",
     NULL},
    {"something behind it",
     "0308616263"
     "0861",
     NULL},
    {"an offset that is cut",
     "0708616263"
     "0a03",
     NULL},
    {"more than it says, and then something",
     "0208616263"
     "0061",
     NULL},
    {"more than it says", "0208616263", NULL},
    {"less than it says", "0408616263", NULL},
};

TEST_ROWS(packed, what_is_packed_is_unpacked_or_refused)
{
    struct buf in;
    struct buf out;
    buf_init(&in, 4096);
    buf_init(&out, 4096);
    footer_add_hex(&in, row->hex);
    assert_true(buf_add_str(&out, "before"));
    bool good = snappy_decode(buf_str(&in), in.len, &out);
    assert_int_equal(good, row->text != NULL);
    if (good)
        assert_string_equal(buf_str(&out) + strlen("before"), row->text);
    buf_free(&in);
    buf_free(&out);
}

TEST(more_than_there_is_room_for_is_refused)
{
    struct buf out;
    buf_init(&out, 2);
    assert_false(snappy_decode("\x03\x08"
                               "abc",
                               5, &out));
    buf_init(&out, 3);
    assert_false(snappy_decode("\x05\x00"
                               "a\x01\x01",
                               5, &out));
}
