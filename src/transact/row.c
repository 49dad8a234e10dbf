/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/row.h"

#include "attribute/real.h"
#include "attribute/scalar.h"
#include "attribute/value.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct os_row *row_new(const os_model *model, enum row_origin origin, json_t *key)
{
    struct os_row *row = calloc(1, sizeof(*row));
    if (row == NULL) {
        json_decref(key);
        return NULL;
    }
    row->model = model;
    row->origin = origin;
    row->key = key;
    row->accessed = json_object();
    row->changed = json_object();
    row->added = json_object();
    row->texts = json_object();
    if (key != NULL && row->accessed != NULL && row->changed != NULL && row->added != NULL && row->texts != NULL)
        return row;
    row_free(row);
    return NULL;
}

void row_free(struct os_row *row)
{
    if (row == NULL)
        return;
    json_decref(row->key);
    json_decref(row->item);
    json_decref(row->fields);
    json_decref(row->expected);
    json_decref(row->accessed);
    json_decref(row->changed);
    json_decref(row->added);
    json_decref(row->texts);
    free(row);
}

/* Each part of a key, which are apart by a NUL. */
static void add_parts(const json_t *value, char ret[ROW_TEXT_SIZE])
{
    enum { SHOWN = 150, AROUND = 4 };
    const json_t *inside = value_inside(value);
    const char *part = json_string_value(inside);
    const char *end = part != NULL ? part + json_string_length(inside) : NULL;
    for (; part != NULL && part <= end; part += strlen(part) + 1) {
        struct text shown = text_from(part);
        size_t len = strlen(ret);
        bool is_first = ret[len - 1] == ' ';
        size_t room = len + AROUND < ROW_TEXT_SIZE ? ROW_TEXT_SIZE - len - AROUND - 1 : 0;
        size_t most = room < SHOWN ? room : SHOWN;
        if (room > 0)
            snprintf(ret + len, ROW_TEXT_SIZE - len, "%s\"%.*s\"", is_first ? "" : ", ",
                     (int)text_utf8_cut(shown, most), part);
    }
}

const char *row_text(const struct os_row *row, char ret[ROW_TEXT_SIZE])
{
    snprintf(ret, ROW_TEXT_SIZE, "%.60s ", row->model->model->name);
    add_parts(json_object_get(row->key, MODEL_PARTITION), ret);
    add_parts(json_object_get(row->key, MODEL_SORT), ret);
    return ret;
}

/* ------------------------------------------------------------------------------------------------ fields */

os_code row_fields_of(const os_model *model, const struct model_index *index, json_t *item, json_t **ret, os_error *err)
{
    os_code code = model_row_from_item(model->model, index, item, ret, err);
    if (code == OS_ERR_PROTOCOL && err != NULL) {
        char text[ROW_TEXT_SIZE];
        char blame[ROW_TEXT_SIZE + 100];
        const struct os_row row = {.model = model, .key = item};
        snprintf(blame, sizeof(blame), "So is the row %s in the table: mend the row, or the model.",
                 row_text(&row, text));
        error_add(err, blame);
    }
    return code;
}

os_code row_field(const struct os_row *row, const char *name, const struct model_field **ret, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    *ret = name != NULL ? model_field_find(row->model->model, name) : NULL;
    if (row->is_deleted)
        return error_set(err, OS_ERR_ARGUMENT, "The row %s was deleted in this transaction: its fields are gone.",
                         row_text(row, text));
    if (*ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The model %.60s has no field \"%.100s\".", row->model->model->name,
                         name != NULL ? name : "");
    if (row->index != NULL && !model_index_has(row->index, *ret))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The row %s came from the index %.60s, which does not have %.60s (INCLUDE_ONLY): get the row.",
                         row_text(row, text), row->index->name, name);
    return OS_OK;
}

static os_code mark(struct os_row *row, json_t *names, const struct model_field *field, os_error *err)
{
    if (json_object_set_new(names, field->name, json_true()) == 0)
        return OS_OK;
    row->is_broken = true;
    return error_no_memory(err);
}

/* The parts of the key need no condition: the row is found by them. */
static os_code mark_accessed(struct os_row *row, const struct model_field *field, os_error *err)
{
    return field->role == MODEL_PLAIN ? mark(row, row->accessed, field, err) : OS_OK;
}

os_code row_access(struct os_row *row, const struct model_field *field, const json_t **ret, os_error *err)
{
    *ret = json_object_get(row->fields, field->name);
    row->is_untouched = false;
    os_code code = mark_accessed(row, field, err);
    if (code != OS_OK || json_object_get(row->added, field->name) == NULL)
        return code;
    (void)json_object_del(row->added, field->name); /* whoever has seen the sum wants this sum */
    return mark(row, row->changed, field, err);
}

os_code row_may_change(const struct os_row *row, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    if (row->only_reads != NULL && *row->only_reads)
        return error_set(err, OS_ERR_ARGUMENT, "The transaction only reads (read_only): it cannot change the row %s.",
                         row_text(row, text));
    if (row->index == NULL)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The row %s came from the index %.60s without all its fields (INCLUDE_ONLY), so it cannot be "
                     "changed: get it first.",
                     row_text(row, text), row->index->name);
}

os_code row_set(struct os_row *row, const struct model_field *field, const json_t *value, os_error *err)
{
    os_code code = row_may_change(row, err);
    if (code == OS_OK)
        code = model_row_set(row->model->model, row->fields, field->name, value, err);
    if (code != OS_OK)
        return code;
    row->is_untouched = false;
    code = mark_accessed(row, field, err);
    if (code == OS_OK)
        code = mark(row, row->changed, field, err);
    if (code == OS_OK)
        (void)json_object_del(row->added, field->name);
    return code;
}

/* Two numbers; a sum of integers is exact. OS_ERR_ARGUMENT: there is no such number. */
static os_code sum_of(const json_t *number, const json_t *value, json_t **ret, os_error *err)
{
    json_int_t sum = 0;
    bool are_integers = json_is_integer(number) && json_is_integer(value);
    double real = json_number_value(number) + json_number_value(value);
    bool is_beyond = are_integers ? __builtin_add_overflow(json_integer_value(number), json_integer_value(value), &sum)
                                  : !isfinite(real);
    *ret = is_beyond ? NULL : are_integers ? json_integer(sum) : json_real(real);
    if (is_beyond)
        return error_set(err, OS_ERR_ARGUMENT, "The sum is too large for a number of its type.");
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

static bool is_part_of_an_index(const struct model *model, const struct model_field *field)
{
    for (size_t i = 0; i < model->extra_count; i++)
        for (size_t k = 0; k < model->extras[i].count; k++)
            if (model->extras[i].parts[k] == field)
                return true;
    return false;
}

/* The number that is seen here, and what is added to whatever is there at the commit. */
static os_code set_sum(struct os_row *row, const struct model_field *field, const json_t *value, const json_t *sum,
                       os_error *err)
{
    const json_t *before = json_object_get(row->added, field->name);
    json_t *added = before == NULL ? json_deep_copy(value) : NULL;
    os_code code = before != NULL ? sum_of(before, value, &added, err) : added != NULL ? OS_OK : error_no_memory(err);
    if (code == OS_OK)
        code = model_row_set(row->model->model, row->fields, field->name, sum, err);
    if (code != OS_OK) {
        json_decref(added);
        return code;
    }
    row->is_untouched = false;
    if (json_object_set_new(row->added, field->name, added) == 0)
        return OS_OK;
    row->is_broken = true;
    return error_no_memory(err);
}

/* Whether the service can add to what is there: not to a default that is only here, nor with more digits than an N has. */
static bool has_sum(const json_t *attribute, const json_t *value)
{
    struct number sum;
    struct number added;
    if (value_type(attribute) != VALUE_N || real_to_number(json_number_value(value), &added) != NUMBER_OK)
        return false;
    sum = scalar_number(value_inside(attribute));
    return number_add(&sum, &added, &sum) == NUMBER_OK;
}

/* That the sum before was within the bounds does not follow from that of all together. */
static bool is_taken_back(const json_t *before, const json_t *value)
{
    double first = json_number_value(before);
    double more = json_number_value(value);
    return (first < 0 && more > 0) || (first > 0 && more < 0);
}

/* Of the rules, a condition of the commit can only keep the bounds. */
static bool is_added_unseen(const struct os_row *row, const struct model_field *field, const json_t *value)
{
    return row->origin == ORIGIN_READ && json_object_get(row->changed, field->name) == NULL &&
           !is_taken_back(json_object_get(row->added, field->name), value) &&
           json_object_get(row->accessed, field->name) == NULL && json_object_get(field->rules, "enum") == NULL &&
           !is_part_of_an_index(row->model->model, field) && has_sum(json_object_get(row->item, field->name), value);
}

static os_code refuse_none(const struct os_row *row, const struct model_field *field, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "%.60s.%.60s: nothing can be added, as it has no number. Set it instead.",
                     row->model->model->name, field->name);
}

/* That there can be no such sum tells of the number: it was read. */
static os_code note_refusal(struct os_row *row, const struct model_field *field, os_error *err)
{
    const json_t *number;
    os_code code = row_access(row, field, &number, err);
    return code == OS_OK ? OS_ERR_ARGUMENT : code;
}

os_code row_add(struct os_row *row, const struct model_field *field, const json_t *value, os_error *err)
{
    const json_t *now = json_object_get(row->fields, field->name);
    json_t *sum = NULL;
    os_code code = row_may_change(row, err);
    if (code != OS_OK)
        return code;
    code = json_is_number(now) ? sum_of(now, value, &sum, err) : refuse_none(row, field, err);
    if (code == OS_OK)
        code =
            is_added_unseen(row, field, value) ? set_sum(row, field, value, sum, err) : row_set(row, field, sum, err);
    json_decref(sum);
    return code == OS_ERR_ARGUMENT ? note_refusal(row, field, err) : code;
}

bool row_was_read_with(const struct os_row *row, const char *field, const json_t *item)
{
    const json_t *before = json_object_get(row->item, field);
    const json_t *now = json_object_get(item, field);
    return before == NULL || now == NULL ? before == now : value_equal(before, now);
}

int64_t row_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)((now.realtime_ms + 999) / 1000);
}

bool row_is_written(const struct os_row *row)
{
    switch (row->origin) {
    case ORIGIN_MISSING: return false;
    case ORIGIN_READ: return row->is_deleted || json_object_size(row->changed) > 0 || json_object_size(row->added) > 0;
    default: return true;
    }
}

bool row_is_whole(const struct os_row *row)
{
    return !row->is_deleted && ((row->origin == ORIGIN_READ && row->index == NULL) || row->origin == ORIGIN_CREATED ||
                                row->origin == ORIGIN_PUT);
}
