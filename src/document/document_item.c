/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_item.h"

#include "attribute/check.h"
#include "attribute/scalar.h"
#include "document/document_value.h"

#define TIMESTAMP    "timestamp"
#define CLIENT_TOKEN "clientToken"
#define DESIRED      "desired"
#define REPORTED     "reported"
/* What the SDK makes of the field Version where it reads no json tags. */
#define VERSION_OF_FIELD "Version"

void document_free(struct document *document)
{
    json_decref(document->client_token);
    json_decref(document->desired);
    json_decref(document->reported);
    *document = (struct document){.version = 0};
}

/* ------------------------------------------------------------------------------------------------------- to items */

static os_code add(json_t *item, const char *name, const json_t *json, os_error *err)
{
    json_t *value;
    if (json == NULL || json_is_null(json))
        return OS_OK;
    os_code code = document_value_from_json(json, name, &value, err);
    if (code == OS_OK && json_object_set_new(item, name, value) != 0)
        code = error_no_memory(err);
    return code;
}

static os_code add_integer(json_t *item, const char *name, int64_t integer, os_error *err)
{
    json_t *json = json_integer(integer);
    os_code code = json != NULL ? add(item, name, json, err) : error_no_memory(err);
    json_decref(json);
    return code;
}

static os_code add_all(json_t *item, const struct document *document, os_error *err)
{
    bool has_token = json_string_length(document->client_token) > 0;
    os_code code = add_integer(item, DOCUMENT_VERSION, document->version, err);
    if (code == OS_OK)
        code = add_integer(item, TIMESTAMP, document->timestamp_ns, err);
    if (code == OS_OK)
        code = add(item, CLIENT_TOKEN, has_token ? document->client_token : NULL, err);
    if (code == OS_OK)
        code = add(item, DESIRED, document->desired, err);
    if (code == OS_OK)
        code = add(item, REPORTED, document->reported, err);
    return code == OS_OK ? item_check_size(item, err) : code;
}

os_code document_to_item(const struct document_key *key, const struct document *document, json_t **ret, os_error *err)
{
    os_code code = document_key_attributes(key, ret, err);
    if (code == OS_OK)
        code = add_all(*ret, document, err);
    if (code != OS_OK) {
        json_decref(*ret);
        *ret = NULL;
    }
    return code;
}

/* ----------------------------------------------------------------------------------------------------- from items */

static os_code refuse_version(const json_t *item, os_error *err)
{
    if (json_object_get(item, DOCUMENT_VERSION) != NULL)
        return error_set(err, OS_ERR_PROTOCOL,
                         "The item is no document: its version is no whole number from 1 to 9223372036854775807.");
    if (json_object_get(item, VERSION_OF_FIELD) != NULL)
        return error_set(
            err, OS_ERR_PROTOCOL,
            "The item has the attribute Version and no attribute version: a Go program wrote it without "
            "TagKey \"json\" in its EncoderOptions, and would not see the version of what is written here. "
            "Set TagKey there, or keep these documents in a table of their own.");
    return error_set(err, OS_ERR_PROTOCOL, "The item is no document: it has no attribute version.");
}

static os_code read_token(const json_t *item, const json_t **ret, os_error *err)
{
    const json_t *value = json_object_get(item, CLIENT_TOKEN);
    *ret = NULL;
    if (value == NULL || value_type(value) == VALUE_NULL)
        return OS_OK;
    if (value_type(value) != VALUE_S)
        return error_set(err, OS_ERR_PROTOCOL, "The item is no document: its clientToken is no string.");
    *ret = value_inside(value);
    return OS_OK;
}

os_code document_mark_read(const json_t *item, struct document_mark *ret, os_error *err)
{
    struct document_mark mark = {.version = 0};
    const json_t *token;
    *ret = mark;
    if (!document_value_integer(json_object_get(item, DOCUMENT_VERSION), &mark.version) || mark.version < 1)
        return refuse_version(item, err);
    os_code code = read_token(item, &token, err);
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
    return document_value_to_json(value, name, ret, err);
}

static os_code read_timestamp(const json_t *item, int64_t *ret, os_error *err)
{
    const json_t *value = json_object_get(item, TIMESTAMP);
    if (value == NULL || document_value_integer(value, ret))
        return OS_OK;
    return error_set(err, OS_ERR_PROTOCOL, "The item is no document: its timestamp is no whole number of nanoseconds.");
}

os_code document_from_item(const json_t *item, struct document *ret, os_error *err)
{
    struct document_mark mark;
    const json_t *token = NULL;
    *ret = (struct document){.version = 0};
    os_code code = document_mark_read(item, &mark, err);
    if (code == OS_OK)
        code = read_token(item, &token, err);
    if (code == OS_OK)
        code = read_timestamp(item, &ret->timestamp_ns, err);
    if (code == OS_OK)
        code = read_model(item, DESIRED, &ret->desired, err);
    if (code == OS_OK)
        code = read_model(item, REPORTED, &ret->reported, err);
    ret->version = mark.version;
    ret->client_token = json_string_length(token) > 0 ? json_incref((json_t *)token) : NULL;
    if (code != OS_OK)
        document_free(ret);
    return code;
}
