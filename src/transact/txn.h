/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a transaction's function: the rows that it has read and made. */
#ifndef OSCOMMIT_TRANSACT_TXN_H
#define OSCOMMIT_TRANSACT_TXN_H

#include "client/row_set.h"
#include "transact/row.h"

enum { TXN_CHAINS = 1024 };
struct staged;

struct os_txn {
    os_client *client;
    const os_txn_options *options;
    const os_call *call; /* with its default deadline */
    uint64_t deadline_monotonic_ms;
    struct os_row *rows; /* in the order in which they came, each once */
    struct os_row *last;
    struct os_row *chains[TXN_CHAINS]; /* the same by the hashes of their keys */
    size_t row_count;                  /* without those that queries and scans gave */
    uint32_t read_count;               /* requests that have read rows by their keys */
    struct os_query *queries;          /* query_free_all */
    bool only_reads;
    bool caches_rows;
    os_error failed;       /* what was asked of it and came to nothing, so that it cannot commit; OS_OK: nothing */
    struct staged *staged; /* stage.h; NULL: none */
    void (*end_staged)(struct os_txn *txn, os_verdict verdict); /* at the end of the run; NULL with it */
    struct txn_end *ends; /* end.h; in the order in which they were asked for. NULL: none */
};

void txn_free_rows(struct os_txn *txn);
os_call txn_time_left(const struct os_txn *txn);

/* NULL: the transaction has no row of this key, which may be a whole item. */
struct os_row *txn_find(const struct os_txn *txn, const os_model *model, const json_t *key);
/* Room for so many more rows. OS_ERR_TOO_LARGE. */
os_code txn_check_room(const struct os_txn *txn, size_t count, os_error *err);
/* Takes a row of which there is none yet, and for which there is room. */
void txn_add(struct os_txn *txn, struct os_row *row);
/* Counts one that a query or a scan gave to those that were read by their keys, for which there is room. */
void txn_take_listed(struct os_txn *txn, struct os_row *row);
/* Whether one that it has is given again: it was read before, and is cached. Also one that was not there. */
bool txn_may_read_again(const struct os_txn *txn, const os_model *model, const struct os_row *row);
/* Those that take part in the commit; `ret` has room for ROWS_AT_ONCE_MAX. OS_ERR_TOO_LARGE. */
os_code txn_parts(const struct os_txn *txn, struct os_row **ret, size_t *ret_count, os_error *err);
/* A write: refused in a transaction that only reads. */
os_code txn_may_write(const struct os_txn *txn, os_error *err);
os_code txn_only_read(struct os_txn *txn, os_error *err);
/* There is room for a new row of a key, and the transaction has none of it. */
os_code txn_check_new(const struct os_txn *txn, const os_model *model, const json_t *key, os_error *err);

/* What a caller gives: a JSON object. *ret is for json_decref. */
os_code txn_parse(const char *text, const char *what, json_t **ret, os_error *err);

#endif
