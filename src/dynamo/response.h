/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads DynamoDB's answers about items: PutItem, UpdateItem, DeleteItem, GetItem, Query, Scan. Pure: bytes in, an
 * outcome out. What each error code means (E1, R4, R8) is one table in answer.c. Answers about the table itself are in
 * table.h.
 *
 * For every function: a transport failure is given as response->status 0 and is AMBIGUOUS. err may be NULL, and is filled
 * for every outcome but OK and the conflicts.
 */
#ifndef OSCOMMIT_DYNAMO_RESPONSE_H
#define OSCOMMIT_DYNAMO_RESPONSE_H

#include "base/http_message.h"
#include "item/item.h"
#include "oscommit.h"

/* What an answer may be long, at most: a page of a Query is up to 1 MB of attributes (API Reference, Query), and JSON
 * may write a byte as six. A longer one is unreadable. */
enum { DYNAMO_ANSWER_MAX = 8 * 1024 * 1024 };

struct dynamo_error {
    char code[64]; /* "ConditionalCheckFailedException", without the namespace before '#' */
    char message[512];
    char request_id[128];
    bool too_large;     /* the answer has more in it than is read */
    bool foreign;       /* it is none of DynamoDB's: another server is asked */
    bool crc_wrong;     /* x-amz-crc32 is there and does not fit: nothing in the answer counts */
    bool skewed;        /* the signature's time was refused: take the time from Date and sign again (E2) */
    bool token_expired; /* renew the credentials and send again; the outcome is REFUSED, nothing was applied */
};

/* What an answer is about; for messages, and to read it. */
struct dynamo_about {
    const char *where; /* the table: "table records in us-east-1" */
    const struct item_schema *schema;
    const struct item *key; /* NULL: not about one item */
    const char *table;      /* its name or ARN, for a command; NULL: none is told */
    const char *reach;      /* " --dynamodb-region eu-west-1": the flags that lead there; NULL: none are needed */
};

/* What an answer about one item says. */
struct dynamo_reading {
    bool found;       /* there is an item in it */
    struct item item; /* its strings live as long as the reading */
    struct dynamo_error detail;
    void *document; /* owns the strings */
};
void dynamo_reading_free(struct dynamo_reading *reading); /* one that is all zero is fine */

/* Which write was answered. */
enum dynamo_write_kind { DYNAMO_PUT = 1, DYNAMO_UPDATE, DYNAMO_DELETE };

/* A write: TABLE_CONFLICT gives the item that is in the way; TABLE_CONFLICT_BLIND is a condition that failed without
 * one, also because there is none. TABLE_OK of DYNAMO_UPDATE gives the item as it is now. *ret is set in any case. */
enum table_outcome dynamo_read_write(const struct http_response *response, const struct dynamo_about *about,
                                     enum dynamo_write_kind kind, struct dynamo_reading *ret, os_error *err);
/* GetItem: with TABLE_OK the item may be there or not. *ret is set in any case. */
enum table_outcome dynamo_read_get(const struct http_response *response, const struct dynamo_about *about,
                                   struct dynamo_reading *ret, os_error *err);

/* GetItem, of an item that may not fit the schema: TABLE_UNREADABLE for such a one, with *ret_seen for
 * dynamo_build_replace (malloc'ed, or NULL where it is too large). *ret is set in any case. */
enum table_outcome dynamo_read_unreadable(const struct http_response *response, const struct dynamo_about *about,
                                          struct dynamo_reading *ret, char **ret_seen, os_error *err);

/* Query and Scan. `each` gets every item, after the whole page was found to be in order; it returns false to stop. Strings
 * are borrowed for the call. */
struct dynamo_row {
    bool readable;     /* false: an item that does not fit the schema; `other` holds it whole */
    struct item item;  /* of one that is not readable: its key, as far as that can be read */
    const char *other; /* JSON of the attributes that `item` has no place for */
    const char *fault; /* why it is not readable, a sentence; "" when it is */
};
typedef bool (*dynamo_row_fn)(void *context, const struct dynamo_row *row);
/* *ret_last_key is where the next page starts: malloc'ed JSON, or NULL after the last page and when `each` said stop.
 * ret_detail may be NULL. */
enum table_outcome dynamo_read_list(const struct http_response *response, const struct dynamo_about *about,
                                    dynamo_row_fn each, void *context, char **ret_last_key,
                                    struct dynamo_error *ret_detail, os_error *err);

#endif
