/* SPDX-License-Identifier: Apache-2.0 */
/* What the builders of requests about items of any attributes share. Nobody but rows_request*.c includes this. */
#ifndef OSCOMMIT_DYNAMO_ROWS_REQUEST_PARTS_H
#define OSCOMMIT_DYNAMO_ROWS_REQUEST_PARTS_H

#include "dynamo/request_parts.h"
#include "dynamo/rows_expression.h"
#include "dynamo/rows_request.h"

enum {
    /* An item of 400 KB and 2 MB of values in expressions, of which JSON may make ten times as much. A transaction is
     * looked at behind each write: one more may be over its bound. */
    ROWS_BODY_MAX = 32 * 1024 * 1024,
    ROWS_TRANSACTION_BODY_MAX = 16 * 1024 * 1024
};

/* The members of a write or a get that has been checked, without the braces: the same alone and in a transaction. */
os_code rows_add_write(struct buf *out, const struct rows_write *write, os_error *err);
os_code rows_add_get(struct buf *out, const struct rows_get *get, os_error *err);

/* Frees all where `code` is no OS_OK, and finishes the request where it is. */
os_code rows_finish(const struct endpoint *endpoint, const char *operation, os_code code, struct http_request *ret,
                    struct buf *ret_body, os_error *err);

#endif
