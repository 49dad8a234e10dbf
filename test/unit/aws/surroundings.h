/* SPDX-License-Identifier: Apache-2.0 */
/* A home folder of its own with profile files, and an environment without AWS_* variables, for each test. */
#ifndef OSCOMMIT_TEST_AWS_SURROUNDINGS_H
#define OSCOMMIT_TEST_AWS_SURROUNDINGS_H

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char surroundings_home[64];

static inline void surroundings_clear(void)
{
    static const char *const names[] = {
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_PROFILE",
        "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL_STS",
        "AWS_ENDPOINT_URL_SSO",
        "AWS_ENDPOINT_URL_SSO_OIDC",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
        "AWS_USE_FIPS_ENDPOINT",
        "AWS_USE_DUALSTACK_ENDPOINT",
        "AWS_CA_BUNDLE",
        "AWS_REQUEST_CHECKSUM_CALCULATION",
        "AWS_RESPONSE_CHECKSUM_VALIDATION",
        "AWS_ROLE_ARN",
        "AWS_ROLE_SESSION_NAME",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
        "AWS_EC2_METADATA_V1_DISABLED",
        "AWS_METADATA_SERVICE_TIMEOUT",
        "AWS_METADATA_SERVICE_NUM_ATTEMPTS",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1); /* no test asks the machine that it runs on */
}

static inline void surroundings_path(const char *name, char *ret, size_t ret_size)
{
    snprintf(ret, ret_size, "%s/.aws/%s", surroundings_home, name);
}

static inline int surroundings_setup(void **state)
{
    (void)state;
    char folder[96];
    snprintf(surroundings_home, sizeof(surroundings_home), "/tmp/oscommit-aws-XXXXXX");
    surroundings_clear();
    if (mkdtemp(surroundings_home) == NULL)
        return -1;
    snprintf(folder, sizeof(folder), "%s/.aws", surroundings_home);
    return mkdir(folder, 0700) == 0 ? setenv("HOME", surroundings_home, 1) : -1;
}

static inline int surroundings_teardown(void **state)
{
    (void)state;
    char path[96];
    static const char *const names[] = {"credentials", "config", "other", ""};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        surroundings_path(names[i], path, sizeof(path));
        (void)remove(path);
    }
    return rmdir(surroundings_home);
}

static inline void write_profile_bytes(const char *name, const char *data, size_t len)
{
    char path[96];
    surroundings_path(name, path, sizeof(path));
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, len, stream), len);
    assert_int_equal(fclose(stream), 0);
}

static inline void write_profile(const char *name, const char *text)
{
    write_profile_bytes(name, text, strlen(text));
}

#endif
