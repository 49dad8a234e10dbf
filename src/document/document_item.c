/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_item.h"

#include "attribute/check.h"
#include "attribute/json_value.h"
#include "attribute/scalar.h"

void document_free(struct document *document)
{
    json_decref(document->client_token);
    json_decref(document->desired);
    json_decref(document->reported);
    *document = (struct document){.version = 0};
}

/* Whether it is a whole number of 64 bits; `value` may be NULL. */
static bool is_integer(const json_t *value, int64_t *ret)
{
    if (value_type(value) != VALUE_N)
        return false;
    struct number number = scalar_number(value_inside(value));
    return number_to_integer(&number, ret);
}

/* ------------------------------------------------------------------------------------------------------- to items */

static os_code add(json_t *item, const char *name, const json_t *json, os_error *err)
{
    json_t *value;
    os_code code = value_from_json(json, name, &value, err);
    if (code == OS_OK && json_object_set_new(item, name, value) != 0)
        code = error_no_memory(err);
    return code;
}

static os_code add_new(json_t *item, const char *name, json_t *json, os_error *err)
{
    os_code code = json != NULL ? add(item, name, json, err) : error_no_memory(err);
    json_decref(json);
    return code;
}

static os_code add_token(json_t *item, const char *name, const json_t *token, enum document_spelling spelling,
                         os_error *err)
{
    if (json_string_length(token) > 0)
        return add(item, name, token, err);
    return spelling == DOCUMENT_FIELDS ? add_new(item, name, json_string(""), err) : OS_OK;
}

static os_code add_model(json_t *item, const char *name, const json_t *model, enum document_spelling spelling,
                         os_error *err)
{
    if (model != NULL && !json_is_null(model))
        return add(item, name, model, err);
    return spelling == DOCUMENT_FIELDS ? add(item, name, json_null(), err) : OS_OK;
}

static os_code add_all(json_t *item, const struct document *document, enum document_spelling spelling, os_error *err)
{
    const struct document_names *names = document_names(spelling);
    os_code code = add_new(item, names->version.name, json_integer(document->version), err);
    if (code == OS_OK)
        code = add_new(item, names->timestamp.name, json_integer(document->timestamp_ns), err);
    if (code == OS_OK)
        code = add_token(item, names->client_token.name, document->client_token, spelling, err);
    if (code == OS_OK)
        code = add_model(item, names->desired.name, document->desired, spelling, err);
    if (code == OS_OK)
        code = add_model(item, names->reported.name, document->reported, spelling, err);
    if (code == OS_OK)
        code = item_check_size(item, err);
    return code == OS_OK ? item_check_count(value_count(item), err) : code;
}

os_code document_to_item(const struct document_key *key, const struct document *document,
                         enum document_spelling spelling, json_t **ret, os_error *err)
{
    os_code code = document_key_attributes(key, ret, err);
    if (code == OS_OK)
        code = add_all(*ret, document, spelling, err);
    if (code != OS_OK) {
        json_decref(*ret);
        *ret = NULL;
    }
    return code;
}

/* ----------------------------------------------------------------------------------------------------- from items */

static os_code refuse(os_error *err, const char *name, const char *fault)
{
    return error_set(err, OS_ERR_PROTOCOL, "The item is no document: its %s is no %s.", name, fault);
}

static os_code read_version(const json_t *item, enum document_spelling spelling, int64_t *ret, os_error *err)
{
    const char *name = document_names(spelling)->version.name;
    const json_t *value = json_object_get(item, name);
    os_code code = document_spelling_check(item, spelling, err);
    if (code != OS_OK)
        return code;
    if (value == NULL)
        return error_set(err, OS_ERR_PROTOCOL, "The item is no document: it has no attribute %s.", name);
    if (!is_integer(value, ret) || *ret < 1)
        return refuse(err, name, "whole number from 1 to 9223372036854775807");
    return OS_OK;
}

static os_code read_token(const json_t *item, const char *name, const json_t **ret, os_error *err)
{
    const json_t *value = json_object_get(item, name);
    *ret = NULL;
    if (value == NULL || value_type(value) == VALUE_NULL)
        return OS_OK;
    if (value_type(value) != VALUE_S)
        return refuse(err, name, "string");
    *ret = value_inside(value);
    return OS_OK;
}

os_code document_mark_read(const json_t *item, enum document_spelling spelling, struct document_mark *ret,
                           os_error *err)
{
    struct document_mark mark = {.spelling = spelling};
    const json_t *token = NULL;
    *ret = mark;
    os_code code = read_version(item, spelling, &mark.version, err);
    if (code == OS_OK)
        code = read_token(item, document_names(spelling)->client_token.name, &token, err);
    if (code != OS_OK)
        return code;
    if (token != NULL)
        mark.client_token = scalar_text(token);
    *ret = mark;
    return OS_OK;
}

/* Go's decoder makes nil of a NULL, and 0 of a timestamp that is not there. */
static os_code read_model(const json_t *item, const char *name, json_t **ret, os_error *err)
{
    const json_t *value = json_object_get(item, name);
    if (value == NULL || value_type(value) == VALUE_NULL)
        return OS_OK;
    return value_to_json(value, name, ret, err);
}

os_code document_timestamp_read(const json_t *item, enum document_spelling spelling, int64_t *ret_ns, os_error *err)
{
    const char *name = document_names(spelling)->timestamp.name;
    const json_t *value = json_object_get(item, name);
    *ret_ns = 0;
    if (value == NULL || is_integer(value, ret_ns))
        return OS_OK;
    return refuse(err, name, "whole number of nanoseconds");
}

os_code document_from_item(const json_t *item, enum document_spelling spelling, struct document *ret, os_error *err)
{
    const struct document_names *names = document_names(spelling);
    const json_t *token = NULL;
    *ret = (struct document){.version = 0};
    os_code code = read_version(item, spelling, &ret->version, err);
    if (code == OS_OK)
        code = read_token(item, names->client_token.name, &token, err);
    if (code == OS_OK)
        code = document_timestamp_read(item, spelling, &ret->timestamp_ns, err);
    if (code == OS_OK)
        code = read_model(item, names->desired.name, &ret->desired, err);
    if (code == OS_OK)
        code = read_model(item, names->reported.name, &ret->reported, err);
    ret->client_token = json_string_length(token) > 0 ? json_incref((json_t *)token) : NULL;
    if (code != OS_OK)
        document_free(ret);
    return code;
}
