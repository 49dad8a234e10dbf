/* SPDX-License-Identifier: Apache-2.0 */
/* Where the shipped profile "aws" is the default, and what guard follows from it. */
#include "client/own_profile.h"
#include "client/settings.h"
#include "unit/api/client_scratch.h"
#include "unit/client/opened_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_own(const os_options *options, os_guard mode, bool is_own)
{
    struct opened opened;
    CHECK_CODE(open_settings(options, &opened), OS_OK, &opened.error);
    if (opened.settings.profile_is_own != is_own || opened.settings.mode != mode)
        fail_msg("%s at %s: own profile %d, guard %d", options->store_url, opened.settings.s3_endpoint.host,
                 opened.settings.profile_is_own, (int)opened.settings.mode);
    if (is_own)
        assert_string_equal(opened.settings.profile->name, "AWS S3, general purpose buckets");
    else if (options->store_profile == NULL)
        assert_null(opened.settings.profile);
    close_settings(&opened);
}

TEST(at_amazons_own_host_its_profile_is_the_default)
{
    static const char *const regions[] = {"us-east-1", "us-gov-west-1", "cn-north-1", NULL};
    os_options options = s3_options();
    options.ledger_url = NULL;
    for (size_t i = 0; regions[i]; i++) {
        options.s3_region = regions[i];
        open_own(&options, OS_GUARD_AUTO, true);
    }
    options.store_url = "s3://Old_Bucket.with.dots--s3";
    open_own(&options, OS_GUARD_AUTO, true);
}

/* A peer of that table writes without a condition: native alone, it would overwrite what a native write has made. */
TEST(beside_a_ledger_record_and_condition_go_together_there)
{
    static const char *const ledgers[] = {"dynamodb://records", "sqlite:///var/records.db"};
    os_options options = s3_options();
    for (size_t i = 0; i < 2; i++) {
        options.ledger_url = ledgers[i];
        open_own(&options, OS_GUARD_BOTH, true);
    }
    options.condition_headers = OS_OFF; /* then the record alone is left */
    open_own(&options, OS_GUARD_AUTO, true);
}

TEST(what_the_caller_says_counts_more_there)
{
    os_options options = s3_options();
    options.guard = OS_GUARD_RECORD;
    open_own(&options, OS_GUARD_RECORD, true);
    options.guard = OS_GUARD_NATIVE;
    open_own(&options, OS_GUARD_NATIVE, true);
    options.guard = OS_GUARD_AUTO;
    options.store_profile = "aws"; /* by name: as ever, what it proves */
    open_own(&options, OS_GUARD_AUTO, false);
    options.store_profile = "minio";
    open_own(&options, OS_GUARD_AUTO, false);
    options.store_profile = NULL;
    options.signature = OS_SIGNATURE_V2; /* carries no condition */
    open_own(&options, OS_GUARD_AUTO, false);
}

TEST(no_endpoint_that_is_given_has_a_default_profile)
{
    static const char *const given[] = {"https://s3.us-east-1.amazonaws.com",
                                        "https://s3.dualstack.eu-west-1.amazonaws.com", "https://minio.example",
                                        "http://127.0.0.1:9000"};
    os_options options = s3_options();
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        options.s3_endpoint = given[i];
        open_own(&options, OS_GUARD_AUTO, false);
    }
    options.s3_endpoint = NULL;
    options.no_environment = 0;
    setenv("AWS_CONFIG_FILE", "/dev/null", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
    setenv("AWS_ENDPOINT_URL_S3", "https://s3.us-east-1.amazonaws.com", 1);
    open_own(&options, OS_GUARD_AUTO, false);
    unsetenv("AWS_ENDPOINT_URL_S3");
    open_own(&options, OS_GUARD_BOTH, true);
}

static const char *unprofiled_at(const char *endpoint, const char *region, const char *store_url)
{
    os_options options = s3_options();
    struct opened opened;
    options.s3_endpoint = endpoint;
    options.s3_region = region;
    options.store_url = store_url;
    CHECK_CODE(open_settings(&options, &opened), OS_OK, &opened.error);
    const char *why = opened.settings.unprofiled; /* static */
    close_settings(&opened);
    return why;
}

TEST(other_things_than_general_purpose_buckets_have_no_default_profile)
{
    static const char *const stores[] = {"s3://lambda-hash--ol-s3", "s3://outpost-hash--op-s3", "s3://tables--table-s3",
                                         "s3://point-hash-s3alias", "s3://mfzwi23gnjvgw.mrap"};
    os_options options = s3_options();
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        options.store_url = stores[i];
        open_own(&options, OS_GUARD_AUTO, false);
        assert_non_null(strstr(unprofiled_at(NULL, NULL, stores[i]), "a directory bucket or an access point"));
    }
    options.store_url = "s3://bucket";
    options.s3_region = "us-isob-east-1"; /* nothing was announced for it */
    open_own(&options, OS_GUARD_AUTO, false);
    assert_non_null(strstr(unprofiled_at(NULL, "us-isob-east-1", "s3://bucket"), "China only"));
    assert_non_null(
        strstr(unprofiled_at("https://s3.us-east-1.amazonaws.com", NULL, "s3://bucket"), "store_profile=aws"));
    assert_string_equal(unprofiled_at("https://minio.example", NULL, "s3://bucket"), "");
    assert_string_equal(unprofiled_at(NULL, NULL, "s3://bucket"), "");
    options = s3_options();
    options.store_url = stores[0];
    options.guard = OS_GUARD_NATIVE;
    struct opened opened;
    CHECK_CODE(open_settings(&options, &opened), OS_ERR_CONFIG, &opened.error);
    CHECK_SAYS(&opened.error, "a directory bucket or an access point");
    close_settings(&opened);
}

struct warnings {
    int count;
    char last[2048];
};

static void keep(void *context, os_log_level level, const char *line)
{
    struct warnings *warnings = context;
    if (level != OS_LOG_WARN)
        return;
    warnings->count++;
    snprintf(warnings->last, sizeof(warnings->last), "%s", line);
}

static struct warnings warnings_of(const os_options *options)
{
    struct warnings warnings = {.count = 0};
    os_options own = *options;
    os_client *client = NULL;
    os_error error = {0};
    own.log = keep;
    own.log_context = &warnings;
    CHECK_CODE(os_client_open(&own, &client, &error), OS_OK, &error);
    os_client_close(client);
    return warnings;
}

/* Beside a client that has the default profile and no ledger, two creates were told committed. */
TEST(amazons_host_given_as_an_endpoint_beside_a_ledger_is_one_warning)
{
    os_options options = s3_options();
    assert_int_equal(warnings_of(&options).count, 0);
    options.s3_endpoint = "https://s3.us-east-1.amazonaws.com";
    struct warnings warnings = warnings_of(&options);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "s3.us-east-1.amazonaws.com"));
    assert_non_null(strstr(warnings.last, "store_profile=aws and guard=both"));
    options.condition_headers = OS_ON;
    assert_int_equal(warnings_of(&options).count, 0);
    options.condition_headers = OS_AUTO;
    options.store_profile = "aws";
    options.guard = OS_GUARD_BOTH;
    assert_int_equal(warnings_of(&options).count, 0);
    options = s3_options();
    options.s3_endpoint = "https://minio.example";
    assert_int_equal(warnings_of(&options).count, 0);
}
