/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a model, as the model describes it: made, and looked at. */
#include "base/error.h"
#include "client/arguments.h"
#include "dynamo/rows_request.h"
#include "transact/transact.h"

#include <stdlib.h>

struct description {
    struct rows_definition definition;
    struct rows_index *indexes;
    const char **names; /* of what the indexes include, one index after the other */
};

static struct rows_attribute attribute_of(const struct model_attribute *attribute)
{
    return (struct rows_attribute){.name = attribute->name,
                                   .type = attribute->name == NULL ? VALUE_NONE
                                           : attribute->is_number  ? VALUE_N
                                                                   : VALUE_S};
}

static struct rows_key_schema keys_of(const struct model_attribute *key, const struct model_attribute *sort_key)
{
    return (struct rows_key_schema){.partition = attribute_of(key), .sort = attribute_of(sort_key)};
}

/* Takes its names from `names`, and returns how many. */
static size_t describe_index(const struct model_index *index, const char **names, struct rows_index *ret)
{
    size_t count = json_array_size(index->only);
    *ret = (struct rows_index){.name = index->name,
                               .keys = keys_of(&index->key, &index->sort_key),
                               .projection = index->only == NULL ? ROWS_PROJECT_ALL
                                             : count == 0        ? ROWS_PROJECT_KEYS_ONLY
                                                                 : ROWS_PROJECT_INCLUDE,
                               .names = names,
                               .name_count = count};
    for (size_t i = 0; i < count; i++)
        names[i] = json_string_value(json_array_get(index->only, i));
    return count;
}

static void description_free(struct description *description)
{
    free(description->indexes);
    free(description->names);
}

static os_code describe(const struct model *model, struct description *ret, os_error *err)
{
    size_t name_count = 0;
    for (size_t i = 0; i < model->index_count; i++)
        name_count += json_array_size(model->indexes[i].only);
    ret->indexes = calloc(model->index_count + 1, sizeof(*ret->indexes));
    ret->names = calloc(name_count + 1, sizeof(*ret->names));
    if (ret->indexes == NULL || ret->names == NULL)
        return error_no_memory(err);
    size_t used = 0;
    for (size_t i = 0; i < model->index_count; i++)
        used += describe_index(&model->indexes[i], ret->names + used, &ret->indexes[i]);
    ret->definition = (struct rows_definition){.keys = keys_of(&model->key, &model->sort_key),
                                               .indexes = ret->indexes,
                                               .index_count = model->index_count,
                                               .ttl = model->expires != NULL ? model->expires->name : NULL};
    return OS_OK;
}

static os_code ask(os_client *client, const struct transact_table *asked, const struct rows_definition *definition,
                   os_error *err)
{
    os_call limits;
    struct clock_reading now;
    clock_read(&now);
    os_code code = arguments_take_call(asked->call, &limits, err);
    if (code != OS_OK)
        return code;
    struct row_call call = {
        .client = client,
        .request = {.verb = asked->creates ? ROW_CREATE : ROW_CHECK,
                    .table = asked->model->table_name,
                    .definition = definition},
        .name = asked->creates ? "creation of the table" : "check of the table",
    };
    code = row_set_ask_one(&call, &limits, now.monotonic_ms + limits.deadline_ms, err);
    row_call_free(&call);
    return code;
}

os_code transact_table_resource(const os_model *model, char **ret, os_error *err)
{
    struct buf text;
    struct description description = {.indexes = NULL};
    os_code code = describe(model->model, &description, err);
    *ret = NULL;
    buf_init(&text, 0);
    if (code == OS_OK)
        code = rows_build_resource(model->table_name, &description.definition, &text, err);
    if (code == OS_OK)
        *ret = buf_take(&text);
    buf_free(&text);
    description_free(&description);
    return code;
}

os_code transact_table(os_client *client, const struct transact_table *asked, os_error *err)
{
    struct description description = {.indexes = NULL};
    os_code code = asked->model != NULL ? row_call_check(client, err)
                                        : error_set(err, OS_ERR_ARGUMENT, "There is no model of a table: it is NULL.");
    if (code == OS_OK)
        code = describe(asked->model->model, &description, err);
    if (code == OS_OK)
        code = ask(client, asked, &description.definition, err);
    description_free(&description);
    return code;
}
