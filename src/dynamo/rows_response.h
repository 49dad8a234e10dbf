/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the answers to the requests of rows_request.h, as response.h does it for those about items of a schema. `where`
 * is the table, or the tables, for sentences: "table orders in us-east-1".
 *
 * For every function: what is given is as it was in the request. A transport failure is given as response->status 0 and
 * is AMBIGUOUS. err may be NULL, and is filled for every outcome but OK and the conflicts. What is returned, and
 * *ret_detail, is set in any case, and is empty but with an outcome that says so. All items in it have passed item_check,
 * but for their size.
 *
 * What is said is said of this request. Of one that was sent before, and got no answer, it says nothing.
 */
#ifndef OSCOMMIT_DYNAMO_ROWS_RESPONSE_H
#define OSCOMMIT_DYNAMO_ROWS_RESPONSE_H

#include "dynamo/response.h"
#include "rows/answer.h"

/* *ret_item is for json_decref. TABLE_OK: the item that was asked for, or NULL. TABLE_CONFLICT: the item that is in the
 * way; TABLE_CONFLICT_BLIND: the condition failed, and no item came, also because there is none. */
enum table_outcome rows_read_write(const struct http_response *response, const char *where,
                                   const struct rows_write *write, json_t **ret_item, struct dynamo_error *ret_detail,
                                   os_error *err);
enum table_outcome rows_read_get(const struct http_response *response, const char *where, const struct rows_get *get,
                                 json_t **ret_item, struct dynamo_error *ret_detail, os_error *err);

/* BatchGetItem; TABLE_OK also where some are left. TABLE_UNREADABLE: one cannot be read, or all are too much to be read at
 * once. */
enum table_outcome rows_read_batch(const struct http_response *response, const char *where, const struct rows_key *keys,
                                   size_t count, struct rows_items *ret, struct dynamo_error *ret_detail,
                                   os_error *err);
/* TransactGetItems; none is left. TABLE_THROTTLED: some were being written. */
enum table_outcome rows_read_transact_get(const struct http_response *response, const char *where,
                                          const struct rows_get *gets, size_t count, struct rows_items *ret,
                                          struct dynamo_error *ret_detail, os_error *err);

/*
 * TransactWriteItems. ret_answers has one for each write, for rows_answers_free; they are judged where all is done, and
 * where it was cancelled for reasons that are known. Of whatever is not OK and not AMBIGUOUS nothing was written.
 *   TABLE_CONFLICT        conditions failed, and for each of them its item is here
 *   TABLE_CONFLICT_BLIND  conditions failed; for one of them no item came
 *   TABLE_THROTTLED       it may be sent again, under the same token
 *   TABLE_AMBIGUOUS       no answer, or one that is not understood; or the same token is under way: send it again under it
 *   TABLE_REFUSED         also: another transaction had the token
 */
enum table_outcome rows_read_transact_write(const struct http_response *response, const char *where,
                                            const struct rows_transaction *transaction, struct rows_answer *ret_answers,
                                            struct dynamo_error *ret_detail, os_error *err);

enum table_outcome rows_read_page(const struct http_response *response, const char *where, const struct rows_list *list,
                                  struct rows_page *ret, struct dynamo_error *ret_detail, os_error *err);

#endif
