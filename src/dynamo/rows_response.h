/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the answers to the requests of rows_request.h, as response.h does it for those about items of a schema. `where`
 * is the table, or the tables, for sentences: "table orders in us-east-1".
 *
 * For every function: what is given is as it was in the request. A transport failure is given as response->status 0 and
 * is AMBIGUOUS. err may be NULL, and is filled for every outcome but OK and the conflicts. *ret is set in any case, and
 * is freed; what it points to lives as long as it. All items in it have passed item_check, but for their size.
 *
 * What is said is said of this request. Of one that was sent before, and got no answer, it says nothing.
 */
#ifndef OSCOMMIT_DYNAMO_ROWS_RESPONSE_H
#define OSCOMMIT_DYNAMO_ROWS_RESPONSE_H

#include "dynamo/response.h"
#include "rows/rows.h"

struct rows_reading {
    const json_t *item; /* NULL: there is none */
    struct dynamo_error detail;
    json_t *document;
};
void rows_reading_free(struct rows_reading *reading); /* one that is all zero is fine */

/* TABLE_OK: the item that was asked for. TABLE_CONFLICT: the item that is in the way; TABLE_CONFLICT_BLIND: the condition
 * failed, and no item came, also because there is none. */
enum table_outcome rows_read_write(const struct http_response *response, const char *where,
                                   const struct rows_write *write, struct rows_reading *ret, os_error *err);
enum table_outcome rows_read_get(const struct http_response *response, const char *where, const struct rows_get *get,
                                 struct rows_reading *ret, os_error *err);

struct rows_batch {
    const json_t *items[ROWS_AT_ONCE_MAX]; /* in the order of the keys; NULL: it is not there, or was left */
    bool left[ROWS_AT_ONCE_MAX];           /* not looked for: ask again after a pause */
    size_t left_count;                     /* may be all of them */
    struct dynamo_error detail;
    json_t *document;
};
void rows_batch_free(struct rows_batch *batch);

/* BatchGetItem; TABLE_OK also where some are left. TABLE_UNREADABLE: one cannot be read, or all are too much to be read at
 * once. */
enum table_outcome rows_read_batch(const struct http_response *response, const char *where, const struct rows_key *keys,
                                   size_t count, struct rows_batch *ret, os_error *err);
/* TransactGetItems; none is left. TABLE_THROTTLED: some were being written. */
enum table_outcome rows_read_transact_get(const struct http_response *response, const char *where,
                                          const struct rows_get *gets, size_t count, struct rows_batch *ret,
                                          os_error *err);

/* Why a transaction was cancelled, item by item. */
enum rows_reason_kind {
    ROWS_REASON_NONE = 0,  /* not because of this one */
    ROWS_REASON_CONDITION, /* its condition failed */
    ROWS_REASON_CONFLICT,  /* another transaction or write had it under way */
    ROWS_REASON_THROTTLED,
    ROWS_REASON_REFUSED /* sending it again will not help */
};

struct rows_reason {
    enum rows_reason_kind kind;
    const char *code;    /* "ConditionalCheckFailed" */
    const char *message; /* "": none */
    const json_t *item;  /* of CONDITION: what is in the way; NULL: none came, also because there is none */
};

struct rows_cancellation {
    struct rows_reason reasons[ROWS_AT_ONCE_MAX]; /* in the order of the writes */
    size_t count;                                 /* 0: it was not cancelled, or its reasons are not known */
    struct dynamo_error detail;
    json_t *document;
};
void rows_cancellation_free(struct rows_cancellation *cancellation);

/*
 * TransactWriteItems. Of whatever is not OK and not AMBIGUOUS nothing was written.
 *   TABLE_CONFLICT        conditions failed, and for each of them its item is here
 *   TABLE_CONFLICT_BLIND  conditions failed; for one of them no item came
 *   TABLE_THROTTLED       it may be sent again, under the same token
 *   TABLE_AMBIGUOUS       no answer, or one that is not understood; or the same token is under way: send it again under it
 *   TABLE_REFUSED         also: another transaction had the token
 */
enum table_outcome rows_read_transact_write(const struct http_response *response, const char *where,
                                            const struct rows_transaction *transaction, struct rows_cancellation *ret,
                                            os_error *err);

struct rows_page {
    const json_t *items;    /* an array; may be empty on a page that is not the last */
    const json_t *last_key; /* where the next page starts: rows_list.start_key; NULL: this is the last one */
    struct dynamo_error detail;
    json_t *document;
};
void rows_page_free(struct rows_page *page);

enum table_outcome rows_read_page(const struct http_response *response, const char *where, const struct rows_list *list,
                                  struct rows_page *ret, os_error *err);

#endif
