/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a model by the public functions, in the embedded tables. */
#include "unit/api/client_scratch.h"

#include "oscommit_model.h"

#include <string.h>

#define SCHEMA_(more)                                                                                        \
    "{\"title\":\"Order\",\"type\":\"object\",\"properties\":{\"shop\":{\"type\":\"string\"},"               \
    "\"number\":{\"type\":\"integer\"},\"state\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"},"      \
    "\"until\":{\"type\":\"integer\"}},\"required\":[\"shop\",\"number\"],\"KEY\":[\"shop\"],\"SORT_KEY\":[" \
    "\"number\"]" more "}"
#define INDEX_(more) ",\"INDEXES\":{\"byState\":{\"KEY\":[\"state\",\"city\"],\"SPARSE\":true" more "}}"

static const char plain[] = SCHEMA_("");
static const char indexed[] = SCHEMA_(INDEX_(""));
static const char keys_only[] = SCHEMA_(INDEX_(",\"INCLUDE_ONLY\":[]"));
static const char including[] = SCHEMA_(INDEX_(",\"INCLUDE_ONLY\":[\"until\"]"));
static const char expiring[] = SCHEMA_(",\"EXPIRE_EPOCH_FIELD\":\"until\"");

struct tables {
    struct scratch scratch;
    os_client *client;
    os_model *model;
    os_error error;
};

static void tables_set_up(struct tables *ret)
{
    scratch_set_up(&ret->scratch);
    ret->client = scratch_table_client(&ret->scratch);
    CHECK_CODE(os_model_parse(plain, NULL, &ret->model, &ret->error), OS_OK, &ret->error);
}

static void tables_tear_down(struct tables *tables)
{
    os_model_free(tables->model);
    os_client_close(tables->client);
    scratch_tear_down(&tables->scratch);
}

static os_code write_row(void *context, os_txn *txn, os_error *err)
{
    static const char order[] = "{\"shop\":\"north\",\"number\":7,\"state\":\"new\",\"city\":\"Bern\"}";
    return os_txn_create(txn, context, order, NULL, err);
}

TEST_WITH(tables, a_table_that_is_made_is_fit_and_takes_rows)
{
    static const char *const schemas[] = {plain, indexed, keys_only, including, expiring};
    for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
        os_model *model = NULL;
        char table[] = "orders-0";
        table[7] = (char)('0' + i);
        CHECK_CODE(os_model_parse(schemas[i], table, &model, &tables->error), OS_OK, &tables->error);
        CHECK_CODE(os_model_table_check(tables->client, model, NULL, &tables->error), OS_ERR_NO_TABLE, &tables->error);
        CHECK_CODE(os_model_table_create(tables->client, model, NULL, &tables->error), OS_OK, &tables->error);
        CHECK_CODE(os_model_table_create(tables->client, model, NULL, &tables->error), OS_OK, &tables->error);
        CHECK_CODE(os_model_table_check(tables->client, model, NULL, &tables->error), OS_OK, &tables->error);
        if (os_transact(tables->client, NULL, write_row, model, NULL, NULL, &tables->error) != OS_COMMITTED)
            fail_msg("%s", tables->error.message);
        os_model_free(model);
    }
}

TEST_WITH(tables, a_table_of_another_model_is_told_apart)
{
    static const char *const others[] = {indexed, expiring};
    CHECK_CODE(os_model_table_create(tables->client, tables->model, NULL, &tables->error), OS_OK, &tables->error);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        os_model *other = NULL;
        CHECK_CODE(os_model_parse(others[i], NULL, &other, &tables->error), OS_OK, &tables->error);
        CHECK_CODE(os_model_table_check(tables->client, other, NULL, &tables->error), OS_ERR_TABLE, &tables->error);
        CHECK_CODE(os_model_table_create(tables->client, other, NULL, &tables->error), OS_ERR_TABLE, &tables->error);
        CHECK_SAYS(&tables->error, i == 0 ? "byState" : "until");
        os_model_free(other);
    }
}

TEST_WITH(tables, a_model_that_is_null_has_no_table)
{
    CHECK_CODE(os_model_table_create(tables->client, NULL, NULL, &tables->error), OS_ERR_ARGUMENT, &tables->error);
    assert_int_equal(os_model_table_check(tables->client, tables->model, NULL, NULL), OS_ERR_NO_TABLE);
}
