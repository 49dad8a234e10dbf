/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_schema_build.h"

#include "model/model_schema_keys.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_KEY "id"

static struct model_place at_model(const struct model *model, os_error *err)
{
    return model_place_of(model->name, NULL, OS_ERR_ARGUMENT, err);
}

static struct model_place at_field(const struct model *model, const char *field, os_error *err)
{
    return model_place_of(model->name, field, OS_ERR_ARGUMENT, err);
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static os_code check_words(const struct model *model, os_error *err)
{
    static const char *const known[] = {"title",
                                        "description",
                                        "$schema",
                                        "$comment",
                                        "type",
                                        "properties",
                                        "required",
                                        "additionalProperties",
                                        "KEY",
                                        "SORT_KEY",
                                        "INDEXES",
                                        "INDEX_INCLUDE_KEYS",
                                        "EXPIRE_EPOCH_FIELD",
                                        NULL};
    const struct model_place place = at_model(model, err);
    const json_t *type = json_object_get(model->schema, "type");
    const json_t *additional = json_object_get(model->schema, "additionalProperties");
    const char *unknown = model_json_unknown(model->schema, known);
    if (unknown != NULL)
        return model_refuse(&place, "\"%.80s\" is not known here, and would be passed over", unknown);
    if (type != NULL && model_type_of(model->schema) != MODEL_OBJECT)
        return model_refuse(&place, "a row is an object, and so is the type of its model");
    if (additional != NULL && !json_is_false(additional))
        return model_refuse(&place, "a row has no fields but those of its model: leave out additionalProperties, or "
                                    "give false");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------------------- fields */

static os_code check_name(const struct model *model, const char *name, os_error *err)
{
    const struct model_place place = at_field(model, name, err);
    if (name[0] == '\0' || strlen(name) > PATH_NAME_MAX)
        return model_refuse(&place, "the name of a field has 1 to %d bytes", PATH_NAME_MAX);
    if (name[0] == '_')
        return model_refuse(&place, "names with a _ before them are those of the keys: give the field another one");
    if (strcmp(name, "isNew") == 0)
        return model_refuse(&place, "isNew is what a row says of itself: give the field another name");
    return OS_OK;
}

static bool is_required(const json_t *names, const char *name)
{
    size_t index;
    json_t *one;
    json_array_foreach(names, index, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), name) == 0)
            return true;
    }
    return false;
}

static os_code add_field(struct model *model, const char *name, const json_t *rules, os_error *err)
{
    struct model_place place = at_field(model, name, err);
    os_code code = check_name(model, name, err);
    if (code == OS_OK)
        code = model_rules_check(&place, rules);
    model->fields[model->field_count++] = (struct model_field){
        .name = name,
        .rules = rules,
        .default_value = json_object_get(rules, "default"),
        .type = model_type_of(rules),
        .is_optional = !is_required(json_object_get(model->schema, "required"), name),
        .is_read_only = json_is_true(json_object_get(rules, "readOnly")),
    };
    return code;
}

static os_code add_fields(struct model *model, os_error *err)
{
    const char *name;
    json_t *rules;
    const struct model_place place = at_model(model, err);
    json_t *properties = json_object_get(model->schema, "properties");
    size_t count = json_object_size(properties);
    if (count == 0 || count > MODEL_FIELDS_MAX)
        return model_refuse(&place, "a model has 1 to %d properties, which are its fields and the parts of its key",
                            MODEL_FIELDS_MAX);
    model->fields = calloc(count, sizeof(*model->fields));
    if (model->fields == NULL)
        return error_no_memory(err);
    json_object_foreach(properties, name, rules)
    {
        os_code code = add_field(model, name, rules, err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code check_required(const struct model *model, os_error *err)
{
    size_t index;
    json_t *name;
    const struct model_place place = at_model(model, err);
    const json_t *required = json_object_get(model->schema, "required");
    if (required != NULL && !json_is_array(required))
        return model_refuse(&place, "required wants an array of names");
    json_array_foreach(required, index, name)
    {
        if (model_field_named(model, name) == NULL)
            return model_refuse_value(&place, name, "stands in required, and is no field");
    }
    return OS_OK;
}

/* ----------------------------------------------------------------------------------------------- defaults and expiry */

/* With what it lacks itself, so that it is filled in only here. */
static os_code check_default(const struct model *model, struct model_field *field, os_error *err)
{
    json_t *copy;
    struct model_place place = at_field(model, field->name, err);
    if (field->default_value == NULL)
        return OS_OK;
    enum model_numbers numbers = field->role == MODEL_PLAIN ? MODEL_NUMBERS_STORED : MODEL_NUMBERS_ANY;
    os_code code = model_json_copy(&place, field->default_value, numbers, &copy);
    if (code == OS_OK)
        code = model_rules_apply(&place, field->rules, copy);
    if (code != OS_OK) {
        json_decref(copy);
        return code;
    }
    if (json_object_set_new((json_t *)field->rules, "default", copy) != 0)
        return error_no_memory(err);
    field->default_value = copy;
    return OS_OK;
}

static os_code check_defaults(struct model *model, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < model->field_count && code == OS_OK; i++)
        code = check_default(model, &model->fields[i], err);
    return code;
}

static os_code find_expiry(struct model *model, os_error *err)
{
    const struct model_place place = at_model(model, err);
    const json_t *name = json_object_get(model->schema, "EXPIRE_EPOCH_FIELD");
    if (name == NULL)
        return OS_OK;
    const struct model_field *field = model_field_named(model, name);
    if (field == NULL)
        return model_refuse_value(&place, name, "is the EXPIRE_EPOCH_FIELD, and is no field");
    if (field->type != MODEL_INTEGER && field->type != MODEL_NUMBER)
        return model_refuse_value(&place, name, "is the EXPIRE_EPOCH_FIELD, and is neither an integer nor a number");
    if (field->role != MODEL_PLAIN)
        return model_refuse_value(&place, name,
                                  "is the EXPIRE_EPOCH_FIELD, and a part of the key, which is no "
                                  "attribute that rows could expire by");
    model->expires = field;
    return OS_OK;
}

/* -------------------------------------------------------------------------------------------------------------- build */

static os_code copy_schema(const json_t *schema, struct model *model, os_error *err)
{
    const json_t *title = json_object_get(schema, "title");
    size_t len = json_string_length(title);
    if (len == 0 || strlen(json_string_value(title)) != len)
        return error_set(err, OS_ERR_ARGUMENT, "The model has no name. Give it as its title.");
    struct model_place place = model_place_of(json_string_value(title), NULL, OS_ERR_ARGUMENT, err);
    os_code code = model_json_copy(&place, schema, MODEL_NUMBERS_ANY, &model->schema);
    if (code == OS_OK)
        model->name = json_string_value(json_object_get(model->schema, "title"));
    return code;
}

/* ------------------------------------------------------------------------------------------------- the key by default */

/* As the JavaScript package describes it. */
static bool add_default_key(json_t *schema, json_t *properties)
{
    json_t *required = json_object_get(schema, "required");
    if (required == NULL) {
        required = json_array();
        if (json_object_set_new(schema, "required", required) != 0)
            return false;
    }
    json_t *rules = json_pack("{s:s, s:s}", "type", "string", "pattern",
                              "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$");
    return json_object_set_new(properties, DEFAULT_KEY, rules) == 0 &&
           (!json_is_array(required) || json_array_append_new(required, json_string(DEFAULT_KEY)) == 0) &&
           json_object_set_new(schema, "KEY", json_pack("[s]", DEFAULT_KEY)) == 0;
}

static os_code name_key(struct model *model, os_error *err)
{
    const struct model_place place = at_model(model, err);
    json_t *properties = json_object_get(model->schema, "properties");
    if (json_object_get(model->schema, "KEY") != NULL || json_object_size(properties) == 0)
        return OS_OK;
    if (json_object_get(properties, DEFAULT_KEY) != NULL)
        return model_refuse(&place, "without KEY the key is id, a UUID: name id in KEY, or leave it out of the "
                                    "properties");
    return add_default_key(model->schema, properties) ? OS_OK : error_no_memory(err);
}

static os_code fill(const json_t *schema, struct model *model, os_error *err)
{
    os_code code = copy_schema(schema, model, err);
    if (code == OS_OK)
        code = check_words(model, err);
    if (code == OS_OK)
        code = name_key(model, err);
    if (code == OS_OK)
        code = add_fields(model, err);
    if (code == OS_OK)
        code = check_required(model, err);
    if (code == OS_OK)
        code = model_build_keys(model, err);
    if (code == OS_OK)
        code = check_defaults(model, err);
    if (code == OS_OK)
        code = model_build_indexes(model, err);
    return code == OS_OK ? find_expiry(model, err) : code;
}

os_code model_build(const json_t *schema, struct model **ret, os_error *err)
{
    struct model *model = calloc(1, sizeof(*model));
    *ret = NULL;
    if (model == NULL)
        return error_no_memory(err);
    os_code code = fill(schema, model, err);
    if (code == OS_OK)
        *ret = model;
    else
        model_free(model);
    return code;
}

os_code model_read(const char *text, size_t len, struct model **ret, os_error *err)
{
    *ret = NULL;
    if (len > MODEL_TEXT_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The model has %zu bytes of JSON; there is room for %d.", len,
                         MODEL_TEXT_MAX);
    char fault[JSON_FAULT_SIZE];
    json_t *schema = json_read(text, len);
    const char *why = schema == NULL ? json_read_fault(text, len, fault) : NULL;
    if (why != NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The model is no JSON object: %s.", why);
    if (schema == NULL)
        return error_no_memory(err);
    os_code code = model_build(schema, ret, err);
    json_decref(schema);
    return code;
}
