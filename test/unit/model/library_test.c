/* SPDX-License-Identifier: Apache-2.0 */
/* What @pocketgems/dynamodb has made of models and rows (test/data/model). */
#include "model/model_item.h"

#include "attribute/canonical.h"
#include "attribute/check.h"
#include "model_reading.h"
#include "support/data_file.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

struct library {
    json_t *fixture;
    struct model *model;
};

static void library_open(struct library *library, const char *name)
{
    os_error err;
    char path[DATA_PATH_SIZE];
    snprintf(path, sizeof(path), "model/models/%s", name);
    char *text = data_file(path);
    library->fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    assert_non_null(library->fixture);
    free(text);
    text = json_dumps(json_object_get(library->fixture, "model"), 0);
    if (model_read(text, strlen(text), &library->model, &err) != OS_OK)
        fail_msg("%s: %s", name, err.message);
    free(text);
}

static void library_close(struct library *library)
{
    json_decref(library->fixture);
    model_free(library->model);
}

typedef void library_check(struct library *library, const json_t *entry);

/* Every entry of a list, of every model. Returns how many there were. */
static size_t each(const char *list, library_check *check)
{
    size_t count = 0;
    char **names = data_names("model/models");
    for (char **name = names; *name != NULL; name++) {
        struct library library;
        size_t index;
        json_t *entry;
        library_open(&library, *name);
        json_array_foreach(json_object_get(library.fixture, list), index, entry)
        {
            check(&library, entry);
            count++;
        }
        library_close(&library);
    }
    data_names_free(names);
    return count;
}

/* Numbers as rows keep them: JSON.stringify writes 1 for 1.0, and 1e+21. */
static json_t *as_kept(const json_t *json)
{
    json_t *copy;
    struct model_place place = model_place_of("fixture", NULL, OS_ERR_ARGUMENT, NULL);
    assert_int_equal(model_json_copy(&place, json, MODEL_NUMBERS_ANY, &copy), OS_OK);
    return copy;
}

static void check_read(const struct library *library, const char *index, const json_t *item, const json_t *wanted)
{
    os_error err;
    json_t *row;
    json_t *kept = as_kept(wanted);
    const struct model_index *of = index != NULL ? model_index_find(library->model, index) : NULL;
    assert_int_equal(item_check(item, NULL), OS_OK);
    if (model_row_from_item(library->model, of, item, &row, &err) != OS_OK)
        fail_msg("%s", err.message);
    assert_json_equal(row, kept);
    json_decref(row);
    json_decref(kept);
}

static void check_row(struct library *library, const json_t *entry)
{
    os_error err;
    json_t *row;
    json_t *item;
    const char *index;
    json_t *gives;
    const json_t *given = json_object_get(entry, "given");
    json_t *wanted = item_canonical(json_object_get(entry, "item")); /* an update leaves 1e-7 as it is sent */
    if (model_row_make(library->model, given, &row, &err) != OS_OK ||
        model_row_to_item(library->model, row, &item, &err) != OS_OK)
        fail_msg("%s", err.message);
    assert_json_equal(item, wanted);
    assert_int_equal(item_check(item, NULL), OS_OK);
    check_read(library, NULL, json_object_get(entry, "item"), json_object_get(entry, "read"));
    check_read(library, NULL, item, row);
    json_object_foreach(json_object_get(entry, "indexes"), index, gives)
    {
        check_read(library, index, json_object_get(gives, "item"), json_object_get(gives, "read"));
    }
    json_decref(row);
    json_decref(item);
    json_decref(wanted);
}

TEST(rows_become_the_items_that_the_library_writes_and_are_read_again)
{
    assert_int_equal(each("rows", check_row), 61);
}

static void check_refused(struct library *library, const json_t *entry)
{
    os_error err;
    json_t *row;
    json_t *item = NULL;
    const json_t *given = json_object_get(entry, "given");
    os_code code = model_row_make(library->model, given, &row, &err);
    if (code == OS_OK)
        code = model_row_to_item(library->model, row, &item, &err);
    if (code != OS_ERR_ARGUMENT || item != NULL || strncmp(err.message, library->model->name, 3) != 0) {
        char *text = json_dumps(given, 0);
        fail_msg("%s takes %s: %s", library->model->name, text, err.message);
    }
    json_decref(row);
}

TEST(rows_that_the_library_or_the_service_refuses_are_refused)
{
    assert_int_equal(each("refused", check_refused), 72);
}

static void check_foreign(struct library *library, const json_t *entry)
{
    json_t *row;
    const json_t *wanted = json_object_get(entry, "read");
    if (wanted != NULL) {
        check_read(library, NULL, json_object_get(entry, "item"), wanted);
        return;
    }
    assert_int_equal(model_row_from_item(library->model, NULL, json_object_get(entry, "item"), &row, NULL),
                     OS_ERR_PROTOCOL);
    assert_null(row);
}

TEST(items_that_others_left_are_read_as_the_library_reads_them)
{
    assert_int_equal(each("reads", check_foreign), 13);
}

static void assert_key(const struct model_attribute *attribute, const json_t *table, const json_t *keys, size_t number)
{
    size_t index;
    json_t *definition;
    const json_t *key = json_array_get(keys, number);
    if (key == NULL) {
        assert_null(attribute->name);
        return;
    }
    assert_string_equal(attribute->name, json_string_value(json_object_get(key, "AttributeName")));
    json_array_foreach(json_object_get(table, "AttributeDefinitions"), index, definition)
    {
        if (strcmp(json_string_value(json_object_get(definition, "AttributeName")), attribute->name) != 0)
            continue;
        assert_string_equal(json_string_value(json_object_get(definition, "AttributeType")),
                            attribute->is_number ? "N" : "S");
        return;
    }
    fail_msg("%s is not defined", attribute->name);
}

TEST(tables_and_indexes_have_the_keys_that_the_library_gives_them)
{
    char **names = data_names("model/models");
    for (char **name = names; *name != NULL; name++) {
        struct library library;
        size_t i;
        json_t *index;
        library_open(&library, *name);
        const json_t *table = json_object_get(library.fixture, "table");
        assert_key(&library.model->key, table, json_object_get(table, "KeySchema"), 0);
        assert_key(&library.model->sort_key, table, json_object_get(table, "KeySchema"), 1);
        json_array_foreach(json_object_get(table, "GlobalSecondaryIndexes"), i, index)
        {
            const json_t *keys = json_object_get(index, "KeySchema");
            assert_string_equal(library.model->indexes[i].name, json_string_value(json_object_get(index, "IndexName")));
            assert_key(&library.model->indexes[i].key, table, keys, 0);
            assert_key(&library.model->indexes[i].sort_key, table, keys, 1);
        }
        assert_int_equal(library.model->index_count, json_array_size(json_object_get(table, "GlobalSecondaryIndexes")));
        library_close(&library);
    }
    data_names_free(names);
}
