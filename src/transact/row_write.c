/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/row_write.h"

#include "attribute/check.h"
#include "attribute/real.h"
#include "attribute/scalar.h"
#include "attribute/value.h"
#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void row_write_free(struct row_write *write)
{
    json_decref(write->values);
    json_decref(write->item);
    free(write->terms);
    free(write->steps);
    free(write->changes);
    *write = (struct row_write){.write = {.kind = 0}};
}

/* ------------------------------------------------------------------------------------------------ parts */

static bool make_room(size_t term_max, size_t change_max, struct row_write *ret)
{
    ret->term_max = term_max;
    ret->change_max = change_max;
    ret->values = json_array();
    ret->terms = calloc(ret->term_max, sizeof(*ret->terms));
    ret->changes = calloc(ret->change_max, sizeof(*ret->changes));
    ret->steps = calloc(ret->term_max + ret->change_max, sizeof(*ret->steps));
    return ret->values != NULL && ret->terms != NULL && ret->changes != NULL && ret->steps != NULL;
}

/* A condition for each field and each part of an index, and six more; or three alternatives of all fields and two more. A
 * change for each field and attribute of an index, and two more. */
static bool make_room_for(const struct model *model, struct row_write *ret)
{
    size_t term_max = 3 * (model->field_count + 2);
    for (size_t i = 0; i < model->extra_count; i++)
        term_max += model->extras[i].count;
    return make_room(term_max, model->field_count + model->extra_count + 2, ret);
}

static struct path path_to(struct row_write *ret, const char *attribute)
{
    struct path_step *step = &ret->steps[ret->step_count++];
    step->name = attribute;
    return (struct path){.steps = step, .count = 1};
}

static void add_term(struct row_write *ret, const char *attribute, enum condition_test test, const json_t *value)
{
    ret->terms[ret->write.condition.count++] =
        (struct condition_term){.path = path_to(ret, attribute), .test = test, .value = value};
}

/* It is what it was: this value, or none. Borrows the value. */
static void add_unchanged(struct row_write *ret, const char *attribute, const json_t *value)
{
    add_term(ret, attribute, value != NULL ? CONDITION_EQUALS : CONDITION_IS_ABSENT, value);
}

static void add_change(struct row_write *ret, const char *attribute, enum change_kind kind, const json_t *value)
{
    ret->changes[ret->write.change_count++] =
        (struct change){.path = path_to(ret, attribute), .kind = kind, .value = value};
}

/* The write keeps a value that it has made. NULL: no memory, also for the value. */
static const json_t *kept(struct row_write *ret, json_t *value)
{
    return json_array_append_new(ret->values, value) == 0 ? value : NULL;
}

/* The same of one that may be NULL, and stays so. */
static os_code keep(struct row_write *ret, json_t *value, os_error *err)
{
    return value == NULL || kept(ret, value) != NULL ? OS_OK : error_no_memory(err);
}

static json_t *string_value(const char *text)
{
    return json_pack("{s:s}", "S", text);
}

/* ------------------------------------------------------------------------------------------------ conditions */

static void add_all_unchanged(const struct os_row *row, json_t *names, struct row_write *ret)
{
    const char *name;
    json_t *value;
    json_object_foreach(names, name, value) add_unchanged(ret, name, json_object_get(row->item, name));
}

/* A sum that is not written told of its number all the same: that there could be one. */
static void add_accessed(const struct os_row *row, struct row_write *ret)
{
    add_all_unchanged(row, row->accessed, ret);
    if (row->is_deleted)
        add_all_unchanged(row, row->added, ret);
}

static json_t *number_value(int64_t number)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)number);
    return json_pack("{s:s}", "N", text);
}

/* There is no row; or one that has expired, which the service has not removed yet. */
static os_code add_absent(const struct os_row *row, int64_t now_s, struct row_write *ret, os_error *err)
{
    const struct model_field *expires = row->model->model->expires;
    add_term(ret, MODEL_PARTITION, CONDITION_IS_ABSENT, NULL);
    if (expires == NULL)
        return OS_OK;
    const json_t *least = kept(ret, number_value(now_s - MODEL_EXPIRY_ENDS_S));
    const json_t *most = kept(ret, number_value(now_s));
    if (least == NULL || most == NULL)
        return error_no_memory(err);
    add_term(ret, expires->name, CONDITION_IS_ABOVE, least);
    ret->terms[ret->write.condition.count - 1].is_alternative = true;
    add_term(ret, expires->name, CONDITION_IS_AT_MOST, most);
    return OS_OK;
}

/* A time that has not come, and will. */
static bool is_mortal(const json_t *until, int64_t now_s)
{
    double time = 0;
    if (value_type(until) == VALUE_N) {
        const struct number number = scalar_number(value_inside(until));
        (void)real_from_number(&number, &time);
    }
    return time != 0 && time > (double)(now_s - MODEL_EXPIRY_ENDS_S);
}

/* What has expired counts as gone. To live longer is no change; a row that has come without all its fields may lack the time. */
static os_code add_alive(const struct os_row *row, int64_t now_s, struct row_write *ret, os_error *err)
{
    const struct model_field *expires = row->model->model->expires;
    if (expires == NULL || row->is_gone || (row->index != NULL && !model_index_has(row->index, expires)))
        return OS_OK;
    const json_t *until = json_object_get(row->item, expires->name);
    if (!is_mortal(until, now_s)) {
        if (json_object_get(row->accessed, expires->name) == NULL)
            add_unchanged(ret, expires->name, until);
        return OS_OK;
    }
    const json_t *now = kept(ret, number_value(now_s));
    if (now == NULL)
        return error_no_memory(err);
    add_term(ret, expires->name, CONDITION_IS_ABOVE, now);
    return OS_OK;
}

/* What a caller expects as conditions; the parts of the key need none. */
static os_code add_expected(const struct os_row *row, struct row_write *ret, os_error *err)
{
    const struct model *model = row->model->model;
    const char *name;
    json_t *given;
    json_object_foreach(row->expected, name, given)
    {
        const struct model_field *field = model_field_find(model, name);
        json_t *attribute = NULL;
        if (field->role != MODEL_PLAIN)
            continue;
        os_code code = json_is_null(given) ? OS_OK : model_value_to_attribute(model, field, given, &attribute, err);
        if (code == OS_OK)
            code = keep(ret, attribute, err);
        if (code != OS_OK)
            return code;
        add_unchanged(ret, name, attribute);
    }
    return OS_OK;
}

/* Repeats the first `count` terms, as those of an alternative. Their paths and values are shared. */
static void add_alternative(size_t count, struct row_write *ret)
{
    struct condition_term *first = &ret->terms[ret->write.condition.count];
    memcpy(first, ret->terms, count * sizeof(*first));
    first->is_alternative = true;
    ret->write.condition.count += count;
}

/* Nor has it expired: it has no time of expiry, or one to come, or one of more than five years ago. */
static os_code add_not_expired(const struct os_row *row, int64_t now_s, struct row_write *ret, os_error *err)
{
    const struct model_field *expires = row->model->model->expires;
    size_t count = ret->write.condition.count;
    if (expires == NULL || json_object_get(row->expected, expires->name) != NULL)
        return OS_OK;
    const json_t *now = kept(ret, number_value(now_s));
    const json_t *least = kept(ret, number_value(now_s - MODEL_EXPIRY_ENDS_S));
    if (now == NULL || least == NULL)
        return error_no_memory(err);
    add_term(ret, expires->name, CONDITION_IS_ABSENT, NULL);
    add_alternative(count, ret);
    add_term(ret, expires->name, CONDITION_IS_ABOVE, now);
    add_alternative(count, ret);
    add_term(ret, expires->name, CONDITION_IS_AT_MOST, least);
    return OS_OK;
}

/* X2. */
static void add_token_condition(const struct os_row *row, struct row_write *ret)
{
    const char *token = row_token_of(row->item, ROW_TOKEN);
    ret->mark.read_token = row_token_is(token) ? token : NULL; /* another's text may come back */
    ret->mark.part = ret->mark.read_token != NULL ? TRANSACTION_WRITE : TRANSACTION_BARE;
    add_unchanged(ret, ROW_TOKEN, json_object_get(row->item, ROW_TOKEN));
}

/* ------------------------------------------------------------------------------------------------ changes */

static bool has_changed_part(const struct os_row *row, const struct model_attribute *attribute)
{
    for (size_t i = 0; i < attribute->count; i++)
        if (json_object_get(row->changed, attribute->parts[i]->name) != NULL)
            return true;
    return false;
}

static os_code add_set(struct row_write *ret, const char *attribute, json_t *value, os_error *err)
{
    add_change(ret, attribute, value != NULL ? CHANGE_SET : CHANGE_REMOVE, value);
    return keep(ret, value, err);
}

static os_code add_field_change(const struct os_row *row, const char *name, struct row_write *ret, os_error *err)
{
    const struct model *model = row->model->model;
    const struct model_field *field = model_field_find(model, name);
    const json_t *now = json_object_get(row->fields, name);
    json_t *checked = NULL;
    json_t *attribute = NULL;
    os_code code = now != NULL ? model_value_take(model, field, now, OS_ERR_ARGUMENT, &checked, err) : OS_OK;
    if (code == OS_OK && checked != NULL)
        code = model_value_to_attribute(model, field, checked, &attribute, err);
    json_decref(checked);
    return code == OS_OK ? add_set(ret, name, attribute, err) : code;
}

/* Attributes of indexes are made anew, of all their parts; so those must still be what was read. */
static os_code add_index_changes(const struct os_row *row, struct row_write *ret, os_error *err)
{
    const struct model *model = row->model->model;
    for (size_t i = 0; i < model->extra_count; i++) {
        const struct model_attribute *extra = &model->extras[i];
        json_t *value = NULL;
        if (!has_changed_part(row, extra))
            continue;
        os_code code = model_attribute_encode(model, extra, row->fields, &value, err);
        if (code == OS_OK)
            code = add_set(ret, extra->name, value, err);
        if (code != OS_OK)
            return code;
        for (size_t k = 0; k < extra->count && row->origin == ORIGIN_READ; k++)
            if (extra->parts[k]->role == MODEL_PLAIN && json_object_get(row->accessed, extra->parts[k]->name) == NULL)
                add_unchanged(ret, extra->parts[k]->name, json_object_get(row->item, extra->parts[k]->name));
    }
    return OS_OK;
}

/* What the rules allow of a number that can be read. */
static struct number bound_of(const struct model_field *field, const char *word, double other)
{
    const json_t *rule = json_object_get(field->rules, word);
    struct number bound;
    bool is_narrower = rule != NULL && fabs(json_number_value(rule)) < fabs(other);
    enum number_fault fault = real_to_number(is_narrower ? json_number_value(rule) : other, &bound);
    return fault == NUMBER_OK ? bound : (struct number){.count = 0}; /* so little is nothing there */
}

/* Others may add meanwhile: where the sum would be no value of the field, or there is no number any more, the function runs
 * again, and sees so. What is so little that the bounds would have too many digits is rounded away when it is read. */
static os_code add_room(const struct model_field *field, const json_t *added, struct row_write *ret, os_error *err)
{
    struct number more = scalar_number(value_inside(added));
    struct number least = bound_of(field, "minimum", -(double)MODEL_INTEGER_MAX);
    struct number most = bound_of(field, "maximum", (double)MODEL_INTEGER_MAX);
    struct number lower;
    struct number upper;
    bool is_much =
        number_subtract(&least, &more, &lower) == NUMBER_OK && number_subtract(&most, &more, &upper) == NUMBER_OK;
    const json_t *from = kept(ret, value_of_number(is_much ? &lower : &least));
    const json_t *to = kept(ret, value_of_number(is_much ? &upper : &most));
    if (from == NULL || to == NULL)
        return error_no_memory(err);
    add_term(ret, field->name, CONDITION_IS_BETWEEN, from);
    ret->terms[ret->write.condition.count - 1].upper = to;
    return OS_OK;
}

static os_code add_sums(const struct os_row *row, struct row_write *ret, os_error *err)
{
    const char *name;
    json_t *number;
    json_object_foreach(row->added, name, number)
    {
        json_t *attribute = NULL;
        const struct model_field *field = model_field_find(row->model->model, name);
        os_code code = model_value_to_attribute(row->model->model, field, number, &attribute, err);
        if (code == OS_OK)
            code = keep(ret, attribute, err);
        if (code == OS_OK)
            code = add_room(field, attribute, ret, err);
        if (code != OS_OK)
            return code;
        add_change(ret, name, CHANGE_INCREMENT, attribute);
    }
    return OS_OK;
}

/* X1. `before`: what is replaced; NULL: it is not known. */
static os_code add_token_change(const char *token, const char *before, struct row_write *ret, os_error *err)
{
    json_t *own = string_value(token);
    os_code code = own != NULL ? add_set(ret, ROW_TOKEN, own, err) : error_no_memory(err);
    if (code != OS_OK || before == NULL) {
        add_change(ret, ROW_BEFORE, CHANGE_REMOVE, NULL);
        return code;
    }
    json_t *replaced = string_value(before);
    return replaced != NULL ? add_set(ret, ROW_BEFORE, replaced, err) : error_no_memory(err);
}

/* Of a row that was read the service would make more than can be read again. */
static os_code check_count(const struct os_row *row, const struct row_write *write, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    char blame[ROW_TEXT_SIZE + 40];
    size_t count = value_count(row->item);
    for (size_t i = 0; i < write->write.change_count; i++) {
        const struct change *change = &write->changes[i];
        const json_t *before = json_object_get(row->item, change->path.steps[0].name);
        count -= value_count(before);
        if (change->kind != CHANGE_REMOVE)
            count += value_count(change->value) + (before == NULL);
    }
    if (item_check_count(count, err) == OS_OK)
        return OS_OK;
    snprintf(blame, sizeof(blame), "It would be the row %s.", row_text(row, text));
    error_add(err, blame);
    return OS_ERR_TOO_LARGE;
}

static os_code add_changes(const struct os_row *row, const char *token, struct row_write *ret, os_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(row->changed, name, value)
    {
        os_code code = add_field_change(row, name, ret, err);
        if (code != OS_OK)
            return code;
    }
    os_code code = add_sums(row, ret, err);
    if (code == OS_OK)
        code = add_index_changes(row, ret, err);
    return code == OS_OK ? add_token_change(token, ret->mark.read_token, ret, err) : code;
}

/* ------------------------------------------------------------------------------------------------ writes */

static os_code make_put(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret,
                        os_error *err)
{
    os_code code = model_row_to_item(row->model->model, row->fields, &ret->item, err);
    if (code == OS_OK && json_object_set_new(ret->item, ROW_TOKEN, string_value(token)) != 0)
        code = error_no_memory(err);
    ret->write.kind = ROWS_PUT;
    ret->write.item = ret->item;
    if (code != OS_OK || (row->origin == ORIGIN_PUT && json_object_size(row->expected) == 0))
        return code;
    code = add_absent(row, now_s, ret, err);
    if (code != OS_OK || row->origin == ORIGIN_CREATED)
        return code;
    size_t alternative = ret->write.condition.count;
    code = add_expected(row, ret, err);
    ret->terms[alternative].is_alternative = true;
    return code;
}

static os_code make_of_read(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret,
                            os_error *err)
{
    bool is_sum_alone = json_object_size(row->changed) == 0 && json_object_size(row->accessed) == 0 && !row->is_deleted;
    add_term(ret, MODEL_PARTITION, CONDITION_EXISTS, NULL);
    add_accessed(row, ret);
    ret->mark.part = TRANSACTION_CHECK;
    ret->write.kind = ROWS_CHECK;
    os_code code = add_alive(row, now_s, ret, err);
    if (code != OS_OK || !row_is_written(row))
        return code;
    if (is_sum_alone)
        ret->mark.part = TRANSACTION_BLIND; /* others may add at the same time */
    else
        add_token_condition(row, ret);
    ret->write.kind = row->is_deleted ? ROWS_DELETE : ROWS_UPDATE;
    if (row->is_deleted)
        return OS_OK;
    code = add_changes(row, token, ret, err);
    return code == OS_OK ? check_count(row, ret, err) : code;
}

static os_code make_of_update(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret,
                              os_error *err)
{
    ret->write.kind = ROWS_UPDATE;
    add_term(ret, MODEL_PARTITION, CONDITION_EXISTS, NULL);
    os_code code = add_expected(row, ret, err);
    if (code == OS_OK)
        code = add_not_expired(row, now_s, ret, err);
    return code == OS_OK ? add_changes(row, token, ret, err) : code;
}

static os_code make_kind(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret,
                         os_error *err)
{
    ret->write.item = row->key;
    ret->mark.part = TRANSACTION_BLIND;
    switch (row->origin) {
    case ORIGIN_READ: return make_of_read(row, token, now_s, ret, err);
    case ORIGIN_UPDATED: return make_of_update(row, token, now_s, ret, err);
    case ORIGIN_ERASED: ret->write.kind = ROWS_DELETE; return OS_OK;
    case ORIGIN_CREATED: ret->mark.part = TRANSACTION_CREATE; break;
    case ORIGIN_PUT: break;
    case ORIGIN_MISSING:
        ret->mark.part = TRANSACTION_CHECK;
        ret->write.kind = ROWS_CHECK;
        return add_absent(row, now_s, ret, err);
    }
    return make_put(row, token, now_s, ret, err);
}

os_code row_write_make(const struct os_row *row, const char *token, int64_t now_s, struct row_write *ret, os_error *err)
{
    *ret = (struct row_write){.write = {.table = &row->model->table},
                              .mark = {.table = &row->model->table, .key = row->key}};
    os_code code =
        make_room_for(row->model->model, ret) ? make_kind(row, token, now_s, ret, err) : error_no_memory(err);
    ret->write.condition.terms = ret->terms;
    ret->write.changes = ret->changes;
    if (code != OS_OK)
        row_write_free(ret);
    return code;
}

os_code row_write_fence(const struct row_mark *mark, const char *fence, struct row_write *ret, os_error *err)
{
    json_t *read = string_value(mark->read_token);
    *ret = (struct row_write){.write = {.kind = ROWS_UPDATE, .table = mark->table, .item = mark->key}};
    if (read == NULL || !make_room(1, 2, ret)) {
        json_decref(read);
        row_write_free(ret);
        return error_no_memory(err);
    }
    add_term(ret, ROW_TOKEN, CONDITION_EQUALS, read);
    os_code code = keep(ret, read, err);
    if (code == OS_OK)
        code = add_token_change(fence, mark->read_token, ret, err);
    ret->write.condition.terms = ret->terms;
    ret->write.changes = ret->changes;
    if (code != OS_OK)
        row_write_free(ret);
    return code;
}
