/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are read, which from then on belong to the transaction. */
#include "base/error.h"
#include "transact/transact.h"

#include <string.h>

/* One call of the caller's. */
struct getting {
    struct os_txn *txn;
    const os_row_key *keys;
    size_t count;
    bool creates; /* what is missing */
    bool is_weak;
    json_t *given[ROWS_AT_ONCE_MAX];       /* what stands as key */
    json_t *made[ROWS_AT_ONCE_MAX];        /* creates: the fields of the row if it is missing */
    struct os_row *rows[ROWS_AT_ONCE_MAX]; /* not in the transaction yet, but for those that were cached */
    uint64_t hashes[ROWS_AT_ONCE_MAX];     /* of their keys */
    bool is_cached[ROWS_AT_ONCE_MAX];
    struct os_row *partial[ROWS_AT_ONCE_MAX]; /* what an index gave of the row without all its fields, or NULL */
    json_t *expired[ROWS_AT_ONCE_MAX];        /* the item of a row that counts as missing, or NULL */
    struct rows_get gets[ROWS_AT_ONCE_MAX];   /* of those that are asked for */
    size_t asked[ROWS_AT_ONCE_MAX];           /* which of the rows each is */
    size_t asked_count;
    size_t listed_count; /* of those that were cached, and that only a query or a scan gave so far */
};

static void getting_free(struct getting *getting)
{
    for (size_t i = 0; i < getting->count; i++) {
        json_decref(getting->given[i]);
        json_decref(getting->made[i]);
        json_decref(getting->expired[i]);
        if (!getting->is_cached[i])
            row_free(getting->rows[i]);
    }
}

/* ------------------------------------------------------------------------------------------------ keys */

static os_code refuse_repeated(const struct os_row *row, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    return error_set(err, OS_ERR_ARGUMENT,
                     "The row %s is in this transaction already: use the row that you have, or set `cache_rows`, and "
                     "read no row that was made or deleted here.",
                     row_text(row, text));
}

static os_code check_twice(struct getting *getting, size_t number, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    const struct os_row *asked = getting->rows[number];
    getting->hashes[number] = rows_key_hash(&asked->model->table.keys, asked->key);
    for (size_t i = 0; i < number; i++) {
        const struct os_row *row = getting->rows[i];
        if (getting->hashes[i] == getting->hashes[number] &&
            strcmp(row->model->table.name, asked->model->table.name) == 0 &&
            rows_same_key(&row->model->table.keys, row->key, asked->key))
            return error_set(err, OS_ERR_ARGUMENT, "The row %s is asked for twice: name it once.", row_text(row, text));
    }
    return OS_OK;
}

/* Whether it could be made is asked of all: a refusal of what is missing alone would tell that it is. Takes `key`. */
static os_code ask_for(struct getting *getting, size_t number, json_t *key, os_error *err)
{
    const os_model *model = getting->keys[number].model;
    struct os_row *row = row_new(model, ORIGIN_MISSING, key);
    getting->rows[number] = row;
    if (row == NULL)
        return error_no_memory(err);
    row->is_weak = getting->is_weak;
    os_code code = check_twice(getting, number, err);
    if (code == OS_OK && getting->creates)
        code = model_row_make(model->model, getting->given[number], &getting->made[number], err);
    getting->asked[getting->asked_count] = number;
    getting->gets[getting->asked_count++] =
        (struct rows_get){.of = {.table = &model->table, .key = row->key}, .is_eventual = getting->is_weak};
    return code;
}

static os_code take_key(struct getting *getting, size_t number, os_error *err)
{
    const os_model *model = getting->keys[number].model;
    json_t *key = NULL;
    if (model == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A row is asked for without its model: it is NULL.");
    os_code code = txn_parse(getting->keys[number].key, "The key of a row", &getting->given[number], err);
    if (code == OS_OK)
        code = getting->creates ? model_key_encode(model->model, getting->given[number], &key, err)
                                : model_key_of(model->model, getting->given[number], &key, err);
    if (code != OS_OK)
        return code;
    struct os_row *there = txn_find(getting->txn, model, key);
    if (there != NULL && (there->index == NULL || there->model != model)) {
        json_decref(key);
        getting->rows[number] = there;
        getting->is_cached[number] = true;
        getting->listed_count += there->is_listed;
        bool is_fine =
            txn_may_read_again(getting->txn, model, there) && !(there->origin == ORIGIN_MISSING && getting->creates);
        return is_fine ? check_twice(getting, number, err) : refuse_repeated(there, err);
    }
    getting->partial[number] = there;
    return ask_for(getting, number, key, err);
}

/* ------------------------------------------------------------------------------------------------ answers */

static void make_missing(struct os_row *row, json_t *fields)
{
    row->origin = ORIGIN_CREATED;
    row->was_read = true;
    row->fields = json_incref(fields);
}

static os_code take_item(struct getting *getting, size_t number, json_t *item, os_error *err)
{
    struct os_row *row = getting->rows[number];
    const struct model *model = row->model->model;
    if (item != NULL) {
        os_code code = row_fields_of(row->model, NULL, item, &row->fields, err);
        if (code != OS_OK)
            return code;
        if (!model_row_has_expired(model, row->fields, row_now_s())) {
            row->origin = ORIGIN_READ;
            row->item = json_incref(item);
            return OS_OK;
        }
        json_decref(row->fields);
        row->fields = NULL;
        getting->expired[number] = json_incref(item);
    }
    if (getting->creates)
        make_missing(row, getting->made[number]);
    return OS_OK;
}

static os_code take_items(struct getting *getting, const struct row_answer *answer, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < getting->asked_count && code == OS_OK; i++)
        code = take_item(getting, getting->asked[i], answer->items.items[i], err);
    return code;
}

static bool is_as_seen(const struct os_row *there, const json_t *item)
{
    const char *name;
    json_t *value;
    bool is_same = item != NULL;
    json_object_foreach(there->accessed, name, value)
    {
        is_same = is_same && row_was_read_with(there, name, item);
    }
    return is_same;
}

/* An index need not have the time when its rows expire, and gives one that is gone. That it is so becomes a condition. */
static os_code note_expiry(const struct getting *getting, size_t number, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    struct os_row *there = getting->partial[number];
    const char *expires = there->model->model->expires->name;
    there->is_untouched = false;
    there->is_gone = true;
    if (json_object_set(there->item, expires, json_object_get(getting->expired[number], expires)) != 0 ||
        json_object_set_new(there->accessed, expires, json_true()) != 0)
        return error_no_memory(err);
    if (!getting->creates)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The row %s has expired, and an index gave it in this transaction: make it in another one.",
                     row_text(there, text));
}

static os_code check_partial(const struct getting *getting, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    os_code code = OS_OK;
    for (size_t i = 0; i < getting->count && code == OS_OK; i++) {
        const json_t *expired = getting->expired[i];
        if (getting->partial[i] == NULL)
            continue;
        if (!is_as_seen(getting->partial[i], expired != NULL ? expired : getting->rows[i]->item))
            code = error_set(err, OS_ERR_CONFLICT, "The row %s is no more what an index gave in this transaction.",
                             row_text(getting->rows[i], text));
        else if (expired != NULL)
            code = note_expiry(getting, i, err);
    }
    return code;
}

static os_code ask(struct getting *getting, os_error *err)
{
    struct os_txn *txn = getting->txn;
    struct row_call call = {.client = txn->client,
                            .request = {.verb = ROW_READ,
                                        .gets = getting->gets,
                                        .get_count = getting->asked_count,
                                        .is_snapshot = !getting->is_weak},
                            .name = "read of rows"};
    txn->read_count++;
    os_code code = row_set_ask_one(&call, txn->call, txn->deadline_monotonic_ms, err);
    if (code == OS_OK)
        code = take_items(getting, &call.answer, err);
    if (code == OS_OK)
        code = check_partial(getting, err);
    row_call_free(&call);
    return code;
}

/* The caller may have borrowed strings: those that are the same stay where they are. No name is new, so nothing fails. */
static void keep_borrowed(const json_t *before, json_t *fields)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)before, name, value)
    {
        if (json_equal(value, json_object_get(fields, name)))
            (void)json_object_set(fields, name, value);
    }
}

/* What the index gave is the row from now on; or, if it is gone, was all that there is of it. */
static void complete(struct os_txn *txn, struct os_row *there, struct os_row *row)
{
    if (there->is_listed)
        txn_take_listed(txn, there);
    if (row->item == NULL)
        return;
    keep_borrowed(there->fields, row->fields);
    json_decref(there->item);
    json_decref(there->fields);
    there->item = json_incref(row->item);
    there->fields = json_incref(row->fields);
    there->is_weak = row->is_weak;
    there->index = NULL;
}

/* ------------------------------------------------------------------------------------------------ the call */

/* It was read at another instant than what is read by keys: where nothing is written, it is looked at again. */
static void take_listed(struct os_txn *txn, struct os_row *row)
{
    txn_take_listed(txn, row);
    row->is_weak = true;
}

/* A row that was not there, and is cached, stays NULL for the caller. */
static void give_rows(struct getting *getting, struct os_row **ret)
{
    for (size_t i = 0; i < getting->count; i++) {
        struct os_row *row = getting->rows[i];
        bool is_missing = row->origin == ORIGIN_MISSING;
        if (getting->partial[i] != NULL) {
            complete(getting->txn, getting->partial[i], row);
            row = getting->partial[i];
        } else if (!getting->is_cached[i]) {
            getting->is_cached[i] = true;
            txn_add(getting->txn, row);
        } else if (row->is_listed) {
            take_listed(getting->txn, row);
        }
        ret[i] = is_missing ? NULL : row;
    }
}

os_code transact_get(struct os_txn *txn, const os_row_key *keys, size_t count, const os_get_options *options,
                     struct os_row **ret, os_error *err)
{
    static const os_get_options defaults = OS_GET_OPTIONS_INIT;
    struct getting getting;
    if (options == NULL)
        options = &defaults;
    if (options->size != sizeof(*options))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The options of a read have a wrong size: set them with "
                         "OS_GET_OPTIONS_INIT.");
    if (keys == NULL || ret == NULL || count < 1 || count > ROWS_AT_ONCE_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "A read takes 1 to %d keys, and room for as many rows.",
                         ROWS_AT_ONCE_MAX);
    for (size_t i = 0; i < count; i++)
        ret[i] = NULL;
    memset(&getting, 0, sizeof(getting));
    getting.txn = txn;
    getting.keys = keys;
    getting.count = count;
    getting.creates = options->create_if_missing != 0;
    getting.is_weak = options->inconsistent != 0;
    os_code code = getting.creates ? txn_may_write(txn, err) : OS_OK;
    for (size_t i = 0; i < count && code == OS_OK; i++)
        code = take_key(&getting, i, err);
    if (code == OS_OK)
        code = txn_check_room(txn, getting.asked_count + getting.listed_count, err);
    if (code == OS_OK && getting.asked_count > 0)
        code = ask(&getting, err);
    if (code == OS_OK)
        give_rows(&getting, ret);
    getting_free(&getting);
    return code;
}
