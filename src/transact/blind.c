/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are written, or deleted, without being read. */
#include "base/error.h"
#include "transact/transact.h"

static os_code begin(struct os_txn *txn, const os_model *model, os_error *err)
{
    if (model == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A row is written without its model: it is NULL.");
    return txn_may_write(txn, err);
}

/* What was looked for in vain may be made then: the absence stays a condition. NULL: there is nothing of the kind. */
static struct os_row *make_of_missing(const struct os_txn *txn, const os_model *model, enum row_origin origin,
                                      const json_t *key)
{
    struct os_row *row = origin == ORIGIN_CREATED ? txn_find(txn, model, key) : NULL;
    if (row == NULL || row->origin != ORIGIN_MISSING || row->model != model)
        return NULL;
    row->origin = ORIGIN_CREATED;
    row->was_read = true;
    return row;
}

/* A row of these fields, which the transaction does not have; not in it yet, but for one that was missing. */
static os_code make_row(const struct os_txn *txn, const os_model *model, enum row_origin origin, const json_t *fields,
                        struct os_row **ret, os_error *err)
{
    json_t *key = NULL;
    os_code code = model_key_encode(model->model, fields, &key, err);
    *ret = code == OS_OK ? make_of_missing(txn, model, origin, key) : NULL;
    if (*ret != NULL) {
        json_decref(key);
        return OS_OK;
    }
    if (code == OS_OK)
        code = txn_check_new(txn, model, key, err);
    if (code != OS_OK) {
        json_decref(key);
        return code;
    }
    *ret = row_new(model, origin, key);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

static os_code make_whole(struct os_txn *txn, const os_model *model, enum row_origin origin, const char *text,
                          struct os_row **ret, os_error *err)
{
    json_t *given = NULL;
    json_t *fields = NULL;
    os_code code = begin(txn, model, err);
    if (code == OS_OK)
        code = txn_parse(text, "The new row", &given, err);
    if (code == OS_OK)
        code = model_row_make(model->model, given, &fields, err);
    if (code == OS_OK)
        code = make_row(txn, model, origin, fields, ret, err);
    json_decref(given);
    if (code == OS_OK)
        (*ret)->fields = fields;
    else
        json_decref(fields);
    return code;
}

os_code transact_create(struct os_txn *txn, const os_model *model, const char *fields, struct os_row **ret,
                        os_error *err)
{
    struct os_row *row = NULL;
    os_code code = make_whole(txn, model, ORIGIN_CREATED, fields, &row, err);
    if (code != OS_OK)
        return code;
    if (!row->was_read)
        txn_add(txn, row);
    if (ret != NULL)
        *ret = row;
    return OS_OK;
}

/* A value that a row is expected to have; null for none. Parts of the key have been looked at. */
static os_code take_known(const struct model *model, const char *name, json_t *given, json_t *known, os_error *err)
{
    const struct model_field *field = model_field_find(model, name);
    json_t *value = NULL;
    if (field == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The model %.60s has no field \"%.100s\".", model->name, name);
    if (field->role != MODEL_PLAIN || json_is_null(given)) {
        value = json_incref(given);
    } else {
        os_code code = model_value_take(model, field, given, OS_ERR_ARGUMENT, &value, err);
        if (code != OS_OK)
            return code;
    }
    return json_object_set_new(known, name, value) == 0 ? OS_OK : error_no_memory(err);
}

static os_code take_expected(struct os_row *row, const json_t *given, os_error *err)
{
    const char *name;
    json_t *value;
    row->expected = json_object();
    if (row->expected == NULL)
        return error_no_memory(err);
    json_object_foreach((json_t *)given, name, value)
    {
        os_code code = take_known(row->model->model, name, value, row->expected, err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* A part of the key would be a condition on what the row is found by. */
static os_code refuse_parts(const struct model *model, const json_t *given, os_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)given, name, value)
    {
        const struct model_field *field = model_field_find(model, name);
        if (field != NULL && field->role != MODEL_PLAIN)
            return error_set(err, OS_ERR_ARGUMENT,
                             "%.60s.%.60s is a part of the key, which no row is found without: expect other fields.",
                             model->name, name);
    }
    return OS_OK;
}

static os_code read_expected(struct os_row *row, const char *text, os_error *err)
{
    json_t *given = NULL;
    if (text == NULL)
        return OS_OK;
    os_code code = txn_parse(text, "What is expected", &given, err);
    if (code == OS_OK)
        code = refuse_parts(row->model->model, given, err);
    if (code == OS_OK)
        code = take_expected(row, given, err);
    json_decref(given);
    return code;
}

os_code transact_put(struct os_txn *txn, const os_model *model, const char *fields, const char *expected, os_error *err)
{
    struct os_row *row = NULL;
    os_code code = make_whole(txn, model, ORIGIN_PUT, fields, &row, err);
    if (code != OS_OK)
        return code;
    code = read_expected(row, expected, err);
    if (code == OS_OK)
        txn_add(txn, row);
    else
        row_free(row);
    return code;
}

/* ------------------------------------------------------------------------------------------------ updates */

static os_code take_update(struct os_row *row, const char *name, const json_t *value, os_error *err)
{
    const struct model *model = row->model->model;
    const struct model_field *field = model_field_find(model, name);
    json_t *taken = NULL;
    if (field == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The model %.60s has no field \"%.100s\".", model->name, name);
    bool removes = json_is_null(value);
    if (field->is_read_only || field->role != MODEL_PLAIN || (removes && !field->is_optional))
        return error_set(err, OS_ERR_ARGUMENT, "%.60s.%.60s %s.", model->name, name,
                         removes && !field->is_read_only ? "is not optional, so it cannot be removed"
                                                         : "is read-only, so it cannot be changed");
    os_code code = removes ? OS_OK : model_value_take(model, field, value, OS_ERR_ARGUMENT, &taken, err);
    if (code != OS_OK)
        return code;
    bool is_kept = (taken == NULL ? json_object_del(row->fields, name) <= 0
                                  : json_object_set_new(row->fields, name, taken) == 0) &&
                   json_object_set_new(row->changed, name, json_true()) == 0;
    return is_kept ? OS_OK : error_no_memory(err);
}

/* What is not given is not known: an index of it could not be made anew. */
static os_code check_indexes(const struct os_row *row, const json_t *updated, os_error *err)
{
    const struct model *model = row->model->model;
    for (size_t i = 0; i < model->extra_count; i++) {
        const struct model_attribute *extra = &model->extras[i];
        bool changes = false;
        const struct model_field *unknown = NULL;
        for (size_t k = 0; k < extra->count; k++) {
            const char *name = extra->parts[k]->name;
            changes = changes || json_object_get(row->changed, name) != NULL;
            if (json_object_get(row->expected, name) == NULL && json_object_get(updated, name) == NULL)
                unknown = extra->parts[k];
        }
        if (changes && unknown != NULL)
            return error_set(err, OS_ERR_ARGUMENT,
                             "An index is made of %.60s.%.60s and of a field that changes: give its value among the "
                             "original ones, or read the row.",
                             model->name, unknown->name);
    }
    return OS_OK;
}

static os_code take_updates(struct os_row *row, const json_t *updated, os_error *err)
{
    const char *name;
    json_t *value;
    if (json_object_size(updated) == 0)
        return error_set(err, OS_ERR_ARGUMENT, "An update of a row changes no field: give one.");
    json_object_foreach((json_t *)updated, name, value)
    {
        os_code code = take_update(row, name, value, err);
        if (code != OS_OK)
            return code;
        if (json_object_get(row->expected, name) == NULL)
            return error_set(err, OS_ERR_ARGUMENT,
                             "%.60s.%.60s changes, and its old value is not given: give it, null where there is none.",
                             row->model->model->name, name);
    }
    return check_indexes(row, updated, err);
}

/* What the row has as far as that is known: indexes are made of it. */
static os_code begin_fields(struct os_row *row, os_error *err)
{
    const char *name;
    json_t *value;
    row->fields = json_object();
    if (row->fields == NULL)
        return error_no_memory(err);
    json_object_foreach(row->expected, name, value)
    {
        if (!json_is_null(value) && json_object_set(row->fields, name, value) != 0)
            return error_no_memory(err);
    }
    return OS_OK;
}

os_code transact_update(struct os_txn *txn, const os_model *model, const char *original, const char *updated,
                        os_error *err)
{
    json_t *before = NULL;
    json_t *after = NULL;
    struct os_row *row = NULL;
    os_code code = begin(txn, model, err);
    if (code == OS_OK)
        code = txn_parse(original, "The original row", &before, err);
    if (code == OS_OK)
        code = txn_parse(updated, "The updated row", &after, err);
    if (code == OS_OK)
        code = make_row(txn, model, ORIGIN_UPDATED, before, &row, err);
    if (code == OS_OK)
        code = take_expected(row, before, err);
    if (code == OS_OK)
        code = begin_fields(row, err);
    if (code == OS_OK)
        code = take_updates(row, after, err);
    json_decref(before);
    json_decref(after);
    if (code == OS_OK)
        txn_add(txn, row);
    else
        row_free(row);
    return code;
}

/* ------------------------------------------------------------------------------------------------ deletes */

os_code transact_delete(struct os_txn *txn, struct os_row *row, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    os_code code = row != NULL ? txn_may_write(txn, err)
                               : error_set(err, OS_ERR_ARGUMENT, "There is no row to delete: it is NULL.");
    if (code != OS_OK)
        return code;
    if (row->only_reads != &txn->only_reads)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The row %s is of another transaction: get it in this one, or delete it by its key.",
                         row_text(row, text));
    if (row->is_deleted || row->origin != ORIGIN_READ)
        return error_set(err, OS_ERR_ARGUMENT, "The row %s is %s in this transaction: there is nothing to delete.",
                         row_text(row, text), row->is_deleted ? "deleted" : "made");
    code = row_may_change(row, err);
    if (code != OS_OK)
        return code;
    row->is_untouched = false;
    row->is_deleted = true;
    return OS_OK;
}

os_code transact_erase(struct os_txn *txn, const os_model *model, const char *key, os_error *err)
{
    json_t *parts = NULL;
    json_t *attributes = NULL;
    os_code code = begin(txn, model, err);
    if (code == OS_OK)
        code = txn_parse(key, "The key of a row", &parts, err);
    if (code == OS_OK)
        code = model_key_of(model->model, parts, &attributes, err);
    json_decref(parts);
    if (code == OS_OK)
        code = txn_check_new(txn, model, attributes, err);
    if (code != OS_OK) {
        json_decref(attributes);
        return code;
    }
    struct os_row *row = row_new(model, ORIGIN_ERASED, attributes);
    if (row == NULL)
        return error_no_memory(err);
    txn_add(txn, row);
    return OS_OK;
}
