/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/rows.h"

#include "attribute/scalar.h"
#include "attribute/value.h"
#include "base/fnv.h"

#include <stdio.h>
#include <string.h>

const struct rows_keys *rows_list_keys(const struct rows_list *list)
{
    return list->index != NULL ? &list->index_keys : &list->table->keys;
}

uint32_t rows_page_limit(uint32_t asked)
{
    return asked > 0 && asked < ROWS_PAGE_ITEMS ? asked : ROWS_PAGE_ITEMS;
}

bool rows_is_key_name(const struct rows_keys *keys, const char *name)
{
    return (keys->partition != NULL && strcmp(keys->partition, name) == 0) ||
           (keys->sort != NULL && strcmp(keys->sort, name) == 0);
}

bool rows_same_key(const struct rows_keys *keys, const json_t *a, const json_t *b)
{
    return value_equal(json_object_get(a, keys->partition), json_object_get(b, keys->partition)) &&
           (keys->sort == NULL || value_equal(json_object_get(a, keys->sort), json_object_get(b, keys->sort)));
}

/* Equal numbers have one text. */
static uint64_t hash_of_value(const json_t *value)
{
    char number_form[NUMBER_TEXT_SIZE];
    struct number number;
    struct text text = scalar_text(value_inside(value));
    if (value_type(value) != VALUE_N || number_parse(text, &number) != NUMBER_OK)
        return fnv_of_bytes(text.p, text.len);
    return fnv_of_bytes(number_form, number_text(&number, number_form));
}

uint64_t rows_key_hash(const struct rows_keys *keys, const json_t *item)
{
    uint64_t hash = hash_of_value(json_object_get(item, keys->partition));
    if (keys->sort == NULL)
        return hash;
    return hash * UINT64_C(1099511628211) + hash_of_value(json_object_get(item, keys->sort));
}

/* Returns how much is written. */
static size_t write_part(const char *name, const json_t *item, int shown, char *ret, size_t size)
{
    enum { SHOWN_NAME = 40 };
    struct text text = text_from(json_string_value(value_inside(json_object_get(item, name))));
    int len = snprintf(ret, size, "%.*s \"%.*s%s\"", (int)text_utf8_cut(text_from(name), SHOWN_NAME), name,
                       (int)text_utf8_cut(text, (size_t)shown), text.len > 0 ? text.p : "",
                       text.len > (size_t)shown ? "..." : "");
    return len > 0 ? (size_t)len : 0;
}

const char *rows_key_text(const struct rows_keys *keys, const json_t *item, char ret[ROWS_KEY_TEXT_SIZE])
{
    enum { SHOWN_PARTITION = 100, SHOWN_SORT = 60 };
    size_t len = write_part(keys->partition, item, SHOWN_PARTITION, ret, ROWS_KEY_TEXT_SIZE);
    if (keys->sort != NULL) {
        memcpy(ret + len, ", ", sizeof(", "));
        len += strlen(", ");
        (void)write_part(keys->sort, item, SHOWN_SORT, ret + len, ROWS_KEY_TEXT_SIZE - len);
    }
    return ret;
}
