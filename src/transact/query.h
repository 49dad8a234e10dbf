/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans within a transaction, to which the rows that they find belong. */
#ifndef OSCOMMIT_TRANSACT_QUERY_H
#define OSCOMMIT_TRANSACT_QUERY_H

#include "transact/query_plan.h"
#include "transact/txn.h"

struct os_query {
    struct os_txn *txn;
    struct query_plan plan;
    json_t *tokens; /* that the caller has borrowed: an array of strings */
    struct os_query *next;
};

/* The transaction's from then on. OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code query_new(struct os_txn *txn, const os_model *model, const os_query_options *options, bool is_scan,
                  struct os_query **ret, os_error *err);
void query_free_all(struct os_txn *txn);

/* As os_query_fetch and os_query_run. Both block. */
struct query_wanted {
    size_t count;
    const char *token;
    struct os_row **rows; /* room for them */
    size_t *ret_count;
    const char **ret_token; /* may be NULL */
};
os_code query_fetch(struct os_query *query, const struct query_wanted *wanted, os_error *err);
struct query_showing {
    size_t count;
    os_row_fn each;
    void *context;
    bool has_ended; /* `each` has said so */
};
os_code query_run(struct os_query *query, struct query_showing *showing, os_error *err);

/* Reading on, over as many pages as it takes. */
struct query_reading {
    struct os_query *query;
    json_t *start;        /* own; NULL: the beginning, or is_over */
    bool is_over;         /* there are no more */
    struct os_row **rows; /* room for `wanted`; borrowed, as they are the transaction's */
    size_t wanted;
    size_t count;
    size_t scanned; /* items that were looked at */
};
/* Adds rows until there are as many as are wanted, or no more. */
os_code query_read(struct query_reading *reading, os_error *err);

#endif
