/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a store says of an object's tags and of a bucket's versions; pure functions, as response.h. What is no
 * success by its status is read with s3_parse_error: `NoSuchKey`, `NoSuchTagSet` and the like. Decides nothing.
 *
 * Nothing is set on failure, but a struct s3_error, which always is.
 */
#ifndef OSCOMMIT_S3_VERSION_RESPONSE_H
#define OSCOMMIT_S3_VERSION_RESPONSE_H

#include "s3/request.h"
#include "s3/response.h"

/* A 200 of GetObjectTagging. `each` gets the tags in the order of the document, after the whole of it was read; at most
 * S3_TAGS_MAX, each of which can be sent back, or OS_ERR_PROTOCOL. It returns false to stop (OS_ERR_STOPPED). */
typedef bool (*s3_tag_fn)(void *context, const char *name, const char *value);
os_code s3_parse_tags(const struct http_response *response, s3_tag_fn each, void *context, struct s3_error *ret_error,
                      os_error *err);

/* A 200 of GetBucketVersioning. */
enum s3_versioning {
    S3_VERSIONING_UNKNOWN, /* not asked */
    S3_VERSIONING_NEVER,   /* was never turned on */
    S3_VERSIONING_ENABLED,
    S3_VERSIONING_SUSPENDED /* versions that were made stay; new ones have the id "null" */
};
os_code s3_parse_versioning(const struct http_response *response, enum s3_versioning *ret, struct s3_error *ret_error,
                            os_error *err);

/* ListObjectVersions as it was asked for with `options`: versions and delete markers in the order of the document,
 * which need not be that of their making: versitygw gives all delete markers of a page first. The document is whole
 * before the first is given. OS_ERR_PROTOCOL also for a page that says that more follows and begins where this one did.
 * `each` returns false to stop (OS_ERR_STOPPED). Strings borrowed. */
struct s3_listed_version {
    const char *key;
    char version_id[S3_VERSION_ID_SIZE]; /* as in struct s3_object */
    char etag[128];                      /* "" of a delete marker */
    uint64_t length;                     /* 0 of a delete marker */
    int64_t last_modified_s;             /* 0 if unreadable */
    bool is_latest;                      /* of its key */
    bool is_delete_marker;
};
typedef bool (*s3_version_fn)(void *context, const struct s3_listed_version *version);
struct s3_versions_page {
    bool truncated;
    char *next_key_marker;        /* malloc'ed; NULL if not truncated */
    char *next_version_id_marker; /* the same; "" if the store gave none */
};
os_code s3_parse_versions(const struct http_response *response, const struct s3_list_versions_options *options,
                          s3_version_fn each, void *context, struct s3_versions_page *ret, os_error *err);

#endif
