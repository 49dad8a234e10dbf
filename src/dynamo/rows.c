/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/rows.h"

#include "attribute/check.h"
#include "attribute/scalar.h"
#include "base/error.h"
#include "dynamo/request_parts.h"

#include <stdio.h>
#include <string.h>

/* Developer Guide, "Quotas". */
enum { KEY_NAME_MAX = 255, PARTITION_MAX = 2048, SORT_MAX = 1024 };

const char *rows_operation(enum rows_write_kind kind)
{
    static const char *const operations[] = {[ROWS_PUT] = "PutItem",
                                             [ROWS_UPDATE] = "UpdateItem",
                                             [ROWS_DELETE] = "DeleteItem",
                                             [ROWS_CHECK] = "ConditionCheck"};
    return operations[kind];
}

const char *rows_list_operation(const struct rows_list *list)
{
    return list->partition != NULL ? "Query" : "Scan";
}

const struct rows_keys *rows_list_keys(const struct rows_list *list)
{
    return list->index != NULL ? &list->index_keys : &list->table->keys;
}

/* -------------------------------------------------------------------------------------------------------- checks */

static bool is_key_name(const char *name)
{
    struct text text = text_from(name);
    return text.len > 0 && text.len <= KEY_NAME_MAX && text_is_utf8(text);
}

static os_code check_names(const struct rows_keys *keys, os_error *err)
{
    bool has_twins = keys->sort != NULL && keys->partition != NULL && strcmp(keys->partition, keys->sort) == 0;
    if (is_key_name(keys->partition) && (keys->sort == NULL || is_key_name(keys->sort)) && !has_twins)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A key has one or two attributes, each with a name of its own of 1 to %d bytes of UTF-8: give the "
                     "names that the table has.",
                     KEY_NAME_MAX);
}

os_code rows_check_table(const struct rows_table *table, os_error *err)
{
    os_code code = dynamo_check_table(table->name, err);
    return code == OS_OK ? check_names(&table->keys, err) : code;
}

os_code rows_check_key_value(const char *name, const json_t *value, bool is_sort, os_error *err)
{
    const struct path_step step = {.name = name};
    os_code code = value_check(value, &(struct path){&step, 1}, err);
    size_t most = is_sort ? SORT_MAX : PARTITION_MAX;
    if (code != OS_OK)
        return code;
    if (value_type_has_order(value_type(value)) && value_size(value) > 0 && value_size(value) <= most)
        return OS_OK;
    return error_set(
        err, OS_ERR_ARGUMENT,
        "%.100s: the value of a key is an S, an N or a B of 1 to %zu bytes; this one is of type %s and has "
        "%zu bytes.",
        name, most, value_type_name(value_type(value)), value_size(value));
}

static os_code check_key_of(const struct rows_keys *keys, const json_t *item, os_error *err)
{
    os_code code = rows_check_key_value(keys->partition, json_object_get(item, keys->partition), false, err);
    return code == OS_OK && keys->sort != NULL
               ? rows_check_key_value(keys->sort, json_object_get(item, keys->sort), true, err)
               : code;
}

os_code rows_check_key(const struct rows_key *key, os_error *err)
{
    const struct rows_keys *keys = &key->table->keys;
    os_code code = rows_check_table(key->table, err);
    if (code != OS_OK)
        return code;
    if (json_object_size(key->key) != (keys->sort != NULL ? 2 : 1)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The key of an item of table \"%s\" has the attribute \"%.100s\"%s%.100s%s and no other.",
                         key->table->name, keys->partition, keys->sort != NULL ? ", the attribute \"" : "",
                         keys->sort != NULL ? keys->sort : "", keys->sort != NULL ? "\"" : "");
    }
    return check_key_of(keys, key->key, err);
}

os_code rows_check_item(const struct rows_table *table, const json_t *item, os_error *err)
{
    os_code code = rows_check_table(table, err);
    if (code == OS_OK)
        code = item_check(item, err);
    return code == OS_OK ? check_key_of(&table->keys, item, err) : code;
}

static size_t count_names(const struct rows_keys *keys, const struct rows_keys *others)
{
    size_t count = rows_is_key_name(others, keys->partition) ? 0 : 1;
    return count + (keys->sort != NULL && !rows_is_key_name(others, keys->sort) ? 1 : 0);
}

/* The key of the table, and where an index is asked that of the index too. */
os_code rows_check_start_key(const struct rows_list *list, os_error *err)
{
    static const struct rows_keys none;
    const struct rows_keys *keys = &list->table->keys;
    const struct rows_keys *listed = rows_list_keys(list);
    size_t count = count_names(keys, &none) + (listed != keys ? count_names(listed, keys) : 0);
    os_code code = check_names(listed, err);
    if (code == OS_OK)
        code = check_key_of(keys, list->start_key, err);
    if (code == OS_OK)
        code = check_key_of(listed, list->start_key, err);
    if (code != OS_OK || json_object_size(list->start_key) == count)
        return code;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A page cannot begin here: the key has other attributes than one with which a page of this list "
                     "ended. List from the beginning.");
}

/* ---------------------------------------------------------------------------------------------------------- keys */

bool rows_is_key_name(const struct rows_keys *keys, const char *name)
{
    return (keys->partition != NULL && strcmp(keys->partition, name) == 0) ||
           (keys->sort != NULL && strcmp(keys->sort, name) == 0);
}

bool rows_same_key(const struct rows_keys *keys, const json_t *a, const json_t *b)
{
    return value_equal(json_object_get(a, keys->partition), json_object_get(b, keys->partition)) &&
           (keys->sort == NULL || value_equal(json_object_get(a, keys->sort), json_object_get(b, keys->sort)));
}

/* Returns how much is written. */
static size_t write_part(const char *name, const json_t *item, int shown, char *ret, size_t size)
{
    enum { SHOWN_NAME = 40 };
    struct text text = text_from(json_string_value(value_inside(json_object_get(item, name))));
    int len = snprintf(ret, size, "%.*s \"%.*s%s\"", (int)text_utf8_cut(text_from(name), SHOWN_NAME), name,
                       (int)text_utf8_cut(text, (size_t)shown), text.len > 0 ? text.p : "",
                       text.len > (size_t)shown ? "..." : "");
    return len > 0 ? (size_t)len : 0;
}

const char *rows_key_text(const struct rows_keys *keys, const json_t *item, char ret[ROWS_KEY_TEXT_SIZE])
{
    enum { SHOWN_PARTITION = 100, SHOWN_SORT = 60 };
    size_t len = write_part(keys->partition, item, SHOWN_PARTITION, ret, ROWS_KEY_TEXT_SIZE);
    if (keys->sort != NULL) {
        memcpy(ret + len, ", ", sizeof(", "));
        len += strlen(", ");
        (void)write_part(keys->sort, item, SHOWN_SORT, ret + len, ROWS_KEY_TEXT_SIZE - len);
    }
    return ret;
}
