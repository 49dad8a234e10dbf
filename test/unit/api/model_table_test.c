/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of models: as @pocketgems/dynamodb makes them, and in the embedded tables. */
#include "transact/model_table.h"
#include "unit/api/bank.h"

#include "model/model_schema_build.h"
#include "support/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ what it is like */

/* What CreateTable was asked for. */
struct asked {
    struct rows_index indexes[4];
    const char *names[4][4];
    struct rows_definition definition;
};

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static struct rows_attribute attribute_of(const json_t *table, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(table, "AttributeDefinitions"), i, entry)
    {
        if (strcmp(text_of(entry, "AttributeName"), name) == 0)
            return (struct rows_attribute){name, rows_key_type_of(text_of(entry, "AttributeType"))};
    }
    fail_msg("%s has no type", name);
    return (struct rows_attribute){.name = NULL};
}

static struct rows_key_schema keys_of(const json_t *table, const json_t *owner)
{
    const json_t *schema = json_object_get(owner, "KeySchema");
    const char *sort = text_of(json_array_get(schema, 1), "AttributeName");
    struct rows_key_schema ret = {.partition =
                                      attribute_of(table, text_of(json_array_get(schema, 0), "AttributeName"))};
    if (sort != NULL)
        ret.sort = attribute_of(table, sort);
    return ret;
}

static void take_table(const json_t *table, struct asked *ret)
{
    size_t i;
    size_t k;
    json_t *entry;
    json_t *name;
    ret->definition = (struct rows_definition){.keys = keys_of(table, table), .indexes = ret->indexes};
    json_array_foreach(json_object_get(table, "GlobalSecondaryIndexes"), i, entry)
    {
        const json_t *projection = json_object_get(entry, "Projection");
        struct rows_index *index = &ret->indexes[ret->definition.index_count++];
        *index = (struct rows_index){.name = text_of(entry, "IndexName"),
                                     .keys = keys_of(table, entry),
                                     .projection = rows_projection_of(text_of(projection, "ProjectionType")),
                                     .names = ret->names[i]};
        json_array_foreach(json_object_get(projection, "NonKeyAttributes"), k, name)
        {
            ret->names[i][index->name_count++] = json_string_value(name);
        }
    }
}

static void check_file(const char *file)
{
    char path[DATA_PATH_SIZE];
    char difference[512];
    os_error err;
    struct model *model = NULL;
    struct model_table table;
    struct asked asked;
    snprintf(path, sizeof(path), "model/models/%s", file);
    char *text = data_file(path);
    json_t *fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    CHECK_CODE(model_build(json_object_get(fixture, "model"), &model, &err), OS_OK, &err);
    CHECK_CODE(model_table_of(model, &table, &err), OS_OK, &err);
    take_table(json_object_get(fixture, "table"), &asked);
    if (model->expires != NULL)
        asked.definition.ttl = model->expires->name; /* it is asked for by another request */
    const char *is_other = rows_definition_difference(&table.definition, &asked.definition, difference);
    if (is_other != NULL)
        fail_msg("%s: %s", file, is_other);
    CHECK_CODE(rows_definition_check(&table.definition, &err), OS_OK, &err);
    model_table_free(&table);
    model_free(model);
    json_decref(fixture);
    free(text);
}

TEST(the_library_makes_the_same_tables)
{
    char **names = data_names("model/models");
    for (char **name = names; *name != NULL; name++)
        check_file(*name);
    data_names_free(names);
}

/* ------------------------------------------------------------------------------------------------ how it is made */

TEST_WITH(bank, a_table_is_made_once_and_has_the_keys_of_its_model)
{
    os_model *others = NULL;
    struct bank own = {.client = NULL};
    CHECK_CODE(os_model_parse("{\"title\":\"T\",\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
                              "\"required\":[\"n\"],\"KEY\":[\"n\"]}",
                              "Things", &others, &bank->error),
               OS_OK, &bank->error);
    bank_open(&own, scratch_table_client(&bank->scratch), "Things");
    struct plan plan = {.bank = &own, .id = "a", .balance = 7};
    assert_int_equal(bank_transact(&own, bank_create, &plan), OS_NOT_EXECUTED);
    assert_int_equal(own.error.code, OS_ERR_NO_TABLE);
    for (int i = 0; i < 2; i++)
        CHECK_CODE(os_model_create_table(own.client, own.account, NULL, &own.error), OS_OK, &own.error);
    CHECK_COMMITTED(&own, bank_create, &plan);
    CHECK_CODE(os_model_create_table(own.client, others, NULL, &own.error), OS_ERR_TABLE, &own.error);
    CHECK_SAYS(&own.error, "_id");
    CHECK_CODE(os_model_create_table(own.client, NULL, NULL, &own.error), OS_ERR_ARGUMENT, &own.error);
    os_model_free(others);
    bank_close(&own);
}
