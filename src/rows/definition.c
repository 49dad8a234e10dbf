/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/definition.h"

#include "base/error.h"
#include "rows/check.h"

#include <stdio.h>
#include <string.h>

enum { PART_SIZE = 160 };

/* --------------------------------------------------------------------------------------------------------- names */

const char *rows_projection_name(enum rows_projection projection)
{
    switch (projection) {
    case ROWS_PROJECT_ALL: return "ALL";
    case ROWS_PROJECT_KEYS_ONLY: return "KEYS_ONLY";
    case ROWS_PROJECT_INCLUDE: return "INCLUDE";
    }
    return "?";
}

enum rows_projection rows_projection_of(const char *name)
{
    for (enum rows_projection i = ROWS_PROJECT_ALL; name != NULL && i <= ROWS_PROJECT_INCLUDE; i++)
        if (strcmp(name, rows_projection_name(i)) == 0)
            return i;
    return 0;
}

enum value_type rows_key_type_of(const char *name)
{
    for (enum value_type type = VALUE_S; name != NULL && type <= VALUE_B; type++)
        if (strcmp(name, value_type_name(type)) == 0)
            return type;
    return VALUE_NONE;
}

/* --------------------------------------------------------------------------------------------------------- check */

/* What is wrong with a table's or an index's keys; `of` says whose. */
static os_code check_keys(const struct rows_key_schema *keys, const char *of, os_error *err)
{
    const struct rows_attribute *const attributes[] = {&keys->partition, &keys->sort};
    if (keys->partition.name == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "%s has no partition key. Name an attribute for it.", of);
    for (size_t i = 0; i < 2; i++) {
        const char *name = attributes[i]->name;
        if (name == NULL)
            continue;
        if (!rows_is_attribute_name(name)) {
            return error_set(err, OS_ERR_ARGUMENT,
                             "%s: the name of a key attribute has 1 to 255 bytes of UTF-8, not \"%.300s\".", of, name);
        }
        if (!value_type_has_order(attributes[i]->type))
            return error_set(err, OS_ERR_ARGUMENT, "%s: the key attribute \"%s\" must be of type S, N or B.", of, name);
    }
    if (keys->sort.name != NULL && strcmp(keys->partition.name, keys->sort.name) == 0) {
        return error_set(err, OS_ERR_ARGUMENT, "%s: the attribute \"%s\" cannot be both partition and sort key.", of,
                         keys->sort.name);
    }
    return OS_OK;
}

/* One attribute has one type in a table and all its indexes (API Reference, CreateTable: AttributeDefinitions). */
static os_code check_types(const struct rows_key_schema *a, const struct rows_key_schema *b, os_error *err)
{
    const struct rows_attribute *const of_a[] = {&a->partition, &a->sort};
    const struct rows_attribute *const of_b[] = {&b->partition, &b->sort};
    for (size_t i = 0; i < 4; i++) {
        const struct rows_attribute *one = of_a[i / 2];
        const struct rows_attribute *other = of_b[i % 2];
        if (one->name == NULL || other->name == NULL || strcmp(one->name, other->name) != 0 || one->type == other->type)
            continue;
        return error_set(err, OS_ERR_ARGUMENT,
                         "The attribute \"%s\" is a key of type %s and one of type %s: a key attribute has one type in "
                         "its table and all indexes.",
                         one->name, value_type_name(one->type), value_type_name(other->type));
    }
    return OS_OK;
}

static os_code check_projection(const struct rows_index *index, os_error *err)
{
    bool includes = index->projection == ROWS_PROJECT_INCLUDE;
    if (includes ? index->name_count < 1 || index->name_count > ROWS_INDEX_NAMES_MAX : index->name_count > 0) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The index \"%s\" names %zu attributes: INCLUDE has 1 to %d, ALL and KEYS_ONLY have none.",
                         index->name, index->name_count, ROWS_INDEX_NAMES_MAX);
    }
    for (size_t i = 0; i < index->name_count; i++) {
        if (!rows_is_attribute_name(index->names[i]))
            return error_set(err, OS_ERR_ARGUMENT,
                             "The index \"%s\" includes an attribute whose name is not 1 to 255 bytes of UTF-8.",
                             index->name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(index->names[j], index->names[i]) == 0)
                return error_set(err, OS_ERR_ARGUMENT, "The index \"%s\" includes the attribute \"%s\" twice.",
                                 index->name, index->names[i]);
    }
    return OS_OK;
}

static os_code check_index(const struct rows_definition *definition, size_t number, os_error *err)
{
    char of[ROWS_NAME_MAX + PART_SIZE];
    const struct rows_index *index = &definition->indexes[number];
    os_code code = rows_check_name(index->name, "an index", err);
    if (code != OS_OK)
        return code;
    (void)snprintf(of, sizeof(of), "The index \"%s\"", index->name);
    code = check_keys(&index->keys, of, err);
    if (code == OS_OK)
        code = check_types(&definition->keys, &index->keys, err);
    if (code == OS_OK)
        code = check_projection(index, err);
    for (size_t i = 0; i < number && code == OS_OK; i++) {
        if (strcmp(definition->indexes[i].name, index->name) == 0)
            return error_set(err, OS_ERR_ARGUMENT, "Two indexes are called \"%s\".", index->name);
        code = check_types(&definition->indexes[i].keys, &index->keys, err);
    }
    return code;
}

os_code rows_definition_check(const struct rows_definition *definition, os_error *err)
{
    size_t names = 0;
    os_code code = check_keys(&definition->keys, "The table", err);
    if (code == OS_OK && definition->index_count > ROWS_INDEXES_MAX) {
        code = error_set(err, OS_ERR_ARGUMENT, "A table has at most %d indexes; this one has %zu.", ROWS_INDEXES_MAX,
                         definition->index_count);
    }
    for (size_t i = 0; i < definition->index_count && code == OS_OK; i++) {
        code = check_index(definition, i, err);
        names += definition->indexes[i].name_count;
    }
    if (code == OS_OK && names > ROWS_NAMES_MAX) {
        code = error_set(err, OS_ERR_ARGUMENT, "The indexes of a table include at most %d attributes; these have %zu.",
                         ROWS_NAMES_MAX, names);
    }
    if (code == OS_OK && definition->ttl != NULL && !rows_is_attribute_name(definition->ttl)) {
        code = error_set(err, OS_ERR_ARGUMENT,
                         "The name of the TTL attribute has 1 to 255 bytes of UTF-8, not \"%.300s\".", definition->ttl);
    }
    return code;
}

/* ---------------------------------------------------------------------------------------------------- difference */

static bool texts_equal(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool attributes_equal(const struct rows_attribute *a, const struct rows_attribute *b)
{
    return texts_equal(a->name, b->name) && (a->name == NULL || a->type == b->type);
}

static const char *attribute_text(const struct rows_attribute *attribute, char ret[PART_SIZE])
{
    if (attribute->name == NULL)
        return "none";
    (void)snprintf(ret, PART_SIZE, "\"%.120s\" (%s)", attribute->name, value_type_name(attribute->type));
    return ret;
}

/* `of`: "", or "of the index X ". */
static const char *keys_difference(const struct rows_key_schema *a, const struct rows_key_schema *b, const char *of,
                                   char ret[512])
{
    char text_a[PART_SIZE];
    char text_b[PART_SIZE];
    bool is_sort = attributes_equal(&a->partition, &b->partition);
    const struct rows_attribute *one = is_sort ? &a->sort : &a->partition;
    const struct rows_attribute *other = is_sort ? &b->sort : &b->partition;
    if (attributes_equal(one, other))
        return NULL;
    (void)snprintf(ret, 512, "the %s key %sis %s, not %s", is_sort ? "sort" : "partition", of,
                   attribute_text(one, text_a), attribute_text(other, text_b));
    return ret;
}

static bool has_name(const struct rows_index *index, const char *name)
{
    for (size_t i = 0; i < index->name_count; i++)
        if (strcmp(index->names[i], name) == 0)
            return true;
    return false;
}

static const char *index_difference(const struct rows_index *a, const struct rows_index *b, char ret[512])
{
    char of[PART_SIZE];
    (void)snprintf(of, sizeof(of), "of the index \"%.120s\" ", a->name);
    const char *difference = keys_difference(&a->keys, &b->keys, of, ret);
    if (difference != NULL)
        return difference;
    if (a->projection != b->projection) {
        (void)snprintf(ret, 512, "the projection %sis %s, not %s", of, rows_projection_name(a->projection),
                       rows_projection_name(b->projection));
        return ret;
    }
    for (size_t i = 0; i < a->name_count + b->name_count; i++) {
        bool is_of_a = i < a->name_count;
        const char *name = is_of_a ? a->names[i] : b->names[i - a->name_count];
        if (has_name(is_of_a ? b : a, name))
            continue;
        (void)snprintf(ret, 512, "the index \"%.120s\" %s \"%.120s\"", a->name,
                       is_of_a ? "includes" : "does not include", name);
        return ret;
    }
    return NULL;
}

const struct rows_index *rows_index_find(const struct rows_definition *definition, const char *name)
{
    for (size_t i = 0; i < definition->index_count; i++)
        if (strcmp(definition->indexes[i].name, name) == 0)
            return &definition->indexes[i];
    return NULL;
}

static const char *ttl_difference(const struct rows_definition *a, const struct rows_definition *b, char ret[512])
{
    if (texts_equal(a->ttl, b->ttl) || (b->allows_more && b->ttl == NULL))
        return NULL;
    (void)snprintf(ret, 512, "the TTL attribute is %.120s, not %.120s", a->ttl != NULL ? a->ttl : "none",
                   b->ttl != NULL ? b->ttl : "none");
    return ret;
}

static const char *missing_index(const struct rows_index *index, bool is_too_much, char ret[512])
{
    (void)snprintf(ret, 512, "it has %s index \"%.255s\"", is_too_much ? "an" : "no", index->name);
    return ret;
}

static const char *indexes_difference(const struct rows_definition *a, const struct rows_definition *b, char ret[512])
{
    for (size_t i = 0; i < a->index_count; i++) {
        const struct rows_index *other = rows_index_find(b, a->indexes[i].name);
        const char *difference = other != NULL ? index_difference(&a->indexes[i], other, ret) : NULL;
        if (difference != NULL)
            return difference;
        if (other == NULL && !b->allows_more)
            return missing_index(&a->indexes[i], true, ret);
    }
    for (size_t i = 0; i < b->index_count; i++)
        if (rows_index_find(a, b->indexes[i].name) == NULL)
            return missing_index(&b->indexes[i], false, ret);
    return NULL;
}

const char *rows_definition_difference(const struct rows_definition *a, const struct rows_definition *b, char ret[512])
{
    const char *difference = keys_difference(&a->keys, &b->keys, "", ret);
    if (difference == NULL)
        difference = ttl_difference(a, b, ret);
    return difference != NULL ? difference : indexes_difference(a, b, ret);
}

os_code rows_definition_fit(const struct rows_definition *there, const struct rows_definition *wanted, const char *of,
                            os_error *err)
{
    char difference[512];
    if (rows_definition_difference(there, wanted, difference) == NULL)
        return OS_OK;
    return error_set(err, OS_ERR_TABLE,
                     "The %s is there with another definition: %s. Use that definition, or another name.", of,
                     difference);
}

/* ----------------------------------------------------------------------------------------------------- questions */

bool rows_key_schema_has(const struct rows_key_schema *keys, const char *name)
{
    return strcmp(keys->partition.name, name) == 0 || (keys->sort.name != NULL && strcmp(keys->sort.name, name) == 0);
}

bool rows_index_projects(const struct rows_definition *definition, const struct rows_index *index, const char *name)
{
    return index->projection == ROWS_PROJECT_ALL || rows_key_schema_has(&definition->keys, name) ||
           rows_key_schema_has(&index->keys, name) || has_name(index, name);
}

static const char *keys_text(const char *partition, const char *sort, char ret[PART_SIZE])
{
    enum { SHOWN = 60 };
    int shown = (int)text_utf8_cut(text_from(partition), SHOWN);
    int shown_sort = (int)text_utf8_cut(text_from(sort), SHOWN);
    (void)snprintf(ret, PART_SIZE, "\"%.*s\"%s%.*s%s", shown, partition, sort != NULL ? " and \"" : "", shown_sort,
                   sort != NULL ? sort : "", sort != NULL ? "\"" : "");
    return ret;
}

os_code rows_key_schema_fit(const struct rows_key_schema *schema, const struct rows_keys *keys, const char *of,
                            os_error *err)
{
    char has[PART_SIZE];
    char asked[PART_SIZE];
    if (texts_equal(schema->partition.name, keys->partition) && texts_equal(schema->sort.name, keys->sort))
        return OS_OK;
    return error_set(
        err, OS_ERR_ARGUMENT, "The key of %s is %s, and it was asked for by %s. Give the names that it has.", of,
        keys_text(schema->partition.name, schema->sort.name, has), keys_text(keys->partition, keys->sort, asked));
}
