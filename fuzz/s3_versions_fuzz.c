/* SPDX-License-Identifier: Apache-2.0 */
/* The answers about versions and tags, each input given to every reader: a 200 is a success only with a whole document
 * of the right root, what is given can be sent back, pages advance, stopping is obeyed, and nothing is set on failure.
 */
#include "fuzz.h"

#include "s3/version_response.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ tags */

/* A copy can carry it. */
static bool each_tag(void *context, const char *name, const char *value)
{
    const os_metadata tag = {name, value};
    const struct s3_attributes attributes = {.tags = &tag, .tag_count = 1};
    struct http_request request;
    http_request_init(&request);
    FUZZ_CHECK(s3_request_attributes(&request, &attributes, NULL) == OS_OK);
    http_request_free(&request);
    return fuzz_goes_on(context);
}

static unsigned read_tags(const struct http_response *response, unsigned stop_after, os_code *ret)
{
    struct fuzz_listener listener = {.stop_after = stop_after};
    struct s3_error said;
    os_error err = {.code = OS_OK};
    *ret = s3_parse_tags(response, each_tag, &listener, &said, &err);
    FUZZ_CHECK_ARRAY(said.code);
    FUZZ_CHECK(*ret != OS_OK || fuzz_body_has(response, "Tagging"));
    FUZZ_CHECK(listener.entries <= S3_TAGS_MAX);
    if (*ret != OS_OK && *ret != OS_ERR_STOPPED) {
        fuzz_check_failure(*ret, &err, NULL, 0);
        FUZZ_CHECK(listener.entries == 0);
    }
    return listener.entries;
}

static void read_versioning(const struct http_response *response)
{
    enum s3_versioning versioning;
    struct s3_error said;
    os_error err = {.code = OS_OK};
    memset(&versioning, 0x55, sizeof(versioning));
    os_code code = s3_parse_versioning(response, &versioning, &said, &err);
    if (code != OS_OK)
        fuzz_check_failure(code, &err, &versioning, sizeof(versioning));
    else
        FUZZ_CHECK(versioning >= S3_VERSIONING_NEVER && versioning <= S3_VERSIONING_SUSPENDED &&
                   fuzz_body_has(response, "VersioningConfiguration"));
}

/* ------------------------------------------------------------------------------------------------ versions */

static bool each_version(void *context, const struct s3_listed_version *version)
{
    FUZZ_CHECK(version->key != NULL && version->key[0] != '\0');
    FUZZ_CHECK(version->version_id[0] != '\0');
    FUZZ_CHECK_ARRAY(version->version_id);
    FUZZ_CHECK_ARRAY(version->etag);
    return fuzz_goes_on(context);
}

static unsigned read_versions(const struct http_response *response, unsigned stop_after, os_code *ret)
{
    const struct s3_list_versions_options options = {.key_marker = "k", .version_id_marker = "v"};
    struct fuzz_listener listener = {.stop_after = stop_after};
    struct s3_versions_page page;
    os_error err = {.code = OS_OK};
    memset(&page, 0x55, sizeof(page));
    *ret = s3_parse_versions(response, &options, each_version, &listener, &page, &err);
    if (*ret == OS_OK) {
        FUZZ_CHECK(fuzz_body_has(response, "ListVersionsResult"));
        fuzz_check_page(page.truncated, (const char *[]){options.key_marker, options.version_id_marker},
                        (char *[]){page.next_key_marker, page.next_version_id_marker});
    } else if (*ret != OS_ERR_STOPPED) {
        fuzz_check_failure(*ret, &err, &page, sizeof(page));
    }
    return listener.entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;

    fuzz_response(data, size, &response);
    read_versioning(&response);
    fuzz_check_list(read_tags, &response);
    fuzz_check_list(read_versions, &response);
    http_response_free(&response);
    return 0;
}
