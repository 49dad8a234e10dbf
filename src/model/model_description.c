/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_description.h"

#include "model/model_schema_build.h"

#include "base/text.h"
#include "syntax/json.h"

#include <string.h>

/* A member that a failed step has made NULL has no place: the whole fails. */
static bool set(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static json_t *names_array(const char *const *names)
{
    json_t *array = json_array();
    for (; array != NULL && *names != NULL; names++)
        if (json_array_append_new(array, json_string(*names)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static bool set_names(json_t *object, const char *name, const char *const *names)
{
    return names == NULL || set(object, name, names_array(names));
}

/* ------------------------------------------------------------------------------------------------------------- fields */

static os_code read_json(const struct model_place *place, const char *what, const char *text, json_t **ret)
{
    size_t len = strlen(text);
    *ret = NULL;
    if (len > MODEL_TEXT_MAX || json_is_too_large(text, len))
        return model_refuse(place, "its %s is too long, or nested too deep", what);
    *ret = json_parse(text, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    return *ret != NULL ? OS_OK : model_refuse(place, "its %s is no JSON: %.80s", what, text);
}

static os_code make_rules(const struct model_place *place, const struct model_field_description *field, json_t **ret)
{
    json_t *value = NULL;
    *ret = NULL;
    os_code code = field->rules_json != NULL ? read_json(place, "rules_json", field->rules_json, ret) : OS_OK;
    if (code == OS_OK && *ret == NULL && (*ret = json_object()) == NULL)
        code = error_no_memory(place->err);
    if (code == OS_OK && !json_is_object(*ret))
        code = model_refuse(place, "its rules_json is no object: %.80s", field->rules_json);
    if (code == OS_OK && field->default_json != NULL)
        code = read_json(place, "default_json", field->default_json, &value);
    if (code == OS_OK && !((value == NULL || set(*ret, "default", value)) &&
                           (!field->is_read_only || set(*ret, "readOnly", json_true())) &&
                           set(*ret, "type", json_string(model_type_name(field->type)))))
        code = error_no_memory(place->err);
    return code;
}

static os_code add_field(const struct model_description *description, const struct model_field_description *field,
                         json_t *properties, json_t *required, os_error *err)
{
    json_t *rules;
    const struct model_place place = model_place_of(description->name, field->name, OS_ERR_ARGUMENT, err);
    if (field->name == NULL || field->type < MODEL_INTEGER || field->type > MODEL_ARRAY)
        return model_refuse(&place, "a field wants a name and a type");
    if (json_object_get(properties, field->name) != NULL)
        return model_refuse(&place, "two fields have this name");
    os_code code = make_rules(&place, field, &rules);
    if (code != OS_OK) {
        json_decref(rules);
        return code;
    }
    bool done = set(properties, field->name, rules) &&
                (field->is_optional || json_array_append_new(required, json_string(field->name)) == 0);
    return done ? OS_OK : error_no_memory(err);
}

static os_code add_fields(const struct model_description *description, json_t *schema, os_error *err)
{
    json_t *properties = json_object();
    json_t *required = json_array();
    bool is_set = set(schema, "properties", properties);
    is_set = set(schema, "required", required) && is_set;
    os_code code = is_set ? OS_OK : error_no_memory(err);
    for (size_t i = 0; i < description->field_count && code == OS_OK; i++)
        code = add_field(description, &description->fields[i], properties, required, err);
    return code;
}

/* ------------------------------------------------------------------------------------------------------------ indexes */

static json_t *make_index(const struct model_index_description *index)
{
    json_t *json = json_object();
    if (json == NULL)
        return NULL;
    if (set_names(json, "KEY", index->key) && set_names(json, "SORT_KEY", index->sort_key) &&
        set_names(json, "INCLUDE_ONLY", index->only) && set(json, "SPARSE", json_boolean(index->is_sparse)))
        return json;
    json_decref(json);
    return NULL;
}

static os_code add_indexes(const struct model_description *description, json_t *schema, os_error *err)
{
    json_t *indexes = json_object();
    const struct model_place place = model_place_of(description->name, NULL, OS_ERR_ARGUMENT, err);
    if (!set(schema, "INDEXES", indexes))
        return error_no_memory(err);
    for (size_t i = 0; i < description->index_count; i++) {
        const struct model_index_description *index = &description->indexes[i];
        if (index->name == NULL || json_object_get(indexes, index->name) != NULL)
            return model_refuse(&place, "an index has no name, or two have one");
        if (!set(indexes, index->name, make_index(index)))
            return error_no_memory(err);
    }
    return OS_OK;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static bool is_text(const char *text)
{
    return text == NULL || text_is_utf8(text_from(text));
}

static bool are_texts(const char *const *texts)
{
    bool are = true;
    for (; texts != NULL && *texts != NULL; texts++)
        are = are && is_text(*texts);
    return are;
}

static bool are_index_texts(const struct model_index_description *index)
{
    return is_text(index->name) && are_texts(index->key) && are_texts(index->sort_key) && are_texts(index->only);
}

static os_code check_texts(const struct model_description *description, os_error *err)
{
    bool are = is_text(description->name) && are_texts(description->key) && are_texts(description->sort_key) &&
               is_text(description->expire_field);
    for (size_t i = 0; i < description->field_count; i++)
        are = are && is_text(description->fields[i].name) && is_text(description->fields[i].default_json) &&
              is_text(description->fields[i].rules_json);
    for (size_t i = 0; i < description->index_count; i++)
        are = are && are_index_texts(&description->indexes[i]);
    if (are && description->name != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     description->name == NULL ? "The model has no name. Give it one."
                                               : "The model has a name or a text that is not UTF-8. Encode it.");
}

static os_code add_whole(const struct model_description *description, json_t *schema, os_error *err)
{
    const char *expires = description->expire_field;
    bool done = set(schema, "title", json_string(description->name)) && set_names(schema, "KEY", description->key) &&
                set_names(schema, "SORT_KEY", description->sort_key) &&
                set(schema, "INDEX_INCLUDE_KEYS", json_boolean(description->index_includes_keys)) &&
                (expires == NULL || set(schema, "EXPIRE_EPOCH_FIELD", json_string(expires)));
    return done ? OS_OK : error_no_memory(err);
}

os_code model_describe(const struct model_description *description, struct model **ret, os_error *err)
{
    *ret = NULL;
    os_code code = check_texts(description, err);
    if (code != OS_OK)
        return code;
    json_t *schema = json_object();
    if (schema == NULL)
        return error_no_memory(err);
    code = add_whole(description, schema, err);
    if (code == OS_OK)
        code = add_fields(description, schema, err);
    if (code == OS_OK)
        code = add_indexes(description, schema, err);
    if (code == OS_OK)
        code = model_build(schema, ret, err);
    json_decref(schema);
    return code;
}
