/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/canonical.h"

#include "attribute/scalar.h"

#include <stdlib.h>

static json_t *canonical_scalar(enum value_type type, const json_t *string)
{
    char text[NUMBER_TEXT_SIZE];
    if (type != VALUE_N)
        return json_incref((json_t *)string);
    struct number number = scalar_number(string);
    size_t len = number_text(&number, text);
    return json_stringn(text, len);
}

/* Takes `element`, which may be NULL; then, or without memory, the array is given up. */
static json_t *append(json_t *array, json_t *element)
{
    if (json_array_append_new(array, element) == 0)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *canonical_set(enum value_type type, const json_t *elements)
{
    size_t count = json_array_size(elements);
    const json_t **sorted = scalars_sorted(type, elements);
    json_t *array = sorted != NULL ? json_array() : NULL;
    for (size_t i = 0; array != NULL && i < count; i++)
        array = append(array, canonical_scalar(type, sorted[i]));
    free(sorted);
    return array;
}

static json_t *canonical_list(const json_t *elements)
{
    size_t count = json_array_size(elements);
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++)
        array = append(array, value_canonical(json_array_get(elements, i)));
    return array;
}

json_t *item_canonical(const json_t *item)
{
    const char *name;
    json_t *value;
    json_t *object = json_object();
    json_object_foreach((json_t *)item, name, value)
    {
        if (object != NULL && json_object_set_new(object, name, value_canonical(value)) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static json_t *canonical_inside(enum value_type type, const json_t *inside)
{
    switch (type) {
    case VALUE_L: return canonical_list(inside);
    case VALUE_M: return item_canonical(inside);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS: return canonical_set(value_type_of_elements(type), inside);
    default: return canonical_scalar(type, inside);
    }
}

json_t *value_canonical(const json_t *value)
{
    enum value_type type = value_type(value);
    return value_of_type(type, canonical_inside(type, value_inside(value)));
}
