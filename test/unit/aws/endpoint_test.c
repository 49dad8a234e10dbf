/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/endpoint.h"

#include "surroundings.h"

static struct endpoint parsed(const char *url, const char *region)
{
    struct endpoint endpoint;
    os_error err;
    os_code code = endpoint_parse("s3", url, region, &endpoint, &err);
    if (code != OS_OK)
        fail_msg("%s: %s", url ? url : "no URL", err.message);
    return endpoint;
}

/* ---------------------------------------------------------------------------------------------------------- URLs */

/* The host is taken with a port that is not the usual one. */
static const struct {
    const char *name; /* the URL */
    const char *scheme;
    const char *host;
    bool loopback;
} origins[] = {
    {.name = "http://minio.example", .scheme = "http", .host = "minio.example"},
    {.name = "https://minio.example/", .scheme = "https", .host = "minio.example"},
    {.name = "HTTPS://Minio_1:9000", .scheme = "https", .host = "Minio_1:9000"},
    {.name = "http://h:80", .scheme = "http", .host = "h"},
    {.name = "http://h:443", .scheme = "http", .host = "h:443"},
    {.name = "https://h:443/", .scheme = "https", .host = "h"},
    {.name = "https://h:80", .scheme = "https", .host = "h:80"},
    {.name = "http://h:65535", .scheme = "http", .host = "h:65535"},
    {.name = "http://[2001:db8::1]:9000", .scheme = "http", .host = "[2001:db8::1]:9000"},
    {.name = "http://localhost:9000", .scheme = "http", .host = "localhost:9000", .loopback = true},
    {.name = "http://LocalHost", .scheme = "http", .host = "LocalHost", .loopback = true},
    {.name = "http://127.0.0.1:8000", .scheme = "http", .host = "127.0.0.1:8000", .loopback = true},
    {.name = "http://127.255.1.2", .scheme = "http", .host = "127.255.1.2", .loopback = true},
    {.name = "http://[::1]:8000", .scheme = "http", .host = "[::1]:8000", .loopback = true},
    {.name = "http://[0:0:0:0:0:0:0:1]", .scheme = "http", .host = "[0:0:0:0:0:0:0:1]", .loopback = true},
    {.name = "http://127.evil.example", .scheme = "http", .host = "127.evil.example"},
    {.name = "http://128.0.0.1", .scheme = "http", .host = "128.0.0.1"},
    {.name = "http://localhost.example", .scheme = "http", .host = "localhost.example"},
    {.name = "http://[::2]", .scheme = "http", .host = "[::2]"},
};

TEST_ROWS(origins, an_origin)
{
    struct endpoint endpoint = parsed(row->name, "us-east-1");
    assert_string_equal(endpoint.scheme, row->scheme);
    assert_string_equal(endpoint.host, row->host);
    assert_string_equal(endpoint.region, "us-east-1");
    assert_false(endpoint.is_aws);
    assert_int_equal(endpoint.loopback, row->loopback);
}

/* More or less than an origin. */
static const struct {
    const char *name;
} refused_urls[] = {
    {.name = "localhost:9000"},
    {.name = "ftp://h"},
    {.name = "http:/h"},
    {.name = "http://"},
    {.name = "http:///"},
    {.name = "http://h:"},
    {.name = "http://h:0"},
    {.name = "http://h:65536"},
    {.name = "http://h:-1"},
    {.name = "http://h:1x"},
    {.name = "http://h:99999999999999999999"},
    {.name = "http://h/p"},
    {.name = "http://h//"},
    {.name = "http://h?q"},
    {.name = "http://h#f"},
    {.name = "http://u@h"},
    {.name = "http://u:PASSWORD@h:1"},
    {.name = "http://h h"},
    {.name = "http://h\r\nx"},
    {.name = "http://-h"},
    {.name = "http://.h"},
    {.name = "http://[::1"},
    {.name = "http://[::1]x"},
    {.name = "http://[]"},
    {.name = "http://[::g]"},
    {.name = "http://[fe80::1%25eth0]"},
    {.name = "http://::1"},
    {.name = "s3://u:PASSWORD@h"},
    {.name = "http://[1]"},
    {.name = "http://[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001]"},
    {.name = "http://h{h"},
    {.name = "http://h`"},
};

TEST_ROWS(refused_urls, a_url_is_refused)
{
    struct endpoint endpoint = {.host = "untouched"};
    os_error err;
    assert_int_equal(endpoint_parse("dynamodb", row->name, "us-east-1", &endpoint, &err), OS_ERR_CONFIG);
    assert_string_equal(endpoint.host, "untouched");
    assert_non_null(strstr(err.message, "dynamodb endpoint"));
    assert_null(strstr(err.message, "PASSWORD"));
}

/* Without what may be a secret. */
static const struct told_row {
    const char *name;
    const char *told;
} told_urls[] = {
    {"localhost:9000", "endpoint \"localhost:9000\" does not start with http:// or https://"},
    {"http://h/path", "endpoint \"http://h/path\" is not of the form"},
    {"http://h?token=SECRET", "endpoint \"http://h\" is not of the form"},
    {"http://u:SECRET@h", "endpoint \"http://\" is not of the form"},
    {"u:SECRET@h", "endpoint \"\" does not start with"},
    {"SECRET@h://h", "endpoint \"\" does not start with"},
};

TEST_ROWS(told_urls, a_refused_url_is_told_with_its_source)
{
    struct endpoint endpoint;
    os_error err;
    assert_int_equal(endpoint_parse("s3", row->name, "us-east-1", &endpoint, &err), OS_ERR_CONFIG);
    endpoint_name_source("s3", row->name, "AWS_ENDPOINT_URL", &err);
    assert_non_null(strstr(err.message, row->told));
    assert_null(strstr(err.message, "SECRET"));
    assert_non_null(strstr(err.message, ". It comes from AWS_ENDPOINT_URL."));
}

TEST(an_option_is_told_as_the_source_and_no_url_that_is_good)
{
    struct endpoint endpoint;
    os_error err;
    assert_int_equal(endpoint_parse("s3", "x", "us-east-1", &endpoint, &err), OS_ERR_CONFIG);
    endpoint_name_source("s3", "x", NULL, &err);
    assert_non_null(strstr(err.message, "It comes from the option s3_endpoint (--s3-endpoint or --endpoint-url, "));
    assert_int_equal(endpoint_parse("s3", "http://h", "not a region", &endpoint, &err), OS_ERR_CONFIG);
    endpoint_name_source("s3", "http://h", NULL, &err);
    endpoint_name_source("s3", NULL, NULL, &err);
    endpoint_name_source("s3", "", NULL, &err);
    assert_null(strstr(err.message, "It comes from"));
}

TEST(a_host_has_at_most_253_characters)
{
    char url[300] = "http://";
    struct endpoint endpoint;
    os_error err;
    memset(url + 7, 'a', 253);
    strcpy(url + 7 + 253, ":65535");
    assert_int_equal(endpoint_parse("s3", url, "r", &endpoint, &err), OS_OK);
    assert_int_equal(strlen(endpoint.host), 253 + 6);
    strcpy(url + 7 + 253, "a");
    assert_int_equal(endpoint_parse("s3", url, "r", &endpoint, &err), OS_ERR_CONFIG);
}

/* ------------------------------------------------------------------------------------------------------- regions */

static const struct {
    const char *name; /* the host */
    const char *service;
    const char *region;
    const char *url; /* none */
} aws_hosts[] = {
    {.name = "s3.us-east-1.amazonaws.com", .service = "s3", .region = "us-east-1"},
    {.name = "dynamodb.eu-central-1.amazonaws.com", .service = "dynamodb", .region = "eu-central-1", .url = ""},
    {.name = "s3.us-gov-west-1.amazonaws.com", .service = "s3", .region = "us-gov-west-1"},
    {.name = "s3.cn-north-1.amazonaws.com.cn", .service = "s3", .region = "cn-north-1", .url = ""},
    {.name = "s3.eusc-de-east-1.amazonaws.eu", .service = "s3", .region = "eusc-de-east-1"},
    {.name = "dynamodb.us-iso-east-1.c2s.ic.gov", .service = "dynamodb", .region = "us-iso-east-1", .url = ""},
    {.name = "dynamodb.us-isob-east-1.sc2s.sgov.gov", .service = "dynamodb", .region = "us-isob-east-1"},
};

TEST_ROWS(aws_hosts, a_host_of_aws_follows_from_service_and_region)
{
    struct endpoint endpoint;
    os_error err;
    assert_int_equal(endpoint_parse(row->service, row->url, row->region, &endpoint, &err), OS_OK);
    assert_string_equal(endpoint.scheme, "https");
    assert_string_equal(endpoint.host, row->name);
    assert_string_equal(endpoint.region, row->region);
    assert_true(endpoint.is_aws);
    assert_false(endpoint.loopback);
}

TEST(regions_that_could_not_stand_in_a_host_or_a_scope_are_refused)
{
    char longest[65];
    memset(longest, 'r', 64);
    longest[64] = '\0';
    const char *bad[] = {NULL, "", "us east", "us/east", "us.east", "-us", "us\n", "r\xc3\xa9gion", longest};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct endpoint endpoint;
        os_error err;
        assert_int_equal(endpoint_parse("s3", "http://h", bad[i], &endpoint, &err), OS_ERR_CONFIG);
        assert_non_null(strstr(err.message, "s3 region"));
    }
    longest[63] = '\0';
    assert_string_equal(parsed("http://h", longest).region, longest);
}

/* --------------------------------------------------------------------------------------------------- environment */

static void expect_found(const char *service, const char *profile, const char *url, const char *region)
{
    struct endpoint_setting found;
    os_error err;
    assert_int_equal(endpoint_from_environment(service, profile, &found, &err), OS_OK);
    assert_string_equal(found.url != NULL ? found.url : "none", url);
    assert_string_equal(found.region != NULL ? found.region : "none", region);
    endpoint_setting_free(&found);
}

static void write_config(void)
{
    write_profile("config", "[default]\nregion = rd\nendpoint_url = http://pd\n"
                            "[profile p]\nregion = rp\nendpoint_url = http://pp\nservices = l\n"
                            "[services l]\ns3 =\n  endpoint_url = http://ps3\n"
                            "[profile i]\nendpoint_url = http://pi\nignore_configured_endpoint_urls = TRUE\n");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, nothing_set_is_nothing_found)
{
    expect_found("s3", NULL, "none", "none");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, the_nearest_setting_of_an_endpoint_counts)
{
    write_config();
    expect_found("s3", NULL, "http://pd", "rd");
    expect_found("s3", "p", "http://ps3", "rp");
    expect_found("dynamodb", "p", "http://pp", "rp");
    setenv("AWS_ENDPOINT_URL", "http://all", 1);
    expect_found("s3", "p", "http://all", "rp");
    setenv("AWS_ENDPOINT_URL_S3", "http://s3", 1);
    setenv("AWS_ENDPOINT_URL_DYNAMODB", "", 1);
    expect_found("s3", "p", "http://s3", "rp");
    expect_found("dynamodb", "p", "http://all", "rp");
    setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://db", 1);
    expect_found("dynamodb", "p", "http://db", "rp");
}

static void expect_source(const char *service, const char *profile, const char *source)
{
    struct endpoint_setting found;
    os_error err;
    assert_int_equal(endpoint_from_environment(service, profile, &found, &err), OS_OK);
    assert_string_equal(found.url_source, source);
    endpoint_setting_free(&found);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, it_is_known_where_an_endpoint_comes_from)
{
    write_config();
    expect_source("s3", "p", "endpoint_url in the AWS profile");
    setenv("AWS_ENDPOINT_URL", "http://all", 1);
    expect_source("s3", "p", "AWS_ENDPOINT_URL");
    setenv("AWS_ENDPOINT_URL_S3", "http://s3", 1);
    expect_source("s3", "p", "AWS_ENDPOINT_URL_S3");
    expect_source("dynamodb", "p", "AWS_ENDPOINT_URL");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, the_nearest_setting_of_a_region_counts)
{
    write_config();
    setenv("AWS_DEFAULT_REGION", "rdefault", 1);
    expect_found("s3", "p", "http://ps3", "rdefault");
    setenv("AWS_REGION", "renv", 1);
    expect_found("s3", "p", "http://ps3", "renv");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, configured_endpoints_can_be_ignored)
{
    write_config();
    setenv("AWS_ENDPOINT_URL", "http://all", 1);
    expect_found("s3", "i", "none", "none");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false", 1);
    expect_found("s3", "i", "http://all", "none");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "True", 1);
    expect_found("s3", "p", "none", "rp");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_damaged_config_file_is_no_reason_to_talk_to_another_endpoint)
{
    struct endpoint_setting found = {0};
    os_error err;
    write_profile_bytes("config", "[default]\nregion = r\0", 21);
    assert_int_equal(endpoint_from_environment("s3", NULL, &found, &err), OS_ERR_CONFIG);
    assert_null(found.url);
    assert_null(found.region);
}

static void expect_checksums(const char *profile, enum endpoint_checksum of_requests,
                             enum endpoint_checksum of_responses)
{
    struct endpoint_setting found;
    os_error err;
    assert_int_equal(endpoint_from_environment("s3", profile, &found, &err), OS_OK);
    assert_int_equal(found.checksums.of_requests, of_requests);
    assert_int_equal(found.checksums.of_responses, of_responses);
    endpoint_setting_free(&found);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, checksums_are_those_of_the_variables_and_then_of_the_profile)
{
    write_profile("config", "[profile r]\nrequest_checksum_calculation = when_required\n"
                            "[profile s]\nresponse_checksum_validation = When_Supported\n");
    expect_checksums(NULL, ENDPOINT_CHECKSUM_NOT_SAID, ENDPOINT_CHECKSUM_NOT_SAID);
    expect_checksums("r", ENDPOINT_CHECKSUM_REQUIRED, ENDPOINT_CHECKSUM_NOT_SAID);
    expect_checksums("s", ENDPOINT_CHECKSUM_NOT_SAID, ENDPOINT_CHECKSUM_SUPPORTED);
    setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "WHEN_SUPPORTED", 1);
    setenv("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required", 1);
    expect_checksums("r", ENDPOINT_CHECKSUM_SUPPORTED, ENDPOINT_CHECKSUM_REQUIRED);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_long_word_for_checksums_is_cut_in_the_sentence)
{
    struct endpoint_setting found = {0};
    os_error err;
    char longest[201];
    memset(longest, 'w', 200);
    longest[200] = '\0';
    setenv("AWS_RESPONSE_CHECKSUM_VALIDATION", longest, 1);
    assert_int_equal(endpoint_from_environment("s3", NULL, &found, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "www\"; there are when_required and when_supported."));
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, other_words_for_checksums_are_refused_where_they_are_read)
{
    static const char *const names[][2] = {{"AWS_REQUEST_CHECKSUM_CALCULATION", "request_checksum_calculation"},
                                           {"AWS_RESPONSE_CHECKSUM_VALIDATION", "response_checksum_validation"}};
    for (size_t i = 0; i < 2; i++) {
        struct endpoint_setting found = {0};
        os_error err;
        setenv(names[i][0], "always", 1);
        assert_int_equal(endpoint_from_environment("s3", NULL, &found, &err), OS_ERR_CONFIG);
        assert_null(found.url);
        assert_non_null(strstr(err.message, names[i][0]));
        assert_non_null(strstr(err.message, names[i][1]));
        assert_int_equal(endpoint_from_environment("dynamodb", NULL, &found, &err), OS_OK); /* they are of S3 */
        endpoint_setting_free(&found);
        unsetenv(names[i][0]);
    }
}

/* ------------------------------------------------------------------------------------------------------- buckets */

TEST(bucket_names_follow_the_rules_of_s3)
{
    char longest[257];
    memset(longest, 'b', 256);
    longest[256] = '\0';
    static const char *const good[] = {"abc",        "my-bucket", "my.bucket.1", "1bucket",
                                       "Old_Bucket", "1.2.3",     "1.2.3.4.5",   "999.1.1.1"};
    const char *bad[] = {"",
                         "ab",
                         ".abc",
                         "abc.",
                         "-abc",
                         "abc-",
                         "a..b",
                         "a b",
                         "a/b",
                         "a%2fb",
                         "abc\n",
                         "a@b",
                         "a:b",
                         "b\xc3\xbc"
                         "cket",
                         "192.168.5.4",
                         longest};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (!bucket_name_ok(good[i]))
            fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (bucket_name_ok(bad[i]))
            fail_msg("%s is taken", bad[i]);
    assert_false(bucket_name_ok(NULL));
    longest[255] = '\0';
    assert_true(bucket_name_ok(longest));
}

TEST(names_that_new_buckets_cannot_have_are_known)
{
    char longest[65];
    memset(longest, 'b', 64);
    longest[64] = '\0';
    static const char *const usual[] = {"abc", "my-bucket", "my.bucket.1", "1bucket", "a--b"};
    const char *unusual[] = {"Old_bucket", "oldBucket", "old_bucket", "a.-b", "a-.b", "ab", "192.168.5.4", longest};
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (!bucket_name_is_usual(usual[i]))
            fail_msg("%s is called unusual", usual[i]);
    for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++)
        if (bucket_name_is_usual(unusual[i]))
            fail_msg("%s is called usual", unusual[i]);
    longest[63] = '\0';
    assert_true(bucket_name_is_usual(longest));
}

TEST(a_bucket_goes_into_the_host_on_aws_when_it_is_one_label)
{
    const struct endpoint aws = parsed(NULL, "us-east-1");
    const struct endpoint own = parsed("http://minio", "us-east-1");
    char label[65];
    memset(label, 'b', 64);
    label[64] = '\0';
    assert_true(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, "my-bucket-1"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, "my.bucket"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, "MyBucket"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, "my_bucket"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, label));
    label[63] = '\0';
    assert_true(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, label));
    assert_false(endpoint_virtual_host(&own, OS_ADDRESSING_AUTO, "my-bucket"));
    assert_true(endpoint_virtual_host(&own, OS_ADDRESSING_VIRTUAL, "my-bucket"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_PATH, "my-bucket"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, ""));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO, "a{b"));
    assert_false(endpoint_virtual_host(&aws, OS_ADDRESSING_AUTO,
                                       "a234567890123456789012345678901234567890123456789012345678901234"));
}

TEST(a_variant_is_of_awss_own_hosts)
{
    struct endpoint endpoint;
    os_error err;
    const struct endpoint_variant fips = {.fips = true};
    const struct endpoint_variant dual_stack = {.dual_stack = true};
    assert_int_equal(endpoint_parse_variant("s3", "http://h", "r", fips, &endpoint, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "AWS_USE_FIPS_ENDPOINT"));
    assert_int_equal(endpoint_parse_variant("s3", "http://h", "r", dual_stack, &endpoint, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "AWS_USE_DUALSTACK_ENDPOINT"));
    assert_int_equal(endpoint_parse_variant("s3", "", "eu-west-1", dual_stack, &endpoint, &err), OS_OK);
    assert_string_equal(endpoint.host, "s3.dualstack.eu-west-1.amazonaws.com");
    assert_int_equal(endpoint_parse_variant("s3", NULL, "cn-north-1", fips, &endpoint, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "no FIPS endpoint"));
}
