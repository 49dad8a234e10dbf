/* SPDX-License-Identifier: Apache-2.0 */
/* The types of PROTOCOL.md ("Schema Serialization Format") for those of a Parquet file. */
#include "delta/parquet.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { NESTING_MAX = 32, DECIMAL_DIGITS_MAX = 38, TYPE_SIZE = 32, NAME_MAX_BYTES = 1024 };

/* Where the walk is. The first fault is told and ends it. */
struct walk {
    const struct parquet *parquet;
    size_t at;
    unsigned depth;
    os_code code;
    os_error *err;
};

static json_t *type_of(struct walk *walk, const struct parquet_element *element);

static json_t *refuse(struct walk *walk, const struct parquet_element *element, const char *why)
{
    if (walk->code == OS_OK)
        walk->code = error_set(walk->err, OS_ERR_UNSUPPORTED, "The column \"%.*s\" of the Parquet file %s.",
                               (int)(element->name.len < 200 ? element->name.len : 200), element->name.p, why);
    return NULL;
}

static json_t *made(struct walk *walk, json_t *json)
{
    if (json == NULL && walk->code == OS_OK)
        walk->code = error_no_memory(walk->err);
    return json;
}

static const struct parquet_element *next(struct walk *walk)
{
    return &walk->parquet->elements[walk->at++]; /* the elements are a tree */
}

/* ---------------------------------------------------------------------------------------------------------- plain */

static json_t *decimal(struct walk *walk, const struct parquet_element *element)
{
    char type[TYPE_SIZE];
    if (element->precision == 0 || element->precision > DECIMAL_DIGITS_MAX || element->scale > element->precision)
        return refuse(walk, element, "is a decimal of more digits than the 38 that Delta has, or of none");
    (void)snprintf(type, sizeof(type), "decimal(%u,%u)", element->precision, element->scale);
    return made(walk, json_string(type));
}

static json_t *integer(struct walk *walk, const struct parquet_element *element)
{
    if (!element->is_signed)
        return refuse(walk, element, "is an unsigned integer, and Delta has none: write it as a signed one");
    switch (element->bits) {
    case 8: return made(walk, json_string("byte"));
    case 16: return made(walk, json_string("short"));
    case 32: return made(walk, json_string("integer"));
    case 64: return made(walk, json_string("long"));
    default: return refuse(walk, element, "is an integer of an unknown width");
    }
}

static json_t *timestamp(struct walk *walk, const struct parquet_element *element)
{
    if (!element->is_utc)
        return refuse(
            walk, element,
            "is a timestamp without a time zone, which needs the table feature timestampNtz: write it as UTC");
    if (element->unit != PARQUET_MICROS)
        return refuse(walk, element, "is a timestamp in other units than the microseconds that Delta has");
    return made(walk, json_string("timestamp"));
}

static json_t *physical(struct walk *walk, const struct parquet_element *element)
{
    switch (element->type) {
    case PARQUET_BOOLEAN: return made(walk, json_string("boolean"));
    case PARQUET_INT32: return made(walk, json_string("integer"));
    case PARQUET_INT64: return made(walk, json_string("long"));
    case PARQUET_INT96: return made(walk, json_string("timestamp"));
    case PARQUET_FLOAT: return made(walk, json_string("float"));
    case PARQUET_DOUBLE: return made(walk, json_string("double"));
    case PARQUET_BYTE_ARRAY: return made(walk, json_string("binary"));
    default: return refuse(walk, element, "has bytes of a fixed length, and Delta has no type for them");
    }
}

static json_t *leaf(struct walk *walk, const struct parquet_element *element)
{
    switch (element->kind) {
    case PARQUET_PLAIN: return physical(walk, element);
    case PARQUET_STRING: return made(walk, json_string("string"));
    case PARQUET_DECIMAL: return decimal(walk, element);
    case PARQUET_DATE: return made(walk, json_string("date"));
    case PARQUET_TIMESTAMP: return timestamp(walk, element);
    case PARQUET_INTEGER: return integer(walk, element);
    default: return refuse(walk, element, "has a type that Delta does not have");
    }
}

/* --------------------------------------------------------------------------------------------------------- nested */

static bool is_nullable(const struct parquet_element *element)
{
    return element->repetition == PARQUET_OPTIONAL;
}

static bool is_repeated_group(const struct parquet_element *element, uint32_t children)
{
    return element->type == PARQUET_GROUP && element->repetition == PARQUET_REPEATED && element->children == children;
}

/* Three levels, as LogicalTypes.md has it: list (LIST), a repeated group, the element. */
static json_t *list(struct walk *walk, const struct parquet_element *of)
{
    const struct parquet_element *middle = of->children == 1 ? next(walk) : NULL;
    if (middle == NULL || !is_repeated_group(middle, 1))
        return refuse(walk, of, "is a list in the form that older writers had; write it in three levels");
    const struct parquet_element *element = next(walk);
    if (element->repetition == PARQUET_REPEATED)
        return refuse(walk, of, "is a list in the form that older writers had; write it in three levels");
    json_t *type = type_of(walk, element);
    return type == NULL ? NULL
                        : made(walk, json_pack("{s:s, s:o, s:b}", "type", "array", "elementType", type, "containsNull",
                                               (int)is_nullable(element)));
}

static json_t *map(struct walk *walk, const struct parquet_element *of)
{
    const struct parquet_element *middle = of->children == 1 ? next(walk) : NULL;
    if (middle == NULL || !is_repeated_group(middle, 2))
        return refuse(walk, of, "is a map without a repeated group of keys and values");
    const struct parquet_element *key = next(walk);
    if (key->repetition != PARQUET_REQUIRED)
        return refuse(walk, of, "is a map whose keys may be missing");
    json_t *key_type = type_of(walk, key);
    if (key_type == NULL)
        return NULL;
    const struct parquet_element *value = next(walk);
    json_t *value_type =
        value->repetition != PARQUET_REPEATED ? type_of(walk, value) : refuse(walk, of, "is a map whose values repeat");
    if (value_type == NULL) {
        json_decref(key_type);
        return NULL;
    }
    return made(walk, json_pack("{s:s, s:o, s:o, s:b}", "type", "map", "keyType", key_type, "valueType", value_type,
                                "valueContainsNull", (int)is_nullable(value)));
}

/* PROTOCOL.md: names are unique whatever their case, and without column mapping have none of these characters. */
static bool has_good_name(const struct parquet_element *element)
{
    static const char forbidden[] = " ,;{}()\n\t=";
    for (size_t i = 0; i < element->name.len; i++)
        if (memchr(forbidden, element->name.p[i], sizeof(forbidden)) != NULL) /* NUL, too */
            return false;
    return element->name.len > 0 && text_is_utf8(element->name);
}

/* `names` has those that stand before it, in lower case. */
static bool take_name(struct walk *walk, json_t *names, const struct parquet_element *element)
{
    char lower[NAME_MAX_BYTES + 1];
    if (!has_good_name(element) || !text_copy(element->name, lower, sizeof(lower))) {
        (void)refuse(walk, element, "has a name that Delta does not allow: no blanks and none of \",;{}()=\"");
        return false;
    }
    for (char *at = lower; *at != '\0'; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    if (json_object_get(names, lower) != NULL) {
        (void)refuse(walk, element, "has the name of another, but for its case");
        return false;
    }
    if (json_object_set_new(names, lower, json_true()) != 0)
        (void)made(walk, NULL);
    return walk->code == OS_OK;
}

static json_t *field(struct walk *walk, json_t *names)
{
    const struct parquet_element *element = next(walk);
    if (!take_name(walk, names, element))
        return NULL;
    if (element->repetition == PARQUET_REPEATED)
        return refuse(walk, element, "repeats without being a list; write it in three levels");
    json_t *type = type_of(walk, element);
    return type == NULL ? NULL
                        : made(walk, json_pack("{s:s%, s:o, s:b, s:{}}", "name", element->name.p, element->name.len,
                                               "type", type, "nullable", (int)is_nullable(element), "metadata"));
}

static json_t *structure(struct walk *walk, const struct parquet_element *of)
{
    json_t *names = made(walk, json_object());
    json_t *fields = made(walk, json_array());
    for (uint32_t i = 0; i < of->children && walk->code == OS_OK; i++) {
        json_t *one = field(walk, names);
        if (one != NULL && json_array_append_new(fields, one) != 0)
            (void)made(walk, NULL);
    }
    json_decref(names);
    if (walk->code != OS_OK) {
        json_decref(fields);
        return NULL;
    }
    return made(walk, json_pack("{s:s, s:o}", "type", "struct", "fields", fields));
}

static json_t *type_of(struct walk *walk, const struct parquet_element *element)
{
    json_t *type = NULL;
    if (element->type != PARQUET_GROUP)
        return leaf(walk, element);
    if (walk->depth == NESTING_MAX)
        return refuse(walk, element, "is nested too deep");
    walk->depth++;
    switch (element->kind) {
    case PARQUET_PLAIN: type = structure(walk, element); break;
    case PARQUET_LIST: type = list(walk, element); break;
    case PARQUET_MAP: type = map(walk, element); break;
    default: type = refuse(walk, element, "has a type that Delta does not have");
    }
    walk->depth--;
    return type;
}

os_code parquet_delta_schema(const struct parquet *parquet, json_t **ret, os_error *err)
{
    struct walk walk = {.parquet = parquet, .err = err};
    json_t *schema = structure(&walk, next(&walk));
    if (schema != NULL)
        *ret = schema;
    return walk.code;
}
