/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_pattern.h"

#include "support/test.h"

#include <string.h>

#define UUID "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"

/* TIMESTAMP_WITH_TZ of @pocketgems/schema. */
#define TIMESTAMP "^\\d{4}-[01]\\d-[0-3]\\dT[0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d*)?([+-][0-2]\\d:[0-5]\\d|Z)$"

/* As new RegExp(name, "u").test(text) answers. */
static const struct {
    const char *name;
    const char *text;
    bool matches;
} matches[] = {
    {"", "", true},
    {"", "a", true},
    {"^$", "", true},
    {"^$", "a", false},
    {"^", "a", true},
    {"$", "a", true},
    {"a", "bab", true},
    {"a", "bbb", false},
    {"^a", "ba", false},
    {"a$", "ab", false},
    {"^ab*c$", "ac", true},
    {"^ab*c$", "abbbc", true},
    {"^ab+c$", "ac", false},
    {"^ab+c$", "abc", true},
    {"^ab?c$", "abc", true},
    {"^ab?c$", "abbc", false},
    {"^a{3}$", "aa", false},
    {"^a{3}$", "aaa", true},
    {"^a{3}$", "aaaa", false},
    {"^a{2,}$", "a", false},
    {"^a{2,}$", "aaaaa", true},
    {"^a{0,2}b$", "b", true},
    {"^a{0,2}b$", "aab", true},
    {"^a{0,2}b$", "aaab", false},
    {"^a{0}b$", "b", true},
    {"^a+?b*?$", "aab", true},
    {"^.*$", "a\nb", false},
    {".*", "a\nb", true},
    {"^.$", "\xf0\x9f\x98\x80", true},
    {"^.$", "\xe2\x80\xa8", false}, /* U+2028 */
    {"^\xc3\xa4+$", "\xc3\xa4\xc3\xa4", true},
    {"^[a-c\xc3\xa4]$", "\xc3\xa4", true},
    {"^[a-c]$", "d", false},
    {"^[^a-c]$", "d", true},
    {"^[^a-c]$", "b", false},
    {"^[-a]$", "-", true},
    {"^[a-]$", "-", true},
    {"^[a\\-c]$", "b", false},
    {"^[a\\]]$", "]", true},
    {"^[.]$", "a", false},
    {"^[]$", "", false},
    {"^[^]$", "\n", true},
    {"^[\\d_]+$", "1_2", true},
    {"^\\d\\D\\w\\W\\s\\S$", "1a_- b", true},
    {"^\\D$", "1", false},
    {"^\\s$", "\xc2\xa0", true},
    {"^\\w$", "\xc3\xa4", false},
    {"^\\.\\*\\/$", ".*/", true},
    {"^\\t\\n$", "\t\n", true},
    {"^a\\$$", "a$", true},
    {UUID, "c40ef065-4034-4be8-8a1d-0959695b213e", true},
    {UUID, "c40ef065-4034-4be8-8a1d-0959695b213", false},
    {UUID, "g40ef065-4034-4be8-8a1d-0959695b213e", false},
    {"^[^A-Z ]+@.+$", "a@b", true},
    {"^[^A-Z ]+@.+$", "a@", false},
    {"^(a|b)$", "b", true},
    {"^(a|b)$", "ab", false},
    {"^a|b$", "ax", true},
    {"^a|b$", "xb", true},
    {"^a|b$", "xa", false},
    {"^(?:ab){2}$", "abab", true},
    {"^(?:ab){2}$", "ab", false},
    {"^(a|bc|)+d$", "abcad", true},
    {"^(a|bc|)+d$", "abad", false},
    {"^(a*)*$", "aaa", true},
    {"^(a*)*$", "aab", false},
    {"^(){3}$", "", true},
    {"^([)|])$", "|", true},
    {"^(\\)|x)$", ")", true},
    {"(^a|^b)c", "bc", true},
    {"(^a|^b)c", "xbc", false},
    {"a^b", "ab", false},
    {"a$|b", "xa", true},
    {"||", "", true},
    {TIMESTAMP, "2021-02-15T11:55:20.9097226+08:00", true},
    {TIMESTAMP, "2021-02-15T20:15:59Z", true},
    {TIMESTAMP, "2021-02-15T20:15:59", false},
    /* Where one that goes back takes forever. */
    {"^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false},
    {"^a*a*a*a*a*a*a*a*a*a*a*a*b$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
};

TEST_ROWS(matches, a_pattern_matches_as_in_javascript)
{
    assert_null(model_pattern_fault(text_from(row->name)));
    assert_int_equal(model_pattern_matches(text_from(row->name), text_from(row->text)), row->matches);
}

static const struct {
    const char *name;
    const char *fault;
} faults[] = {
    {"(a", "has a ( without its )"},
    {"(a\\)", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"(", "has a ( without its )"},
    {"a)", "has a ) without its ("},
    {"(?=a)", "has a (? other than (?:"},
    {"(?<x>a)", "has a (? other than (?:"},
    {"(a|(?!b))", "has a (? other than (?:"},
    {"^*a", "repeats a ^ or a $"},
    {"a${2}", "repeats a ^ or a $"},
    {"a|*", "has a *, +, ?, {, } or ] where a character should be"},
    {"(((((((((((((((((a)))))))))))))))))", "has more than 16 groups inside each other"},
    {"((){256}){256}", "has too many groups and repetitions"},
    {"*a", "has a *, +, ?, {, } or ] where a character should be"},
    {"a**", "has a *, +, ?, {, } or ] where a character should be"},
    {"a]", "has a *, +, ?, {, } or ] where a character should be"},
    {"a{", "has a { without the numbers of a count and its }"},
    {"a{2", "has a { without the numbers of a count and its }"},
    {"a{2x}", "has a { without the numbers of a count and its }"},
    {"a{2,1}", "has a { without the numbers of a count and its }"},
    {"a{99999999999999999999}", "has a { without the numbers of a count and its }"},
    {"a{,2}", "has a { without the numbers of a count and its }"},
    {"[a", "has a [ without its ]"},
    {"[b-a]", "has a range of characters that runs back"},
    {"[a-\\d]", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"[\\D]", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"[\\b]", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"\\b", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"\\1", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"\\u0041", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"a\\", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"a{512}", "is longer than 512 characters, each as often as it is repeated"},
    {"(a{16}){32}", "is longer than 512 characters, each as often as it is repeated"},
    {"a{512}b*", "is longer than 512 characters, each as often as it is repeated"},
    {"a{511}b*", "is longer than 512 characters, each as often as it is repeated"},
    {"a{510}b*", "is longer than 512 characters, each as often as it is repeated"},
    {"a{512}b?", "is longer than 512 characters, each as often as it is repeated"},
    {"a{511}b?", "is longer than 512 characters, each as often as it is repeated"},
    {"a{512}(b|c)", "is longer than 512 characters, each as often as it is repeated"},
    {"a{511}(b|c)", "is longer than 512 characters, each as often as it is repeated"},
    {"a{510}(b|c)", "is longer than 512 characters, each as often as it is repeated"},
    {"a{4294967296}", "is longer than 512 characters, each as often as it is repeated"},
    {"\xff", "is no UTF-8"},
};

TEST_ROWS(faults, a_pattern_that_is_not_known_has_a_fault)
{
    const char *fault = model_pattern_fault(text_from(row->name));
    assert_non_null(fault);
    assert_string_equal(fault, row->fault);
}

TEST(a_nul_is_a_character_and_none_that_is_escaped)
{
    static const char text[] = "a\0b";
    assert_null(model_pattern_fault(text_of("^a\0b$", 5)));
    assert_true(model_pattern_matches(text_of("^a\0b$", 5), text_of(text, 3)));
    assert_false(model_pattern_matches(text_of("^a\0b$", 5), text_from("ab")));
    assert_true(model_pattern_matches(text_of("^[\0-a]*b$", 9), text_of(text, 3)));
    const char *fault = model_pattern_fault(text_from("\\b"));
    assert_non_null(fault);
    assert_string_equal(model_pattern_fault(text_of("\\\0", 2)), fault);
    assert_string_equal(model_pattern_fault(text_of("[\\\0]", 4)), fault);
}

TEST(as_many_characters_and_ranges_as_there_is_room_for)
{
    static const char *const others[] = {"]\\d", "]\\.", "].", "]b"};
    char ranges[2 + 257 + 4] = "^[";
    assert_null(model_pattern_fault(text_from("a{511}")));
    assert_null(model_pattern_fault(text_from("^[A-Za-z0-9_]{500}$")));
    memset(ranges + 2, 'a', 256);
    strcpy(ranges + 258, "]");
    assert_null(model_pattern_fault(text_from(ranges)));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        strcpy(ranges + 258, others[i]);
        assert_string_equal(model_pattern_fault(text_from(ranges)), "has more than 256 ranges of characters");
    }
    memset(ranges + 2, 'a', 257);
    strcpy(ranges + 259, "]");
    assert_string_equal(model_pattern_fault(text_from(ranges)), "has more than 256 ranges of characters");
}
