/* SPDX-License-Identifier: Apache-2.0 */
/* os_version_details: what stands in a report of a defect. */
#include "oscommit.h"
#include "support/test.h"

#include <curl/curl.h>
#include <sqlite3.h>
#include <string.h>

enum { DETAILS_MAX = 32 };

struct details {
    char name[DETAILS_MAX][32];
    char value[DETAILS_MAX][1024];
    size_t count;
};

static void note(void *context, const char *name, const char *value)
{
    struct details *details = context;

    assert_true(details->count < DETAILS_MAX);
    assert_true(strlen(name) < sizeof(details->name[0]) && strlen(value) < sizeof(details->value[0]));
    strcpy(details->name[details->count], name);
    strcpy(details->value[details->count++], value);
}

static const char *value_of(const struct details *details, const char *name)
{
    for (size_t i = 0; i < details->count; i++)
        if (strcmp(details->name[i], name) == 0)
            return details->value[i];
    fail_msg("there is nothing named %s", name);
    return "";
}

TEST(the_libraries_are_those_that_are_linked)
{
    static struct details details;

    details.count = 0;
    os_version_details(note, &details);
    assert_string_equal(value_of(&details, "library"), os_version());
    assert_int_equal(strncmp(value_of(&details, "libcurl"), curl_version_info(CURLVERSION_NOW)->version,
                             strlen(curl_version_info(CURLVERSION_NOW)->version)),
                     0);
    assert_string_equal(value_of(&details, "libcurl_tls"), curl_version_info(CURLVERSION_NOW)->ssl_version);
    assert_int_equal(strncmp(value_of(&details, "sqlite"), sqlite3_libversion(), strlen(sqlite3_libversion())), 0);
    assert_int_equal(strncmp(value_of(&details, "openssl"), "OpenSSL ", 8), 0);
    assert_int_equal(strncmp(value_of(&details, "expat"), "expat_", 6), 0);
    assert_int_not_equal(value_of(&details, "jansson")[0], '\0');
    assert_int_not_equal(value_of(&details, "compiler")[0], '\0');
    assert_int_not_equal(value_of(&details, "build_type")[0], '\0');
    assert_int_not_equal(value_of(&details, "certificates")[0], '\0');
}

TEST(each_is_told_once_and_has_a_value)
{
    static struct details details;

    details.count = 0;
    os_version_details(note, &details);
    for (size_t i = 0; i < details.count; i++) {
        assert_int_not_equal(details.value[i][0], '\0');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(details.name[i], details.name[j]);
    }
}

/* The tests are linked statically: there is no folder of the shared library to look into. */
TEST(without_a_module_of_signature_v2_it_says_why)
{
    static struct details details;

    details.count = 0;
    os_version_details(note, &details);
    assert_non_null(strstr(value_of(&details, "signature_v2"), "shared library"));
}

TEST(nobody_who_listens_is_fine)
{
    os_version_details(NULL, NULL);
}
