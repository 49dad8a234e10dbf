/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that all builders of S3's requests share: the request line, the query, headers that are stored with an
 * object (request.h). Knows no operation.
 */
#ifndef OSCOMMIT_S3_REQUEST_BUILDER_H
#define OSCOMMIT_S3_REQUEST_BUILDER_H

#include "s3/request.h"

/* A request in the making: the first step that fails says why, and every later one does nothing. */
struct s3_builder {
    const struct s3_target *target;
    struct http_request *request;
    os_error *err;
    os_code code;
};

/* For the bucket itself. Initialises `ret` and the builder. */
void builder_begin(struct s3_builder *b, const struct s3_target *target, const char *method, struct http_request *ret,
                   os_error *err);
/* For an object in it: refuses what is no key (s3_check_key). */
void builder_begin_object(struct s3_builder *b, const struct s3_target *target, const char *method, const char *key,
                          struct http_request *ret, os_error *err);

/* In the order of the encoded names, as SigV4 wants it. Leaves out what is NULL or empty. */
void builder_add_query(struct s3_builder *b, const char *name, const char *value);
void builder_add_query_number(struct s3_builder *b, const char *name, uint32_t value); /* 0: left out */
/* "name=": a subresource, such as ?uploads. */
void builder_add_query_flag(struct s3_builder *b, const char *name);

/* versionId; refuses what only stands for an id (s3_is_version_id). Leaves out NULL and "". */
void builder_add_version(struct s3_builder *b, const char *version_id);

void builder_add_header(struct s3_builder *b, const char *name, const char *value); /* leaves out NULL and "" */
void builder_add_content(struct s3_builder *b, const struct s3_content *content);
void builder_add_attributes(struct s3_builder *b, const struct s3_attributes *attributes);

/* What kind of write a condition goes with: not every vendor's header is known to all of them. */
enum builder_write { BUILDER_PUT = 1, BUILDER_COPY = 2, BUILDER_COMPLETE = 4, BUILDER_DELETE = 8, BUILDER_RENAME = 16 };
void builder_add_condition(struct s3_builder *b, const struct s3_condition *condition,
                           enum builder_write write); /* R7; NULL: none */
/* x-amz-copy-source with the key checked and escaped; version_id may be NULL. */
void builder_add_copy_source(struct s3_builder *b, const char *source_key, const char *version_id);
/* "bytes=FIRST-LAST", or to the end when count is 0; nothing when both are 0. */
void builder_add_range(struct s3_builder *b, const char *name, uint64_t offset, uint64_t count);

#endif
