/* SPDX-License-Identifier: Apache-2.0 */
/* Which host a service is at: AWS's own by region, or a given URL; and how a bucket is addressed there. Pure but for
 * endpoint_from_environment. */
#ifndef OSCOMMIT_AWS_ENDPOINT_H
#define OSCOMMIT_AWS_ENDPOINT_H

#include "aws/own_host.h"
#include "aws/profile.h"
#include "oscommit.h"

#include <stdbool.h>

/* AWS SDKs and Tools Reference Guide, "Data Integrity Protections for Amazon S3". */
enum endpoint_checksum { ENDPOINT_CHECKSUM_NOT_SAID, ENDPOINT_CHECKSUM_REQUIRED, ENDPOINT_CHECKSUM_SUPPORTED };
struct endpoint_checksums {
    enum endpoint_checksum of_requests;  /* AWS_REQUEST_CHECKSUM_CALCULATION, then the profile */
    enum endpoint_checksum of_responses; /* AWS_RESPONSE_CHECKSUM_VALIDATION, then the profile */
};

struct endpoint {
    char scheme[8]; /* "http" or "https" */
    char host[280]; /* as in the Host header: name, or [v6], and :port unless it is the scheme's own */
    char region[64];
    bool is_aws;                         /* the service's own host, not a given one */
    bool loopback;                       /* localhost, 127.0.0.0/8 or ::1: no proxy */
    struct endpoint_variant variant;     /* of the service's own host */
    struct endpoint_checksums checksums; /* of S3; not said by a URL */
};

/* `service` is "s3", "dynamodb", "sts", "sso" or "sso_oidc"; `url` NULL or "" means AWS's own, in the domain of the region's partition. A URL
 * with user, path (other than "/"), query or fragment, an unknown scheme, a bad port or a bad region is OS_ERR_CONFIG.
 */
os_code endpoint_parse(const char *service, const char *url, const char *region, struct endpoint *ret, os_error *err);
/* The same with a host of that variant. One is OS_ERR_CONFIG beside a URL. */
os_code endpoint_parse_variant(const char *service, const char *url, const char *region,
                               struct endpoint_variant variant, struct endpoint *ret, os_error *err);

/* Behind the message of a failure to parse: where `url` comes from, if it is at fault. `source` NULL: an option. */
void endpoint_name_source(const char *service, const char *url, const char *source, os_error *err);

/* What environment and profile files say of a service's endpoint. Strings are owned; NULL where nothing is said. */
enum { ENDPOINT_SOURCE_SIZE = 64 };
struct endpoint_setting {
    char url_source[ENDPOINT_SOURCE_SIZE]; /* which of them, for a sentence */
    char *url;                             /* AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, then the profile; unless
                     AWS_IGNORE_CONFIGURED_ENDPOINT_URLS */
    char *region;                          /* AWS_REGION, AWS_DEFAULT_REGION, then the profile */
    struct endpoint_variant variant;       /* AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT, then the profile */
    char *ca_file;                         /* AWS_CA_BUNDLE, then the profile's ca_bundle */
    struct endpoint_checksums checksums;   /* of S3 */
};
/* OS_ERR_CONFIG for a damaged profile file, and for checksums that are neither "when_required" nor "when_supported". */
os_code endpoint_from_environment(const char *service, const char *profile, struct endpoint_setting *ret,
                                  os_error *err);
/* The same of files that are there already. */
os_code endpoint_from_files(const char *service, const char *profile, const struct profile_files *files,
                            struct endpoint_setting *ret, os_error *err);
void endpoint_setting_free(struct endpoint_setting *setting);

/* A bucket name by S3's rules (Amazon S3 User Guide, "General purpose bucket naming rules"): letters, digits, '-', '.',
 * no IPv4 address, no "..", no '-' or '.' at an end. Also the older and foreign ones with capitals and '_', which may
 * have up to 255 characters. */
enum { BUCKET_NAME_MAX = 255 };
bool bucket_name_ok(const char *bucket);
/* Only the names that S3 takes for new buckets, and most other stores for all: no capitals, no '_', no '-' beside a '.'. */
#define BUCKET_NAME_FORM "3 to 63 lower-case letters, digits, hyphens and dots, with no hyphen or dot beside a dot"
bool bucket_name_is_usual(const char *bucket);
/* Whether `addressing` (AUTO resolved) puts the bucket into the host name. */
bool endpoint_virtual_host(const struct endpoint *endpoint, os_addressing addressing, const char *bucket);

/* A sentence that says which setting to look at when the service cannot be reached. */
enum { ENDPOINT_HINT_SIZE = 600 };
void endpoint_hint(const char *service, const struct endpoint *endpoint, char ret[ENDPOINT_HINT_SIZE]);

#endif
