/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a model at DynamoDB: asked for as @pocketgems/dynamodb asks for it (test/data/model/models), and fit as that
 * makes it. */
#include "unit/api/model_wire.h"

#include "support/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct library_table {
    json_t *fixture;
    json_t *table; /* what the library asks CreateTable for; borrowed */
    os_model *model;
    json_t *expires; /* the field's name, or NULL; borrowed */
    char *described;
    char *time_to_live;
};

static char *dumped(json_t *json)
{
    char *text = json_dumps(json, 0);
    assert_non_null(text);
    json_decref(json);
    return text;
}

static void library_table_open(struct library_table *ret, const char *file)
{
    os_error err;
    char path[DATA_PATH_SIZE];
    snprintf(path, sizeof(path), "model/models/%s", file);
    char *text = data_file(path);
    ret->fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    free(text);
    ret->table = json_object_get(ret->fixture, "table");
    text = json_dumps(json_object_get(ret->fixture, "model"), 0);
    CHECK_CODE(os_model_parse(text, "things", &ret->model, &err), OS_OK, &err);
    free(text);
    ret->expires = json_object_get(json_object_get(ret->fixture, "model"), "EXPIRE_EPOCH_FIELD");
    json_t *there = json_copy(ret->table);
    json_object_set_new(there, "TableStatus", json_string("ACTIVE"));
    ret->described = dumped(json_pack("{s:o}", "Table", there));
    ret->time_to_live = dumped(json_pack("{s:{s:s,s:O*}}", "TimeToLiveDescription", "TimeToLiveStatus",
                                         ret->expires != NULL ? "ENABLED" : "DISABLED", "AttributeName", ret->expires));
}

static void library_table_close(struct library_table *table)
{
    json_decref(table->fixture);
    os_model_free(table->model);
    free(table->described);
    free(table->time_to_live);
}

static bool is_among(const json_t *list, const json_t *wanted)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        if (json_equal(entry, wanted))
            return true;
    }
    return false;
}

/* Attributes and indexes have no order. */
static bool is_same_set(const json_t *list, const json_t *other)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        if (!is_among(other, entry))
            return false;
    }
    return json_array_size(list) == json_array_size(other);
}

static void check_asked(const json_t *asked, const struct library_table *table, const char *file)
{
    static const char *const sets[] = {"AttributeDefinitions", "GlobalSecondaryIndexes"};
    if (!json_equal(json_object_get(asked, "KeySchema"), json_object_get(table->table, "KeySchema")))
        fail_msg("%s has another KeySchema", file);
    for (size_t i = 0; i < 2; i++)
        if (!is_same_set(json_object_get(asked, sets[i]), json_object_get(table->table, sets[i])))
            fail_msg("%s has other %s", file, sets[i]);
}

static void check_time_to_live(const struct wire *wire, size_t index, const struct library_table *table)
{
    json_t *asked = wire_request(wire, index, "UpdateTimeToLive");
    const json_t *specification = json_object_get(asked, "TimeToLiveSpecification");
    assert_true(json_is_true(json_object_get(specification, "Enabled")));
    assert_true(json_equal(json_object_get(specification, "AttributeName"), table->expires));
    json_decref(asked);
}

static void check_resource(const char *file)
{
    struct library_table table;
    char *text = NULL;
    os_error err;
    library_table_open(&table, file);
    CHECK_CODE(os_model_table_resource(table.model, &text, &err), OS_OK, &err);
    json_t *resource = json_loads(text, 0, NULL);
    const json_t *properties = json_object_get(resource, "Properties");
    const json_t *time_to_live = json_object_get(properties, "TimeToLiveSpecification");
    os_free(text);
    assert_string_equal(json_string_value(json_object_get(resource, "Type")), "AWS::DynamoDB::Table");
    assert_string_equal(json_string_value(json_object_get(resource, "DeletionPolicy")), "Retain");
    assert_string_equal(json_string_value(json_object_get(resource, "UpdateReplacePolicy")), "Retain");
    assert_string_equal(json_string_value(json_object_get(properties, "TableName")), "things");
    assert_string_equal(json_string_value(json_object_get(properties, "BillingMode")), "PAY_PER_REQUEST");
    check_asked(properties, &table, file);
    assert_int_equal(time_to_live != NULL, table.expires != NULL);
    if (table.expires != NULL) {
        assert_true(json_is_true(json_object_get(time_to_live, "Enabled")));
        assert_true(json_equal(json_object_get(time_to_live, "AttributeName"), table.expires));
    }
    json_decref(resource);
    library_table_close(&table);
}

/* Made by this library, and made by the other. */
static void check_table(struct wire *wire, const char *file)
{
    struct library_table table;
    size_t first = http_server_count(wire->server);
    struct bank *bank = &wire->bank;
    library_table_open(&table, file);
    const struct wire_answer described = {table.described, 0, false};
    const struct wire_answer time_to_live = {table.time_to_live, 0, false};
    const struct wire_answer created[] = {{"{}", 0, false}, described, {"{}", 0, false}, time_to_live};
    const struct wire_answer created_without[] = {{"{}", 0, false}, described, time_to_live};
    const struct wire_answer there[] = {described, time_to_live};
    if (table.expires != NULL)
        wire_say(wire, created, 4);
    else
        wire_say(wire, created_without, 3);
    CHECK_CODE(os_model_table_create(bank->client, table.model, &bank->call, &bank->error), OS_OK, &bank->error);
    wire_check_all_came(wire);
    json_t *asked = wire_request(wire, first, "CreateTable");
    check_asked(asked, &table, file);
    json_decref(asked);
    if (table.expires != NULL)
        check_time_to_live(wire, first + 2, &table);
    wire_say(wire, there, 2);
    CHECK_CODE(os_model_table_check(bank->client, table.model, &bank->call, &bank->error), OS_OK, &bank->error);
    wire_check_all_came(wire);
    library_table_close(&table);
}

TEST_WITH(wire, a_table_is_asked_for_as_the_library_asks_for_it)
{
    size_t count = 0;
    char **names = data_names("model/models");
    for (; names[count] != NULL; count++)
        check_table(wire, names[count]);
    data_names_free(names);
    assert_int_equal(count, 18);
}

TEST(a_table_is_described_for_a_template)
{
    char **names = data_names("model/models");
    for (size_t i = 0; names[i] != NULL; i++)
        check_resource(names[i]);
    data_names_free(names);
}

TEST(a_table_that_dynamodb_cannot_have_is_not_described)
{
    static const char schema[] = "{\"title\":\"M\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";
    os_model *model = NULL;
    char unset = 0;
    char *text = NULL;
    os_error err;
    CHECK_CODE(os_model_parse(schema, "a b", &model, &err), OS_OK, &err);
    CHECK_CODE(os_model_table_resource(model, &text, &err), OS_ERR_ARGUMENT, &err);
    CHECK_SAYS(&err, "\"a b\" is not the name of a DynamoDB table");
    os_model_free(model);
    CHECK_CODE(os_model_parse(schema, "arn:aws:dynamodb:us-east-1:123456789012:table/things", &model, &err), OS_OK,
               &err);
    text = &unset;
    CHECK_CODE(os_model_table_resource(model, &text, &err), OS_ERR_ARGUMENT, &err);
    CHECK_SAYS(&err, "which is no ARN");
    assert_null(text);
    CHECK_CODE(os_model_table_resource(NULL, &text, &err), OS_ERR_ARGUMENT, &err);
    os_model_free(model);
}
