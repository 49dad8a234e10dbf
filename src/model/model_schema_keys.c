/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_schema_keys.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_NAME_MAX = 255 }; /* bytes of the name of an attribute that is a key (Developer Guide, "Quotas") */

static struct model_place whole(const struct model *model, os_error *err)
{
    return model_place_of(model->name, NULL, OS_ERR_ARGUMENT, err);
}

/* ------------------------------------------------------------------------------------------------------ parts of keys */

static int compare_parts(const void *a, const void *b)
{
    const struct model_field *const *first = a;
    const struct model_field *const *second = b;
    return model_name_compare((*first)->name, (*second)->name);
}

static os_code add_part(const struct model *model, const char *what, const json_t *name,
                        struct model_attribute *attribute, os_error *err)
{
    char fault[64];
    const struct model_place place = whole(model, err);
    const struct model_field *field = model_field_named(model, name);
    if (field == NULL) {
        snprintf(fault, sizeof(fault), "stands in %s, and is no field", what);
        return model_refuse_value(&place, name, fault);
    }
    if (model_attribute_has(attribute, field))
        return model_refuse(&place, "%s names %s twice", what, field->name);
    attribute->parts[attribute->count++] = field;
    return OS_OK;
}

static os_code build_parts(struct model *model, const char *what, const json_t *names, struct model_attribute *ret,
                           os_error *err)
{
    size_t index;
    json_t *name;
    const struct model_place place = whole(model, err);
    struct model_attribute attribute = {.parts = model->parts + model->part_count};
    if (json_array_size(names) == 0 || json_array_size(names) > MODEL_PARTS_MAX)
        return model_refuse(&place, "%s wants an array of 1 to %d names of fields", what, MODEL_PARTS_MAX);
    json_array_foreach(names, index, name)
    {
        os_code code = add_part(model, what, name, &attribute, err);
        if (code != OS_OK)
            return code;
    }
    qsort(attribute.parts, attribute.count, sizeof(*attribute.parts), compare_parts);
    enum model_type type = attribute.parts[0]->type;
    attribute.is_number = attribute.count == 1 && (type == MODEL_INTEGER || type == MODEL_NUMBER);
    model->part_count += attribute.count;
    *ret = attribute;
    return OS_OK;
}

/* Room for the parts of all attributes there can be. */
static os_code make_room(struct model *model, os_error *err)
{
    const char *name;
    json_t *index;
    size_t count = 2 * (json_array_size(json_object_get(model->schema, "KEY")) +
                        json_array_size(json_object_get(model->schema, "SORT_KEY")));
    json_object_foreach(json_object_get(model->schema, "INDEXES"), name, index)
    {
        count += json_array_size(json_object_get(index, "KEY")) + json_array_size(json_object_get(index, "SORT_KEY"));
    }
    model->parts = calloc(count + 1, sizeof(*model->parts));
    return model->parts != NULL ? OS_OK : error_no_memory(err);
}

/* ------------------------------------------------------------------------------------------------- the key of a model */

static os_code take_part(const struct model *model, struct model_field *field, enum model_role role, os_error *err)
{
    const struct model_place place = model_place_of(model->name, field->name, OS_ERR_ARGUMENT, err);
    if (field->role != MODEL_PLAIN)
        return model_refuse(&place, "it is a part of KEY and of SORT_KEY");
    if (field->is_optional)
        return model_refuse(&place, "a part of the key cannot be left out: name it in required");
    if (json_is_false(json_object_get(field->rules, "readOnly")))
        return model_refuse(&place, "a part of the key does not change: leave out readOnly, or give true");
    if (role == MODEL_PARTITION_PART && field->default_value != NULL)
        return model_refuse(&place, "a part of KEY has no default, or all rows without it would be one");
    field->role = role;
    field->is_read_only = true;
    return OS_OK;
}

static os_code build_key(struct model *model, const char *what, const char *name, enum model_role role,
                         struct model_attribute *ret, os_error *err)
{
    os_code code = build_parts(model, what, json_object_get(model->schema, what), ret, err);
    for (size_t i = 0; i < ret->count && code == OS_OK; i++)
        code = take_part(model, &model->fields[ret->parts[i] - model->fields], role, err);
    ret->name = name;
    return code;
}

os_code model_build_keys(struct model *model, os_error *err)
{
    const json_t *sort_key = json_object_get(model->schema, "SORT_KEY");
    os_code code = make_room(model, err);
    if (code == OS_OK)
        code = build_key(model, "KEY", MODEL_PARTITION, MODEL_PARTITION_PART, &model->key, err);
    if (code == OS_OK && sort_key != NULL)
        code = build_key(model, "SORT_KEY", MODEL_SORT, MODEL_SORT_PART, &model->sort_key, err);
    return code;
}

/* ------------------------------------------------------------------------------------------- attributes of the indexes */

static bool same_parts(const struct model_attribute *a, const struct model_attribute *b)
{
    return a->count == b->count && memcmp(a->parts, b->parts, a->count * sizeof(*a->parts)) == 0;
}

static os_code join_names(struct model *model, struct model_attribute *attribute, os_error *err)
{
    struct buf text;
    buf_init(&text, MODEL_TEXT_MAX);
    buf_add_str(&text, "_c");
    for (size_t i = 0; i < attribute->count; i++)
        buf_add_strs(&text, "_", attribute->parts[i]->name, NULL);
    json_t *name = buf_ok(&text) ? json_stringn(buf_str(&text), text.len) : NULL;
    buf_free(&text);
    if (name == NULL || json_array_append_new(model->names, name) != 0)
        return error_no_memory(err);
    attribute->name = json_string_value(name);
    return OS_OK;
}

/* The field itself, where it is one that can be a key; else a key of the model, where it has the same parts; else an attribute of
 * its own. */
static os_code name_attribute(struct model *model, struct model_attribute *attribute, os_error *err)
{
    const struct model_field *first = attribute->parts[0];
    bool can_be_key = first->type == MODEL_INTEGER || first->type == MODEL_NUMBER || first->type == MODEL_STRING;
    if (attribute->count == 1 && first->role == MODEL_PLAIN && can_be_key)
        attribute->name = first->name;
    else if (same_parts(attribute, &model->key))
        attribute->name = MODEL_PARTITION;
    else if (same_parts(attribute, &model->sort_key))
        attribute->name = MODEL_SORT;
    else
        return join_names(model, attribute, err);
    return OS_OK;
}

static bool is_extra(const struct model_attribute *attribute)
{
    return strncmp(attribute->name, "_c_", 3) == 0;
}

static os_code add_extra(struct model *model, const struct model_attribute *attribute, os_error *err)
{
    const struct model_place place = whole(model, err);
    if (strlen(attribute->name) > KEY_NAME_MAX)
        return model_refuse(&place, "the attribute %.80s... of an index has a name of %zu bytes; a key has room for %d",
                            attribute->name, strlen(attribute->name), KEY_NAME_MAX);
    if (!is_extra(attribute))
        return OS_OK;
    for (size_t i = 0; i < model->extra_count; i++) {
        if (strcmp(model->extras[i].name, attribute->name) != 0)
            continue;
        if (same_parts(&model->extras[i], attribute))
            return OS_OK;
        return model_refuse(&place,
                            "two indexes would write different fields to the attribute %.200s: give a field with a _ "
                            "in it another name",
                            attribute->name);
    }
    model->extras[model->extra_count++] = *attribute;
    return OS_OK;
}

static os_code build_attribute(struct model *model, const char *what, const json_t *names, struct model_attribute *ret,
                               os_error *err)
{
    os_code code = build_parts(model, what, names, ret, err);
    if (code == OS_OK)
        code = name_attribute(model, ret, err);
    return code == OS_OK ? add_extra(model, ret, err) : code;
}

/* ------------------------------------------------------------------------------------------------------------ indexes */

static os_code check_index_name(const struct model_place *place, const char *name)
{
    size_t len = strlen(name);
    bool is_fine = len >= 3 && len <= 255;
    for (const char *p = name; *p != '\0'; p++)
        is_fine = is_fine && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                              *p == '_' || *p == '-' || *p == '.');
    return is_fine ? OS_OK
                   : model_refuse(
                         place,
                         "the index \"%.80s\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores",
                         name);
}

static os_code check_index_words(const struct model_place *place, const char *name, const json_t *index)
{
    static const char *const known[] = {"KEY", "SORT_KEY", "INCLUDE_ONLY", "SPARSE", NULL};
    const json_t *sparse = json_object_get(index, "SPARSE");
    if (!json_is_object(index) || (sparse != NULL && !json_is_boolean(sparse)))
        return model_refuse(place, "the index %s wants an object, with true or false as SPARSE", name);
    const char *unknown = model_json_unknown(index, known);
    if (unknown != NULL)
        return model_refuse(place, "the index %s has \"%.80s\", which is not known here", name, unknown);
    return OS_OK;
}

static os_code check_index_parts(const struct model_place *place, const struct model_index *index, bool is_sparse)
{
    const struct model_attribute *const keys[] = {&index->key, &index->sort_key};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < keys[k]->count; i++) {
            const struct model_field *part = keys[k]->parts[i];
            if (k == 1 && model_attribute_has(&index->key, part))
                return model_refuse(place, "the index %s has %s in its KEY and in its SORT_KEY", index->name,
                                    part->name);
            if (part->is_optional && !is_sparse)
                return model_refuse(place, "the index %s has the optional field %s in its key: make it SPARSE",
                                    index->name, part->name);
        }
    return OS_OK;
}

static os_code check_only(const struct model *model, const struct model_index *index, os_error *err)
{
    size_t i;
    json_t *name;
    const struct model_place place = whole(model, err);
    if (index->only != NULL && !json_is_array(index->only))
        return model_refuse(&place, "the index %s wants an array of names as INCLUDE_ONLY", index->name);
    json_array_foreach(index->only, i, name)
    {
        const struct model_field *field = model_field_named(model, name);
        if (field == NULL)
            return model_refuse_value(&place, name, "stands in an INCLUDE_ONLY, and is no field");
        if (field->role != MODEL_PLAIN)
            return model_refuse_value(&place, name,
                                      "stands in an INCLUDE_ONLY, and is a part of the key, which every index has");
    }
    return OS_OK;
}

static os_code build_index(struct model *model, const char *name, const json_t *json, os_error *err)
{
    const struct model_place place = whole(model, err);
    const json_t *sort_key = json_object_get(json, "SORT_KEY");
    struct model_index *index = &model->indexes[model->index_count++];
    *index = (struct model_index){.name = name, .only = json_object_get(json, "INCLUDE_ONLY")};
    os_code code = check_index_name(&place, name);
    if (code == OS_OK)
        code = check_index_words(&place, name, json);
    if (code == OS_OK)
        code = build_attribute(model, "the KEY of an index", json_object_get(json, "KEY"), &index->key, err);
    if (code == OS_OK && sort_key != NULL)
        code = build_attribute(model, "the SORT_KEY of an index", sort_key, &index->sort_key, err);
    if (code == OS_OK)
        code = check_index_parts(&place, index, json_is_true(json_object_get(json, "SPARSE")));
    return code == OS_OK ? check_only(model, index, err) : code;
}

/* The parts of the key, each as an attribute: for filters on what an index gives. */
static os_code include_keys(struct model *model, os_error *err)
{
    const char *const keys[] = {"KEY", "SORT_KEY"};
    for (size_t k = 0; k < 2; k++) {
        const json_t *names = json_object_get(model->schema, keys[k]);
        for (size_t i = 0; i < json_array_size(names); i++) {
            struct model_attribute attribute;
            json_t *one = json_pack("[O]", json_array_get(names, i));
            os_code code = one != NULL ? build_attribute(model, keys[k], one, &attribute, err) : error_no_memory(err);
            json_decref(one);
            if (code != OS_OK)
                return code;
        }
    }
    return OS_OK;
}

static os_code make_indexes(struct model *model, size_t count, os_error *err)
{
    size_t extras = 2 * count + model->key.count + model->sort_key.count;
    model->names = json_array();
    model->indexes = calloc(count + 1, sizeof(*model->indexes));
    model->extras = calloc(extras, sizeof(*model->extras));
    bool done = model->names != NULL && model->indexes != NULL && model->extras != NULL;
    return done ? OS_OK : error_no_memory(err);
}

os_code model_build_indexes(struct model *model, os_error *err)
{
    const char *name;
    json_t *index;
    const struct model_place place = whole(model, err);
    json_t *indexes = json_object_get(model->schema, "INDEXES");
    const json_t *include = json_object_get(model->schema, "INDEX_INCLUDE_KEYS");
    if ((indexes != NULL && !json_is_object(indexes)) || json_object_size(indexes) > MODEL_INDEXES_MAX)
        return model_refuse(&place, "INDEXES wants an object of at most %d indexes", MODEL_INDEXES_MAX);
    if (include != NULL && !json_is_boolean(include))
        return model_refuse(&place, "INDEX_INCLUDE_KEYS wants true or false");
    os_code code = make_indexes(model, json_object_size(indexes), err);
    if (code == OS_OK && json_is_true(include))
        code = include_keys(model, err);
    json_object_foreach(indexes, name, index)
    {
        if (code == OS_OK)
            code = build_index(model, name, index, err);
    }
    return code;
}
