/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_pattern.h"

#include "support/test.h"

#include <string.h>

#define UUID "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"

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
    /* Where one that goes back takes forever. */
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
    {"(a)", "has a group or alternatives"},
    {"a|b", "has a group or alternatives"},
    {"a^", "has a ^ or a $ inside"},
    {"a$b", "has a ^ or a $ inside"},
    {"*a", "has a *, +, ?, {, } or ] where a character should be"},
    {"a**", "has a *, +, ?, {, } or ] where a character should be"},
    {"a]", "has a *, +, ?, {, } or ] where a character should be"},
    {"a{", "has a { without the numbers of a count and its }"},
    {"a{2,1}", "has a { without the numbers of a count and its }"},
    {"a{99999999999999999999}", "has a { without the numbers of a count and its }"},
    {"a{,2}", "has a { without the numbers of a count and its }"},
    {"[a", "has a [ without its ]"},
    {"[b-a]", "has a range of characters that runs back"},
    {"\\b", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"\\1", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"\\u0041", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"a\\", "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign"},
    {"a{257}", "is longer than 256 characters, each as often as it repeats"},
    {"a{4294967296}", "is longer than 256 characters, each as often as it repeats"},
    {"\xff", "is no UTF-8"},
};

TEST_ROWS(faults, a_pattern_that_is_not_known_has_a_fault)
{
    const char *fault = model_pattern_fault(text_from(row->name));
    assert_non_null(fault);
    assert_string_equal(fault, row->fault);
}

TEST(as_many_characters_and_ranges_as_there_is_room_for)
{
    char ranges[2 + 257 + 2] = "^[";
    assert_null(model_pattern_fault(text_from("^a{256}$")));
    assert_null(model_pattern_fault(text_from("^a{255}b*$")));
    memset(ranges + 2, 'a', 256);
    strcpy(ranges + 258, "]");
    assert_null(model_pattern_fault(text_from(ranges)));
    memset(ranges + 2, 'a', 257);
    strcpy(ranges + 259, "]");
    assert_string_equal(model_pattern_fault(text_from(ranges)), "has more than 256 ranges of characters");
}
