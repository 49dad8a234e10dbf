/* SPDX-License-Identifier: Apache-2.0 */
#include "common/glob.h"
#include "support/test.h"

#include <string.h>

static bool matches(const char *pattern, const char *text)
{
    struct usage usage = {0};
    struct glob glob;

    if (!glob_open(pattern, &glob, &usage))
        fail_msg("%s: %s", pattern, usage.message);
    bool found = glob_matches(&glob, text);
    glob_close(&glob);
    return found;
}

static const struct {
    const char *name; /* the pattern */
    const char *good; /* with blanks between */
    const char *bad;
} patterns[] = {
    {"abc", "abc", "ab abcd xabc Abc"},
    {"*", "a abc .x", "a/b / a/"},
    {"*.json", "a.json .json", "a.jsonl b/a.json json"},
    {"a/*/c", "a/b/c a//c", "a/c a/b/b/c"},
    {"a*b*c", "abc aXbYc abbcc", "ac a/bc abcd"},
    {"**", "a a/b /", ""},
    {"a/**", "a/b a/b/c a/", "a b/a/c"},
    {"a/**/c", "a/c a/b/c a/b/b/c a//c", "ac a/bc a/b/cc a/xc"},
    {"**/c", "c a/c a/b/c /c", "ac a/bc c/"},
    {"**/**/c", "c a/c a/b/c", "ac"},
    {"a**c", "ac abc a/b/c", "a/b/cd"},
    {"?", "a \xc3\xa4 \xf0\x9f\x98\x80 \xff", "ab / \xc3\xa4\xc3\xa4"},
    {"a?c",
     "abc a\xe2\x82\xac"
     "c",
     "ac a/c abbc"},
    {"[abc]x", "ax bx cx", "dx x /x"},
    {"[a-c]", "a b c", "d - A"},
    {"[!a-c]", "d - \xc3\xa4", "a b c /"},
    {"[^a]", "b ^", "a"},
    {"[]a]", "] a", "b"},
    {"[a-]", "a -", "b"},
    {"[\\]-_]", "] ^ _", "\\ a"},
    {"[\xc3\xa0-\xc3\xbc]", "\xc3\xa4", "a \xc3\x9f"},
    {"[/]", "", "/ a"},
    {"\\*\\?\\[\\\\", "*?[\\", "a?[\\ *?["},
    {"a\\bc", "abc", "a\\bc"},
    {"a]", "a]", "a"},
    {"a\xff*",
     "a\xff"
     "b",
     "ab"},
    {"\xc3", "\xc3", "\xc3\xa4 a"},
};

static void check_words(const char *pattern, const char *words, bool expected)
{
    char copy[128];
    char *rest = copy;

    assert_true(strlen(words) < sizeof(copy));
    (void)strcpy(copy, words);
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " "))
        if (word[0] != '\0' && matches(pattern, word) != expected)
            fail_msg("%s %s %s", pattern, expected ? "does not match" : "matches", word);
}

TEST_ROWS(patterns, a_pattern_matches_whole_keys)
{
    check_words(row->name, row->good, true);
    check_words(row->name, row->bad, false);
}

TEST(what_all_matches_begin_with)
{
    static const struct {
        const char *pattern;
        const char *literal;
        size_t folder_length;
    } rows[] = {
        {"2026/11/*.json", "2026/11/", 8},
        {"2026/x-[12]/y", "2026/x-", 5},
        {"*", "", 0},
        {"a\\*b/c\\", NULL, 0},
        {"a\\*b/c?", "a*b/c", 4},
        {"a/b", "a/b", 2},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct usage usage = {0};
        struct glob glob;
        assert_int_equal(glob_open(rows[i].pattern, &glob, &usage), rows[i].literal != NULL);
        if (rows[i].literal == NULL)
            continue;
        assert_string_equal(glob.literal, rows[i].literal);
        assert_int_equal(glob.folder_length, rows[i].folder_length);
        glob_close(&glob);
    }
}

TEST(a_backslash_makes_a_name_of_a_pattern)
{
    assert_true(glob_is_pattern("a*"));
    assert_true(glob_is_pattern("?"));
    assert_true(glob_is_pattern("\\\\[a]"));
    assert_false(glob_is_pattern("a\\*"));
    assert_false(glob_is_pattern("a]b\\"));
    assert_false(glob_is_pattern(""));
}

TEST(what_is_no_pattern_is_refused)
{
    static const char *const bad[] = {"a[", "a[b", "a[]", "[!]", "[a\\", "[\\]", "[z-a]", "a\\", "["};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct usage usage = {0};
        struct glob glob;
        if (glob_open(bad[i], &glob, &usage))
            fail_msg("%s was taken", bad[i]);
        assert_non_null(strstr(usage.message, "The pattern"));
    }
}

TEST(a_pattern_has_a_greatest_length)
{
    char pattern[GLOB_TOKENS_MAX + 2];
    struct usage usage = {0};
    struct glob glob;

    memset(pattern, 'a', sizeof(pattern));
    pattern[GLOB_TOKENS_MAX] = '\0';
    assert_true(matches(pattern, pattern));
    pattern[GLOB_TOKENS_MAX] = 'a';
    pattern[GLOB_TOKENS_MAX + 1] = '\0';
    assert_false(glob_open(pattern, &glob, &usage));
}

/* A matcher that goes back for each star takes longer than the world is old. */
TEST(many_stars_take_no_longer)
{
    char pattern[512];
    char text[1025];

    for (size_t i = 0; i < sizeof(pattern) - 2; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + sizeof(pattern) - 2, "b", 2);
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_false(matches(pattern, text));
    text[sizeof(text) - 2] = 'b';
    assert_true(matches(pattern, text));
}
