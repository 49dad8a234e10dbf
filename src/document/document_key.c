/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_key.h"

#include "attribute/scalar.h"
#include "attribute/type.h"

#include <string.h>

const struct path_step document_key_steps[] = {{.name = DOCUMENT_PARTITION}, {.name = DOCUMENT_SORT}};

static const char *const sort_prefixes[] = {[DOCUMENT_REPORTED] = DOCUMENT_SORT_PREFIX "R#",
                                            [DOCUMENT_DESIRED] = DOCUMENT_SORT_PREFIX "D#",
                                            [DOCUMENT_COMBINED] = DOCUMENT_SORT_PREFIX "C#"};

const char *document_kind_name(enum document_kind kind)
{
    static const char *const names[] = {
        [DOCUMENT_REPORTED] = "reported", [DOCUMENT_DESIRED] = "desired", [DOCUMENT_COMBINED] = "combined"};
    return names[kind];
}

static bool is_part(struct text part, size_t max)
{
    return part.len > 0 && part.len <= max && memchr(part.p, '\0', part.len) == NULL && text_is_utf8(part);
}

static os_code check_part(const char *what, struct text part, size_t max, os_error *err)
{
    if (is_part(part, max))
        return OS_OK;
    if (part.len == 0)
        return error_set(err, OS_ERR_ARGUMENT, "The %s of the document is empty. Give it at least one character.",
                         what);
    if (part.len > max)
        return error_set(
            err, OS_ERR_ARGUMENT,
            "The %s of the document has %zu bytes; a key of DynamoDB has room for %zu. Give a shorter one.", what,
            part.len, max);
    if (memchr(part.p, '\0', part.len) != NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The %s of the document has a NUL inside. Give one without.", what);
    return error_set(err, OS_ERR_ARGUMENT, "The %s of the document is not UTF-8, which DynamoDB wants. Encode it.",
                     what);
}

/* A new value; NULL when out of memory. */
static json_t *value_of(const char *prefix, struct text part)
{
    struct buf text;
    json_t *value = NULL;
    buf_init(&text, DOCUMENT_ID_MAX + sizeof(DOCUMENT_PARTITION_PREFIX));
    if (buf_add_str(&text, prefix) && buf_add(&text, part.p, part.len))
        value = value_of_type(VALUE_S, json_stringn(buf_str(&text), text.len));
    buf_free(&text);
    return value;
}

os_code document_key_partition(struct text id, json_t **ret, os_error *err)
{
    *ret = NULL;
    os_code code = check_part("id", id, DOCUMENT_ID_MAX, err);
    if (code != OS_OK)
        return code;
    *ret = value_of(DOCUMENT_PARTITION_PREFIX, id);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

os_code document_key_attributes(const struct document_key *key, json_t **ret, os_error *err)
{
    json_t *partition;
    *ret = NULL;
    os_code code = check_part("name", key->name, DOCUMENT_NAME_MAX, err);
    if (code == OS_OK)
        code = document_key_partition(key->id, &partition, err);
    if (code != OS_OK)
        return code;
    json_t *attributes = json_object();
    bool added = json_object_set_new(attributes, DOCUMENT_PARTITION, partition) == 0 &&
                 json_object_set_new(attributes, DOCUMENT_SORT, value_of(sort_prefixes[key->kind], key->name)) == 0;
    if (!added) {
        json_decref(attributes);
        return error_no_memory(err);
    }
    *ret = attributes;
    return OS_OK;
}

static struct text key_text(const json_t *item, const char *name)
{
    const json_t *value = json_object_get(item, name);
    const json_t *inside = value_type(value) == VALUE_S ? value_inside(value) : NULL;
    return json_is_string(inside) ? scalar_text(inside) : text_of(NULL, 0);
}

bool document_key_read(const json_t *item, struct document_key *ret)
{
    struct document_key key = {.id = key_text(item, DOCUMENT_PARTITION)};
    struct text sort = key_text(item, DOCUMENT_SORT);
    if (!text_take_str(&key.id, DOCUMENT_PARTITION_PREFIX) || !is_part(key.id, DOCUMENT_ID_MAX))
        return false;
    for (enum document_kind kind = DOCUMENT_REPORTED; kind <= DOCUMENT_COMBINED; kind++) {
        key.name = sort;
        key.kind = kind;
        if (text_take_str(&key.name, sort_prefixes[kind]) && is_part(key.name, DOCUMENT_NAME_MAX)) {
            *ret = key;
            return true;
        }
    }
    return false;
}
