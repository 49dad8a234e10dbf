/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/value.h"

#include "attribute/binary.h"
#include "attribute/scalar.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- size */

static size_t scalar_size(enum value_type type, const json_t *string)
{
    struct text text = scalar_text(string);
    if (type == VALUE_B)
        return binary_size(text);
    if (type != VALUE_N)
        return text.len;
    struct number number = scalar_number(string);
    return number_size(&number);
}

static size_t members_size(const json_t *members, size_t overhead)
{
    const char *name;
    json_t *value;
    size_t size = 0;
    json_object_foreach((json_t *)members, name, value)
    {
        size += strlen(name) + value_size(value) + overhead;
    }
    return size;
}

/* Of a set, elements are the strings themselves; in a list each takes one byte more. */
static size_t elements_size(enum value_type type, const json_t *elements)
{
    enum value_type element_type = value_type_of_elements(type);
    size_t index;
    json_t *element;
    size_t size = 0;
    json_array_foreach(elements, index, element)
    {
        size += element_type != VALUE_NONE ? scalar_size(element_type, element) : value_size(element) + 1;
    }
    return size;
}

size_t value_size(const json_t *value)
{
    enum { CONTAINER = 3, ELEMENT = 1 };
    enum value_type type = value_type(value);
    const json_t *inside = value_inside(value);
    switch (type) {
    case VALUE_NONE: return 0;
    case VALUE_S:
    case VALUE_N:
    case VALUE_B: return scalar_size(type, inside);
    case VALUE_BOOL:
    case VALUE_NULL: return 1;
    case VALUE_L: return CONTAINER + elements_size(type, inside);
    case VALUE_M: return CONTAINER + members_size(inside, ELEMENT);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS: return elements_size(type, inside);
    }
    return 0;
}

size_t item_size(const json_t *item)
{
    return members_size(item, 0);
}

/* ------------------------------------------------------------------------------------------------------ equality */

static bool lists_equal(const json_t *a, const json_t *b)
{
    size_t index;
    json_t *element;
    if (json_array_size(a) != json_array_size(b))
        return false;
    json_array_foreach(a, index, element)
    {
        if (!value_equal(element, json_array_get(b, index)))
            return false;
    }
    return true;
}

static bool maps_equal(const json_t *a, const json_t *b)
{
    const char *name;
    json_t *member;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, name, member)
    {
        if (!value_equal(member, json_object_get(b, name)))
            return false;
    }
    return true;
}

/* An answer must not depend on whether there is memory: without it each element is looked for in the whole set. */
static bool sets_equal(enum value_type type, const json_t *a, const json_t *b)
{
    size_t index;
    json_t *element;
    size_t count = json_array_size(b);
    if (json_array_size(a) != count)
        return false;
    const json_t **sorted = scalars_sorted(type, b);
    bool equal = true;
    json_array_foreach(a, index, element)
    {
        equal =
            equal && (sorted != NULL ? scalars_have(type, sorted, count, element) : scalar_is_among(type, b, element));
    }
    free(sorted);
    return equal;
}

bool value_equal(const json_t *a, const json_t *b)
{
    enum value_type type = value_type(a);
    const json_t *in_a = value_inside(a);
    const json_t *in_b = value_inside(b);
    if (type != value_type(b))
        return false;
    switch (type) {
    case VALUE_NONE: return false;
    case VALUE_S:
    case VALUE_N:
    case VALUE_B: return scalar_compare(type, in_a, in_b) == 0;
    case VALUE_BOOL: return json_is_true(in_a) == json_is_true(in_b);
    case VALUE_NULL: return true;
    case VALUE_L: return lists_equal(in_a, in_b);
    case VALUE_M: return maps_equal(in_a, in_b);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS: return sets_equal(value_type_of_elements(type), in_a, in_b);
    }
    return false;
}

int value_compare(const json_t *a, const json_t *b)
{
    return scalar_compare(value_type(a), value_inside(a), value_inside(b));
}
