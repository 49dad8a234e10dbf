/* SPDX-License-Identifier: Apache-2.0 */
/* One item. */
#include "rows/check.h"

#include "attribute/check.h"
#include "attribute/projection.h"
#include "base/error.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- names */

bool rows_is_name(struct text name)
{
    bool is_one = name.len >= ROWS_NAME_MIN && name.len <= ROWS_NAME_MAX;
    for (size_t i = 0; i < name.len && is_one; i++) {
        char c = name.p[i];
        is_one = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                 c == '.';
    }
    return is_one;
}

os_code rows_check_name(const char *name, const char *what, os_error *err)
{
    if (rows_is_name(text_from(name)))
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "\"%.300s\" is not the name of %s: give 3 to 255 of a-z, A-Z, 0-9, '_', '-' and '.'.",
                     name != NULL ? name : "", what);
}

bool rows_is_attribute_name(const char *name)
{
    struct text text = text_from(name);
    return text.len > 0 && text.len <= ROWS_KEY_NAME_MAX && text_is_utf8(text);
}

os_code rows_check_key_names(const struct rows_keys *keys, os_error *err)
{
    bool has_twins = keys->sort != NULL && keys->partition != NULL && strcmp(keys->partition, keys->sort) == 0;
    if (rows_is_attribute_name(keys->partition) && (keys->sort == NULL || rows_is_attribute_name(keys->sort)) &&
        !has_twins)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A key has one or two attributes, each with a name of its own of 1 to %d bytes of UTF-8: give the "
                     "names that the table has.",
                     ROWS_KEY_NAME_MAX);
}

/* ---------------------------------------------------------------------------------------------------------- keys */

os_code rows_check_key_value(const char *name, const json_t *value, bool is_sort, os_error *err)
{
    const struct path_step step = {.name = name};
    os_code code = value_check(value, &(struct path){&step, 1}, err);
    size_t most = is_sort ? ROWS_SORT_MAX : ROWS_PARTITION_MAX;
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

os_code rows_check_key_values(const struct rows_keys *keys, const json_t *item, os_error *err)
{
    os_code code = rows_check_key_value(keys->partition, json_object_get(item, keys->partition), false, err);
    return code == OS_OK && keys->sort != NULL
               ? rows_check_key_value(keys->sort, json_object_get(item, keys->sort), true, err)
               : code;
}

os_code rows_check_key(const struct rows_key *key, os_error *err)
{
    const struct rows_keys *keys = &key->table->keys;
    os_code code = rows_check_key_names(keys, err);
    if (code != OS_OK)
        return code;
    if (json_object_size(key->key) != (keys->sort != NULL ? 2 : 1)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The key of an item of table \"%s\" has the attribute \"%.100s\"%s%.100s%s and no other.",
                         key->table->name, keys->partition, keys->sort != NULL ? ", the attribute \"" : "",
                         keys->sort != NULL ? keys->sort : "", keys->sort != NULL ? "\"" : "");
    }
    return rows_check_key_values(keys, key->key, err);
}

os_code rows_check_paths_of_keys(const struct rows_keys *keys, const struct path *paths, size_t count, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    for (size_t i = 0; i < count; i++) {
        const char *name = paths[i].count > 1 ? paths[i].steps[0].name : NULL;
        if (name != NULL && rows_is_key_name(keys, name)) {
            return error_set(err, OS_ERR_ARGUMENT,
                             "%s: an attribute of the key is an S, an N or a B, which has nothing inside. Name the "
                             "attribute itself.",
                             path_text(&paths[i], text));
        }
    }
    return OS_OK;
}

os_code rows_check_condition_on_keys(const struct rows_keys *keys, const struct condition *condition, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < condition->count && code == OS_OK; i++)
        code = rows_check_paths_of_keys(keys, &condition->terms[i].path, 1, err);
    return code;
}

os_code rows_check_get(const struct rows_get *get, os_error *err)
{
    os_code code = rows_check_key(&get->of, err);
    if (code == OS_OK)
        code = rows_check_paths_of_keys(&get->of.table->keys, get->paths, get->path_count, err);
    return code == OS_OK ? projection_check(get->paths, get->path_count, err) : code;
}

/* -------------------------------------------------------------------------------------------------------- writes */

static os_code check_item(const struct rows_table *table, const json_t *item, os_error *err)
{
    os_code code = rows_check_key_names(&table->keys, err);
    if (code == OS_OK)
        code = item_check(item, err);
    return code == OS_OK ? rows_check_key_values(&table->keys, item, err) : code;
}

static os_code check_changes(const struct rows_write *write, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    os_code code = changes_check(write->changes, write->change_count, err);
    for (size_t i = 0; i < write->change_count && code == OS_OK; i++) {
        const struct path *path = &write->changes[i].path;
        if (rows_is_key_name(&write->table->keys, path->steps[0].name)) {
            code =
                error_set(err, OS_ERR_ARGUMENT,
                          "%s: the attributes of an item's key do not change. Put a new item and delete the old one.",
                          path_text(path, text));
        }
    }
    return code;
}

static const char *fault_of(const struct rows_write *write)
{
    switch (write->kind) {
    case ROWS_PUT:
    case ROWS_UPDATE:
    case ROWS_DELETE: break;
    case ROWS_CHECK:
        if (write->condition.count == 0)
            return "A check of an item in a transaction has no condition: give one.";
        break;
    default: return "The kind of a write is PUT, UPDATE, DELETE or CHECK.";
    }
    return write->kind != ROWS_UPDATE && write->change_count > 0 ? "Only an UPDATE has changes." : NULL;
}

/* Of an update what it writes: the rest of the item is not known. */
static os_code check_count(const struct rows_write *write, os_error *err)
{
    size_t count = write->kind == ROWS_PUT ? value_count(write->item) : 0;
    for (size_t i = 0; i < write->change_count; i++)
        count += write->changes[i].kind != CHANGE_REMOVE ? value_count(write->changes[i].value) : 0;
    return item_check_count(count, err);
}

static os_code check_write(const struct rows_write *write, os_error *err)
{
    const char *fault = fault_of(write);
    if (fault != NULL)
        return error_set(err, OS_ERR_ARGUMENT, "%s", fault);
    os_code code = write->kind == ROWS_PUT ? check_item(write->table, write->item, err)
                                           : rows_check_key(&(struct rows_key){write->table, write->item}, err);
    if (code == OS_OK)
        code = condition_check(&write->condition, err);
    if (code == OS_OK)
        code = rows_check_condition_on_keys(&write->table->keys, &write->condition, err);
    if (code == OS_OK)
        code = check_changes(write, err);
    return code == OS_OK ? check_count(write, err) : code;
}

/* There an update must have an expression (API Reference, "Update"); DynamoDB Local does without. */
os_code rows_check_write(const struct rows_write *write, os_error *err)
{
    if (write->kind == ROWS_UPDATE && write->change_count == 0)
        return error_set(err, OS_ERR_ARGUMENT,
                         "An update in a transaction has no changes, which DynamoDB refuses: give one, or check the "
                         "item.");
    return check_write(write, err);
}

os_code rows_check_write_alone(const struct rows_write *write, os_error *err)
{
    if (write->kind == ROWS_CHECK)
        return error_set(err, OS_ERR_ARGUMENT,
                         "A check of an item stands only in a transaction: read the item instead.");
    return check_write(write, err);
}
