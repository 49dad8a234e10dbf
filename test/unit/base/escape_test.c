/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "oscommit.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_SIZE = 256, LAST_CHARACTER = 0x10ffff };

static const char *shown(const char *text, size_t len)
{
    static char ret[SHOWN_SIZE];
    assert_int_equal(os_escape_text(text, len, ret, sizeof(ret)), len);
    return ret;
}

#define SHOWN(literal) shown((literal), sizeof(literal) - 1)

TEST(what_commands_a_terminal_is_shown_as_an_escape)
{
    assert_string_equal(SHOWN(""), "");
    assert_string_equal(SHOWN("\x1b[31mred\x1b]0;title\x07"), "\\x1b[31mred\\x1b]0;title\\x07");
    assert_string_equal(SHOWN("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\\x09c\\x7f");
    assert_string_equal(SHOWN("\0"), "\\x00");
    assert_string_equal(SHOWN("\xc2\x9b"
                              "31m"),
                        "\\u009b31m");
    assert_string_equal(SHOWN("\x9b"
                              "31m \xc2\x85"),
                        "\\x9b31m \\u0085");
}

TEST(what_turns_or_hides_text_is_shown_as_an_escape)
{
    assert_string_equal(SHOWN("report\xe2\x80\xaetxt.exe"), "report\\u202etxt.exe");
    assert_string_equal(SHOWN("a\xe2\x81\xa6"
                              "b\xe2\x81\xa9"),
                        "a\\u2066b\\u2069");
    assert_string_equal(SHOWN("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"), "\\u061c\\u200e\\u200f");
    assert_string_equal(SHOWN("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029");
    assert_string_equal(SHOWN("\xef\xbb\xbfkey\xe2\x80\x8b"), "\\ufeffkey\\u200b");
    assert_string_equal(SHOWN("\xf3\xa0\x81\x81"), "\\U000e0041");
}

TEST(bytes_that_are_not_utf8_are_shown_one_by_one)
{
    assert_string_equal(SHOWN("a\xc3"), "a\\xc3");
    assert_string_equal(SHOWN("\xc0\x9b"), "\\xc0\\x9b");          /* overlong */
    assert_string_equal(SHOWN("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* surrogate */
    assert_string_equal(SHOWN("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    assert_string_equal(SHOWN("\xe2\x80"
                              "b"),
                        "\\xe2\\x80"
                        "b");
}

TEST(ordinary_text_stays_as_it_is)
{
    static const char text[] = "gr\xc3\xbc\xc3\x9f C:\\x1b 'q' \"q\" \xe2\x82\xac \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d "
                               "\xd8\xb3\xd9\x84\xd8\xa7\xd9\x85 \xe6\x97\xa5\xe6\x9c\xac \xe2\x9d\xa4\xef\xb8\x8f "
                               "\xf0\x9f\x98\x80";
    assert_string_equal(SHOWN(text), text);
}

/* UTF-8 of any number but a surrogate. */
static size_t encode(unsigned character, char ret[5])
{
    size_t len = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = len; i-- > 1; character >>= 6)
        ret[i] = (char)(0x80 | (character & 0x3f));
    ret[0] = (char)(leads[len] | character);
    ret[len] = '\0';
    return len;
}

/* By the names of Unicode: Cc, Bidi_Control, Zl and Zp. */
static bool is_dangerous(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

TEST(every_character_is_whole_or_an_escape_that_names_it)
{
    unsigned escapes = 0;
    for (unsigned c = 0; c <= LAST_CHARACTER; c++) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        char text[5];
        size_t len = encode(c, text);
        const char *got = shown(text, len);
        if (len == strlen(got) && memcmp(got, text, len) == 0) {
            assert_false(is_dangerous(c));
            continue;
        }
        assert_int_equal(got[0], '\\');
        assert_int_equal(got[1], len == 1 ? 'x' : c > 0xffff ? 'U' : 'u');
        assert_int_equal(strtoul(got + 2, NULL, 16), c);
        escapes++;
    }
    assert_in_range(escapes, 65 + 12, 5000); /* a table that escapes everything is of no use */
}

TEST(in_pieces_it_is_the_same_as_at_once)
{
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        static const char some[] = "ab\x1b\xc2\x9b\xe2\x80\xae\xf0\x9f\x98\x80\xff\xc3\xf3\xa0\x81\x81\0";
        char text[24];
        char whole[SHOWN_SIZE];
        char joined[SHOWN_SIZE] = "";
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = some[(seed >> 16) % (sizeof(some) - 1)];
        }
        assert_int_equal(os_escape_text(text, sizeof(text), whole, sizeof(whole)), sizeof(text));
        assert_true(text_is_utf8(text_from(whole)));
        for (size_t at = 0; at < sizeof(text);) {
            char piece[16];
            size_t taken = os_escape_text(text + at, sizeof(text) - at, piece, sizeof(piece));
            assert_in_range(taken, 1, sizeof(text) - at);
            strcat(joined, piece);
            at += taken;
        }
        assert_string_equal(joined, whole);
        assert_string_equal(shown(whole, strlen(whole)), whole);
    }
}

TEST(what_does_not_fit_is_left_for_the_next_call)
{
    char ret[16];
    assert_int_equal(os_escape_text("0123456789abcdef", 16, ret, sizeof(ret)), 15);
    assert_string_equal(ret, "0123456789abcde");
    assert_int_equal(os_escape_text("0123456789ab\x1b", 13, ret, sizeof(ret)), 12); /* no half of an escape */
    assert_string_equal(ret, "0123456789ab");
    assert_int_equal(os_escape_text("x", 1, ret, 0), 0);
    assert_int_equal(os_escape_text(NULL, 0, ret, sizeof(ret)), 0);
    assert_string_equal(ret, "");
}
