/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of models: as @pocketgems/dynamodb makes them, and in the embedded tables. */
#include "transact/model_table.h"
#include "unit/api/bank.h"

#include "dynamo/rows_request.h"
#include "model/model_schema_build.h"
#include "support/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ what it is like */

static bool has_entry(const json_t *list, const json_t *entry)
{
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other)
    {
        if (json_equal(other, entry))
            return true;
    }
    return false;
}

/* The same entries, in whatever order. */
static void check_list(const char *file, const char *name, const json_t *made, const json_t *wanted)
{
    size_t i;
    json_t *entry;
    const json_t *list = json_object_get(made, name);
    if (json_array_size(list) != json_array_size(json_object_get(wanted, name)))
        fail_msg("%s: %s has another length", file, name);
    json_array_foreach(json_object_get(wanted, name), i, entry)
    {
        if (!has_entry(list, entry))
            fail_msg("%s: %s has not all entries", file, name);
    }
}

static void check_file(const char *file)
{
    static const struct endpoint endpoint = {.scheme = "http", .host = "host"};
    char path[DATA_PATH_SIZE];
    os_error err;
    struct model *model = NULL;
    struct model_table table;
    struct http_request request;
    struct buf body;
    snprintf(path, sizeof(path), "model/models/%s", file);
    char *text = data_file(path);
    json_t *fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    CHECK_CODE(model_build(json_object_get(fixture, "model"), &model, &err), OS_OK, &err);
    CHECK_CODE(model_table_of(model, &table, &err), OS_OK, &err);
    CHECK_CODE(rows_build_create_table(&endpoint, "things", &table.definition, &request, &body, &err), OS_OK, &err);
    json_t *made = json_loads(buf_str(&body), 0, NULL);
    const json_t *wanted = json_object_get(fixture, "table");
    check_list(file, "AttributeDefinitions", made, wanted);
    check_list(file, "KeySchema", made, wanted);
    check_list(file, "GlobalSecondaryIndexes", made, wanted);
    assert_int_equal(table.definition.ttl != NULL, model->expires != NULL);
    json_decref(made);
    http_request_free(&request);
    buf_free(&body);
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
