/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/condition.h"

#include "attribute/binary.h"
#include "attribute/check.h"
#include "attribute/scalar.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- check */

static os_code refuse(const struct condition_term *term, const char *fault, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    return error_set(err, OS_ERR_ARGUMENT, "The condition on %s %s.", path_text(&term->path, text), fault);
}

static os_code check_bounds(const struct condition_term *term, os_error *err)
{
    os_code code = value_check_operand(term->upper, &term->path, err);
    if (code != OS_OK)
        return code;
    if (value_type(term->upper) != value_type(term->value))
        return refuse(term, "has bounds of different types", err);
    if (value_compare(term->value, term->upper) > 0)
        return refuse(term, "has an upper bound below its lower one", err);
    return OS_OK;
}

static os_code check_term(const struct condition_term *term, os_error *err)
{
    if (term->test == CONDITION_EXISTS || term->test == CONDITION_IS_ABSENT)
        return path_check(&term->path, err);
    os_code code = value_check_operand(term->value, &term->path, err);
    if (code != OS_OK)
        return code;
    enum value_type type = value_type(term->value);
    switch (term->test) {
    case CONDITION_BEGINS_WITH:
        return type == VALUE_S || type == VALUE_B ? OS_OK : refuse(term, "asks for a beginning that is no S or B", err);
    case CONDITION_IS_BELOW:
    case CONDITION_IS_AT_MOST:
    case CONDITION_IS_ABOVE:
    case CONDITION_IS_AT_LEAST:
    case CONDITION_IS_BETWEEN:
        if (!value_type_has_order(type))
            return refuse(term, "asks for an order, which only S, N and B have", err);
        return term->test == CONDITION_IS_BETWEEN ? check_bounds(term, err) : OS_OK;
    default: return OS_OK;
    }
}

os_code condition_check(const struct condition *condition, os_error *err)
{
    for (size_t i = 0; i < condition->count; i++) {
        os_code code = check_term(&condition->terms[i], err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* --------------------------------------------------------------------------------------------------------- holds */

static bool begins_with(const json_t *value, const json_t *prefix)
{
    enum value_type type = value_type(value);
    struct text text = scalar_text(value_inside(value));
    struct text begin = scalar_text(value_inside(prefix));
    if (type != value_type(prefix))
        return false;
    return type == VALUE_B ? binary_begins_with(text, begin)
                           : begin.len <= text.len && memcmp(text.p, begin.p, begin.len) == 0;
}

static bool has_element(const json_t *list, const json_t *value)
{
    size_t index;
    json_t *element;
    json_array_foreach(list, index, element)
    {
        if (value_equal(element, value))
            return true;
    }
    return false;
}

/* A value of a type that the attribute cannot contain is not in it; that is no error. */
static bool contains(const json_t *value, const json_t *part)
{
    enum value_type type = value_type(value);
    enum value_type part_type = value_type(part);
    const json_t *inside = value_inside(value);
    if (type == VALUE_L)
        return has_element(inside, part);
    if (value_type_of_elements(type) != VALUE_NONE)
        return value_type_of_elements(type) == part_type && scalar_is_among(part_type, inside, value_inside(part));
    if (type != part_type || (type != VALUE_S && type != VALUE_B))
        return false;
    struct text text = scalar_text(inside);
    struct text needle = scalar_text(value_inside(part));
    return type == VALUE_B ? binary_contains(text, needle) : memmem(text.p, text.len, needle.p, needle.len) != NULL;
}

static bool is_in_order(const struct condition_term *term, const json_t *value)
{
    if (value_type(value) != value_type(term->value))
        return false;
    int order = value_compare(value, term->value);
    switch (term->test) {
    case CONDITION_IS_BELOW: return order < 0;
    case CONDITION_IS_AT_MOST: return order <= 0;
    case CONDITION_IS_ABOVE: return order > 0;
    case CONDITION_IS_AT_LEAST: return order >= 0;
    default: return order >= 0 && value_compare(value, term->upper) <= 0;
    }
}

static bool term_holds(const struct condition_term *term, const json_t *item)
{
    const json_t *value = path_find(item, &term->path);
    switch (term->test) {
    case CONDITION_EXISTS: return value != NULL;
    case CONDITION_IS_ABSENT: return value == NULL;
    case CONDITION_DIFFERS: return value == NULL || !value_equal(value, term->value);
    case CONDITION_EQUALS: return value != NULL && value_equal(value, term->value);
    case CONDITION_BEGINS_WITH: return value != NULL && begins_with(value, term->value);
    case CONDITION_CONTAINS: return value != NULL && contains(value, term->value);
    default: return value != NULL && is_in_order(term, value);
    }
}

bool condition_holds(const struct condition *condition, const json_t *item)
{
    bool holds = true;
    for (size_t i = 0; i < condition->count; i++) {
        const struct condition_term *term = &condition->terms[i];
        if (term->is_alternative && i > 0 && holds)
            return true;
        holds = (holds || term->is_alternative) && term_holds(term, item);
    }
    return holds;
}
