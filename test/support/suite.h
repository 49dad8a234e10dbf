/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program's cmocka tests once for each backend that it is meant for; and the roles of its children. A test gets
 * its struct fixture through *state.
 */
#ifndef OSCOMMIT_TEST_SUITE_H
#define OSCOMMIT_TEST_SUITE_H

#include "support/checks.h"
#include "support/child.h"
#include "support/fixture.h"

struct suite_test {
    const char *name;
    void (*run)(void **state);
    unsigned needs; /* backend features; a backend without them does not run the test */
};
#define SUITE_TEST(function, needs_features) \
    {                                        \
#function, function, needs_features  \
    }

struct suite_role {
    const char *name;
    int (*run)(struct fixture *fixture, int argc, char **argv); /* arguments behind the role; the exit status */
};

struct suite {
    const char *name;
    const struct suite_test *tests; /* ends with a NULL name */
    const struct suite_role *roles; /* the same; may be NULL */
    unsigned needs;                 /* backends without these features are none of this program's */
    const char *only;               /* names with commas, or NULL: backends that this program is meant for */
};

/* The exit status: 0, 1 when a test failed, 77 when all that ran passed but a backend's servers are not given. */
int suite_main(const struct suite *suite, int argc, char **argv);

#endif
