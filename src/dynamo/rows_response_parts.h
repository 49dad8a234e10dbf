/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of answers about items of any attributes share. Nobody but rows_*.c includes this. */
#ifndef OSCOMMIT_DYNAMO_ROWS_RESPONSE_PARTS_H
#define OSCOMMIT_DYNAMO_ROWS_RESPONSE_PARTS_H

#include "dynamo/answer.h"
#include "dynamo/rows_response.h"

#define ROWS_CANCELED "TransactionCanceledException"

/* An answer that is being read. What is taken out of `root` has a reference of its own. */
struct rows_reply {
    const struct http_response *response;
    struct answer_of of;
    json_t *root;                /* given up with json_decref */
    struct dynamo_error *detail; /* the caller's, like `err` */
    os_error *err;
};

/* About one item. */
struct answer_of rows_answer_of_item(const char *operation, const char *where, bool writes,
                                     const struct rows_table *table, const json_t *item);
/* About several, or none. */
struct answer_of rows_answer_of(const char *operation, const char *where);
struct answer_of rows_answer_of_transaction(const char *operation, const char *where, bool writes);

/* What stands in an answer where an item is expected. */
enum rows_found {
    ROWS_FOUND_NONE = 1,
    ROWS_FOUND_ITEM,
    ROWS_FOUND_FAULT,     /* no item that DynamoDB keeps */
    ROWS_FOUND_OTHER_KEY, /* the answer is to another request */
    ROWS_FOUND_NO_MEMORY
};

/* Whether it is an item at all; *ret_fault says why not. */
enum rows_found rows_judge_item(const json_t *item, os_error *ret_fault);
/* And of this key; with `is_part` it may lack attributes. */
enum rows_found rows_judge_item_of(const json_t *item, const struct rows_keys *keys, const json_t *key, bool is_part,
                                   os_error *ret_fault);

/* What a read comes to that found this: OK for NONE and ITEM. */
enum table_outcome rows_settle_read(const struct rows_reply *reply, enum rows_found found, const os_error *fault);
/* As answer_finding. */
enum table_outcome rows_finding(const struct rows_reply *reply, enum table_outcome outcome, os_code code,
                                const char *finding);

enum table_outcome rows_check_members(const struct rows_reply *reply, const char *own); /* as answer_check_members */

/* As answer_open, for a read that may be cancelled (CONFLICT) or may not: an answer with more in it than is read is
 * UNREADABLE, with `advice`. */
enum table_outcome rows_open_transact_read(struct rows_reply *reply, const char *advice);
enum table_outcome rows_open_read(struct rows_reply *reply, const char *advice);

/* Why a transaction was cancelled, item by item. */
enum rows_reason_kind {
    ROWS_REASON_NONE = 0,  /* not because of this one */
    ROWS_REASON_CONDITION, /* its condition failed */
    ROWS_REASON_AGAIN,     /* it may be sent again */
    ROWS_REASON_REFUSED    /* sending it again will not help */
};

struct rows_reason {
    enum rows_reason_kind kind;
    const char *code;    /* "ConditionalCheckFailed" */
    const char *message; /* "": none */
    json_t *item;        /* of CONDITION: what is in the way; NULL: none came, also because there is none */
};

/* Reads the reasons of a cancellation; they are borrowed from it. False: they are not those of a request with so many
 * items. */
bool rows_read_reasons(const struct rows_reply *reply, size_t count, struct rows_reason ret[ROWS_AT_ONCE_MAX]);
/* Of the kind that counts most, the first. */
size_t rows_weigh_reasons(const struct rows_reason *reasons, size_t count);

/* A cancellation for another reason than a condition; `of_item` is the item that it is for. */
enum table_outcome rows_settle_reason(const struct rows_reply *reply, const struct rows_key *of_item,
                                      const struct rows_reason *reason);
/* One that is not understood. */
enum table_outcome rows_settle_misfit(const struct rows_reply *reply);

#endif
