/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program's cmocka tests once for each backend that it is meant for; and the roles of its children.
 */
#ifndef OSCOMMIT_TEST_SUITE_H
#define OSCOMMIT_TEST_SUITE_H

#include "support/checks.h"
#include "support/child.h"
#include "support/fixture.h"

struct fixture *suite_fixture(void); /* of the group that runs */

/* SUITE_TEST(name, BACKEND_…) { … }: the body has `struct fixture *f`. A backend without these features does not run
 * it. */
#define SUITE_TEST(name, needed_features)                               \
    static void name(struct fixture *f);                                \
    static void name##_run(__attribute__((unused)) void **state)        \
    {                                                                   \
        name(suite_fixture());                                          \
    }                                                                   \
    TEST_REGISTER(name, #name, name##_run, NULL, NULL, needed_features) \
    static void name(__attribute__((unused)) struct fixture *f)

/* SUITE_ROWS(rows, name, BACKEND_…) { … }: a test for each row of an array, as TEST_ROWS makes them. */
#define SUITE_ROWS(rows, id, needed_features)                            \
    static void id(struct fixture *f, const __typeof__((rows)[0]) *row); \
    static void id##_run(void **state)                                   \
    {                                                                    \
        id(suite_fixture(), *state);                                     \
    }                                                                    \
    TEST_REGISTER_ROWS(id, id##_run, NULL, NULL, rows, needed_features)  \
    static void id(struct fixture *f, const __typeof__((rows)[0]) *row)

struct suite_role {
    const char *name;
    int (*run)(struct fixture *fixture, int argc, char **argv); /* arguments behind the role; the exit status */
};

struct suite {
    const char *name;
    const struct suite_role *roles; /* ends with a NULL name; may be NULL */
    unsigned needs;                 /* backends without these features are none of this program's */
    const char *only;               /* names with commas, or NULL: backends that this program is meant for */
};

/* The exit status: 0, 1 when a test failed, 77 when all that ran passed but a backend's servers are not given. */
int suite_main(const struct suite *suite, int argc, char **argv);

#endif
