/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item of any attributes: it is refused with a sentence, or its values have a size and an order among them, equal
 * themselves also once written and read again, and conditions and changes agree with that.
 */
#include "fuzz.h"

#include "attribute/change.h"
#include "attribute/check.h"
#include "attribute/condition.h"
#include "attribute/scalar.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 64 /* of attributes that are compared with each other */ };

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void check_number(const json_t *value)
{
    char text[NUMBER_TEXT_SIZE];
    struct number again;
    struct number sum;
    const struct number number = scalar_number(value_inside(value));
    size_t len = number_text(&number, text);
    FUZZ_CHECK(len == strlen(text));
    FUZZ_CHECK(number_parse(text_of(text, len), &again) == NUMBER_OK);
    FUZZ_CHECK(number_compare(&number, &again) == 0 && number_size(&number) == number_size(&again));
    FUZZ_CHECK(number_subtract(&number, &again, &sum) == NUMBER_OK && sum.count == 0);
}

static bool holds(enum condition_test test, const struct path *path, const json_t *value, const json_t *item)
{
    const struct condition_term term = {.path = *path, .test = test, .value = value, .upper = value};
    const struct condition condition = {&term, 1};
    FUZZ_CHECK(condition_check(&condition, NULL) == OS_OK);
    return condition_holds(&condition, item);
}

/* `value` is a value of `item`, which stands at `path`. */
static void check_conditions(const struct path *path, const json_t *value, const json_t *item)
{
    enum value_type type = value_type(value);
    FUZZ_CHECK(holds(CONDITION_EQUALS, path, value, item) && !holds(CONDITION_DIFFERS, path, value, item));
    FUZZ_CHECK(!holds(CONDITION_EQUALS, path, value, NULL) && holds(CONDITION_DIFFERS, path, value, NULL));
    if (value_type_has_order(type))
        FUZZ_CHECK(holds(CONDITION_IS_BETWEEN, path, value, item) && !holds(CONDITION_IS_BELOW, path, value, item));
    if (type == VALUE_S || type == VALUE_B)
        FUZZ_CHECK(holds(CONDITION_BEGINS_WITH, path, value, item) && holds(CONDITION_CONTAINS, path, value, item));
}

/* What a set has is added to it, and all of it taken out. */
static void check_changes(const struct path *path, json_t *value, const json_t *item)
{
    bool is_set = value_type_of_elements(value_type(value)) != VALUE_NONE;
    const enum change_kind kinds[] = {CHANGE_SET, CHANGE_ADD, CHANGE_DELETE, CHANGE_REMOVE};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct change change = {*path, kinds[i], value};
        json_t *after;
        if (!is_set && (kinds[i] == CHANGE_ADD || kinds[i] == CHANGE_DELETE))
            continue;
        FUZZ_CHECK(changes_check(&change, 1, NULL) == OS_OK);
        FUZZ_CHECK(change_apply(item, &change, 1, &after, NULL) == OS_OK);
        const json_t *found = path_find(after, path);
        FUZZ_CHECK(kinds[i] == CHANGE_SET || kinds[i] == CHANGE_ADD ? value_equal(found, value) : found == NULL);
        FUZZ_CHECK(item_size(after) <= ITEM_SIZE_MAX);
        json_decref(after);
    }
}

static void check_pair(const json_t *a, const json_t *b)
{
    bool equal = value_equal(a, b);
    FUZZ_CHECK(equal == value_equal(b, a));
    FUZZ_CHECK(!equal || (value_type(a) == value_type(b) && value_size(a) == value_size(b)));
    if (value_type(a) != value_type(b) || !value_type_has_order(value_type(a)))
        return;
    FUZZ_CHECK(sign(value_compare(a, b)) == -sign(value_compare(b, a)));
    FUZZ_CHECK(equal == (value_compare(a, b) == 0));
}

static void check_again(const json_t *item)
{
    struct buf out;
    buf_init(&out, 16 << 20);
    FUZZ_CHECK(json_write(&out, item));
    json_t *again = json_read(buf_str(&out), out.len);
    buf_free(&out);
    FUZZ_CHECK(again != NULL && item_check(again, NULL) == OS_OK && item_size(again) == item_size(item));
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)item, name, value)
    {
        FUZZ_CHECK(value_equal(value, json_object_get(again, name)));
    }
    json_decref(again);
}

static void check_item(json_t *item)
{
    const char *name;
    json_t *value;
    const json_t *seen[PAIRS_MAX];
    size_t count = 0;
    json_object_foreach(item, name, value)
    {
        const struct path_step step = {.name = name};
        const struct path path = {&step, 1};
        if (count == PAIRS_MAX)
            break;
        if (value_type(value) == VALUE_N)
            check_number(value);
        check_conditions(&path, value, item);
        check_changes(&path, value, item);
        seen[count++] = value;
        for (size_t i = 0; i < count; i++)
            check_pair(seen[i], value);
    }
    check_again(item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    os_error err = {.code = OS_OK};
    char *text = fuzz_copy(data, size);
    json_t *item = json_read(text, size);
    free(text);
    if (item == NULL)
        return 0;
    os_code code = item_check(item, &err);
    fuzz_check_error(code, &err);
    if (code == OS_OK)
        check_item(item);
    json_decref(item);
    return 0;
}
