/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a model, made. */
#include "base/error.h"
#include "client/arguments.h"
#include "client/row_set.h"
#include "oscommit_model.h"
#include "rows/definition.h"
#include "transact/row.h"

struct table_of_model {
    const os_model *model;
    const os_call *call;
};

static struct rows_attribute attribute_of(const struct model_attribute *attribute)
{
    return (struct rows_attribute){.name = attribute->name, .type = attribute->is_number ? VALUE_N : VALUE_S};
}

static struct rows_key_schema keys_of(const struct model_attribute *key, const struct model_attribute *sort_key)
{
    return (struct rows_key_schema){.partition = attribute_of(key), .sort = attribute_of(sort_key)};
}

static os_code take_index(const struct model_index *index, const char **names, size_t *name_count,
                          struct rows_index *ret, os_error *err)
{
    const json_t *name;
    size_t i;
    *ret = (struct rows_index){
        .name = index->name, .keys = keys_of(&index->key, &index->sort_key), .projection = ROWS_PROJECT_ALL};
    if (index->only == NULL)
        return OS_OK;
    if (*name_count + json_array_size(index->only) > ROWS_NAMES_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The indexes of a model name more than %d fields: let one have all.",
                         ROWS_NAMES_MAX);
    ret->names = names + *name_count;
    json_array_foreach(index->only, i, name) names[(*name_count)++] = json_string_value(name);
    ret->name_count = json_array_size(index->only);
    ret->projection = ret->name_count > 0 ? ROWS_PROJECT_INCLUDE : ROWS_PROJECT_KEYS_ONLY;
    return OS_OK;
}

static os_code define(const struct model *model, struct rows_index *indexes, const char **names,
                      struct rows_definition *ret, os_error *err)
{
    size_t name_count = 0;
    *ret = (struct rows_definition){.keys = keys_of(&model->key, &model->sort_key),
                                    .indexes = indexes,
                                    .index_count = model->index_count,
                                    .ttl = model->expires != NULL ? model->expires->name : NULL};
    if (model->index_count > ROWS_INDEXES_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The model %.60s has more indexes than a table may have: %d.",
                         model->name, ROWS_INDEXES_MAX);
    for (size_t i = 0; i < model->index_count; i++) {
        os_code code = take_index(&model->indexes[i], names, &name_count, &indexes[i], err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code create_table(os_client *client, const void *context, os_error *err)
{
    const struct table_of_model *of = context;
    struct rows_index indexes[ROWS_INDEXES_MAX];
    const char *names[ROWS_NAMES_MAX];
    struct rows_definition definition;
    struct clock_reading now;
    os_call call;
    clock_read(&now);
    os_code code = of->model != NULL ? arguments_take_call(of->call, &call, err)
                                     : error_set(err, OS_ERR_ARGUMENT, "The model is NULL.");
    if (code == OS_OK)
        code = row_call_check(client, err);
    if (code == OS_OK)
        code = define(of->model->model, indexes, names, &definition, err);
    if (code != OS_OK)
        return code;
    struct row_call row_call = {
        .client = client,
        .request = {.verb = ROW_CREATE, .table = of->model->table_name, .definition = &definition},
        .name = "creation of the table"};
    code = row_set_ask_one(&row_call, &call, now.monotonic_ms + call.deadline_ms, err);
    row_call_free(&row_call);
    return code;
}

os_code os_model_table_create(os_client *client, const os_model *model, const os_call *call, os_error *err)
{
    const struct table_of_model of = {.model = model, .call = call};
    return client_perform(client, create_table, &of, err);
}
