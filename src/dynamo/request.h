/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the requests of DynamoDB's low-level API (DynamoDB_20120810, JSON 1.0), unsigned; pure. The body is in
 * *ret_body, which the caller keeps until the request has ended and then frees; the http_request borrows it.
 */
#ifndef OSCOMMIT_DYNAMO_REQUEST_H
#define OSCOMMIT_DYNAMO_REQUEST_H

#include "aws/endpoint.h"
#include "base/http_message.h"
#include "item/item.h"

struct dynamo_target {
    const struct endpoint *endpoint;
    const char *table; /* name or ARN */
    const struct item_schema *schema;
};

struct dynamo_write {
    const struct item *item;                /* PutItem: all of it; the others: its key */
    const struct item_condition *condition; /* NULL: none */
    const struct item_change *changes;      /* UpdateItem */
    size_t change_count;
};

/* All: OS_OK, OS_ERR_NO_MEMORY or OS_ERR_ARGUMENT (a key that is empty, longer than the schema says, or not UTF-8; a
 * table that dynamo_table_name_ok refuses). ret and ret_body are initialised by the function, and empty on failure.
 * Where a condition fails, the item that is in the way is asked for. */
os_code dynamo_build_put(const struct dynamo_target *target, const struct dynamo_write *write, struct http_request *ret,
                         struct buf *ret_body, os_error *err);
/* Asks for the item as it is then. */
os_code dynamo_build_update(const struct dynamo_target *target, const struct dynamo_write *write,
                            struct http_request *ret, struct buf *ret_body, os_error *err);
os_code dynamo_build_delete(const struct dynamo_target *target, const struct dynamo_write *write,
                            struct http_request *ret, struct buf *ret_body, os_error *err);
/* Puts an item in the place of one that does not fit the schema, on the condition that it still is what was seen: JSON,
 * as dynamo_read_unreadable gave it, or NULL for one that is too large to be read. */
os_code dynamo_build_replace(const struct dynamo_target *target, const struct item *item, const char *seen,
                             struct http_request *ret, struct buf *ret_body, os_error *err);
/* A consistent read of what the schema knows, but for remarks. */
os_code dynamo_build_get(const struct dynamo_target *target, const struct item *key, struct http_request *ret,
                         struct buf *ret_body, os_error *err);

/* Which attributes of an item are wanted: others than those of the schema may be large. */
enum dynamo_attributes { DYNAMO_ALL_ATTRIBUTES = 0, DYNAMO_KNOWN_ATTRIBUTES, DYNAMO_KEY_ATTRIBUTES };

/* One page of a list of items, consistent. */
struct dynamo_page {
    const char *partition; /* Query of it; NULL: Scan of the table */
    const char *start_key; /* the last_key of the page before; NULL: the first one */
    enum dynamo_attributes attributes;
    unsigned limit; /* of items; 0: ROWS_PAGE_ITEMS */
};
os_code dynamo_build_list(const struct dynamo_target *target, const struct dynamo_page *page, struct http_request *ret,
                          struct buf *ret_body, os_error *err);
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
