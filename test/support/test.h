/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmocka tests that register themselves, in the order in which their file has them. Includes cmocka with what it needs
 * before it. A program that has no main of its own gets one:
 *
 *   unit_x            runs every test. A program without any fails.
 *   unit_x PATTERN    runs the tests with PATTERN, a shell pattern, in their name. It fails when there is none.
 *   OSCOMMIT_TEST_CASES=PATTERN    the same for every program that ctest starts. One without such a test is skipped.
 */
#ifndef OSCOMMIT_TEST_TEST_H
#define OSCOMMIT_TEST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* after the first three above */
#include <cmocka.h>

/* TEST(name) { … } */
#define TEST(name) TEST_BETWEEN(NULL, NULL, name)

/* The same between two functions of cmocka's, either of which may be NULL. The body has what they share in *state. */
#define TEST_BETWEEN(set_up, tear_down, name)              \
    static void name(void **state);                        \
    TEST_REGISTER(name, #name, name, set_up, tear_down, 0) \
    static void name(__attribute__((unused)) void **state)

/* TEST_WITH(thing, name) { … }: the body has `struct thing *thing`, new and all zero but for what
 * thing_set_up(struct thing *) has put into it. thing_tear_down(struct thing *) follows it, whether it fails or not. */
#define TEST_WITH(fixture, name) TEST_WITH_AS(fixture, fixture##_set_up, name)

/* The same with a set-up of another name; and a test that stands above once more with another set-up, whose name the
 * test's then has behind its own. */
#define TEST_WITH_AS(fixture, set_up, name)                             \
    static void name(struct fixture *fixture);                          \
    static void name##_run(void **state)                                \
    {                                                                   \
        name(*state);                                                   \
    }                                                                   \
    TEST_FIXTURE(fixture, set_up, name)                                 \
    TEST_REGISTER(name, #name, name##_run, name##_begin, name##_end, 0) \
    static void name(__attribute__((unused)) struct fixture *fixture)
#define TEST_AGAIN_AS(fixture, set_up, name)                                                                           \
    TEST_FIXTURE(fixture, set_up, name##_##set_up)                                                                     \
    TEST_REGISTER(name##_##set_up, #name " (" #set_up ")", name##_run, name##_##set_up##_begin, name##_##set_up##_end, \
                  0)
#define TEST_FIXTURE(fixture, set_up, id)                \
    static int id##_begin(void **state)                  \
    {                                                    \
        struct fixture *made = calloc(1, sizeof(*made)); \
        assert_non_null(made);                           \
        *state = made;                                   \
        set_up(made);                                    \
        return 0;                                        \
    }                                                    \
    static int id##_end(void **state)                    \
    {                                                    \
        fixture##_tear_down(*state);                     \
        free(*state);                                    \
        return 0;                                        \
    }

/* TEST_ROWS(rows, name) { … }: a test for each row of the array `rows`, which the body has as `row`. A row has a `name`:
 * it stands behind the test's, and either of them finds the test. */
#define TEST_ROWS(rows, name) TEST_ROWS_BETWEEN(NULL, NULL, rows, name)
#define TEST_ROWS_BETWEEN(set_up, tear_down, rows, id)           \
    static void id(const __typeof__((rows)[0]) *row);            \
    static void id##_run(void **state)                           \
    {                                                            \
        id(*state);                                              \
    }                                                            \
    TEST_REGISTER_ROWS(id, id##_run, set_up, tear_down, rows, 0) \
    static void id(const __typeof__((rows)[0]) *row)

/* The same with a fixture, as TEST_WITH has one. */
#define TEST_ROWS_WITH(fixture, rows, id)                                      \
    static void id(struct fixture *fixture, const __typeof__((rows)[0]) *row); \
    struct id##_with_row {                                                     \
        struct fixture made;                                                   \
        const void *row;                                                       \
    };                                                                         \
    static int id##_begin(void **state)                                        \
    {                                                                          \
        struct id##_with_row *made = calloc(1, sizeof(*made));                 \
        assert_non_null(made);                                                 \
        made->row = *state;                                                    \
        *state = made;                                                         \
        fixture##_set_up(&made->made);                                         \
        return 0;                                                              \
    }                                                                          \
    static void id##_run(void **state)                                         \
    {                                                                          \
        struct id##_with_row *made = *state;                                   \
        id(&made->made, made->row);                                            \
    }                                                                          \
    static int id##_end(void **state)                                          \
    {                                                                          \
        struct id##_with_row *made = *state;                                   \
        fixture##_tear_down(&made->made);                                      \
        free(made);                                                            \
        return 0;                                                              \
    }                                                                          \
    TEST_REGISTER_ROWS(id, id##_run, id##_begin, id##_end, rows, 0)            \
    static void id(__attribute__((unused)) struct fixture *fixture, const __typeof__((rows)[0]) *row)

struct test {
    const char *name;
    const char *row_name; /* NULL: the test has no rows */
    const void *row;      /* where *state begins; NULL: as the group's */
    CMUnitTestFunction run;
    CMFixtureFunction set_up;
    CMFixtureFunction tear_down;
    unsigned needs; /* features of the surroundings (support/suite.h) */
    int line;       /* compilers do not promise in which order constructors run */
    struct test *next;
};
#define TEST_REGISTER(id, shown_name, function, before, after, features) \
    __attribute__((constructor)) static void register_##id(void)         \
    {                                                                    \
        static struct test test = {.name = shown_name,                   \
                                   .run = function,                      \
                                   .line = __LINE__,                     \
                                   .set_up = before,                     \
                                   .tear_down = after,                   \
                                   .needs = features};                   \
        test_register(&test);                                            \
    }
#define TEST_REGISTER_ROWS(id, function, before, after, rows, features) \
    __attribute__((constructor)) static void register_##id(void)        \
    {                                                                   \
        static struct test tests[sizeof(rows) / sizeof((rows)[0])];     \
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) { \
            tests[i] = (struct test){.name = #id,                       \
                                     .row_name = (rows)[i].name,        \
                                     .row = &(rows)[i],                 \
                                     .run = function,                   \
                                     .line = __LINE__,                  \
                                     .set_up = before,                  \
                                     .tear_down = after,                \
                                     .needs = features};                \
            test_register(&tests[i]);                                   \
        }                                                               \
    }
void test_register(struct test *test);
size_t test_count(void);

/* The tests that run together: one program may run several groups. */
struct test_group {
    const char *name; /* NULL: the program's */
    void *state;      /* where *state of each test begins; NULL where a set-up makes it */
    CMFixtureFunction set_up;
    CMFixtureFunction tear_down;
    unsigned features; /* tests that need others do not run */
    bool is_shared;    /* by several processes: OSCOMMIT_TEST_SHARE=K/N takes every Nth test, from the Kth */
};
enum { TEST_EXIT_SKIPPED = 77 };

/* What a main returns that has something to do before or after. */
int test_main(int argc, char **argv);
int test_main_group(int argc, char **argv, const struct test_group *group);

/* For several groups: takes the pattern; runs a group, and says how many tests failed; and the exit status of them all,
 * EXIT_FAILURE when no test ran. */
void test_take_arguments(int argc, char **argv);
int test_run_group(const struct test_group *group);
int test_exit_status(int failed);

/* OSCOMMIT_REQUIRE_SERVERS=1: a server that is not given is a failure, not a skip. */
bool test_requires_servers(void);
/* The server that the variable names; without one the program ends, skipped or failed. */
const char *test_server(const char *variable);

#endif
