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
    memset(txn->chains, 0, sizeof(txn->chains));
    txn->last = NULL;
    txn->row_count = 0;
}

os_call txn_time_left(const struct os_txn *txn)
{
    os_call left = *txn->call;
    left.deadline_ms = clock_left_ms(txn->deadline_monotonic_ms);
    return left;
}

static size_t chain_of(const struct rows_keys *keys, const json_t *key)
{
    uint64_t hash = rows_key_hash(keys, key);
    return (size_t)((hash ^ hash >> 32) % TXN_CHAINS);
}

struct os_row *txn_find(const struct os_txn *txn, const os_model *model, const json_t *key)
{
    struct os_row *row = txn->chains[chain_of(&model->table.keys, key)];
    while (row != NULL && (strcmp(row->model->table.name, model->table.name) != 0 ||
                           !rows_same_key(&model->table.keys, row->key, key)))
        row = row->next_alike;
    return row;
}

static os_code refuse_more(os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "A transaction has at most %d rows, those that it only reads among them. Make several of it.",
                     ROWS_AT_ONCE_MAX);
}

os_code txn_check_room(const struct os_txn *txn, size_t count, os_error *err)
{
    return txn->row_count + count <= ROWS_AT_ONCE_MAX ? OS_OK : refuse_more(err);
}

void txn_add(struct os_txn *txn, struct os_row *row)
{
    struct os_row **chain = &txn->chains[chain_of(&row->model->table.keys, row->key)];
    row->next_alike = *chain;
    *chain = row;
    *(txn->last != NULL ? &txn->last->next : &txn->rows) = row;
    txn->last = row;
    row->only_reads = &txn->only_reads;
    txn->row_count += row->is_listed ? 0 : 1;
}

void txn_take_listed(struct os_txn *txn, struct os_row *row)
{
    txn->row_count++;
    row->is_listed = false;
    row->is_untouched = false;
}

bool txn_may_read_again(const struct os_txn *txn, const os_model *model, const struct os_row *row)
{
    bool was_read =
        row->origin == ORIGIN_READ || row->origin == ORIGIN_MISSING || (row->origin == ORIGIN_CREATED && row->was_read);
    return txn->caches_rows && row->model == model && was_read && !row->is_deleted;
}

/* Rows of a list were never read at one instant: they are conditions of what is written, and of nothing else. */
os_code txn_parts(const struct os_txn *txn, struct os_row **ret, size_t *ret_count, os_error *err)
{
    bool writes = false;
    *ret_count = 0;
    for (const struct os_row *row = txn->rows; row != NULL; row = row->next)
        writes = writes || row_is_written(row);
    for (struct os_row *row = txn->rows; row != NULL; row = row->next) {
        if (row->is_listed && (row->is_untouched || !writes))
            continue;
        if (*ret_count == ROWS_AT_ONCE_MAX)
            return refuse_more(err);
        ret[(*ret_count)++] = row;
    }
    return OS_OK;
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
    char fault[JSON_FAULT_SIZE];
    *ret = text != NULL ? json_read(text, strlen(text)) : NULL;
    if (*ret != NULL)
        return OS_OK;
    const char *why = text != NULL ? json_read_fault(text, strlen(text), fault) : "it is NULL";
    if (why == NULL)
        return error_no_memory(err);
    return error_set(err, OS_ERR_ARGUMENT, "%s is no strict JSON object: %s.", what, why);
}
