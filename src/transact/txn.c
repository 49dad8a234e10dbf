/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/txn.h"

#include "base/error.h"
#include "syntax/json.h"

#include <string.h>

void txn_free_rows(struct os_txn *txn)
{
    while (txn->rows != NULL) {
        struct os_row *row = txn->rows;
        txn->rows = row->next;
        row_free(row);
    }
    txn->row_count = 0;
}

os_call txn_time_left(const struct os_txn *txn)
{
    os_call left = *txn->call;
    struct clock_reading now;
    clock_read(&now);
    bool is_over = now.monotonic_ms >= txn->deadline_monotonic_ms;
    left.deadline_ms = is_over ? 0 : txn->deadline_monotonic_ms - now.monotonic_ms;
    return left;
}

struct os_row *txn_find(const struct os_txn *txn, const os_model *model, const json_t *key)
{
    for (struct os_row *row = txn->rows; row != NULL; row = row->next)
        if (strcmp(row->model->table.name, model->table.name) == 0 && rows_same_key(&model->table.keys, row->key, key))
            return row;
    return NULL;
}

os_code txn_check_room(const struct os_txn *txn, size_t count, os_error *err)
{
    if (txn->row_count + count <= ROWS_AT_ONCE_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_TOO_LARGE,
                     "A transaction has at most %d rows, those that it only reads among them. Make several of it.",
                     ROWS_AT_ONCE_MAX);
}

void txn_add(struct os_txn *txn, struct os_row *row)
{
    struct os_row **at = &txn->rows;
    while (*at != NULL)
        at = &(*at)->next;
    *at = row;
    row->only_reads = &txn->only_reads;
    txn->row_count++;
}

os_code txn_may_write(const struct os_txn *txn, os_error *err)
{
    if (!txn->only_reads)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT, "The transaction only reads (read_only): it cannot write a row.");
}

os_code txn_only_read(struct os_txn *txn, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    for (const struct os_row *row = txn->rows; row != NULL; row = row->next)
        if (row_is_written(row))
            return error_set(err, OS_ERR_ARGUMENT,
                             "The transaction is to write the row %s already: say that it only reads before that.",
                             row_text(row, text));
    txn->only_reads = true;
    return OS_OK;
}

os_code txn_check_new(const struct os_txn *txn, const os_model *model, const json_t *key, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    const struct os_row *row = txn_find(txn, model, key);
    if (row == NULL)
        return txn_check_room(txn, 1, err);
    return error_set(err, OS_ERR_ARGUMENT,
                     "The row %s is in this transaction already: change the row that you have, or make it in another "
                     "transaction.",
                     row_text(row, text));
}

os_code txn_parse(const char *text, const char *what, json_t **ret, os_error *err)
{
    *ret = text != NULL ? json_read(text, strlen(text)) : NULL;
    if (*ret != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT, "%s is no strict JSON object, or is over a bound (%d levels, %d values).",
                     what, JSON_DEPTH_MAX, JSON_VALUES_MAX);
}
