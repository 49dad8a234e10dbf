/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON object with a "model", a row that is "given", and an "item" of its table. The model is none, with a sentence, or is
 * built of its own schema again. The row is refused, with a sentence, or becomes an item that DynamoDB takes and is read again as
 * the same. The item is none of the model, or its row is written to the same key.
 */
#include "fuzz.h"

#include "attribute/check.h"
#include "model/model_item.h"
#include "model/model_schema_build.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static bool same(const json_t *a, const json_t *b)
{
    return json_equal(a, b) == 1;
}

/* What an index has of an item, as far as this library knows: all of it. */
static void check_indexes(const struct model *model, const json_t *item, const json_t *row)
{
    for (size_t i = 0; i < model->index_count; i++) {
        json_t *read;
        const struct model_index *index = &model->indexes[i];
        FUZZ_CHECK(model_row_from_item(model, index, item, &read, NULL) == OS_OK);
        for (size_t field = 0; field < model->field_count; field++) {
            const char *name = model->fields[field].name;
            if (model_index_has(index, &model->fields[field]) && json_object_get(row, name) != NULL)
                FUZZ_CHECK(same(json_object_get(read, name), json_object_get(row, name)));
            else
                FUZZ_CHECK(json_object_get(read, name) == NULL);
        }
        json_decref(read);
    }
}

static void check_keys(const struct model *model, const json_t *row, const json_t *item)
{
    json_t *key;
    const char *name;
    json_t *value;
    FUZZ_CHECK(model_key_encode(model, row, &key, NULL) == OS_OK);
    json_object_foreach(key, name, value)
    {
        FUZZ_CHECK(value_equal(value, json_object_get(item, name)));
    }
    json_decref(key);
}

static void check_row(const struct model *model, const json_t *row)
{
    json_t *item;
    json_t *again;
    os_error err = {.code = OS_OK};
    os_code code = model_row_to_item(model, row, &item, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_ARGUMENT || code == OS_ERR_TOO_LARGE);
    if (code != OS_OK) {
        FUZZ_CHECK(item == NULL);
        return;
    }
    FUZZ_CHECK(item_check(item, NULL) == OS_OK);
    FUZZ_CHECK(model_row_from_item(model, NULL, item, &again, NULL) == OS_OK && same(again, row));
    check_keys(model, row, item);
    check_indexes(model, item, row);
    (void)model_row_has_expired(model, row, 1700000000);
    json_decref(again);
    json_decref(item);
}

static void check_given(const struct model *model, const json_t *given)
{
    json_t *row;
    json_t *again;
    os_error err = {.code = OS_OK};
    os_code code = model_row_make(model, given, &row, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || (code == OS_ERR_ARGUMENT && row == NULL));
    if (code != OS_OK)
        return;
    FUZZ_CHECK(model_row_make(model, row, &again, NULL) == OS_OK && same(again, row));
    check_row(model, row);
    json_decref(again);
    json_decref(row);
}

static void check_item(const struct model *model, const json_t *item)
{
    json_t *row;
    os_error err = {.code = OS_OK};
    if (!json_is_object(item) || item_check(item, NULL) != OS_OK)
        return;
    os_code code = model_row_from_item(model, NULL, item, &row, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || (code == OS_ERR_PROTOCOL && row == NULL));
    for (size_t i = 0; i < model->index_count; i++) {
        json_t *read;
        err = (os_error){.code = OS_OK};
        fuzz_check_error(model_row_from_item(model, &model->indexes[i], item, &read, &err), &err);
        json_decref(read);
    }
    if (code == OS_OK)
        check_row(model, row);
    json_t *key;
    if (code == OS_OK && model_key_encode(model, row, &key, NULL) == OS_OK) {
        check_keys(model, row, item);
        json_decref(key);
    }
    json_decref(row);
}

static void check_model(const struct model *model)
{
    struct model *again;
    FUZZ_CHECK(model_build(model->schema, &again, NULL) == OS_OK && same(again->schema, model->schema));
    FUZZ_CHECK(again->extra_count == model->extra_count && again->index_count == model->index_count);
    for (size_t i = 0; i < model->extra_count; i++)
        FUZZ_CHECK(strcmp(again->extras[i].name, model->extras[i].name) == 0);
    model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    os_error err = {.code = OS_OK};
    char *text = fuzz_copy(data, size);
    json_t *all = json_read(text, size);
    free(text);
    if (all != NULL) {
        os_code code = model_build(json_object_get(all, "model"), &model, &err);
        fuzz_check_error(code, &err);
        FUZZ_CHECK(code == OS_OK || (code == OS_ERR_ARGUMENT && model == NULL));
        if (code == OS_OK) {
            check_model(model);
            check_given(model, json_object_get(all, "given"));
            check_item(model, json_object_get(all, "item"));
            model_free(model);
        }
    }
    json_decref(all);
    return 0;
}
