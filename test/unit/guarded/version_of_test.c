/* SPDX-License-Identifier: Apache-2.0 */
/* What a HEAD's answer becomes for a guard. */
#include "guarded/driver.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"

static struct object_version version_of(const char *nonce, const char *replaced)
{
    struct object_version version;
    struct s3_object object = {.etag = "\"e\"", .version_id = "v", .last_modified_s = 7};
    snprintf(object.nonce, sizeof(object.nonce), "%s", nonce);
    snprintf(object.replaced, sizeof(object.replaced), "%s", replaced);
    driver_version_of(&object, &version);
    return version;
}

TEST(what_a_head_shows_becomes_the_version)
{
    struct object_version version = version_of("n", NONCE);
    assert_true(version.exists);
    assert_string_equal(version.etag, "\"e\"");
    assert_string_equal(version.version_id, "v");
    assert_int_equal(version.last_modified_s, 7);
    assert_string_equal(version.nonce, "n");
    assert_string_equal(version.replaced, NONCE);
    const struct s3_object marker = {.delete_marker = true, .etag = "\"e\"", .nonce = "n", .replaced = NONCE};
    driver_version_of(&marker, &version);
    assert_false(version.exists);
    assert_string_equal(version.nonce, "");
    assert_string_equal(version.replaced, "");
}

TEST(a_nonce_that_is_too_long_is_somebodys)
{
    assert_string_equal(version_of(NONCE, "").nonce, NONCE);
    assert_string_equal(version_of(NONCE "0", "").nonce, "?");
    assert_string_equal(version_of("", "").nonce, "");
}

/* It proves that a write was applied, so nothing else may be taken for it. */
TEST(only_a_nonce_is_what_was_replaced)
{
    static const char *const others[] = {"",
                                         "0",
                                         "0123456789abcdef0123456789abcde",
                                         "0123456789abcdef0123456789abcdef0",
                                         "0123456789ABCDEF0123456789abcdef",
                                         "0123456789abcdef0123456789abcdeg",
                                         "0123456789abcdef, 123456789abcdef"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_string_equal(version_of(NONCE, others[i]).replaced, "");
}

/* R1.4: what it would pin is no version. */
TEST(a_source_without_an_etag_is_refused)
{
    static const char *const missing[] = {"", "\"\""};
    struct s3_object source = {.etag = "\"e\"", .has_length = true};
    os_error error;
    assert_true(driver_names_source("source", &source, &error));
    for (size_t i = 0; i < 2; i++) {
        snprintf(source.etag, sizeof(source.etag), "%s", missing[i]);
        assert_false(driver_names_source("source", &source, &error));
        assert_int_equal(error.code, OS_ERR_PROTOCOL);
        CHECK_SAYS(&error, "HEAD of source");
    }
}
