/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TEST(the_distance_counts_single_mistakes)
{
    static const struct {
        const char *a;
        const char *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},       {"", "put", 3},    {"put", "put", 0},        {"putt", "put", 1},        {"pt", "put", 1},
        {"pat", "put", 1}, {"ptu", "put", 1}, {"ca", "abc", 3},         {"kitten", "sitting", 3},  {"abcd", "dcba", 3},
        {"ls", "sl", 1},   {"a", "b", 1},     {"release", "relese", 1}, {"resolve", "release", 4},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(suggest_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(suggest_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

TEST(a_word_of_any_length_is_looked_at)
{
    char longer[1000];

    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    assert_int_equal(suggest_distance(longer, "put"), 63);
    assert_int_equal(suggest_distance(longer, longer), 0);
}

static const char *best_of(const char *word)
{
    static const char *const known[] = {"put", "get", "head", "resolve", "release", "version"};
    struct suggestion suggestion;

    suggest_begin(&suggestion, word);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        suggest_consider(&suggestion, known[i]);
    return suggestion.best == NULL ? "" : suggestion.best;
}

TEST(the_nearest_is_suggested_and_nothing_far)
{
    assert_string_equal(best_of("gett"), "get");
    assert_string_equal(best_of("haed"), "head");
    assert_string_equal(best_of("relese"), "release");
    assert_string_equal(best_of("resolv"), "resolve");
    assert_string_equal(best_of("ver"), "version");
    assert_string_equal(best_of("v"), "");
    assert_string_equal(best_of("frobnicate"), "");
    assert_string_equal(best_of(""), "");
}

TEST(of_two_as_near_the_one_with_the_right_first_letter_is_suggested)
{
    struct suggestion suggestion;

    suggest_begin(&suggestion, "tll");
    suggest_consider(&suggestion, "all");
    suggest_consider(&suggestion, "ttl");
    suggest_consider(&suggestion, "tell");
    assert_string_equal(suggestion.best, "ttl");
}
