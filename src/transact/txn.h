/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a transaction's function: the rows that it has read and made. */
#ifndef OSCOMMIT_TRANSACT_TXN_H
#define OSCOMMIT_TRANSACT_TXN_H

#include "client/row_set.h"
#include "transact/row.h"

struct os_txn {
    os_client *client;
    const os_txn_options *options;
    const os_call *call; /* with its default deadline */
    uint64_t deadline_monotonic_ms;
    struct os_row *rows; /* in the order in which they came, each once */
    size_t row_count;
    uint32_t read_count; /* requests that have read rows */
};

void txn_free_rows(struct os_txn *txn);
os_call txn_time_left(const struct os_txn *txn);

/* NULL: the transaction has no row of this key. */
struct os_row *txn_find(const struct os_txn *txn, const os_model *model, const json_t *key);
/* Takes a row of which there is none yet. OS_ERR_TOO_LARGE: it has too many, and the row is freed. */
os_code txn_add(struct os_txn *txn, struct os_row *row, os_error *err);
/* A write: refused in a transaction that only reads. */
os_code txn_may_write(const struct os_txn *txn, os_error *err);
/* A new row of a key that the transaction does not have. */
os_code txn_check_new(const struct os_txn *txn, const os_model *model, const json_t *key, os_error *err);

/* What a caller gives: a JSON object. *ret is for json_decref. */
os_code txn_parse(const char *text, const char *what, json_t **ret, os_error *err);

#endif
