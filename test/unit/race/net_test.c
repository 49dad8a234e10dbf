/* SPDX-License-Identifier: Apache-2.0 */
#include "race/net.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TEST(an_endpoint_on_loopback_is_replaced_by_the_proxy)
{
    struct race_service service;

    assert_true(race_service_parse("http://127.0.0.1:9000", &service));
    assert_true(service.direct);
    assert_false(service.target.tls);
    assert_string_equal(service.target.host, "127.0.0.1");
    assert_string_equal(service.target.port, "9000");
    assert_true(race_service_parse("https://localhost/", &service));
    assert_true(service.direct);
    assert_true(service.target.tls);
    assert_string_equal(service.target.port, "443");
    assert_true(race_service_parse("http://[::1]:8000", &service));
    assert_string_equal(service.target.host, "::1");
    assert_string_equal(service.target.port, "8000");
}

TEST(another_host_keeps_its_name_and_is_spoken_to_through_the_proxy)
{
    struct race_service service;

    assert_true(race_service_parse("https://s3.eu-central-1.amazonaws.com", &service));
    assert_false(service.direct);
    assert_true(service.target.tls);
    assert_string_equal(service.url, "http://s3.eu-central-1.amazonaws.com"); /* the same Host as with https */
    assert_true(race_service_parse("https://store.example:9443/", &service));
    assert_string_equal(service.url, "http://store.example:9443");
    assert_true(race_service_parse("http://[2001:db8::1]:80", &service));
    assert_string_equal(service.url, "http://[2001:db8::1]");
}

TEST(what_is_no_endpoint_is_refused)
{
    static const char *const bad[] = {"",
                                      "s3.example",
                                      "ftp://s3.example",
                                      "http://",
                                      "http:///",
                                      "http://host/path",
                                      "http://user@host",
                                      "http://host?x",
                                      "http://host:",
                                      "http://host:80a",
                                      "http://host:123456789",
                                      "http://[::1",
                                      "http://[::1]x",
                                      "http://:80"};
    struct race_service service;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (race_service_parse(bad[i], &service))
            fail_msg("\"%s\" was taken", bad[i]);
}

static int without_variables(void **state)
{
    (void)state;
    return unsetenv("AWS_ENDPOINT_URL") | unsetenv("AWS_ENDPOINT_URL_S3") | unsetenv("AWS_ENDPOINT_URL_DYNAMODB") |
           unsetenv("AWS_REGION") | unsetenv("AWS_DEFAULT_REGION");
}

TEST_BETWEEN(without_variables, NULL, without_an_endpoint_it_is_amazons_in_the_region)
{
    struct options options = {.value = {[OPTION_LEDGER] = "dynamodb://table", [OPTION_REGION] = "eu-west-1"}};
    static struct race_net net;
    struct usage usage = {0};

    assert_true(race_net_find(&options, &net, &usage));
    assert_string_equal(net.store.url, "http://s3.eu-west-1.amazonaws.com");
    assert_string_equal(net.ledger.url, "http://dynamodb.eu-west-1.amazonaws.com");
    assert_true(net.ledger.target.tls);
}

TEST_BETWEEN(without_variables, NULL, without_endpoint_and_region_the_faults_are_refused)
{
    struct options options = {.value = {[OPTION_LEDGER] = "dynamodb://table"}};
    static struct race_net net;
    struct usage usage = {0};

    assert_false(race_net_find(&options, &net, &usage));
    assert_non_null(strstr(usage.message, "--s3-endpoint"));
}

TEST_BETWEEN(without_variables, NULL, a_ledger_in_a_file_has_no_network)
{
    struct options options = {
        .value = {[OPTION_LEDGER] = "sqlite:///tmp/ledger", [OPTION_ENDPOINT_URL] = "http://127.0.0.1:9000"}};
    static struct race_net net;
    struct usage usage = {0};

    assert_true(race_net_find(&options, &net, &usage));
    assert_true(net.store.wanted);
    assert_false(net.ledger.wanted);
}
