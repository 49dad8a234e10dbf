/* SPDX-License-Identifier: Apache-2.0 */
#include "support/test.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct test *first;   /* by line */
static const char *argument; /* the pattern, or NULL */
static size_t ran;
static size_t counted; /* of all groups */

/* Before main, and never freed. */
static const char *name_of_row(const struct test *test)
{
    char *name;
    if (asprintf(&name, "%s: %s", test->name, test->row_name) < 0)
        abort();
    return name;
}

void test_register(struct test *test)
{
    struct test **at = &first;
    if (test->row_name != NULL)
        test->name = name_of_row(test);
    while (*at != NULL && (*at)->line <= test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

void test_take_arguments(int argc, char **argv)
{
    argument = argc > 1 ? argv[1] : NULL;
}

static const char *pattern(void)
{
    return argument != NULL ? argument : getenv("OSCOMMIT_TEST_CASES");
}

static bool is_wanted(const struct test *test, unsigned features)
{
    char part[256];
    if ((features & test->needs) != test->needs)
        return false;
    if (pattern() == NULL)
        return true;
    snprintf(part, sizeof(part), "*%s*", pattern());
    return fnmatch(part, test->name, 0) == 0;
}

/* Counts the tests of all groups, and takes those of this process: OSCOMMIT_TEST_SHARE. */
static bool is_of_this_share(void)
{
    const char *share = getenv("OSCOMMIT_TEST_SHARE");
    size_t begin = 0;
    size_t step = 1;
    if (share != NULL && share[0] != '\0' && (sscanf(share, "%zu/%zu", &begin, &step) != 2 || begin >= step)) {
        fprintf(stderr, "OSCOMMIT_TEST_SHARE is K/N, with K from 0 to N - 1, and not %s\n", share);
        exit(EXIT_FAILURE);
    }
    return counted++ % step == begin;
}

size_t test_count(void)
{
    size_t number = 0;
    for (const struct test *test = first; test != NULL; test = test->next)
        number++;
    return number;
}

int test_run_group(const struct test_group *group)
{
    struct CMUnitTest *tests = calloc(test_count() + 1, sizeof(*tests));
    size_t wanted = 0;
    int failed = 0;
    if (tests == NULL)
        return 1;
    for (const struct test *test = first; test != NULL; test = test->next)
        if (is_wanted(test, group->features) && (!group->is_shared || is_of_this_share()))
            tests[wanted++] = (struct CMUnitTest){test->name, test->run, test->set_up, test->tear_down,
                                                  test->row != NULL ? (void *)(uintptr_t)test->row : group->state};
    const char *name = group->name != NULL ? group->name : program_invocation_short_name;
    if (wanted > 0)
        failed = _cmocka_run_group_tests(name, tests, wanted, group->set_up, group->tear_down);
    ran += wanted;
    free(tests);
    return failed;
}

int test_exit_status(int failed)
{
    if (failed != 0)
        return EXIT_FAILURE;
    if (ran > 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "%s: no test ran\n", program_invocation_short_name);
    return first != NULL && argument == NULL && pattern() != NULL ? TEST_EXIT_SKIPPED : EXIT_FAILURE;
}

int test_main_group(int argc, char **argv, const struct test_group *group)
{
    test_take_arguments(argc, argv);
    return test_exit_status(test_run_group(group));
}

int test_main(int argc, char **argv)
{
    return test_main_group(argc, argv, &(struct test_group){.name = NULL});
}

bool test_requires_servers(void)
{
    const char *required = getenv("OSCOMMIT_REQUIRE_SERVERS");
    return required != NULL && strcmp(required, "1") == 0;
}

const char *test_server(const char *variable)
{
    const char *url = getenv(variable);
    if (url == NULL || url[0] == '\0') {
        fprintf(stderr, "%s is not set\n", variable);
        exit(test_requires_servers() ? EXIT_FAILURE : TEST_EXIT_SKIPPED);
    }
    return url;
}
