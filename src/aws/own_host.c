/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/own_host.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Source: partitions.json and the endpoint rule sets of botocore 1.44.5. */
static const struct partition {
    const char *prefix; /* of its regions */
    const char *domain;
    const char *dual_stack_domain; /* S3 has its dual-stack hosts in `domain` */
} partitions[] = {
    {"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"us-iso-", "c2s.ic.gov", "api.aws"},
    {"us-isob-", "sc2s.sgov.gov", "api.aws"},
    {"us-isof-", "csp.hci.ic.gov", "api.aws"},
    {"eu-isoe-", "cloud.adc-e.uk", "api.aws"},
    {"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"", "amazonaws.com", "api.aws"},
};

/* What the host begins with. Others begin with the service's name. */
static const struct {
    const char *service;
    const char *label;
} labels[] = {{"sso", "portal.sso"}, {"sso_oidc", "oidc"}};

static const struct partition *partition_of(const char *region)
{
    const struct partition *partition = partitions;
    while (!text_starts(text_from(region), partition->prefix))
        partition++;
    return partition;
}

static const char *label_of(const char *service)
{
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strcmp(labels[i].service, service) == 0)
            return labels[i].label;
    return service;
}

bool own_host(const char *service, const char *region, struct endpoint_variant variant, char *ret, size_t ret_size)
{
    const struct partition *partition = partition_of(region);
    bool s3 = strcmp(service, "s3") == 0;
    if (s3 && variant.fips && partition == &partitions[0])
        return false;
    /* In GovCloud the usual host of STS is the FIPS one. */
    bool is_fips_anyway =
        strcmp(service, "sts") == 0 && text_starts(text_from(region), "us-gov-") && !variant.dual_stack;
    const char *fips = variant.fips && !is_fips_anyway ? "-fips" : "";
    const char *dual = variant.dual_stack && s3 ? ".dualstack" : "";
    const char *domain = variant.dual_stack && !s3 ? partition->dual_stack_domain : partition->domain;
    int len = snprintf(ret, ret_size, "%s%s%s.%s.%s", label_of(service), fips, dual, region, domain);
    return len > 0 && (size_t)len < ret_size;
}
