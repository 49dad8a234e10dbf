/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out: an error, or the same as with memory. Never another model, another row, another item. */
#include "model/model_description.h"

#include "model_reading.h"
#include "support/test.h"

#include <string.h>

/* In this order: the files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
#include "model/model_json.c"
#include "model/model_schema_build.c"
#include "model/model_schema_keys.c"
/* clang-format on */

static const char model_text[] =
    "{\"title\":\"M\",\"properties\":{\"b\":{\"type\":\"string\"},\"a\":{\"type\":\"object\"},\"n\":{\"type\":"
    "\"number\"},"
    "\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"default\":\"y\"}},\"default\":{}},"
    "\"l\":{\"type\":\"array\"}},\"required\":[\"a\",\"b\",\"n\",\"o\"],\"KEY\":[\"b\",\"a\"],\"SORT_KEY\":[\"n\"],"
    "\"INDEX_INCLUDE_KEYS\":true,\"INDEXES\":{\"one\":{\"KEY\":[\"o\",\"b\"],\"INCLUDE_ONLY\":[\"l\"]}}}";

/* Texts that are longer than what there is room for so far, in each place of the key. */
#define LONG "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"
static const char given_text[] = "{'b':'x','a':{'z':0.1,'A':[null,'" LONG "'],'" LONG LONG "':'" LONG LONG LONG LONG
                                 "'},'n':9.95,'l':[1e-7,{'a':true}]}";

static void watch(size_t number, size_t failures)
{
    alloc_fail_from(number, failures);
    json_set_alloc_funcs(failing_malloc, free);
}

static void stop_watching(void)
{
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
}

TEST(a_model_is_read_without_memory_as_with_it_or_not_at_all)
{
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 100000; failures += 99999) {
            struct model *model;
            os_error err;
            watch(number, failures);
            os_code code = model_read(model_text, strlen(model_text), &model, &err);
            stop_watching();
            if (code == OS_OK)
                assert_true(model->extra_count == 3 && strcmp(model->extras[2].name, "_c_b_o") == 0);
            else /* jansson does not say why it reads no JSON */
                assert_true(model == NULL &&
                            (code == OS_ERR_NO_MEMORY || strstr(err.message, "is no JSON object") != NULL));
            model_free(model);
        }
}

TEST(a_model_without_a_key_is_read_without_memory_as_with_it_or_not_at_all)
{
    static const char text[] = "{\"title\":\"M\",\"properties\":{\"b\":{\"type\":\"string\"}}}";
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++) {
        struct model *model;
        os_error err;
        watch(number, 1);
        os_code code = model_read(text, strlen(text), &model, &err);
        stop_watching();
        if (code == OS_OK)
            assert_true(model->field_count == 2 && model->key.count == 1 && !model->key.parts[0]->is_optional);
        else
            assert_true(model == NULL &&
                        (code == OS_ERR_NO_MEMORY || strstr(err.message, "is no JSON object") != NULL));
        model_free(model);
    }
}

TEST(a_model_is_described_without_memory_as_with_it_or_not_at_all)
{
    static const struct model_field_description fields[] = {{.name = "k", .type = MODEL_STRING},
                                                            {.name = "i", .type = MODEL_INTEGER, .is_read_only = true}};
    static const char *const key[] = {"k", NULL};
    static const char *const sort_key[] = {"i", NULL};
    static const struct model_index_description index = {
        .name = "abc", .key = sort_key, .sort_key = key, .only = key + 1};
    static const struct model_description description = {
        .name = "M", .fields = fields, .field_count = 2, .key = key, .indexes = &index, .index_count = 1};
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++) {
        struct model *model;
        watch(number, 1);
        os_code code = model_describe(&description, &model, NULL);
        stop_watching();
        if (code == OS_OK)
            assert_true(model->field_count == 2 && model->index_count == 1 && model->fields[1].is_read_only);
        else
            assert_true(code == OS_ERR_NO_MEMORY && model == NULL);
        model_free(model);
    }
}

/* Both directions: a row that is made of what is given, its item, and the row again. */
static os_code go_round(const struct model *model, const json_t *given, json_t **ret_item, json_t **ret_row,
                        os_error *err)
{
    json_t *row;
    *ret_item = NULL;
    *ret_row = NULL;
    os_code code = model_row_make(model, given, &row, err);
    if (code == OS_OK)
        code = model_row_to_item(model, row, ret_item, err);
    if (code == OS_OK)
        code = model_row_from_item(model, NULL, *ret_item, ret_row, err);
    json_decref(row);
    return code;
}

TEST(a_row_goes_to_an_item_and_back_without_memory_as_with_it_or_not_at_all)
{
    struct model *model;
    json_t *wanted_item;
    json_t *wanted_row;
    json_t *given = reading_json(given_text);
    assert_int_equal(model_read(model_text, strlen(model_text), &model, NULL), OS_OK);
    assert_int_equal(go_round(model, given, &wanted_item, &wanted_row, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 100000; failures += 99999) {
            json_t *item;
            json_t *row;
            os_error err;
            watch(number, failures);
            os_code code = go_round(model, given, &item, &row, &err);
            stop_watching();
            assert_true(item == NULL || json_equal(item, wanted_item));
            if (code == OS_OK)
                assert_true(json_equal(row, wanted_row));
            else
                assert_true(row == NULL && (code == OS_ERR_NO_MEMORY || strstr(err.message, "is no JSON") != NULL));
            json_decref(item);
            json_decref(row);
        }
    json_decref(wanted_item);
    json_decref(wanted_row);
    json_decref(given);
    model_free(model);
}
