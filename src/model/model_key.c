/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_key.h"

#include "attribute/json_value.h"
#include "attribute/scalar.h"
#include "attribute/value.h"
#include "syntax/json.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------------- encode */

static os_code add_part(const struct model *model, const struct model_field *part, const json_t *value,
                        struct buf *text, os_error *err)
{
    const struct model_place place = model_place_of(model->name, part->name, OS_ERR_ARGUMENT, err);
    if (!json_is_string(value))
        return model_json_write(text, value) ? OS_OK : error_no_memory(err);
    struct text string = scalar_text(value);
    if (memchr(string.p, '\0', string.len) != NULL)
        return model_refuse_value(&place, value, "has a NUL inside, which stands between the parts of a key");
    return buf_add(text, string.p, string.len) ? OS_OK : error_no_memory(err);
}

/* A NUL before it, but for the first. */
static os_code take_part(const struct model *model, const struct model_attribute *attribute, size_t i,
                         const json_t *fields, struct buf *text, os_error *err)
{
    json_t *value;
    const struct model_field *part = attribute->parts[i];
    os_code code = model_value_take(model, part, json_object_get(fields, part->name), OS_ERR_ARGUMENT, &value, err);
    if (code == OS_OK && i > 0 && !buf_add_char(text, '\0'))
        code = error_no_memory(err);
    if (code == OS_OK)
        code = add_part(model, part, value, text, err);
    json_decref(value);
    return code;
}

static os_code encode_text(const struct model *model, const struct model_attribute *attribute, const json_t *fields,
                           json_t **ret, os_error *err)
{
    struct buf text;
    os_code code = OS_OK;
    buf_init(&text, SIZE_MAX / 2);
    for (size_t i = 0; i < attribute->count && code == OS_OK; i++)
        code = take_part(model, attribute, i, fields, &text, err);
    if (code == OS_OK) {
        *ret = value_of_type(VALUE_S, json_stringn(buf_str(&text), text.len));
        code = *ret != NULL ? OS_OK : error_no_memory(err);
    }
    buf_free(&text);
    return code;
}

static os_code encode_number(const struct model *model, const struct model_field *part, const json_t *fields,
                             json_t **ret, os_error *err)
{
    json_t *value;
    json_t *stored = NULL;
    struct model_place place = model_place_of(model->name, part->name, OS_ERR_ARGUMENT, err);
    os_code code = model_value_take(model, part, json_object_get(fields, part->name), OS_ERR_ARGUMENT, &value, err);
    if (code == OS_OK)
        code = model_json_copy(&place, value, MODEL_NUMBERS_STORED, &stored);
    if (code == OS_OK)
        code = model_value_to_attribute(model, part, stored, ret, err);
    json_decref(value);
    json_decref(stored);
    return code;
}

os_code model_attribute_encode(const struct model *model, const struct model_attribute *attribute, const json_t *fields,
                               json_t **ret, os_error *err)
{
    *ret = NULL;
    for (size_t i = 0; i < attribute->count; i++)
        if (json_object_get(fields, attribute->parts[i]->name) == NULL)
            return OS_OK;
    if (attribute->is_number)
        return encode_number(model, attribute->parts[0], fields, ret, err);
    return encode_text(model, attribute, fields, ret, err);
}

os_code model_attribute_check(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                              size_t max, os_error *err)
{
    const struct model_place place = model_place_of(model->name, attribute->parts[0]->name, OS_ERR_ARGUMENT, err);
    size_t len = value_type(value) == VALUE_S ? scalar_text(value_inside(value)).len : 1;
    if (len == 0)
        return model_refuse(&place, "the attribute %s would be empty, which no key can be: give at least one character",
                            attribute->name);
    if (len > max)
        return model_refuse(&place, "the attribute %s would have %zu bytes; a key has room for %zu", attribute->name,
                            len, max);
    return OS_OK;
}

static os_code check_parts(const struct model *model, const struct model_attribute *key, const json_t *fields,
                           os_error *err)
{
    for (size_t i = 0; i < key->count; i++) {
        const struct model_place place = model_place_of(model->name, key->parts[i]->name, OS_ERR_ARGUMENT, err);
        if (json_object_get(fields, key->parts[i]->name) == NULL)
            return model_refuse(&place, "the key lacks it: give every part");
    }
    return OS_OK;
}

static os_code add_key(const struct model *model, const struct model_attribute *key, const json_t *fields, size_t max,
                       json_t *attributes, os_error *err)
{
    json_t *value = NULL;
    os_code code = check_parts(model, key, fields, err);
    if (code == OS_OK)
        code = model_attribute_encode(model, key, fields, &value, err);
    if (code == OS_OK)
        code = model_attribute_check(model, key, value, max, err);
    if (code == OS_OK)
        return json_object_set_new(attributes, key->name, value) == 0 ? OS_OK : error_no_memory(err);
    json_decref(value);
    return code;
}

os_code model_key_encode(const struct model *model, const json_t *fields, json_t **ret, os_error *err)
{
    json_t *attributes = json_object();
    *ret = NULL;
    if (attributes == NULL)
        return error_no_memory(err);
    os_code code = add_key(model, &model->key, fields, MODEL_PARTITION_MAX, attributes, err);
    if (code == OS_OK && model->sort_key.name != NULL)
        code = add_key(model, &model->sort_key, fields, MODEL_SORT_MAX, attributes, err);
    if (code == OS_OK)
        *ret = attributes;
    else
        json_decref(attributes);
    return code;
}

os_code model_key_of(const struct model *model, const json_t *parts, json_t **ret, os_error *err)
{
    const char *name;
    json_t *value;
    *ret = NULL;
    json_object_foreach((json_t *)parts, name, value)
    {
        const struct model_place place = model_place_of(model->name, name, OS_ERR_ARGUMENT, err);
        const struct model_field *field = model_field_find(model, name);
        if (field == NULL || field->role == MODEL_PLAIN)
            return model_refuse(&place, "it is no part of the key");
    }
    return model_key_encode(model, parts, ret, err);
}

/* ------------------------------------------------------------------------------------------------------------- decode */

static os_code refuse_attribute(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                                const char *fault, os_error *err)
{
    const struct model_place place = model_place_of(model->name, attribute->name, OS_ERR_PROTOCOL, err);
    return model_refuse_value(&place, value, fault);
}

/* Numbers are doubles, as JSON.parse has them; NULL: it is no JSON. */
static json_t *read_part(const struct model_field *part, struct text text)
{
    if (part->type == MODEL_STRING)
        return json_stringn(text.p, text.len);
    if (json_is_too_large(text.p, text.len))
        return NULL;
    return json_parse(text.p, text.len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
}

static os_code decode_part(const struct model *model, const struct model_attribute *attribute, size_t i,
                           struct text text, json_t *parts, os_error *err)
{
    json_t *value;
    const struct model_field *part = attribute->parts[i];
    const struct model_place place = model_place_of(model->name, part->name, OS_ERR_PROTOCOL, err);
    json_t *read = read_part(part, text);
    if (read == NULL)
        return model_refuse(&place, "the part \"%.*s\" of the attribute %s is no JSON",
                            (int)text_utf8_cut(text, PATH_TEXT_SIZE / 2), text.p, attribute->name);
    os_code code = model_value_take(model, part, read, OS_ERR_PROTOCOL, &value, err);
    json_decref(read);
    if (code == OS_OK && json_object_set_new(parts, part->name, value) != 0)
        code = error_no_memory(err);
    return code;
}

static os_code decode_text(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                           json_t *parts, os_error *err)
{
    struct text rest = scalar_text(value_inside(value));
    for (size_t i = 0; i < attribute->count; i++) {
        bool is_last = i + 1 == attribute->count;
        struct text text = rest;
        bool is_there = is_last ? memchr(rest.p, '\0', rest.len) == NULL : text_take_until(&rest, '\0', &text);
        if (!is_there)
            return refuse_attribute(model, attribute, value, "has another number of parts than its model", err);
        os_code code = decode_part(model, attribute, i, text, parts, err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code decode(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                      json_t *parts, os_error *err)
{
    json_t *number;
    if (value_type(value) != (attribute->is_number ? VALUE_N : VALUE_S))
        return refuse_attribute(model, attribute, value, attribute->is_number ? "is no N" : "is no S", err);
    if (!attribute->is_number)
        return decode_text(model, attribute, value, parts, err);
    os_code code = model_value_from_attribute(model, attribute->parts[0], value, &number, err);
    if (code == OS_OK && json_object_set_new(parts, attribute->parts[0]->name, number) != 0)
        code = error_no_memory(err);
    return code;
}

static os_code check_again(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                           const json_t *parts, os_error *err)
{
    json_t *again;
    os_code code = model_attribute_encode(model, attribute, parts, &again, err);
    if (code == OS_ERR_ARGUMENT || (code == OS_OK && !value_equal(again, value)))
        code = refuse_attribute(model, attribute, value, "is not as it would be written, and so would be another row",
                                err);
    json_decref(again);
    return code;
}

os_code model_attribute_decode(const struct model *model, const struct model_attribute *attribute, const json_t *value,
                               json_t *fields, os_error *err)
{
    json_t *parts = json_object();
    if (parts == NULL)
        return error_no_memory(err);
    os_code code = decode(model, attribute, value, parts, err);
    if (code == OS_OK)
        code = check_again(model, attribute, value, parts, err);
    if (code == OS_OK && json_object_update(fields, parts) != 0)
        code = error_no_memory(err);
    json_decref(parts);
    return code;
}

static os_code decode_key(const struct model *model, const struct model_attribute *key, const json_t *item,
                          json_t *fields, os_error *err)
{
    const struct model_place place = model_place_of(model->name, key->name, OS_ERR_PROTOCOL, err);
    const json_t *value = json_object_get(item, key->name);
    if (value == NULL)
        return model_refuse(&place, "the item has no such attribute, and so is none of this model");
    return model_attribute_decode(model, key, value, fields, err);
}

os_code model_key_decode(const struct model *model, const json_t *item, json_t *fields, os_error *err)
{
    os_code code = decode_key(model, &model->key, item, fields, err);
    return code == OS_OK && model->sort_key.name != NULL ? decode_key(model, &model->sort_key, item, fields, err)
                                                         : code;
}
