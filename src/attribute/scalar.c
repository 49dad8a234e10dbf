/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/scalar.h"

#include "attribute/binary.h"

#include <stdlib.h>
#include <string.h>

struct text scalar_text(const json_t *string)
{
    return text_of(json_string_value(string), json_string_length(string));
}

struct number scalar_number(const json_t *string)
{
    struct number number = {.count = 0};
    (void)number_parse(scalar_text(string), &number);
    return number;
}

json_t *value_of_number(const struct number *number)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = number_text(number, text);
    return value_of_type(VALUE_N, json_stringn(text, len));
}

static int compare_texts(const json_t *a, const json_t *b)
{
    struct text text_a = scalar_text(a);
    struct text text_b = scalar_text(b);
    size_t common = text_a.len < text_b.len ? text_a.len : text_b.len;
    int order = memcmp(text_a.p, text_b.p, common);
    return order != 0 ? order : (text_a.len > text_b.len) - (text_a.len < text_b.len);
}

static int compare_numbers(const json_t *a, const json_t *b)
{
    struct number number_a = scalar_number(a);
    struct number number_b = scalar_number(b);
    return number_compare(&number_a, &number_b);
}

static int compare_binaries(const json_t *a, const json_t *b)
{
    return binary_compare(scalar_text(a), scalar_text(b));
}

int scalar_compare(enum value_type type, const json_t *a, const json_t *b)
{
    if (type == VALUE_N)
        return compare_numbers(a, b);
    return type == VALUE_B ? compare_binaries(a, b) : compare_texts(a, b);
}

bool scalar_is_among(enum value_type type, const json_t *array, const json_t *string)
{
    size_t index;
    json_t *element;
    json_array_foreach(array, index, element)
    {
        if (scalar_compare(type, element, string) == 0)
            return true;
    }
    return false;
}

/* For qsort and bsearch, which know no type. */
static int order_texts(const void *a, const void *b)
{
    return compare_texts(*(const json_t *const *)a, *(const json_t *const *)b);
}

static int order_numbers(const void *a, const void *b)
{
    return compare_numbers(*(const json_t *const *)a, *(const json_t *const *)b);
}

static int order_binaries(const void *a, const void *b)
{
    return compare_binaries(*(const json_t *const *)a, *(const json_t *const *)b);
}

typedef int (*order_fn)(const void *, const void *);

static order_fn order_of(enum value_type type)
{
    if (type == VALUE_N)
        return order_numbers;
    return type == VALUE_B ? order_binaries : order_texts;
}

const json_t **scalars_sorted(enum value_type type, const json_t *array)
{
    size_t count = json_array_size(array);
    const json_t **sorted = malloc((count > 0 ? count : 1) * sizeof(*sorted));
    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        sorted[i] = json_array_get(array, i);
    qsort(sorted, count, sizeof(*sorted), order_of(type));
    return sorted;
}

bool scalars_have(enum value_type type, const json_t *const *sorted, size_t count, const json_t *string)
{
    return bsearch(&string, sorted, count, sizeof(*sorted), order_of(type)) != NULL;
}
