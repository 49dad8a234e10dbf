/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/check.h"

#include "attribute/binary.h"
#include "attribute/scalar.h"

#include <stdlib.h>
#include <string.h>

/* Where the walk through a value is. */
struct value_walk {
    struct path_step steps[2 * PATH_STEPS_MAX + 1];
    size_t count;
    size_t outside; /* how many of them do not count as levels */
    os_error *err;
};

static os_code refuse(const struct value_walk *walk, const char *fault)
{
    char text[PATH_TEXT_SIZE];
    const struct path path = {walk->steps, walk->count};
    return error_set(walk->err, OS_ERR_ARGUMENT, "%s: %s.", path_text(&path, text), fault);
}

/* ------------------------------------------------------------------------------------------------ texts and sets */

static os_code check_number(const struct value_walk *walk, const json_t *string)
{
    char text[PATH_TEXT_SIZE];
    struct number number;
    const struct path path = {walk->steps, walk->count};
    enum number_fault fault = number_parse(scalar_text(string), &number);
    if (fault == NUMBER_OK)
        return OS_OK;
    return error_set(walk->err, OS_ERR_ARGUMENT, "%s: the number \"%.80s\" %s.", path_text(&path, text),
                     json_string_value(string), number_fault_text(fault));
}

static os_code check_scalar(const struct value_walk *walk, enum value_type type, const json_t *inside)
{
    if (!json_is_string(inside))
        return refuse(walk, "S, N and B, and the elements of SS, NS and BS, are JSON strings");
    if (type == VALUE_N)
        return check_number(walk, inside);
    if (type == VALUE_B && !binary_is_valid(scalar_text(inside)))
        return refuse(walk, "the text of a B is not base64 (RFC 4648, with padding)");
    return OS_OK;
}

static os_code check_twins(const struct value_walk *walk, enum value_type type, const json_t *elements)
{
    size_t count = json_array_size(elements);
    const json_t **sorted = scalars_sorted(type, elements);
    bool has_twins = false;
    if (sorted == NULL)
        return error_no_memory(walk->err);
    for (size_t i = 1; i < count; i++)
        has_twins = has_twins || scalar_compare(type, sorted[i - 1], sorted[i]) == 0;
    free(sorted);
    return has_twins ? refuse(walk, "the set has an element twice") : OS_OK;
}

static os_code check_set(struct value_walk *walk, enum value_type type, const json_t *elements)
{
    size_t index;
    json_t *element;
    os_code code = OS_OK;
    if (!json_is_array(elements))
        return refuse(walk, "SS, NS and BS are JSON arrays of strings");
    if (json_array_size(elements) == 0)
        return refuse(walk, "a set has at least one element; leave the attribute out instead");
    walk->count++;
    json_array_foreach(elements, index, element)
    {
        walk->steps[walk->count - 1] = (struct path_step){.index = index};
        code = check_scalar(walk, type, element);
        if (code != OS_OK)
            return code;
    }
    walk->count--;
    return check_twins(walk, type, elements);
}

/* --------------------------------------------------------------------------------------------------------- trees */

static os_code check_any(struct value_walk *walk, const json_t *value);

static os_code check_list(struct value_walk *walk, const json_t *elements)
{
    size_t index;
    json_t *element;
    if (!json_is_array(elements))
        return refuse(walk, "an L is a JSON array of values");
    walk->count++;
    json_array_foreach(elements, index, element)
    {
        walk->steps[walk->count - 1] = (struct path_step){.index = index};
        os_code code = check_any(walk, element);
        if (code != OS_OK)
            return code;
    }
    walk->count--;
    return OS_OK;
}

static os_code check_members(struct value_walk *walk, const json_t *members)
{
    const char *name;
    json_t *member;
    walk->count++;
    json_object_foreach((json_t *)members, name, member)
    {
        size_t len = strlen(name);
        walk->steps[walk->count - 1] = (struct path_step){.name = name};
        if (len == 0 || len > PATH_NAME_MAX)
            return refuse(walk, "the name of an attribute has 1 to 65535 bytes");
        os_code code = check_any(walk, member);
        if (code != OS_OK)
            return code;
    }
    walk->count--;
    return OS_OK;
}

static os_code check_container(struct value_walk *walk, enum value_type type, const json_t *inside)
{
    if (walk->count - walk->outside > VALUE_LEVELS_MAX)
        return refuse(walk, "lists and maps nest deeper than the 32 levels of an item");
    if (type == VALUE_L)
        return check_list(walk, inside);
    if (!json_is_object(inside))
        return refuse(walk, "an M is a JSON object of values by their names");
    return check_members(walk, inside);
}

static os_code check_any(struct value_walk *walk, const json_t *value)
{
    enum value_type type = value_type(value);
    const json_t *inside = value_inside(value);
    switch (type) {
    case VALUE_NONE: break;
    case VALUE_S:
    case VALUE_N:
    case VALUE_B: return check_scalar(walk, type, inside);
    case VALUE_BOOL: return json_is_boolean(inside) ? OS_OK : refuse(walk, "a BOOL is true or false");
    case VALUE_NULL: return json_is_true(inside) ? OS_OK : refuse(walk, "a NULL is true");
    case VALUE_L:
    case VALUE_M: return check_container(walk, type, inside);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS: return check_set(walk, value_type_of_elements(type), inside);
    }
    return refuse(walk, "the value is not a JSON object whose only member is its type, such as {\"S\":\"text\"}; the "
                        "types are S, N, B, BOOL, NULL, L, M, SS, NS and BS");
}

static os_code check_from(const json_t *value, const struct path *at, size_t outside, os_error *err)
{
    struct value_walk walk = {.count = at->count, .outside = outside, .err = err};
    os_code code = path_check(at, err);
    if (code != OS_OK)
        return code;
    memcpy(walk.steps, at->steps, at->count * sizeof(at->steps[0]));
    return check_any(&walk, value);
}

os_code value_check(const json_t *value, const struct path *at, os_error *err)
{
    return check_from(value, at, 0, err);
}

os_code value_check_operand(const json_t *value, const struct path *at, os_error *err)
{
    return check_from(value, at, at->count, err);
}

/* --------------------------------------------------------------------------------------------------------- items */

os_code item_check_size(const json_t *item, os_error *err)
{
    size_t size = item_size(item);
    if (size <= ITEM_SIZE_MAX)
        return OS_OK;
    return error_set(
        err, OS_ERR_TOO_LARGE,
        "The item has %zu bytes, names and values together; DynamoDB takes at most %d. Keep large values in "
        "objects.",
        size, ITEM_SIZE_MAX);
}

os_code item_check(const json_t *item, os_error *err)
{
    struct value_walk walk = {.err = err};
    if (!json_is_object(item))
        return error_set(err, OS_ERR_ARGUMENT, "The item is not a JSON object of attributes.");
    os_code code = check_members(&walk, item);
    return code == OS_OK ? item_check_size(item, err) : code;
}

/* Openings and commas. */
static size_t object_count(const json_t *object)
{
    const char *name;
    json_t *member;
    size_t size = json_object_size(object);
    size_t count = size > 0 ? size : 1;
    json_object_foreach((json_t *)object, name, member)
    {
        count += value_count(member);
    }
    return count;
}

static size_t array_count(const json_t *array)
{
    size_t index;
    json_t *member;
    size_t size = json_array_size(array);
    size_t count = size > 0 ? size : 1;
    json_array_foreach(array, index, member)
    {
        count += value_count(member);
    }
    return count;
}

size_t value_count(const json_t *value)
{
    if (value == NULL)
        return 0;
    switch (json_typeof(value)) {
    case JSON_OBJECT: return object_count(value);
    case JSON_ARRAY: return array_count(value);
    default: return 0;
    }
}

os_code item_check_count(size_t count, os_error *err)
{
    if (count <= ITEM_VALUES_MAX)
        return OS_OK;
    return error_set(
        err, OS_ERR_TOO_LARGE,
        "The item has too many values to be read back: they count for %zu, each element of a list for two, "
        "and %d are read. Put some of them into another item.",
        count, ITEM_VALUES_MAX);
}
