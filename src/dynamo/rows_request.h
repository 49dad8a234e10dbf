/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the requests about items of any attributes, as request.h does it for those of a schema: unsigned, pure, the
 * body in *ret_body.
 *
 * All: OS_OK; OS_ERR_ARGUMENT for what the service would refuse whatever is in the table (rows/check.h); OS_ERR_TOO_LARGE for an item,
 * an expression or a request over a bound of the service; OS_ERR_NO_MEMORY. ret and ret_body are initialised by the
 * function, and empty on failure.
 */
#ifndef OSCOMMIT_DYNAMO_ROWS_REQUEST_H
#define OSCOMMIT_DYNAMO_ROWS_REQUEST_H

#include "aws/endpoint.h"
#include "base/http_message.h"
#include "rows/definition.h"

/* PutItem, UpdateItem, DeleteItem. Where the condition fails, the item that is in the way is asked for. */
os_code rows_build_write(const struct endpoint *endpoint, const struct rows_write *write, struct http_request *ret,
                         struct buf *ret_body, os_error *err);
os_code rows_build_get(const struct endpoint *endpoint, const struct rows_get *get, struct http_request *ret,
                       struct buf *ret_body, os_error *err);

/* BatchGetItem: whole items. `is_eventual` is as of rows_get. */
os_code rows_build_batch(const struct endpoint *endpoint, const struct rows_key *keys, size_t count, bool is_eventual,
                         struct http_request *ret, struct buf *ret_body, os_error *err);
/* TransactGetItems. */
os_code rows_build_transact_get(const struct endpoint *endpoint, const struct rows_get *gets, size_t count,
                                struct http_request *ret, struct buf *ret_body, os_error *err);
/* TransactWriteItems. The same transaction gives the same bytes: it may be sent again under its token. */
os_code rows_build_transact_write(const struct endpoint *endpoint, const struct rows_transaction *transaction,
                                  struct http_request *ret, struct buf *ret_body, os_error *err);

/* Query or Scan. */
os_code rows_build_list(const struct endpoint *endpoint, const struct rows_list *list, struct http_request *ret,
                        struct buf *ret_body, os_error *err);

/* CreateTable, on demand; the attribute by which items expire is set by UpdateTimeToLive once the table is ACTIVE. */
os_code rows_build_create_table(const struct endpoint *endpoint, const char *table,
                                const struct rows_definition *definition, struct http_request *ret,
                                struct buf *ret_body, os_error *err);
os_code rows_build_update_ttl(const struct endpoint *endpoint, const char *table, const char *attribute,
                              struct http_request *ret, struct buf *ret_body, os_error *err);

/* The same table as a resource of a CloudFormation template, in JSON. Whatever it returns, `ret` is for buf_free. */
os_code rows_build_resource(const char *table, const struct rows_definition *definition, struct buf *ret,
                            os_error *err);

/* "PutItem". */
const char *rows_operation(enum rows_write_kind kind);
const char *rows_list_operation(const struct rows_list *list);

#endif
