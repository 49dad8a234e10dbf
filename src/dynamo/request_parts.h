/* SPDX-License-Identifier: Apache-2.0 */
/* What the builders of requests share. Nobody but request*.c includes this. */
#ifndef OSCOMMIT_DYNAMO_REQUEST_PARTS_H
#define OSCOMMIT_DYNAMO_REQUEST_PARTS_H

#include "dynamo/request.h"
#include "oscommit.h"

os_code dynamo_check_table(const char *table, os_error *err);
os_code dynamo_check_partition(const struct dynamo_target *target, const char *partition, os_error *err);
os_code dynamo_check_key(const struct dynamo_target *target, const struct item *item, os_error *err);
/* An empty body of at most `most` bytes. */
void dynamo_open(size_t most, struct http_request *ret, struct buf *ret_body);
void dynamo_add_table(struct buf *out, const char *table); /* "TableName":NAME */
/* The two together, behind the opening brace. */
void dynamo_begin(const struct dynamo_target *target, size_t most, struct http_request *ret, struct buf *ret_body);
/* Frees both, and returns `code`. */
os_code dynamo_drop(struct http_request *request, struct buf *body, os_code code);
/* Adds the closing brace. */
os_code dynamo_finish(const struct endpoint *endpoint, const char *operation, struct http_request *ret,
                      struct buf *ret_body, os_error *err);

#endif
