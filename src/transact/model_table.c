/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/model_table.h"

#include "base/error.h"
#include "client/arguments.h"
#include "client/row_set.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------ what it is like */

static struct rows_attribute attribute_of(const struct model_attribute *attribute, const char *name)
{
    if (attribute->name == NULL)
        return (struct rows_attribute){.name = NULL};
    return (struct rows_attribute){name != NULL ? name : attribute->name, attribute->is_number ? VALUE_N : VALUE_S};
}

/* Takes the names that it includes from `*names`, behind which those of the next index stand. */
static struct rows_index index_of(const struct model_index *index, const char ***names)
{
    struct rows_index ret = {.name = index->name,
                             .keys = {attribute_of(&index->key, NULL), attribute_of(&index->sort_key, NULL)},
                             .projection = ROWS_PROJECT_ALL,
                             .names = *names};
    if (index->only == NULL)
        return ret;
    for (size_t i = 0; i < json_array_size(index->only); i++)
        (*names)[ret.name_count++] = json_string_value(json_array_get(index->only, i));
    *names += ret.name_count;
    ret.projection = ret.name_count > 0 ? ROWS_PROJECT_INCLUDE : ROWS_PROJECT_KEYS_ONLY;
    return ret;
}

os_code model_table_of(const struct model *model, struct model_table *ret, os_error *err)
{
    size_t name_count = 0;
    for (size_t i = 0; i < model->index_count; i++)
        name_count += json_array_size(model->indexes[i].only);
    *ret = (struct model_table){.indexes = calloc(model->index_count + 1, sizeof(*ret->indexes)),
                                .names = calloc(name_count + 1, sizeof(*ret->names))};
    if (ret->indexes == NULL || ret->names == NULL)
        return error_no_memory(err);
    const char **names = ret->names;
    for (size_t i = 0; i < model->index_count; i++)
        ret->indexes[i] = index_of(&model->indexes[i], &names);
    ret->definition = (struct rows_definition){
        .keys = {attribute_of(&model->key, MODEL_PARTITION), attribute_of(&model->sort_key, MODEL_SORT)},
        .indexes = ret->indexes,
        .index_count = model->index_count,
        .ttl = model->expires != NULL ? model->expires->name : NULL};
    return OS_OK;
}

void model_table_free(struct model_table *table)
{
    free(table->indexes);
    free(table->names);
}

/* ------------------------------------------------------------------------------------------------ how it is made */

os_code model_table_create(os_client *client, const os_model *model, const os_call *limits, os_error *err)
{
    struct model_table table = {.indexes = NULL};
    uint64_t now_ms = clock_monotonic_ms();
    os_call call;
    if (model == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A table is to be made without its model: it is NULL.");
    os_code code = row_call_check(client, err);
    if (code == OS_OK)
        code = arguments_take_call(limits, &call, err);
    if (code == OS_OK)
        code = model_table_of(model->model, &table, err);
    if (code == OS_OK) {
        struct row_call asked = {
            .client = client,
            .request = {.verb = ROW_CREATE, .table = model->table_name, .definition = &table.definition},
            .name = "creation of the table"};
        code = row_set_ask_one(&asked, &call, now_ms + call.deadline_ms, err);
        row_call_free(&asked);
    }
    model_table_free(&table);
    return code;
}
