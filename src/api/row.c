/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a row, as functions of oscommit_model.h. */
#include "transact/row.h"
#include "base/error.h"
#include "base/text.h"
#include "syntax/json.h"

#include <math.h>
#include <string.h>

enum { FIELD_TEXT_MAX = 6 * 400 * 1024 /* of JSON, which may write each byte of an item as six */ };

const os_model *os_row_model(const os_row *row)
{
    return row != NULL ? row->model : NULL;
}

int os_row_is_new(const os_row *row)
{
    return row != NULL && row->origin == ORIGIN_CREATED;
}

/* ------------------------------------------------------------------------------------------------ reading */

static os_code value_of(os_row *row, const char *name, const struct model_field **ret_field, const json_t **ret,
                        os_error *err)
{
    *ret = NULL;
    error_clear(err);
    if (row == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "There is no row: it is NULL.");
    os_code code = row_field(row, name, ret_field, err);
    return code == OS_OK ? row_access(row, *ret_field, ret, err) : code;
}

/* Of a function that goes on without what it has asked for, nothing is committed. */
static os_code give(os_row *row, os_code code, const os_error *own, os_error *err)
{
    if (code == OS_ERR_NO_MEMORY && row != NULL)
        row->is_broken = true;
    if (err != NULL)
        *err = *own;
    return code;
}

/* Kept with the row until the field has another value, or the row is gone. */
static os_code keep_text(os_row *row, const char *name, const json_t *value, const char **ret, os_error *err)
{
    struct buf out;
    buf_init(&out, FIELD_TEXT_MAX);
    bool is_written = json_write(&out, value);
    json_t *text = is_written ? json_stringn_nocheck(buf_str(&out), out.len) : NULL;
    buf_free(&out);
    const json_t *before = json_object_get(row->texts, name);
    bool is_kept = text != NULL && json_equal(before, text);
    if (is_kept)
        json_decref(text);
    else if (text == NULL || json_object_set_new(row->texts, name, text) != 0)
        return error_no_memory(err);
    *ret = json_string_value(is_kept ? before : text);
    return OS_OK;
}

os_code os_row_get(os_row *row, const char *field, const char **ret, os_error *err)
{
    const struct model_field *of = NULL;
    const json_t *value = NULL;
    os_error own;
    *ret = NULL;
    os_code code = value_of(row, field, &of, &value, &own);
    if (code == OS_OK && value != NULL)
        code = keep_text(row, field, value, ret, &own);
    return give(row, code, &own, err);
}

static os_code typed_value(os_row *row, const char *name, const char *type, bool (*is_type)(const json_t *value),
                           const json_t **ret, os_error *err)
{
    const struct model_field *of = NULL;
    os_code code = value_of(row, name, &of, ret, err);
    if (code != OS_OK)
        return code;
    if (*ret == NULL)
        return error_set(err, OS_ERR_NOT_FOUND, "%.60s.%.60s has no value.", row->model->model->name, name);
    if (is_type(*ret))
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT, "%.60s.%.60s is of type %s: it is no %s.", row->model->model->name, name,
                     model_type_name(of->type), type);
}

static bool is_integer(const json_t *value)
{
    return json_is_integer(value);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value);
}

static bool is_boolean(const json_t *value)
{
    return json_is_boolean(value);
}

static bool is_string(const json_t *value)
{
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
}

os_code os_row_get_int(os_row *row, const char *field, int64_t *ret, os_error *err)
{
    const json_t *value = NULL;
    os_error own;
    os_code code = typed_value(row, field, "integer", is_integer, &value, &own);
    if (code == OS_OK)
        *ret = json_integer_value(value);
    return give(row, code, &own, err);
}

os_code os_row_get_double(os_row *row, const char *field, double *ret, os_error *err)
{
    const json_t *value = NULL;
    os_error own;
    os_code code = typed_value(row, field, "number", is_number, &value, &own);
    if (code == OS_OK)
        *ret = json_number_value(value);
    return give(row, code, &own, err);
}

os_code os_row_get_bool(os_row *row, const char *field, int *ret, os_error *err)
{
    const json_t *value = NULL;
    os_error own;
    os_code code = typed_value(row, field, "boolean", is_boolean, &value, &own);
    if (code == OS_OK)
        *ret = json_is_true(value);
    return give(row, code, &own, err);
}

os_code os_row_get_string(os_row *row, const char *field, const char **ret, os_error *err)
{
    const json_t *value = NULL;
    os_error own;
    os_code code = typed_value(row, field, "string without a NUL", is_string, &value, &own);
    if (code == OS_OK)
        *ret = json_string_value(value);
    return give(row, code, &own, err);
}

/* ------------------------------------------------------------------------------------------------ setting */

static const char *name_of(const char *field)
{
    return field != NULL ? field : "";
}

/* Takes `value`; NULL where `code` says why there is none. */
static os_code set_value(os_row *row, const char *name, json_t *value, os_code code, os_error *own, os_error *err)
{
    const struct model_field *field = NULL;
    if (code == OS_OK)
        code = row != NULL ? row_field(row, name, &field, own)
                           : error_set(own, OS_ERR_ARGUMENT, "There is no row: it is NULL.");
    if (code == OS_OK)
        code = row_set(row, field, json_is_null(value) ? NULL : value, own);
    json_decref(value);
    return give(row, code, own, err);
}

static os_code set_new(os_row *row, const char *name, json_t *value, os_error *err)
{
    os_error own;
    error_clear(&own);
    return set_value(row, name, value, value != NULL ? OS_OK : error_no_memory(&own), &own, err);
}

enum { VALUE_FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL };

static json_t *read_value(const char *json)
{
    size_t len = strnlen(json, FIELD_TEXT_MAX + 1);
    return len <= FIELD_TEXT_MAX ? json_parse(json, len, VALUE_FLAGS, NULL) : NULL;
}

static os_code refuse_text(const char *field, const char *json, os_error *err)
{
    char fault[JSON_FAULT_SIZE];
    if (strnlen(json, FIELD_TEXT_MAX + 1) > FIELD_TEXT_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The new value of the field %.60s has more than %d bytes of JSON.",
                         name_of(field), FIELD_TEXT_MAX);
    const char *why = json_parse_fault(json, strlen(json), VALUE_FLAGS, fault);
    if (why == NULL)
        return error_no_memory(err);
    return error_set(err, OS_ERR_ARGUMENT, "The new value of the field %.60s is no JSON: %s.", name_of(field), why);
}

os_code os_row_set(os_row *row, const char *field, const char *json, os_error *err)
{
    os_error own;
    os_code code = OS_OK;
    error_clear(&own);
    const char *text = json != NULL ? json : "null";
    json_t *value = read_value(text);
    if (value == NULL)
        code = refuse_text(field, text, &own);
    return set_value(row, field, value, code, &own, err);
}

os_code os_row_set_int(os_row *row, const char *field, int64_t value, os_error *err)
{
    return set_new(row, field, json_integer(value), err);
}

static os_code number_fault(const char *field, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "The new value of the field %.60s is not finite, so it is no number.",
                     name_of(field));
}

os_code os_row_set_double(os_row *row, const char *field, double value, os_error *err)
{
    return isfinite(value) ? set_new(row, field, json_real(value), err) : number_fault(field, err);
}

os_code os_row_set_bool(os_row *row, const char *field, int value, os_error *err)
{
    return set_new(row, field, json_boolean(value), err);
}

os_code os_row_set_string(os_row *row, const char *field, const char *value, os_error *err)
{
    os_error own;
    error_clear(&own);
    if (value != NULL && text_is_utf8(text_from(value)))
        return set_new(row, field, json_string(value), err);
    return give(
        row,
        error_set(&own, OS_ERR_ARGUMENT, "The new value of the field %.60s is NULL, or is not UTF-8.", name_of(field)),
        &own, err);
}

/* ------------------------------------------------------------------------------------------------ adding */

static os_code add_value(os_row *row, const char *name, json_t *value, os_error *err)
{
    const struct model_field *field = NULL;
    os_error own;
    error_clear(&own);
    os_code code = value != NULL ? OS_OK : error_no_memory(&own);
    if (code == OS_OK && row == NULL)
        code = error_set(&own, OS_ERR_ARGUMENT, "There is no row: it is NULL.");
    if (code == OS_OK)
        code = row_field(row, name, &field, &own);
    if (code == OS_OK)
        code = row_add(row, field, value, &own);
    json_decref(value);
    return give(row, code, &own, err);
}

os_code os_row_increment(os_row *row, const char *field, int64_t value, os_error *err)
{
    return add_value(row, field, json_integer(value), err);
}

os_code os_row_increment_double(os_row *row, const char *field, double value, os_error *err)
{
    return isfinite(value) ? add_value(row, field, json_real(value), err) : number_fault(field, err);
}
