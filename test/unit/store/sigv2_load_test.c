/* SPDX-License-Identifier: Apache-2.0 */
/* What is loaded as the module of Signature V2, and what is not. The package test has the rest: the installed module.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sigv2_load.h"
#include "support/test.h"

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

TEST(a_module_of_another_release_is_refused_and_both_versions_are_named)
{
    assert_refused(TEST_MODULE_OTHER_VERSION, "has version 0.0.1-other, but the library has version ");
    assert_non_null(strstr(err.message, os_version()));
}

TEST(a_library_that_is_no_module_is_refused)
{
    assert_refused(TEST_MODULE_WITHOUT_ENTRY, "has version unknown");
}

TEST(a_file_that_is_no_library_is_refused)
{
    assert_refused("/dev/null", "cannot be loaded (");
    assert_refused("/nowhere/liboscommit-sigv2.so", "Install the package liboscommit-sigv2 of version ");
}

/* By a name without a slash the loader would search, and by another relative path begin at the working directory. */
TEST(a_relative_path_is_not_given_to_the_loader)
{
    char folder[] = TEST_MODULE_OTHER_VERSION;
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    assert_int_equal(chdir(folder), 0);
    assert_refused(name, "is not absolute");
    assert_refused("", "is not absolute");
    assert_int_equal(chdir("/"), 0);
}

TEST(a_program_with_the_static_library_has_no_module)
{
    char path[PATH_MAX] = "untouched";
    assert_int_equal(sigv2_place(path, sizeof(path), &err), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "uses the static library"));
    assert_string_equal(path, "untouched");
}
