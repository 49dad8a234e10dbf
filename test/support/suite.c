/* SPDX-License-Identifier: Apache-2.0 */
#include "support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend *backend_now; /* of the group that runs: cmocka's group setup has no argument */
static struct fixture *fixture_now;       /* not in *state: where a group has one, cmocka gives no test its row */

struct fixture *suite_fixture(void)
{
    return fixture_now;
}

static int group_setup(void **state)
{
    (void)state;
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    if (fixture == NULL || !fixture_open(fixture, backend_now)) {
        free(fixture);
        return -1;
    }
    fixture_export(fixture);
    fixture_now = fixture;
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    if (fixture_now != NULL)
        fixture_close(fixture_now);
    free(fixture_now);
    fixture_now = NULL;
    return 0;
}

static bool listed(const char *names, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += len)
        if ((at == names || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static bool meant_for(const struct suite *suite, const struct backend *backend)
{
    const char *wanted = getenv("OSCOMMIT_TEST_BACKENDS");
    return (backend->features & suite->needs) == suite->needs &&
           (suite->only == NULL || listed(suite->only, backend->name)) &&
           (wanted == NULL || wanted[0] == '\0' || listed(wanted, backend->name));
}

static int run_on(const struct suite *suite, const struct backend *backend)
{
    char name[128];
    snprintf(name, sizeof(name), "%s on %s", suite->name, backend->name);
    backend_now = backend;
    return test_run_group(&(struct test_group){.name = name,
                                               .set_up = group_setup,
                                               .tear_down = group_teardown,
                                               .features = backend->features,
                                               .is_shared = true});
}

static int run_role(const struct suite *suite, int argc, char **argv)
{
    struct fixture fixture;
    for (const struct suite_role *role = suite->roles; role != NULL && role->name != NULL; role++)
        if (strcmp(role->name, argv[2]) == 0 && fixture_import(&fixture))
            return role->run(&fixture, argc - 3, argv + 3);
    fprintf(stderr, "no such role: %s\n", argv[2]);
    return 2;
}

int suite_main(const struct suite *suite, int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 2 && strcmp(argv[1], "--child") == 0)
        return run_role(suite, argc, argv);
    test_take_arguments(argc, argv);
    bool required = test_requires_servers();
    int ran = 0;
    int failed = 0;
    int missing = 0;
    for (size_t i = 0; i < backend_count; i++) {
        const char *variable = backend_missing(&backends[i]);
        if (!meant_for(suite, &backends[i]))
            continue;
        if (variable != NULL) {
            fprintf(stderr, "%s: %s on %s: %s is not set\n", required ? "FAILED" : "SKIPPED", suite->name,
                    backends[i].name, variable);
            missing++;
        } else {
            ran++;
            failed += run_on(suite, &backends[i]) != 0 ? 1 : 0;
        }
    }
    if (test_count() == 0)
        return test_exit_status(failed);
    if (ran + missing == 0) {
        fprintf(stderr, "SKIPPED: %s: OSCOMMIT_TEST_BACKENDS names none that it is for\n", suite->name);
        return TEST_EXIT_SKIPPED;
    }
    if (failed > 0 || (missing > 0 && required))
        return EXIT_FAILURE;
    return missing > 0 ? TEST_EXIT_SKIPPED : test_exit_status(failed);
}
