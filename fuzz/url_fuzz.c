/* SPDX-License-Identifier: Apache-2.0 */
/* Store and ledger URLs, endpoints, bucket names: what is accepted is complete, and cannot say anything else where it
 * is put: into a Host header, a path, a request. */
#include "fuzz.h"

#include "aws/endpoint.h"
#include "client/url.h"

#include <stdlib.h>
#include <string.h>

static void check_store(const char *url)
{
    struct settings settings;
    os_error err = {.code = OS_OK};

    memset(&settings, 0, sizeof(settings));
    os_code code = url_parse_store(url, &settings, &err);
    if (code != OS_OK) {
        FUZZ_CHECK(code == OS_ERR_CONFIG && err.code == code && err.message[0] != '\0');
        FUZZ_CHECK_ARRAY(err.message);
    } else if (settings.store_scheme == SETTINGS_S3) {
        size_t len = strlen(settings.prefix);
        FUZZ_CHECK(bucket_name_ok(settings.bucket));
        FUZZ_CHECK(strpbrk(settings.bucket, "/?#@: %") == NULL);
        FUZZ_CHECK(len == 0 || settings.prefix[len - 1] == '/');
    } else {
        FUZZ_CHECK(settings.store_scheme == SETTINGS_FILE && settings.root[0] == '/');
    }
    settings_free(&settings);
}

static void check_ledger(const char *url)
{
    struct settings settings;
    uint64_t timeout_ms = 7;
    os_error err = {.code = OS_OK};

    memset(&settings, 0, sizeof(settings));
    os_code code = url_parse_ledger(url, &settings, &timeout_ms, &err);
    if (code != OS_OK) {
        FUZZ_CHECK(code == OS_ERR_CONFIG && err.code == code && err.message[0] != '\0');
        FUZZ_CHECK_ARRAY(err.message);
    } else {
        FUZZ_CHECK(settings.ledger_scheme == SETTINGS_DYNAMODB || settings.ledger_scheme == SETTINGS_SQLITE);
        FUZZ_CHECK(settings.table != NULL && settings.table[0] != '\0');
        FUZZ_CHECK(timeout_ms > 0);
    }
    settings_free(&settings);
}

static void check_endpoint(const char *service, const char *url, const char *region)
{
    struct endpoint endpoint;
    os_error err = {.code = OS_OK};

    memset(&endpoint, 0x55, sizeof(endpoint));
    os_code code = endpoint_parse(service, url, region, &endpoint, &err);
    if (code != OS_OK) {
        FUZZ_CHECK(code == OS_ERR_CONFIG && err.code == code && err.message[0] != '\0');
        FUZZ_CHECK_ARRAY(err.message);
        return;
    }
    FUZZ_CHECK(strcmp(endpoint.scheme, "http") == 0 || strcmp(endpoint.scheme, "https") == 0);
    FUZZ_CHECK_ARRAY(endpoint.host);
    FUZZ_CHECK_ARRAY(endpoint.region);
    FUZZ_CHECK(endpoint.host[0] != '\0' && strpbrk(endpoint.host, "/?#@ \t\r\n\\") == NULL);
    FUZZ_CHECK(endpoint.region[0] != '\0' && strpbrk(endpoint.region, "/?#@ \t\r\n:") == NULL);
    FUZZ_CHECK(!endpoint.is_aws || url[0] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *url = fuzz_string(data, size);

    check_store(url);
    check_ledger(url);
    check_endpoint("s3", url, "us-east-1");
    check_endpoint("dynamodb", url, "eu-west-1");
    check_endpoint("s3", "", url); /* as a region */
    if (bucket_name_ok(url))
        FUZZ_CHECK(strlen(url) <= BUCKET_NAME_MAX && strpbrk(url, "/?#@: %\r\n") == NULL);
    free(url);
    return 0;
}
