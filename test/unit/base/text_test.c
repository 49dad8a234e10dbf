/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(literal) text_of(literal, sizeof(literal) - 1)

TEST(numbers_are_written_in_decimal)
{
    char digits[TEXT_NUMBER_SIZE];
    assert_int_equal(text_number(0, digits), 1);
    assert_string_equal(digits, "0");
    assert_int_equal(text_number(1090, digits), 4);
    assert_string_equal(digits, "1090");
    assert_int_equal(text_number(UINT64_MAX, digits), 20);
    assert_string_equal(digits, "18446744073709551615");
}

TEST(strings_behind_each_other_fit_with_their_nul_or_not_at_all)
{
    char place[6] = "old";
    assert_true(text_concat(place, sizeof(place), "ab", "", "cde", NULL));
    assert_string_equal(place, "abcde");
    assert_false(text_concat(place, sizeof(place), "ab", "cdef", "", NULL));
    assert_string_equal(place, "");
}

TEST(slices_compare_by_their_bytes)
{
    assert_true(text_is(text_from("abc"), "abc"));
    assert_false(text_is(text_from("abc"), "abcd"));
    assert_false(text_is(text_from("abc"), "ab"));
    assert_true(text_is(text_from(NULL), ""));
    assert_true(text_is(text_of(NULL, 5), ""));
    assert_false(text_is(TEXT("a\0b"), "a"));
    assert_true(text_is_nocase(text_from("ETag"), "etAG"));
    assert_false(text_is_nocase(text_from("@"), "`")); /* they differ by 0x20, and are no letters */
    assert_false(text_is_nocase(text_from("\xc3\x84"), "\xc3\xa4"));
    assert_true(text_starts(text_from("bytes=0"), "bytes="));
    assert_true(text_starts(text_from(""), ""));
    assert_false(text_starts(text_from("byte"), "bytes"));
    assert_true(text_contains_nocase(text_from("Request has Expired"), "has expired"));
    assert_true(text_contains_nocase(text_from("x"), ""));
    assert_true(text_contains_nocase(text_from("abX"), "x"));
    assert_false(text_contains_nocase(text_from("has"), "hash"));
    assert_false(text_contains_nocase(text_from(""), "x"));
}

TEST(what_can_be_seen_is_ascii_without_blanks)
{
    static const char *const others[] = {" ", "a b", "a\n", "\x7f", "\xc3\xa9", "\xff"};
    assert_true(text_is_visible(text_from("!aZ09~")));
    assert_true(text_is_visible(text_from("")));
    assert_false(text_is_visible(TEXT("a\0b")));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(text_is_visible(text_from(others[i])));
}

TEST(blanks_go_at_both_ends)
{
    assert_true(text_is(text_trim(text_from(" \t\r\na b\r\n")), "a b"));
    assert_true(text_is(text_trim(text_from("  ")), ""));
    assert_true(text_is(text_trim(text_from("")), ""));
    assert_true(text_is(text_trim(text_from("\va")), "\va"));
}

TEST(a_copy_fits_or_leaves_the_array_alone)
{
    char array[4] = "old";
    assert_true(TEXT_COPY_STR("new", array));
    assert_string_equal(array, "new");
    assert_false(TEXT_COPY_STR("long", array));
    assert_false(text_copy(TEXT("a\0b"), array, sizeof(array)));
    assert_false(text_copy(text_from(""), array, 0));
    assert_string_equal(array, "new");
    assert_true(TEXT_COPY_STR("", array));
    assert_string_equal(array, "");
}

TEST(a_copy_that_does_not_fit_is_cut_between_characters)
{
    char copy[4];
    assert_int_equal(TEXT_COPY_STR_CUT("abc", copy), 3);
    assert_string_equal(copy, "abc");
    assert_int_equal(TEXT_COPY_STR_CUT("abcd", copy), 3);
    assert_string_equal(copy, "abc");
    assert_int_equal(TEXT_COPY_STR_CUT("ab\xc3\xa4", copy), 2);
    assert_string_equal(copy, "ab");
    assert_int_equal(TEXT_COPY_STR_CUT(NULL, copy), 0);
    assert_string_equal(copy, "");
}

TEST(a_cut_never_goes_through_a_character)
{
    const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"; /* 1, 2, 3 and 4 bytes */
    static const size_t wanted[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t max = 0; max < sizeof(wanted) / sizeof(wanted[0]); max++)
        assert_int_equal(text_utf8_cut(text_from(text), max), wanted[max]);
    assert_int_equal(text_utf8_cut(text_from("\x80\x80\x80\x80\x80\x80"), 5), 5); /* no characters to spare */
}

/* ------------------------------------------------------------------------------------------------------- cursors */

TEST(a_cursor_moves_only_on_success)
{
    struct text cursor = text_from("k=12;rest");
    struct text part = text_of("old", 3);
    uint64_t number = 7;
    assert_false(text_take_char(&cursor, '='));
    assert_false(text_take_str(&cursor, "key"));
    assert_false(text_take_u64(&cursor, &number));
    assert_false(text_take_until(&cursor, '?', &part));
    assert_true(text_is(cursor, "k=12;rest"));
    assert_true(text_is(part, "old"));
    assert_int_equal(number, 7);
    assert_true(text_take_until(&cursor, '=', &part));
    assert_true(text_is(part, "k"));
    assert_true(text_take_u64(&cursor, &number));
    assert_int_equal(number, 12);
    assert_true(text_take_char(&cursor, ';'));
    assert_true(text_take_str(&cursor, "rest"));
    assert_int_equal(cursor.len, 0);
    assert_false(text_take_char(&cursor, ';'));
    assert_false(text_take_until(&cursor, ';', &part));
    assert_true(text_take_str(&cursor, ""));
}

TEST(numbers_are_taken_up_to_the_largest)
{
    uint64_t number = 1;
    assert_true(text_parse_u64(text_from("0"), &number));
    assert_int_equal(number, 0);
    assert_true(text_parse_u64(text_from("18446744073709551615"), &number));
    assert_true(number == UINT64_MAX);
    assert_true(text_parse_u64(text_from("00000000000000000000000042"), &number));
    assert_int_equal(number, 42);
    assert_false(text_parse_u64(text_from("18446744073709551616"), &number));
    assert_false(text_parse_u64(text_from("99999999999999999999"), &number));
    assert_int_equal(number, 42);
}

TEST(what_is_not_a_plain_number_is_refused)
{
    static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x1", "a", "1a", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t number = 7;
        assert_false(text_parse_u64(text_from(bad[i]), &number));
        assert_int_equal(number, 7);
    }
}

/* ------------------------------------------------------------------------------------------------------- codings */

static void expect_encoded(struct text text, bool keep_slash, const char *wanted)
{
    struct buf out;
    struct buf back;
    buf_init(&out, 4096);
    buf_init(&back, 4096);
    assert_true(text_percent_encode(&out, text, keep_slash));
    assert_string_equal(buf_str(&out), wanted);
    assert_true(text_percent_decode(&back, text_of(buf_str(&out), out.len)));
    assert_int_equal(back.len, text.len);
    assert_memory_equal(buf_str(&back), text.p, text.len);
    buf_free(&out);
    buf_free(&back);
}

TEST(percent_encoding_spares_only_what_s3_spares)
{
    expect_encoded(text_from("AZaz09-._~"), false, "AZaz09-._~");
    expect_encoded(text_from("a/b c+d%"), false, "a%2Fb%20c%2Bd%25");
    expect_encoded(text_from("a//b/../c"), true, "a//b/../c");
    expect_encoded(text_from("!\"#$&'()*,:;<=>?@[\\]^`{|}"), true,
                   "%21%22%23%24%26%27%28%29%2A%2C%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E%60%7B%7C%7D");
    expect_encoded(TEXT("\0\n\x7f\xff\xe1\x88\xb4"), true, "%00%0A%7F%FF%E1%88%B4");
    expect_encoded(text_from(""), true, "");
}

TEST(every_byte_survives_encoding)
{
    char bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)i;
    struct buf out;
    struct buf back;
    buf_init(&out, 768);
    buf_init(&back, 256);
    assert_true(text_percent_encode(&out, text_of(bytes, sizeof(bytes)), false));
    assert_true(text_percent_decode(&back, text_of(buf_str(&out), out.len)));
    assert_int_equal(back.len, sizeof(bytes));
    assert_memory_equal(buf_str(&back), bytes, sizeof(bytes));
    buf_free(&out);
    buf_free(&back);
}

TEST(lower_case_escapes_are_read_and_broken_ones_refused)
{
    struct buf out;
    buf_init(&out, 100);
    assert_true(text_percent_decode(&out, text_from("%2f%C3%a4+x")));
    assert_string_equal(buf_str(&out), "/\xc3\xa4+x");
    static const char *const bad[] = {"%", "%2", "a%", "%zz", "%2g", "%%20", "% 2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        buf_reset(&out);
        assert_false(text_percent_decode(&out, text_from(bad[i])));
    }
    assert_false(text_percent_decode(&out, text_of("%2F", 2))); /* the rest is beyond the slice */
    buf_free(&out);
}

TEST(a_coding_that_does_not_fit_fails)
{
    struct buf out;
    buf_init(&out, 5);
    assert_false(text_percent_encode(&out, text_from("  "), false));
    buf_reset(&out);
    assert_false(text_percent_decode(&out, text_from("123456")));
    buf_reset(&out);
    assert_false(text_base64_encode(&out, "1234", 4));
    assert_false(text_percent_encode(&out, text_from(""), false)); /* it has failed before */
    buf_free(&out);
}

/* RFC 4648, section 10. */
TEST(base64_is_that_of_the_rfc)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\xfd\xfb\xf0", "//79+/A="}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct buf out;
        buf_init(&out, 100);
        assert_true(text_base64_encode(&out, pairs[i][0], strlen(pairs[i][0])));
        assert_string_equal(buf_str(&out), pairs[i][1]);
        buf_free(&out);
    }
}

TEST(hex_is_lower_case)
{
    char hex[7] = "xxxxxx";
    text_hex("\x00\xaf\xff", 3, hex);
    assert_string_equal(hex, "00afff");
    text_hex("", 0, hex);
    assert_string_equal(hex, "");
}

/* The Unicode Standard, table 3-7: well-formed UTF-8 byte sequences. */
TEST(utf8_is_well_formed_or_not)
{
    static const char *const good[] = {"",
                                       "plain",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"};
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xc2\x41",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xe2\x28\xa1",
                                      "\xe2\x82\x28",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf0\x9f\x98",
                                      "\xf0\x9f\x98\x28",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "a\xfe"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(text_is_utf8(text_from(good[i])));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(text_is_utf8(text_from(bad[i])));
    assert_true(text_is_utf8(TEXT("a\0b")));
}

/* --------------------------------------------------------------------------------------------------------- ETags */

TEST(etags_get_the_quotes_that_they_lack)
{
    static const char *const pairs[][2] = {
        {"abc", "\"abc\""}, {"\"abc\"", "\"abc\""}, {"d41d8-2", "\"d41d8-2\""}, {"Wabc", "\"Wabc\""}, {"*", "\"*\""}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        char etag[16];
        assert_true(text_normalise_etag(pairs[i][0], etag, sizeof(etag)));
        assert_string_equal(etag, pairs[i][1]);
        assert_true(text_normalise_etag(etag, etag, sizeof(etag))); /* in place, and no second pair of quotes */
        assert_string_equal(etag, pairs[i][1]);
    }
}

TEST(what_names_no_bytes_is_no_etag)
{
    static const char *const bad[] = {NULL,   "",         "\"\"", "\"",   "W/\"abc\"", "W/abc", "\"abc", "abc\"",
                                      "a\"b", "\"a\"b\"", "a b",  " abc", "abc\n",     "a\x7f", "a\x01"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char etag[16] = "untouched";
        assert_false(text_normalise_etag(bad[i], etag, sizeof(etag)));
        assert_string_equal(etag, "untouched");
    }
}

TEST(an_etag_fits_with_its_quotes_or_not_at_all)
{
    char etag[6] = "old";
    assert_true(text_normalise_etag("abc", etag, sizeof(etag)));
    assert_string_equal(etag, "\"abc\"");
    assert_false(text_normalise_etag("abcd", etag, sizeof(etag)));
    assert_false(text_normalise_etag("\"abcd\"", etag, sizeof(etag)));
    assert_string_equal(etag, "\"abc\"");
}
