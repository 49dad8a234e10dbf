/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts of AWS's own services. Source: partitions.json and the endpoint rule sets of botocore 1.44.5. */
#include "aws/own_host.h"

#include "support/test.h"

#include <string.h>

static const struct {
    const char *name;
    const char *service;
    const char *region;
    struct endpoint_variant variant;
    const char *host; /* NULL: there is none */
} rows[] = {
    {"S3", "s3", "eu-west-1", {false, false}, "s3.eu-west-1.amazonaws.com"},
    {"S3, FIPS", "s3", "us-east-1", {true, false}, "s3-fips.us-east-1.amazonaws.com"},
    {"S3, dual stack", "s3", "us-east-1", {false, true}, "s3.dualstack.us-east-1.amazonaws.com"},
    {"S3, both", "s3", "us-east-1", {true, true}, "s3-fips.dualstack.us-east-1.amazonaws.com"},
    {"S3 in China", "s3", "cn-north-1", {false, false}, "s3.cn-north-1.amazonaws.com.cn"},
    {"S3 in China, dual stack", "s3", "cn-north-1", {false, true}, "s3.dualstack.cn-north-1.amazonaws.com.cn"},
    {"S3 in China, FIPS", "s3", "cn-north-1", {true, false}, NULL},
    {"DynamoDB", "dynamodb", "us-east-1", {false, false}, "dynamodb.us-east-1.amazonaws.com"},
    {"DynamoDB, both", "dynamodb", "us-east-1", {true, true}, "dynamodb-fips.us-east-1.api.aws"},
    {"DynamoDB in China", "dynamodb", "cn-north-1", {false, true}, "dynamodb.cn-north-1.api.amazonwebservices.com.cn"},
    {"DynamoDB in China, FIPS", "dynamodb", "cn-north-1", {true, false}, "dynamodb-fips.cn-north-1.amazonaws.com.cn"},
    {"STS", "sts", "us-east-1", {false, false}, "sts.us-east-1.amazonaws.com"},
    {"STS, FIPS", "sts", "us-east-1", {true, false}, "sts-fips.us-east-1.amazonaws.com"},
    {"STS in GovCloud", "sts", "us-gov-west-1", {false, false}, "sts.us-gov-west-1.amazonaws.com"},
    {"STS in GovCloud, FIPS", "sts", "us-gov-west-1", {true, false}, "sts.us-gov-west-1.amazonaws.com"},
    {"STS in GovCloud, both", "sts", "us-gov-west-1", {true, true}, "sts-fips.us-gov-west-1.api.aws"},
    {"DynamoDB in GovCloud, FIPS",
     "dynamodb",
     "us-gov-west-1",
     {true, false},
     "dynamodb-fips.us-gov-west-1.amazonaws.com"},
    {"the portal", "sso", "eu-west-1", {false, false}, "portal.sso.eu-west-1.amazonaws.com"},
    {"OIDC", "sso_oidc", "eu-west-1", {false, false}, "oidc.eu-west-1.amazonaws.com"},
    {"OIDC, FIPS", "sso_oidc", "us-east-1", {true, false}, "oidc-fips.us-east-1.amazonaws.com"},
    {"iso", "sts", "us-iso-east-1", {false, false}, "sts.us-iso-east-1.c2s.ic.gov"},
    {"isob", "sts", "us-isob-east-1", {false, false}, "sts.us-isob-east-1.sc2s.sgov.gov"},
    {"isof", "sts", "us-isof-south-1", {false, false}, "sts.us-isof-south-1.csp.hci.ic.gov"},
    {"isoe", "sts", "eu-isoe-west-1", {false, false}, "sts.eu-isoe-west-1.cloud.adc-e.uk"},
    {"eusc", "s3", "eusc-de-east-1", {false, false}, "s3.eusc-de-east-1.amazonaws.eu"},
    {"eusc, dual stack", "sts", "eusc-de-east-1", {false, true}, "sts.eusc-de-east-1.api.amazonwebservices.eu"},
};

TEST_ROWS(rows, a_service_has_a_host_by_region_and_variant)
{
    char host[64];
    assert_int_equal(own_host(row->service, row->region, row->variant, host, sizeof(host)), row->host != NULL);
    if (row->host == NULL)
        return;
    assert_string_equal(host, row->host);
    size_t len = strlen(host);
    assert_true(own_host(row->service, row->region, row->variant, host, len + 1));
    assert_false(own_host(row->service, row->region, row->variant, host, len));
}
