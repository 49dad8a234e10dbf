/* SPDX-License-Identifier: Apache-2.0 */
/* What is loaded as the module of Signature V2, and what is not. The package test has the rest: the installed module.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* after the ones above */
#include <cmocka.h>

#include "store/sigv2_load.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static os_error err;

static void assert_refused(const char *path, const char *reason)
{
    const struct sigv2_module *module = NULL;
    memset(&err, 0, sizeof(err));
    assert_int_equal(sigv2_load(path, &module, &err), OS_ERR_UNSUPPORTED);
    assert_int_equal(err.code, OS_ERR_UNSUPPORTED);
    if (strstr(err.message, reason) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, reason);
    assert_null(module);
}

static void a_module_of_another_release_is_refused_and_both_versions_are_named(void **state)
{
    (void)state;
    assert_refused(TEST_MODULE_OTHER_VERSION, "is of version 0.0.1-other, and the library of version ");
    assert_non_null(strstr(err.message, os_version()));
}

static void a_library_that_is_no_module_is_refused(void **state)
{
    (void)state;
    assert_refused(TEST_MODULE_WITHOUT_ENTRY, "is of version unknown");
}

static void a_file_that_is_no_library_is_refused(void **state)
{
    (void)state;
    assert_refused("/dev/null", "cannot be loaded (");
    assert_refused("/nowhere/liboscommit-sigv2.so", "Install the package liboscommit-sigv2 of version ");
}

/* By a name without a slash the loader would search, and by another relative path begin at the working directory. */
static void a_relative_path_is_not_given_to_the_loader(void **state)
{
    (void)state;
    char folder[] = TEST_MODULE_OTHER_VERSION;
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    assert_int_equal(chdir(folder), 0);
    assert_refused(name, "has no absolute path");
    assert_refused("", "has no absolute path");
    assert_int_equal(chdir("/"), 0);
}

static void a_program_with_the_static_library_has_no_module(void **state)
{
    (void)state;
    char path[PATH_MAX] = "untouched";
    assert_int_equal(sigv2_place(path, sizeof(path), &err), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "has the static library"));
    assert_string_equal(path, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_of_another_release_is_refused_and_both_versions_are_named),
        cmocka_unit_test(a_library_that_is_no_module_is_refused),
        cmocka_unit_test(a_file_that_is_no_library_is_refused),
        cmocka_unit_test(a_relative_path_is_not_given_to_the_loader),
        cmocka_unit_test(a_program_with_the_static_library_has_no_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
