/* SPDX-License-Identifier: Apache-2.0 */
/* {"partition":["p","S"],"sort":["s","N"],"ttl":"t","indexes":[{"name":"i","partition":["g","S"],"projection":"ALL"}]} */
#include "sqlite/rows_table.h"

#include "syntax/json.h"

/* --------------------------------------------------------------------------------------------------------- write */

/* Takes `value`, which may be NULL for want of memory. */
static bool add(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static bool add_keys(json_t *object, const struct rows_key_schema *keys)
{
    const struct rows_attribute *sort = &keys->sort;
    return add(object, "partition", json_pack("[ss]", keys->partition.name, value_type_name(keys->partition.type))) &&
           (sort->name == NULL || add(object, "sort", json_pack("[ss]", sort->name, value_type_name(sort->type))));
}

static bool add_names(json_t *object, const struct rows_index *index)
{
    json_t *names = json_array();
    for (size_t i = 0; i < index->name_count && names != NULL; i++)
        if (json_array_append_new(names, json_string(index->names[i])) != 0) {
            json_decref(names);
            names = NULL;
        }
    return add(object, "names", names);
}

static json_t *write_index(const struct rows_index *index)
{
    json_t *object = json_pack("{ss}", "name", index->name);
    bool done = object != NULL && add_keys(object, &index->keys) &&
                add(object, "projection", json_string(rows_projection_name(index->projection))) &&
                (index->projection != ROWS_PROJECT_INCLUDE || add_names(object, index));
    if (done)
        return object;
    json_decref(object);
    return NULL;
}

json_t *rows_definition_write(const struct rows_definition *definition)
{
    json_t *root = json_object();
    json_t *indexes = json_array();
    bool done = root != NULL && indexes != NULL && add_keys(root, &definition->keys);
    for (size_t i = 0; i < definition->index_count && done; i++)
        done = json_array_append_new(indexes, write_index(&definition->indexes[i])) == 0;
    done = done && (definition->ttl == NULL || add(root, "ttl", json_string(definition->ttl))) &&
           json_object_set(root, "indexes", indexes) == 0;
    json_decref(indexes);
    if (done)
        return root;
    json_decref(root);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- read */

static bool read_attribute(const json_t *object, const char *member, struct rows_attribute *ret)
{
    const char *type = json_string_value(json_array_get(json_object_get(object, member), 1));
    ret->name = json_string_value(json_array_get(json_object_get(object, member), 0));
    ret->type = rows_key_type_of(type);
    return ret->name != NULL && type != NULL;
}

static bool read_keys(const json_t *object, struct rows_key_schema *ret)
{
    return read_attribute(object, "partition", &ret->partition) &&
           (json_object_get(object, "sort") == NULL || read_attribute(object, "sort", &ret->sort));
}

static bool read_names(const json_t *object, struct sqlite_rows_table *table, size_t *used, struct rows_index *ret)
{
    const json_t *names = json_object_get(object, "names");
    size_t count = json_array_size(names);
    if (count > ROWS_NAMES_MAX - *used)
        return false;
    ret->names = &table->names[*used];
    ret->name_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL)
            return false;
        table->names[(*used)++] = name;
    }
    return true;
}

static bool read_indexes(const json_t *indexes, struct sqlite_rows_table *ret)
{
    size_t used = 0;
    size_t count = json_array_size(indexes);
    if (!json_is_array(indexes) || count > ROWS_INDEXES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(indexes, i);
        struct rows_index *index = &ret->indexes[i];
        index->name = json_member_string(object, "name");
        index->projection = rows_projection_of(json_member_string(object, "projection"));
        if (index->name == NULL || index->projection == 0 || !read_keys(object, &index->keys) ||
            !read_names(object, ret, &used, index))
            return false;
    }
    ret->definition.indexes = ret->indexes;
    ret->definition.index_count = count;
    return true;
}

bool sqlite_rows_table_read(json_t *root, struct sqlite_rows_table *ret)
{
    const json_t *ttl = json_object_get(root, "ttl");
    ret->root = root;
    ret->definition.ttl = json_string_value(ttl);
    return read_keys(root, &ret->definition.keys) && (ttl == NULL || json_is_string(ttl)) &&
           read_indexes(json_object_get(root, "indexes"), ret) &&
           rows_definition_check(&ret->definition, NULL) == OS_OK;
}

void sqlite_rows_table_free(struct sqlite_rows_table *table)
{
    json_decref(table->root);
    table->root = NULL;
}
