/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library_version.h"
#include "support/test.h"

#include <string.h>

TEST(both_versions_are_told_where_they_differ)
{
    char text[64];

    library_version_describe((struct library_version){"7.88.1", "7.88.1"}, text, sizeof(text));
    assert_string_equal(text, "7.88.1");
    library_version_describe((struct library_version){"7.88.0", "7.88.1"}, text, sizeof(text));
    assert_string_equal(text, "7.88.1 (built with 7.88.0)");
}

TEST(a_long_version_is_cut)
{
    char text[8];

    library_version_describe((struct library_version){"1", "0123456789"}, text, sizeof(text));
    assert_string_equal(text, "0123456");
}

TEST(openssl_says_its_version)
{
    struct library_version version = openssl_library_version();

    assert_int_equal(strncmp(version.built, "OpenSSL ", 8), 0);
    assert_int_equal(strncmp(version.running, "OpenSSL ", 8), 0);
}
