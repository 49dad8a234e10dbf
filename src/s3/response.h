/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads S3's answers; pure functions over an http_response. Decides nothing about verdicts: it says what the store
 * said.
 */
#ifndef OSCOMMIT_S3_RESPONSE_H
#define OSCOMMIT_S3_RESPONSE_H

#include "base/http_message.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

/* What any answer says of a failure. Empty strings where it says nothing. */
struct s3_error {
    char code[64]; /* "NoSuchKey"; for an answer without a body (HEAD) empty */
    char message[512];
    char condition[64];   /* <Condition> of a 412: which header failed */
    char region[64];      /* right region: x-amz-bucket-region or <Region> or of AuthorizationHeaderMalformed */
    char endpoint[256];   /* <Endpoint> of a 301/307 */
    char request_id[128]; /* x-amz-request-id, or <RequestId> */
    char server_time[32]; /* <ServerTime> of RequestTimeTooSkewed */
    bool unreadable;      /* there was a body, and it was no error document */
};
/* False when the answer is a plain success: 2xx and, for COPY and Complete, without an <Error> inside (s3_parse_copy).
 */
void s3_parse_error(const struct http_response *response, struct s3_error *ret);

struct s3_object {
    char etag[128];       /* verbatim, with quotes; "" if the store gave none */
    char version_id[256]; /* "" on an unversioned bucket; "null" verbatim; a longer one becomes "sha256:<hex>" so that
                             equality still holds */
    bool delete_marker;   /* x-amz-delete-marker: true (on a 404: counts as absent) */
    bool has_length;
    uint64_t length;
    int64_t last_modified_s; /* 0 if unreadable */
    uint64_t fencing;        /* S3_FENCING_HEADER; 0 if none, or unreadable */
    char nonce[65];          /* S3_NONCE_HEADER; "" if none */
    char replaced[65];       /* S3_REPLACED_HEADER; "" if none */
};
/* HEAD, GET and PUT answers: from the headers. OS_ERR_PROTOCOL when an ETag or length does not fit or parse. */
os_code s3_parse_object(const struct http_response *response, struct s3_object *ret, os_error *err);

/* The metadata and content headers of a HEAD, to carry over with a COPY (borrowed from the response). At most ret_max
 * metadata entries; `names` without the x-amz-meta- prefix. Returns false when there are more. The entries of a guard are left
 * out. */
struct s3_content;
bool s3_content_of(const struct http_response *head, os_metadata *ret_list, size_t ret_max, struct s3_content *ret);

/* A 200 of CopyObject: OS_OK with the ETag only when the body is a <CopyObjectResult>; else ret_error is filled from an
 * <Error> body and the code is OS_ERR_SERVICE, or OS_ERR_PROTOCOL for anything unreadable (empty and cut-short bodies
 * too). */
os_code s3_parse_copy(const struct http_response *response, struct s3_object *ret, struct s3_error *ret_error,
                      os_error *err);

/* ListObjectsV2. `each` gets keys and common prefixes in the order of the document; strings borrowed. It returns false
 * to stop (OS_ERR_STOPPED). */
struct s3_list_entry {
    const char *key;
    bool is_prefix;
    char etag[128];
    uint64_t length;
    int64_t last_modified_s;
};
typedef bool (*s3_list_fn)(void *context, const struct s3_list_entry *entry);
struct s3_list_page {
    bool truncated;
    char *next_token; /* malloc'ed; NULL if not truncated */
};
os_code s3_parse_list(const struct http_response *response, s3_list_fn each, void *context, struct s3_list_page *ret,
                      os_error *err);

/* The Date header, epoch seconds; false if absent or unreadable. */
bool http_response_date(const struct http_response *response, int64_t *ret_epoch_s);

#endif
