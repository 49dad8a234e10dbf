/* SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_distance_counts_single_mistakes(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(suggest_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(suggest_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

static void a_word_of_any_length_is_looked_at(void **state)
{
    char longer[1000];

    (void)state;
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
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        suggest_consider(&suggestion, known[i]);
    }
    return suggestion.best == NULL ? "" : suggestion.best;
}

static void the_nearest_is_suggested_and_nothing_far(void **state)
{
    (void)state;
    assert_string_equal(best_of("gett"), "get");
    assert_string_equal(best_of("haed"), "head");
    assert_string_equal(best_of("relese"), "release");
    assert_string_equal(best_of("resolv"), "resolve");
    assert_string_equal(best_of("ver"), "version");
    assert_string_equal(best_of("v"), "");
    assert_string_equal(best_of("frobnicate"), "");
    assert_string_equal(best_of(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_counts_single_mistakes),
        cmocka_unit_test(a_word_of_any_length_is_looked_at),
        cmocka_unit_test(the_nearest_is_suggested_and_nothing_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
