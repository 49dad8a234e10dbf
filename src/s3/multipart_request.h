/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the requests of a multipart upload (R14, R15), unsigned; pure functions over bytes, as request.h. Facts: Amazon
 * S3 API Reference, "CreateMultipartUpload", "UploadPart", "UploadPartCopy", "CompleteMultipartUpload",
 * "AbortMultipartUpload", "ListParts", "ListMultipartUploads".
 *
 * Results and ownership are those of request.h. Without its upload id an abort would delete the object, and a part
 * would overwrite it: every builder that takes one refuses what is none.
 */
#ifndef OSCOMMIT_S3_MULTIPART_REQUEST_H
#define OSCOMMIT_S3_MULTIPART_REQUEST_H

#include "s3/checksum.h"
#include "s3/request.h"

enum {
    S3_ETAG_SIZE = 128,                /* with its quotes and a NUL */
    S3_UPLOAD_ID_MAX = 1024,           /* bytes, printable ASCII; the longest seen have some 400 */
    S3_PART_NUMBER_MAX = 10000,        /* 1 to this */
    S3_COMPLETION_BODY_MAX = 16 << 20, /* 10,000 parts with the longest ETags and sums */
};

/* What an upload says at its beginning; all of it ends up on the object. NULL, 0: not given. */
struct s3_creation {
    const struct s3_content *content;
    const os_metadata *tags; /* names unique, 1 to 128 characters; values up to 256 */
    size_t tag_count;
    const char *storage_class;      /* "STANDARD_IA" */
    const char *encryption;         /* "AES256", "aws:kms", "aws:kms:dsse" */
    const char *kms_key_id;         /* with the latter two */
    enum s3_checksum checksum;      /* that each part will have */
    enum s3_checksum_type sum_type; /* with a checksum; OS_ERR_ARGUMENT where the checksum has no such type */
};
os_code s3_build_create_upload(const struct s3_target *target, const char *key, const struct s3_creation *creation,
                               struct http_request *ret, os_error *err);

/* A part that is to be: of an upload, with a number. */
struct s3_part_place {
    const char *upload_id;
    uint32_t number;
};
/* What the store checks the bytes against. */
struct s3_body_sums {
    const char *content_md5; /* Base64; NULL: none */
    enum s3_checksum checksum;
    const char *checksum_text; /* Base64; with a checksum */
};
/* `sums` may be NULL. */
os_code s3_build_upload_part(const struct s3_target *target, const char *key, const struct s3_part_place *place,
                             const struct http_body *body, const struct s3_body_sums *sums, struct http_request *ret,
                             os_error *err);

/* A range of an object in the same bucket. */
struct s3_part_source {
    const char *key;
    const char *version_id; /* NULL: the current one */
    const char *etag;       /* x-amz-copy-source-if-match; NULL: not pinned */
    uint64_t offset;
    uint64_t count; /* 0: the whole object, which may be empty then; `offset` must be 0 */
};
os_code s3_build_upload_part_copy(const struct s3_target *target, const char *key, const struct s3_part_place *place,
                                  const struct s3_part_source *source, struct http_request *ret, os_error *err);

/* The body of a Complete: the parts in rising order of their numbers. OS_ERR_ARGUMENT for none, more than
 * S3_PART_NUMBER_MAX, another order, or a text that XML cannot carry. `ret` is initialised by the function and freed by
 * the caller either way. */
struct s3_part_name {
    uint32_t number;
    const char *etag;     /* as the store gave it, with quotes */
    const char *checksum; /* Base64; NULL: none */
};
os_code s3_write_completion(const struct s3_part_name *parts, size_t count, enum s3_checksum checksum, struct buf *ret,
                            os_error *err);

/* What is said with it about the whole object. */
struct s3_completion {
    struct s3_condition condition;
    uint64_t length; /* x-amz-mp-object-size, which the store compares; 0: not sent */
    enum s3_checksum checksum;
    enum s3_checksum_type sum_type;
    const char *checksum_text; /* of the whole object, Base64; NULL: none */
};
/* `body` is that of s3_write_completion, borrowed until the request has ended. `completion` may be NULL. */
os_code s3_build_complete_upload(const struct s3_target *target, const char *key, const char *upload_id,
                                 const struct buf *body, const struct s3_completion *completion,
                                 struct http_request *ret, os_error *err);

os_code s3_build_abort_upload(const struct s3_target *target, const char *key, const char *upload_id,
                              struct http_request *ret, os_error *err);

/* Parts with a number above `after`. */
os_code s3_build_list_parts(const struct s3_target *target, const char *key, const char *upload_id, uint32_t after,
                            uint32_t max_parts /* 0: the store's default */, struct http_request *ret, os_error *err);

struct s3_list_uploads_options {
    const char *prefix;
    const char *key_marker;       /* where the page before ended: both or none */
    const char *upload_id_marker; /* without a key_marker it is not sent */
    uint32_t max_uploads;         /* 0: the store's default */
};
os_code s3_build_list_uploads(const struct s3_target *target, const struct s3_list_uploads_options *options,
                              struct http_request *ret, os_error *err);

/* 1 to S3_UPLOAD_ID_MAX bytes of printable ASCII without blanks. */
bool s3_is_upload_id(const char *upload_id);

#endif
