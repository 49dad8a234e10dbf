/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts of AWS's own services: by partition, region and variant. Pure. */
#ifndef OSCOMMIT_AWS_OWN_HOST_H
#define OSCOMMIT_AWS_OWN_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Which of the hosts of a service (AWS SDKs and Tools Reference Guide, "Dual-stack and FIPS endpoints"). */
struct endpoint_variant {
    bool fips;
    bool dual_stack;
};

/* "s3.eu-west-1.amazonaws.com". False: too long, or there is none (S3 has no FIPS endpoints in China). */
bool own_host(const char *service, const char *region, struct endpoint_variant variant, char *ret, size_t ret_size);

#endif
