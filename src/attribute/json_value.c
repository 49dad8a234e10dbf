/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/json_value.h"

#include "attribute/check.h"
#include "attribute/real.h"
#include "attribute/scalar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct json_walk;
/* Of one of what stands inside each other. *ret is new, or NULL. */
typedef os_code json_converter(struct json_walk *walk, const json_t *from, json_t **ret);

/* Where the walk through JSON, or through a value, is. */
struct json_walk {
    struct path_step steps[PATH_STEPS_MAX + 1];
    size_t count;
    json_converter *convert;
    os_code code; /* of what is refused */
    os_error *err;
};

static os_code refuse(const struct json_walk *walk, const char *fault)
{
    char text[PATH_TEXT_SIZE];
    const struct path path = {walk->steps, walk->count};
    return error_set(walk->err, walk->code, "%s: %s.", path_text(&path, text), fault);
}

static os_code refuse_number(const struct json_walk *walk, const char *number, const char *fault)
{
    char text[PATH_TEXT_SIZE];
    const struct path path = {walk->steps, walk->count};
    return error_set(walk->err, walk->code, "%s: the number %.80s %s.", path_text(&path, text), number, fault);
}

/* ------------------------------------------------------------------------------------------------------- numbers */

static os_code made(const struct json_walk *walk, const json_t *result)
{
    return result != NULL ? OS_OK : error_no_memory(walk->err);
}

static os_code from_real(const struct json_walk *walk, const json_t *real, json_t **ret)
{
    char text[REAL_TEXT_SIZE];
    struct number number;
    enum number_fault fault = real_to_number(json_real_value(real), &number);
    if (fault != NUMBER_OK) {
        real_text(json_real_value(real), text);
        return refuse_number(walk, text, number_fault_text(fault));
    }
    *ret = value_of_number(&number);
    return made(walk, *ret);
}

static json_t *from_integer(const json_t *integer)
{
    char text[TEXT_NUMBER_SIZE + 1];
    snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(integer));
    return value_of_type(VALUE_N, json_string(text));
}

static os_code to_real(const struct json_walk *walk, const struct number *number, json_t **ret)
{
    char text[NUMBER_TEXT_SIZE];
    double real;
    if (!real_from_number(number, &real)) {
        number_text(number, text);
        return refuse_number(walk, text, "has more digits than a JSON number keeps here, and would be rounded");
    }
    *ret = json_real(real);
    return made(walk, *ret);
}

static os_code to_number(const struct json_walk *walk, const json_t *string, json_t **ret)
{
    int64_t integer;
    struct number number = scalar_number(string);
    if (!number_to_integer(&number, &integer))
        return to_real(walk, &number, ret);
    *ret = json_integer(integer);
    return made(walk, *ret);
}

/* --------------------------------------------------------------------------------------------- lists and objects */

static os_code convert_elements(struct json_walk *walk, const json_t *from, json_t *array)
{
    size_t index;
    json_t *element;
    json_array_foreach(from, index, element)
    {
        json_t *converted;
        walk->steps[walk->count - 1] = (struct path_step){.index = index};
        os_code code = walk->convert(walk, element, &converted);
        if (code == OS_OK && json_array_append_new(array, converted) != 0)
            code = error_no_memory(walk->err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code convert_members(struct json_walk *walk, const json_t *from, json_t *object)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)from, name, member)
    {
        json_t *converted;
        size_t len = strlen(name);
        walk->steps[walk->count - 1] = (struct path_step){.name = name};
        if (len == 0 || len > PATH_NAME_MAX)
            return refuse(walk, "the name of an attribute has 1 to 65535 bytes");
        os_code code = walk->convert(walk, member, &converted);
        if (code == OS_OK && json_object_set_new(object, name, converted) != 0)
            code = error_no_memory(walk->err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

/* The bound is also that of the recursion. */
static os_code convert_all(struct json_walk *walk, const json_t *from, json_t **ret)
{
    bool is_array = json_is_array(from);
    if (walk->count > VALUE_LEVELS_MAX)
        return refuse(walk, "lists and maps nest deeper than the 32 levels of an item");
    json_t *all = is_array ? json_array() : json_object();
    if (all == NULL)
        return error_no_memory(walk->err);
    walk->count++;
    os_code code = is_array ? convert_elements(walk, from, all) : convert_members(walk, from, all);
    walk->count--;
    if (code == OS_OK)
        *ret = all;
    else
        json_decref(all);
    return code;
}

static os_code convert(const char *name, json_converter *converter, os_code refusal, const json_t *from, json_t **ret,
                       os_error *err)
{
    struct json_walk walk = {.steps = {{.name = name}}, .count = 1, .convert = converter, .code = refusal, .err = err};
    return converter(&walk, from, ret);
}

/* ----------------------------------------------------------------------------------------------- both directions */

static os_code from_container(struct json_walk *walk, const json_t *json, json_t **ret)
{
    json_t *inside;
    os_code code = convert_all(walk, json, &inside);
    if (code != OS_OK)
        return code;
    *ret = value_of_type(json_is_array(json) ? VALUE_L : VALUE_M, inside);
    return made(walk, *ret);
}

static os_code from_any(struct json_walk *walk, const json_t *json, json_t **ret)
{
    *ret = NULL;
    switch (json_typeof(json)) {
    case JSON_OBJECT:
    case JSON_ARRAY: return from_container(walk, json, ret);
    case JSON_REAL: return from_real(walk, json, ret);
    case JSON_STRING: *ret = value_of_type(VALUE_S, json_incref((json_t *)json)); break;
    case JSON_INTEGER: *ret = from_integer(json); break;
    case JSON_TRUE:
    case JSON_FALSE: *ret = value_of_type(VALUE_BOOL, json_boolean(json_is_true(json))); break;
    case JSON_NULL: *ret = value_of_type(VALUE_NULL, json_true()); break;
    }
    return made(walk, *ret);
}

static os_code to_any(struct json_walk *walk, const json_t *value, json_t **ret)
{
    const json_t *inside = value_inside(value);
    *ret = NULL;
    switch (value_type(value)) {
    case VALUE_L:
    case VALUE_M: return convert_all(walk, inside, ret);
    case VALUE_N: return to_number(walk, inside, ret);
    case VALUE_S:
    case VALUE_BOOL: *ret = json_incref((json_t *)inside); return OS_OK;
    case VALUE_NULL: *ret = json_null(); return OS_OK;
    default: return refuse(walk, "the value is a B, a BS, an SS or an NS, and JSON has no bytes and no sets");
    }
}

os_code value_from_json(const json_t *json, const char *name, json_t **ret, os_error *err)
{
    return convert(name, from_any, OS_ERR_ARGUMENT, json, ret, err);
}

os_code value_to_json(const json_t *value, const char *name, json_t **ret, os_error *err)
{
    return convert(name, to_any, OS_ERR_PROTOCOL, value, ret, err);
}
