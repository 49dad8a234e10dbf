/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the requests of S3's REST API, unsigned, from what a caller wants; pure functions over bytes. Facts: Amazon S3
 * API Reference, "HeadObject", "GetObject", "PutObject", "CopyObject", "DeleteObject", "ListObjectsV2", "HeadBucket",
 * "RenameObject", "GetObjectTagging", "ListObjectVersions", "GetBucketVersioning".
 */
#ifndef OSCOMMIT_S3_REQUEST_H
#define OSCOMMIT_S3_REQUEST_H

#include "aws/endpoint.h"
#include "base/http_message.h"
#include "s3/key.h"

#include <stdbool.h>
#include <stdint.h>

/* A guard's own entries of the metadata: no caller gives them, and no copy takes those of its source along. */
#define S3_NONCE_METADATA    "oscommit-nonce"
#define S3_NONCE_HEADER      "x-amz-meta-oscommit-nonce"
#define S3_REPLACED_METADATA "oscommit-replaced"
#define S3_REPLACED_HEADER   "x-amz-meta-oscommit-replaced"
#define S3_FENCING_METADATA  "oscommit-fencing"
#define S3_FENCING_HEADER    "x-amz-meta-oscommit-fencing"
#define S3_HISTORY_METADATA  "oscommit-history"
#define S3_HISTORY_HEADER    "x-amz-meta-oscommit-history"
enum {
    S3_METADATA_MAX = 2048, /* user metadata: names and values, S3 user guide */
    S3_HEADER_MAX = 16384,  /* of a content header and the like; S3 takes 2 KB of all of them, others 8 KiB and more */
    S3_TAGS_MAX = 10,       /* of an object */
    S3_TAG_NAME_SIZE = 128 * 4 + 1, /* characters of up to four bytes, and a NUL */
    S3_TAG_VALUE_SIZE = 256 * 4 + 1
};

/* Where a bucket is and how it is spoken to. Borrowed strings. */
struct s3_target {
    const struct endpoint *endpoint;
    const char *bucket;
    bool virtual_host;
    bool sums_puts;       /* a body in memory gets a CRC32 beside its MD5 */
    bool no_sums_of_gets; /* the store is not asked for the sum of what it has */
};

/* Headers stored with an object; NULL: not given. */
struct s3_content {
    const char *content_type;
    const char *content_encoding;
    const char *content_language;
    const char *content_disposition;
    const char *cache_control;
    const char *expires;
    const struct os_metadata *metadata;
    size_t metadata_count;
    const char *fencing;  /* adds S3_FENCING_HEADER: a number; "0" is none */
    const char *nonce;    /* adds S3_NONCE_HEADER */
    const char *replaced; /* adds S3_REPLACED_HEADER: the nonce of the version that is replaced */
    const char *history;  /* adds S3_HISTORY_HEADER (s3/history.h) */
};

/* `fencing` of a copy: the caller's, or else "0" where the source has one, as some stores keep what REPLACE does not name
 * (gofakes3); else NULL. */
const char *s3_copied_fencing(const struct http_headers *source, const char *own);

/* Whether these (NULL: not that one) fit beside the metadata within S3's limit of 2 KB. `content` may be NULL. */
bool s3_content_has_room(const struct s3_content *content, const char *nonce, const char *replaced,
                         const char *history);

/* What else an object may be given when it is written; NULL, 0: not given. */
struct s3_attributes {
    const os_metadata *tags; /* names unique, 1 to 128 characters; values up to 256 */
    size_t tag_count;
    const char *storage_class; /* "STANDARD_IA" */
    const char *encryption;    /* "AES256", "aws:kms", "aws:kms:dsse" */
    const char *kms_key_id;    /* with the latter two */
};

/* Headers with which some stores know "if absent" beside, or instead of, If-None-Match: *. Not for DELETE. GOOGLE: its
 * service is reported to refuse a request that has x-amz- headers as well, such as a copy, metadata or a session token:
 * nothing is proven of it but by a probe, which sends the nonce along. */
enum s3_vendor_condition {
    S3_VENDOR_NONE,
    S3_VENDOR_CLOUDFLARE, /* cf-copy-destination-if-none-match: *, of COPY alone */
    S3_VENDOR_GOOGLE,     /* x-goog-if-generation-match: 0 */
    S3_VENDOR_ALIBABA,    /* x-oss-forbid-overwrite: true */
    S3_VENDOR_TENCENT,    /* x-cos-forbid-overwrite: true */
    S3_VENDOR_END
};

/* At most one of the latter two; NULL/false: none (R7). A vendor's may stand beside if_none_match_any, or alone. */
struct s3_condition {
    enum s3_vendor_condition vendor;
    bool if_none_match_any;
    const char *if_match; /* ETag with quotes */
};

/* Each returns OS_OK, or OS_ERR_NO_MEMORY, or OS_ERR_ARGUMENT for a key or header that cannot be sent; the request is
 * initialised by the function and freed by the caller either way. */
os_code s3_build_head(const struct s3_target *target, const char *key, struct http_request *ret, os_error *err);
os_code s3_build_head_bucket(const struct s3_target *target, struct http_request *ret, os_error *err);
os_code s3_build_get(const struct s3_target *target, const char *key, uint64_t offset,
                     uint64_t count /* 0: to the end */, struct http_request *ret, os_error *err);
/* `content_md5` and `sha256_hex` may be NULL; with one the store checks the body (x-amz-checksum-sha256 is not used:
 * not every store knows it). */
os_code s3_build_put(const struct s3_target *target, const char *key, const struct http_body *body,
                     const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                     os_error *err);
struct s3_source {
    const char *key;
    const char *etag;       /* pins it (x-amz-copy-source-if-match); NULL: not */
    const char *version_id; /* of a COPY alone; NULL: the current one */
};
/* CopyObject inside the bucket. With `content` the metadata directive is REPLACE with it, without it COPY. The source
 * key is percent-encoded in x-amz-copy-source. */
os_code s3_build_copy(const struct s3_target *target, const char *key, const struct s3_source *source,
                      const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                      os_error *err);
os_code s3_build_delete(const struct s3_target *target, const char *key, const struct s3_condition *condition,
                        struct http_request *ret, os_error *err);
/* Atomic, inside the bucket, and only for a store that is known to have it (directory buckets): others, MinIO and
 * versitygw among them, take it for a PUT of nothing, and say that it is done. `client_token` (up to 64 printable
 * characters: who sends the same again is answered as the first time) may be NULL. */
os_code s3_build_rename(const struct s3_target *target, const char *key, const struct s3_source *source,
                        const char *client_token, const struct s3_condition *condition, struct http_request *ret,
                        os_error *err);
os_code s3_build_get_tags(const struct s3_target *target, const char *key, const char *version_id /* NULL: current */,
                          struct http_request *ret, os_error *err);
os_code s3_build_get_versioning(const struct s3_target *target, struct http_request *ret, os_error *err);

/* Turns a HEAD, GET or DELETE that was just built to one version of the key; NULL and "" leave it as it is. */
os_code s3_request_version(struct http_request *request, const char *version_id, os_error *err);
/* Adds to a PUT or COPY that was just built. Tags of a COPY replace those of the source. NULL adds nothing. */
os_code s3_request_attributes(struct http_request *request, const struct s3_attributes *attributes, os_error *err);

struct s3_list_options {
    const char *prefix;
    const char *delimiter;
    const char *start_after;
    const char *continuation_token;
    uint32_t max_keys; /* 0: the store's default */
};
os_code s3_build_list(const struct s3_target *target, const struct s3_list_options *options, struct http_request *ret,
                      os_error *err);

struct s3_list_versions_options {
    const char *prefix;
    const char *key_marker;        /* where the page before ended: both or none */
    const char *version_id_marker; /* without a key_marker it is not sent */
    uint32_t max_keys;             /* 0: the store's default */
};
os_code s3_build_list_versions(const struct s3_target *target, const struct s3_list_versions_options *options,
                               struct http_request *ret, os_error *err);

#endif
