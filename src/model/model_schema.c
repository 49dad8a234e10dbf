/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_schema.h"

#include <stdlib.h>
#include <string.h>

void model_free(struct model *model)
{
    if (model == NULL)
        return;
    json_decref(model->schema);
    json_decref(model->names);
    free(model->fields);
    free(model->indexes);
    free(model->extras);
    free(model->parts);
    free(model);
}

const struct model_field *model_field_find(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->field_count; i++)
        if (strcmp(model->fields[i].name, name) == 0)
            return &model->fields[i];
    return NULL;
}

const struct model_field *model_field_named(const struct model *model, const json_t *name)
{
    const char *text = json_string_value(name);
    bool is_name = text != NULL && strlen(text) == json_string_length(name);
    return is_name ? model_field_find(model, text) : NULL;
}

const struct model_index *model_index_find(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->index_count; i++)
        if (strcmp(model->indexes[i].name, name) == 0)
            return &model->indexes[i];
    return NULL;
}

bool model_attribute_has(const struct model_attribute *attribute, const struct model_field *field)
{
    for (size_t i = 0; i < attribute->count; i++)
        if (attribute->parts[i] == field)
            return true;
    return false;
}

bool model_index_has(const struct model_index *index, const struct model_field *field)
{
    size_t i;
    json_t *name;
    if (index->only == NULL || field->role != MODEL_PLAIN || model_attribute_has(&index->key, field) ||
        model_attribute_has(&index->sort_key, field))
        return true;
    json_array_foreach(index->only, i, name)
    {
        if (strcmp(json_string_value(name), field->name) == 0)
            return true;
    }
    return false;
}
