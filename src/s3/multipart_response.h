/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the answers to the requests of a multipart upload (multipart_request.h); pure functions, as response.h. What is no
 * success by its status is read with s3_parse_error: `NoSuchUpload` and the like. Decides nothing about verdicts.
 *
 * Nothing is set on failure, but a struct s3_error, which always is.
 */
#ifndef OSCOMMIT_S3_MULTIPART_RESPONSE_H
#define OSCOMMIT_S3_MULTIPART_RESPONSE_H

#include "s3/checksum.h"
#include "s3/multipart_request.h"
#include "s3/response.h"

/* The additional checksum that an answer names; the first, where it names several. */
struct s3_sum {
    enum s3_checksum checksum; /* NONE: it named none */
    char text[S3_CHECKSUM_TEXT_SIZE];
};

/* A 200 of CreateMultipartUpload. OS_OK only with an upload id that can be sent (s3_is_upload_id). */
struct s3_upload_id {
    char text[S3_UPLOAD_ID_MAX + 1];
};
os_code s3_parse_create_upload(const struct http_response *response, struct s3_upload_id *ret,
                               struct s3_error *ret_error, os_error *err);

struct s3_part {
    uint32_t number;         /* of a listed part; else 0 */
    char etag[S3_ETAG_SIZE]; /* verbatim, never empty: a Complete has to name it */
    uint64_t length;         /* of a listed part; else 0 */
    int64_t last_modified_s; /* of a listed or copied part; 0 if unreadable */
    struct s3_sum sum;
};
/* A 200 of UploadPart: from its headers. OS_ERR_PROTOCOL without an ETag. */
os_code s3_parse_part(const struct http_response *response, struct s3_part *ret, os_error *err);
/* A 200 of UploadPartCopy: as s3_parse_copy, from a whole <CopyPartResult>, or <CopyObjectResult>, with an ETag. */
os_code s3_parse_part_copy(const struct http_response *response, struct s3_part *ret, struct s3_error *ret_error,
                           os_error *err);

/* A 200 of CompleteMultipartUpload, which is sent before the store knows how it ends: blanks keep the connection alive,
 * then comes a whole <CompleteMultipartUploadResult> (OS_OK), or an <Error> (OS_ERR_SERVICE, ret_error). Anything else,
 * such as a body that was cut short, leaves open what became of it: OS_ERR_PROTOCOL. */
struct s3_completed {
    char etag[S3_ETAG_SIZE]; /* verbatim; "" if the store gave none */
    char version_id[256];    /* as in struct s3_object */
    struct s3_sum sum;       /* of the whole object */
};
os_code s3_parse_completed(const struct http_response *response, struct s3_completed *ret, struct s3_error *ret_error,
                           os_error *err);

/* ListParts after part `after`. The document is whole before the first part is given. OS_ERR_PROTOCOL also for a page
 * that says that more follows and does not get beyond `after`: it would never end. `each` returns false to stop
 * (OS_ERR_STOPPED); NULL: the parts are not wanted. */
typedef bool (*s3_part_fn)(void *context, const struct s3_part *part);
struct s3_parts_page {
    bool truncated;
    uint32_t next_after; /* 0 if not truncated */
};
os_code s3_parse_parts(const struct http_response *response, uint32_t after, s3_part_fn each, void *context,
                       struct s3_parts_page *ret, os_error *err);

/* ListMultipartUploads as it was asked for with `options`. As s3_parse_parts; strings borrowed. */
struct s3_listed_upload {
    const char *key;
    struct s3_upload_id id;
    int64_t initiated_s; /* 0 if unreadable: of unknown age, and not old */
};
typedef bool (*s3_upload_fn)(void *context, const struct s3_listed_upload *upload);
struct s3_uploads_page {
    bool truncated;
    char *next_key_marker;       /* malloc'ed; NULL if not truncated */
    char *next_upload_id_marker; /* the same; "" if the store gave none */
};
os_code s3_parse_uploads(const struct http_response *response, const struct s3_list_uploads_options *options,
                         s3_upload_fn each, void *context, struct s3_uploads_page *ret, os_error *err);

#endif
