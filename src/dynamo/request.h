/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the requests of DynamoDB's low-level API (DynamoDB_20120810, JSON 1.0), unsigned; pure. The body is in
 * *ret_body, which the caller keeps until the request has ended and then frees; the http_request borrows it.
 */
#ifndef OSCOMMIT_DYNAMO_REQUEST_H
#define OSCOMMIT_DYNAMO_REQUEST_H

#include "aws/endpoint.h"
#include "base/http_message.h"
#include "commit/record.h"

struct dynamo_target {
    const struct endpoint *endpoint;
    const char *table; /* name or ARN */
};

/* All: OS_OK, OS_ERR_NO_MEMORY or OS_ERR_ARGUMENT (path empty or over 2,048 bytes, etag empty or over 1,024: DynamoDB's
 * key limits; text that is not UTF-8; a table that dynamo_table_name_ok refuses). ret and ret_body are initialised by
 * the function, and empty on failure. */
os_code dynamo_build_put(const struct dynamo_target *target, const char *path, const char *etag,
                         const struct record *record, const char *upload /* as item_from_record */,
                         const struct record_condition *condition, struct http_request *ret, struct buf *ret_body,
                         os_error *err);
os_code dynamo_build_delete(const struct dynamo_target *target, const char *path, const char *etag,
                            const struct record_condition *condition, struct http_request *ret, struct buf *ret_body,
                            os_error *err);
/* A consistent read. */
os_code dynamo_build_get(const struct dynamo_target *target, const char *path, const char *etag,
                         struct http_request *ret, struct buf *ret_body, os_error *err);
/* Query of one partition (path given) or Scan (path NULL), consistent; `start_key` is a page's last_key, or NULL. */
os_code dynamo_build_list(const struct dynamo_target *target, const char *path, const char *start_key,
                          struct http_request *ret, struct buf *ret_body, os_error *err);
os_code dynamo_build_describe_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                    os_error *err);
os_code dynamo_build_create_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err);
os_code dynamo_build_update_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                os_error *err);
os_code dynamo_build_describe_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err);

/* 3 to 255 of a-z A-Z 0-9 _ - . , or a table's ARN. */
bool dynamo_table_name_ok(const char *table);

#endif
