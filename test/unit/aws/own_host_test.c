/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that botocore 1.44.5 asks, measured by its clients (client.meta.endpoint_url) with use_dualstack_endpoint and
 * use_fips_endpoint. It differs for S3 in us-east-1 only, which it asks at s3.amazonaws.com. */
#include "aws/endpoint.h"

#include "support/test.h"

#include <string.h>

static const struct {
    const char *name; /* the host */
    const char *service;
    const char *region;
    const char *dual_stack;
    const char *fips; /* NULL: there is none */
    const char *both;
} hosts[] = {
    {.name = "s3.us-east-1.amazonaws.com",
     .service = "s3",
     .region = "us-east-1",
     .dual_stack = "s3.dualstack.us-east-1.amazonaws.com",
     .fips = "s3-fips.us-east-1.amazonaws.com",
     .both = "s3-fips.dualstack.us-east-1.amazonaws.com"},
    {.name = "s3.eu-west-1.amazonaws.com",
     .service = "s3",
     .region = "eu-west-1",
     .dual_stack = "s3.dualstack.eu-west-1.amazonaws.com",
     .fips = "s3-fips.eu-west-1.amazonaws.com",
     .both = "s3-fips.dualstack.eu-west-1.amazonaws.com"},
    {.name = "s3.cn-north-1.amazonaws.com.cn",
     .service = "s3",
     .region = "cn-north-1",
     .dual_stack = "s3.dualstack.cn-north-1.amazonaws.com.cn"},
    {.name = "s3.us-gov-west-1.amazonaws.com",
     .service = "s3",
     .region = "us-gov-west-1",
     .dual_stack = "s3.dualstack.us-gov-west-1.amazonaws.com",
     .fips = "s3-fips.us-gov-west-1.amazonaws.com",
     .both = "s3-fips.dualstack.us-gov-west-1.amazonaws.com"},
    {.name = "s3.us-iso-east-1.c2s.ic.gov",
     .service = "s3",
     .region = "us-iso-east-1",
     .dual_stack = "s3.dualstack.us-iso-east-1.c2s.ic.gov",
     .fips = "s3-fips.us-iso-east-1.c2s.ic.gov",
     .both = "s3-fips.dualstack.us-iso-east-1.c2s.ic.gov"},
    {.name = "s3.eusc-de-east-1.amazonaws.eu",
     .service = "s3",
     .region = "eusc-de-east-1",
     .dual_stack = "s3.dualstack.eusc-de-east-1.amazonaws.eu",
     .fips = "s3-fips.eusc-de-east-1.amazonaws.eu",
     .both = "s3-fips.dualstack.eusc-de-east-1.amazonaws.eu"},
    {.name = "dynamodb.us-east-1.amazonaws.com",
     .service = "dynamodb",
     .region = "us-east-1",
     .dual_stack = "dynamodb.us-east-1.api.aws",
     .fips = "dynamodb-fips.us-east-1.amazonaws.com",
     .both = "dynamodb-fips.us-east-1.api.aws"},
    {.name = "dynamodb.eu-west-1.amazonaws.com",
     .service = "dynamodb",
     .region = "eu-west-1",
     .dual_stack = "dynamodb.eu-west-1.api.aws",
     .fips = "dynamodb-fips.eu-west-1.amazonaws.com",
     .both = "dynamodb-fips.eu-west-1.api.aws"},
    {.name = "dynamodb.cn-north-1.amazonaws.com.cn",
     .service = "dynamodb",
     .region = "cn-north-1",
     .dual_stack = "dynamodb.cn-north-1.api.amazonwebservices.com.cn",
     .fips = "dynamodb-fips.cn-north-1.amazonaws.com.cn",
     .both = "dynamodb-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {.name = "dynamodb.us-gov-west-1.amazonaws.com",
     .service = "dynamodb",
     .region = "us-gov-west-1",
     .dual_stack = "dynamodb.us-gov-west-1.api.aws",
     .fips = "dynamodb-fips.us-gov-west-1.amazonaws.com",
     .both = "dynamodb-fips.us-gov-west-1.api.aws"},
    {.name = "dynamodb.us-iso-east-1.c2s.ic.gov",
     .service = "dynamodb",
     .region = "us-iso-east-1",
     .dual_stack = "dynamodb.us-iso-east-1.api.aws",
     .fips = "dynamodb-fips.us-iso-east-1.c2s.ic.gov",
     .both = "dynamodb-fips.us-iso-east-1.api.aws"},
    {.name = "dynamodb.eusc-de-east-1.amazonaws.eu",
     .service = "dynamodb",
     .region = "eusc-de-east-1",
     .dual_stack = "dynamodb.eusc-de-east-1.api.amazonwebservices.eu",
     .fips = "dynamodb-fips.eusc-de-east-1.amazonaws.eu",
     .both = "dynamodb-fips.eusc-de-east-1.api.amazonwebservices.eu"},
    {.name = "sts.us-east-1.amazonaws.com",
     .service = "sts",
     .region = "us-east-1",
     .dual_stack = "sts.us-east-1.api.aws",
     .fips = "sts-fips.us-east-1.amazonaws.com",
     .both = "sts-fips.us-east-1.api.aws"},
    {.name = "sts.eu-west-1.amazonaws.com",
     .service = "sts",
     .region = "eu-west-1",
     .dual_stack = "sts.eu-west-1.api.aws",
     .fips = "sts-fips.eu-west-1.amazonaws.com",
     .both = "sts-fips.eu-west-1.api.aws"},
    {.name = "sts.cn-north-1.amazonaws.com.cn",
     .service = "sts",
     .region = "cn-north-1",
     .dual_stack = "sts.cn-north-1.api.amazonwebservices.com.cn",
     .fips = "sts-fips.cn-north-1.amazonaws.com.cn",
     .both = "sts-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {.name = "sts.us-gov-west-1.amazonaws.com",
     .service = "sts",
     .region = "us-gov-west-1",
     .dual_stack = "sts.us-gov-west-1.api.aws",
     .fips = "sts.us-gov-west-1.amazonaws.com",
     .both = "sts-fips.us-gov-west-1.api.aws"},
    {.name = "sts.us-iso-east-1.c2s.ic.gov",
     .service = "sts",
     .region = "us-iso-east-1",
     .dual_stack = "sts.us-iso-east-1.api.aws",
     .fips = "sts-fips.us-iso-east-1.c2s.ic.gov",
     .both = "sts-fips.us-iso-east-1.api.aws"},
    {.name = "sts.eusc-de-east-1.amazonaws.eu",
     .service = "sts",
     .region = "eusc-de-east-1",
     .dual_stack = "sts.eusc-de-east-1.api.amazonwebservices.eu",
     .fips = "sts-fips.eusc-de-east-1.amazonaws.eu",
     .both = "sts-fips.eusc-de-east-1.api.amazonwebservices.eu"},
    {.name = "portal.sso.us-east-1.amazonaws.com",
     .service = "sso",
     .region = "us-east-1",
     .dual_stack = "portal.sso.us-east-1.api.aws",
     .fips = "portal.sso-fips.us-east-1.amazonaws.com",
     .both = "portal.sso-fips.us-east-1.api.aws"},
    {.name = "portal.sso.eu-west-1.amazonaws.com",
     .service = "sso",
     .region = "eu-west-1",
     .dual_stack = "portal.sso.eu-west-1.api.aws",
     .fips = "portal.sso-fips.eu-west-1.amazonaws.com",
     .both = "portal.sso-fips.eu-west-1.api.aws"},
    {.name = "portal.sso.cn-north-1.amazonaws.com.cn",
     .service = "sso",
     .region = "cn-north-1",
     .dual_stack = "portal.sso.cn-north-1.api.amazonwebservices.com.cn",
     .fips = "portal.sso-fips.cn-north-1.amazonaws.com.cn",
     .both = "portal.sso-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {.name = "portal.sso.us-gov-west-1.amazonaws.com",
     .service = "sso",
     .region = "us-gov-west-1",
     .dual_stack = "portal.sso.us-gov-west-1.api.aws",
     .fips = "portal.sso-fips.us-gov-west-1.amazonaws.com",
     .both = "portal.sso-fips.us-gov-west-1.api.aws"},
    {.name = "portal.sso.us-iso-east-1.c2s.ic.gov",
     .service = "sso",
     .region = "us-iso-east-1",
     .dual_stack = "portal.sso.us-iso-east-1.api.aws",
     .fips = "portal.sso-fips.us-iso-east-1.c2s.ic.gov",
     .both = "portal.sso-fips.us-iso-east-1.api.aws"},
    {.name = "portal.sso.eusc-de-east-1.amazonaws.eu",
     .service = "sso",
     .region = "eusc-de-east-1",
     .dual_stack = "portal.sso.eusc-de-east-1.api.amazonwebservices.eu",
     .fips = "portal.sso-fips.eusc-de-east-1.amazonaws.eu",
     .both = "portal.sso-fips.eusc-de-east-1.api.amazonwebservices.eu"},
    {.name = "oidc.us-east-1.amazonaws.com",
     .service = "sso_oidc",
     .region = "us-east-1",
     .dual_stack = "oidc.us-east-1.api.aws",
     .fips = "oidc-fips.us-east-1.amazonaws.com",
     .both = "oidc-fips.us-east-1.api.aws"},
    {.name = "oidc.eu-west-1.amazonaws.com",
     .service = "sso_oidc",
     .region = "eu-west-1",
     .dual_stack = "oidc.eu-west-1.api.aws",
     .fips = "oidc-fips.eu-west-1.amazonaws.com",
     .both = "oidc-fips.eu-west-1.api.aws"},
    {.name = "oidc.cn-north-1.amazonaws.com.cn",
     .service = "sso_oidc",
     .region = "cn-north-1",
     .dual_stack = "oidc.cn-north-1.api.amazonwebservices.com.cn",
     .fips = "oidc-fips.cn-north-1.amazonaws.com.cn",
     .both = "oidc-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {.name = "oidc.us-gov-west-1.amazonaws.com",
     .service = "sso_oidc",
     .region = "us-gov-west-1",
     .dual_stack = "oidc.us-gov-west-1.api.aws",
     .fips = "oidc-fips.us-gov-west-1.amazonaws.com",
     .both = "oidc-fips.us-gov-west-1.api.aws"},
    {.name = "oidc.us-iso-east-1.c2s.ic.gov",
     .service = "sso_oidc",
     .region = "us-iso-east-1",
     .dual_stack = "oidc.us-iso-east-1.api.aws",
     .fips = "oidc-fips.us-iso-east-1.c2s.ic.gov",
     .both = "oidc-fips.us-iso-east-1.api.aws"},
    {.name = "oidc.eusc-de-east-1.amazonaws.eu",
     .service = "sso_oidc",
     .region = "eusc-de-east-1",
     .dual_stack = "oidc.eusc-de-east-1.api.amazonwebservices.eu",
     .fips = "oidc-fips.eusc-de-east-1.amazonaws.eu",
     .both = "oidc-fips.eusc-de-east-1.api.amazonwebservices.eu"},
};

static void expect_host(const char *service, const char *region, struct endpoint_variant variant, const char *host)
{
    struct endpoint endpoint;
    os_error err;
    os_code code = endpoint_parse_variant(service, NULL, region, variant, &endpoint, &err);
    if (host == NULL) {
        assert_int_equal(code, OS_ERR_CONFIG);
        assert_non_null(strstr(err.message, "has no FIPS endpoint"));
        return;
    }
    assert_int_equal(code, OS_OK);
    assert_string_equal(endpoint.host, host);
    assert_string_equal(endpoint.scheme, "https");
    assert_string_equal(endpoint.region, region);
    assert_true(endpoint.is_aws);
}

TEST_ROWS(hosts, a_host_is_the_one_that_the_aws_tools_ask)
{
    expect_host(row->service, row->region, (struct endpoint_variant){0}, row->name);
    expect_host(row->service, row->region, (struct endpoint_variant){.dual_stack = true}, row->dual_stack);
    expect_host(row->service, row->region, (struct endpoint_variant){.fips = true}, row->fips);
    expect_host(row->service, row->region, (struct endpoint_variant){.fips = true, .dual_stack = true}, row->both);
}

/* A host that is not one of AWS's own has no variants, and an endpoint that is ignored would be worse than none. */
TEST(an_endpoint_and_a_variant_exclude_each_other)
{
    struct endpoint endpoint;
    os_error err;
    const struct endpoint_variant fips = {.fips = true};
    const struct endpoint_variant dual_stack = {.dual_stack = true};
    assert_int_equal(endpoint_parse_variant("s3", "http://127.0.0.1:9000", "r", fips, &endpoint, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "AWS_USE_FIPS_ENDPOINT"));
    assert_int_equal(endpoint_parse_variant("sts", "https://sts.example", "r", dual_stack, &endpoint, &err),
                     OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "AWS_USE_DUALSTACK_ENDPOINT"));
}

TEST(a_host_that_does_not_fit_is_refused)
{
    char host[16];
    assert_false(own_host("dynamodb", "eu-central-1", (struct endpoint_variant){0}, host, sizeof(host)));
}
