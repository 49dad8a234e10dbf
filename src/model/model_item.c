/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_item.h"

#include "attribute/check.h"

/* --------------------------------------------------------------------------------------------------------------- rows */

static os_code check_names(const struct model *model, const json_t *given, os_error *err)
{
    const char *name;
    json_t *value;
    const struct model_place whole = model_place_of(model->name, NULL, OS_ERR_ARGUMENT, err);
    if (!json_is_object(given))
        return model_refuse(&whole, "a row is a JSON object of values by the names of fields");
    json_object_foreach((json_t *)given, name, value)
    {
        if (model_field_find(model, name) != NULL)
            continue;
        const struct model_place place = model_place_of(model->name, name, OS_ERR_ARGUMENT, err);
        return model_refuse(&place, "the model has no such field");
    }
    return OS_OK;
}

static os_code refuse_missing(const struct model *model, const struct model_field *field, os_code refusal,
                              os_error *err)
{
    const struct model_place place = model_place_of(model->name, field->name, refusal, err);
    return model_refuse(&place, "the row lacks it, and it is required");
}

static os_code take_field(const struct model *model, const struct model_field *field, const json_t *given, json_t *row,
                          os_error *err)
{
    json_t *value;
    if (given == NULL)
        return field->is_optional ? OS_OK : refuse_missing(model, field, OS_ERR_ARGUMENT, err);
    os_code code = model_value_take(model, field, given, OS_ERR_ARGUMENT, &value, err);
    if (code == OS_OK && json_object_set_new(row, field->name, value) != 0)
        code = error_no_memory(err);
    return code;
}

static os_code take_row(const struct model *model, const json_t *given, bool is_new, json_t **ret, os_error *err)
{
    *ret = NULL;
    os_code code = check_names(model, given, err);
    if (code != OS_OK)
        return code;
    json_t *row = json_object();
    if (row == NULL)
        return error_no_memory(err);
    for (size_t i = 0; i < model->field_count && code == OS_OK; i++) {
        const struct model_field *field = &model->fields[i];
        const json_t *value = json_object_get(given, field->name);
        code = take_field(model, field, value == NULL && is_new ? field->default_value : value, row, err);
    }
    if (code == OS_OK)
        *ret = row;
    else
        json_decref(row);
    return code;
}

os_code model_row_make(const struct model *model, const json_t *given, json_t **ret, os_error *err)
{
    return take_row(model, given, true, ret, err);
}

os_code model_row_set(const struct model *model, json_t *row, const char *name, const json_t *value, os_error *err)
{
    const struct model_place place = model_place_of(model->name, name, OS_ERR_ARGUMENT, err);
    const struct model_field *field = model_field_find(model, name);
    if (field == NULL)
        return model_refuse(&place, "the model has no such field");
    if (field->is_read_only)
        return model_refuse(&place, field->role == MODEL_PLAIN
                                        ? "it is read-only, and has its value since the row was made"
                                        : "it is a part of the key, which does not change: make another row");
    if (value == NULL && field->is_optional) {
        (void)json_object_del(row, name);
        return OS_OK;
    }
    return take_field(model, field, value, row, err);
}

/* ------------------------------------------------------------------------------------------------------------ to items */

static os_code add_fields(const struct model *model, const json_t *row, json_t *item, os_error *err)
{
    for (size_t i = 0; i < model->field_count; i++) {
        json_t *attribute;
        const struct model_field *field = &model->fields[i];
        const json_t *value = json_object_get(row, field->name);
        if (field->role != MODEL_PLAIN || value == NULL)
            continue;
        os_code code = model_value_to_attribute(model, field, value, &attribute, err);
        if (code == OS_OK && json_object_set_new(item, field->name, attribute) != 0)
            code = error_no_memory(err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code add_extras(const struct model *model, const json_t *row, json_t *item, os_error *err)
{
    for (size_t i = 0; i < model->extra_count; i++) {
        json_t *value;
        os_code code = model_attribute_encode(model, &model->extras[i], row, &value, err);
        if (code == OS_OK && value != NULL && json_object_set_new(item, model->extras[i].name, value) != 0)
            code = error_no_memory(err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code check_index_key(const struct model *model, const struct model_attribute *key, size_t max,
                               const json_t *item, os_error *err)
{
    const json_t *value = key->name != NULL ? json_object_get(item, key->name) : NULL;
    return value != NULL ? model_attribute_check(model, key, value, max, err) : OS_OK;
}

static os_code check_index_keys(const struct model *model, const json_t *item, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < model->index_count && code == OS_OK; i++) {
        code = check_index_key(model, &model->indexes[i].key, MODEL_PARTITION_MAX, item, err);
        if (code == OS_OK)
            code = check_index_key(model, &model->indexes[i].sort_key, MODEL_SORT_MAX, item, err);
    }
    return code;
}

static os_code write_row(const struct model *model, const json_t *row, json_t **ret, os_error *err)
{
    os_code code = model_key_encode(model, row, ret, err);
    if (code == OS_OK)
        code = add_fields(model, row, *ret, err);
    if (code == OS_OK)
        code = add_extras(model, row, *ret, err);
    if (code == OS_OK)
        code = check_index_keys(model, *ret, err);
    return code == OS_OK ? item_check_size(*ret, err) : code;
}

os_code model_row_to_item(const struct model *model, const json_t *row, json_t **ret, os_error *err)
{
    json_t *taken;
    *ret = NULL;
    os_code code = take_row(model, row, false, &taken, err);
    if (code == OS_OK)
        code = write_row(model, taken, ret, err);
    json_decref(taken);
    if (code != OS_OK) {
        json_decref(*ret);
        *ret = NULL;
    }
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- from items */

/* What an index has of a field only inside its own key. */
static os_code find_in_extras(const struct model *model, const struct model_field *field, const json_t *item,
                              json_t **ret, os_error *err)
{
    for (size_t i = 0; i < model->extra_count; i++) {
        const struct model_attribute *extra = &model->extras[i];
        const json_t *value = json_object_get(item, extra->name);
        if (value == NULL || !model_attribute_has(extra, field))
            continue;
        json_t *parts = json_object();
        os_code code = parts != NULL ? model_attribute_decode(model, extra, value, parts, err) : error_no_memory(err);
        if (code == OS_OK)
            *ret = json_incref(json_object_get(parts, field->name));
        json_decref(parts);
        return code;
    }
    return OS_OK;
}

os_code model_field_from_item(const struct model *model, const struct model_field *field,
                              const struct model_index *index, const json_t *item, json_t **ret, os_error *err)
{
    os_code code = OS_OK;
    const json_t *attribute = json_object_get(item, field->name);
    *ret = NULL;
    if (attribute != NULL)
        return model_value_from_attribute(model, field, attribute, ret, err);
    if (index != NULL)
        code = find_in_extras(model, field, item, ret, err);
    if (code != OS_OK || *ret != NULL || field->is_optional)
        return code;
    if (field->default_value == NULL)
        return refuse_missing(model, field, OS_ERR_PROTOCOL, err);
    return model_value_take(model, field, field->default_value, OS_ERR_PROTOCOL, ret, err);
}

static os_code read_fields(const struct model *model, const struct model_index *index, const json_t *item, json_t *row,
                           os_error *err)
{
    for (size_t i = 0; i < model->field_count; i++) {
        json_t *value;
        const struct model_field *field = &model->fields[i];
        if (field->role != MODEL_PLAIN || (index != NULL && !model_index_has(index, field)))
            continue;
        os_code code = model_field_from_item(model, field, index, item, &value, err);
        if (code == OS_OK && value != NULL && json_object_set_new(row, field->name, value) != 0)
            code = error_no_memory(err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

os_code model_row_from_item(const struct model *model, const struct model_index *index, const json_t *item,
                            json_t **ret, os_error *err)
{
    json_t *row = json_object();
    *ret = NULL;
    if (row == NULL)
        return error_no_memory(err);
    os_code code = model_key_decode(model, item, row, err);
    if (code == OS_OK)
        code = read_fields(model, index, item, row, err);
    if (code == OS_OK)
        *ret = row;
    else
        json_decref(row);
    return code;
}

bool model_row_has_expired(const struct model *model, const json_t *row, int64_t now_s)
{
    if (model->expires == NULL)
        return false;
    double time = json_number_value(json_object_get(row, model->expires->name));
    return time != 0 && time > (double)(now_s - MODEL_EXPIRY_ENDS_S) && time <= (double)now_s;
}
