/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of answers about a table share, whatever its items are. As the functions of table.h, but about an
 * answer_of; ret_detail is not NULL. Nobody but table.c and rows_table.c includes this. */
#ifndef OSCOMMIT_DYNAMO_TABLE_PARTS_H
#define OSCOMMIT_DYNAMO_TABLE_PARTS_H

#include "dynamo/answer.h"
#include "dynamo/table.h"

/* DescribeTable: *ret_table is for json_decref; NULL with TABLE_OK: there is none. */
enum table_outcome dynamo_open_table(const struct http_response *response, const struct answer_of *of,
                                     json_t **ret_table, char ret_status[DYNAMO_STATUS_SIZE],
                                     struct dynamo_error *ret_detail, os_error *err);
/* The type ("S") that AttributeDefinitions gives a key attribute; "?" when it gives none. */
const char *dynamo_type_of(const json_t *table, const char *name);
bool dynamo_is_replicated_eventually(const json_t *table);
/* An answer that lacks this: AMBIGUOUS. */
enum table_outcome dynamo_incomplete(const struct http_response *response, const struct answer_of *of,
                                     const char *member, const struct dynamo_error *detail, os_error *err);

enum table_outcome dynamo_read_ttl_of(const struct http_response *response, const struct answer_of *of,
                                      char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                      os_error *err);
bool dynamo_ttl_is_on(const char *status);
enum table_outcome dynamo_read_done_of(const struct http_response *response, const struct answer_of *of,
                                       struct dynamo_error *ret_detail, os_error *err);

#endif
