/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/parquet.h"

#include "base/error.h"
#include "delta/thrift.h"

#include <stdlib.h>
#include <string.h>

bool parquet_footer_length(const unsigned char tail[PARQUET_TAIL], uint64_t *ret)
{
    if (memcmp(tail + 4, "PAR1", 4) != 0)
        return false;
    *ret = (uint64_t)tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16 | (uint64_t)tail[3] << 24;
    return true;
}

/* A number that must fit; what does not is a fault. */
static uint32_t take_small(struct thrift *thrift, const struct thrift_field *field)
{
    int64_t number = thrift_number(thrift, field);
    if (number < 0 || number > INT32_MAX) {
        thrift->failed = true;
        return 0;
    }
    return (uint32_t)number;
}

static void set_integer(struct parquet_element *element, uint32_t bits, bool is_signed)
{
    element->kind = PARQUET_INTEGER;
    element->bits = bits;
    element->is_signed = is_signed;
}

static void set_timestamp(struct parquet_element *element, enum parquet_unit unit)
{
    element->kind = PARQUET_TIMESTAMP;
    element->unit = unit;
    element->is_utc = true;
}

/* ConvertedType, which logicalType replaces. */
static void take_converted(struct parquet_element *element, uint32_t converted)
{
    switch (converted) {
    case 0: element->kind = PARQUET_STRING; break;
    case 1:
    case 2: element->kind = PARQUET_MAP; break;
    case 3: element->kind = PARQUET_LIST; break;
    case 5: element->kind = PARQUET_DECIMAL; break;
    case 6: element->kind = PARQUET_DATE; break;
    case 9: set_timestamp(element, PARQUET_MILLIS); break;
    case 10: set_timestamp(element, PARQUET_MICROS); break;
    case 11: set_integer(element, 8, false); break;
    case 12: set_integer(element, 16, false); break;
    case 13: set_integer(element, 32, false); break;
    case 14: set_integer(element, 64, false); break;
    case 15: set_integer(element, 8, true); break;
    case 16: set_integer(element, 16, true); break;
    case 17: set_integer(element, 32, true); break;
    case 18: set_integer(element, 64, true); break;
    default: element->kind = PARQUET_OTHER;
    }
}

/* ----------------------------------------------------------------------------------------------------- logicalType */

static void need_struct(struct thrift *thrift, const struct thrift_field *field)
{
    if (field->type != THRIFT_STRUCT)
        thrift->failed = true;
}

static void take_decimal(struct thrift *thrift, struct parquet_element *element)
{
    struct thrift_field field = {0};
    element->kind = PARQUET_DECIMAL;
    while (thrift_next(thrift, &field))
        if (field.id == 1)
            element->scale = take_small(thrift, &field);
        else if (field.id == 2)
            element->precision = take_small(thrift, &field);
        else
            thrift_skip(thrift, &field);
}

/* A union whose member says which it is. */
static enum parquet_unit take_unit(struct thrift *thrift, const struct thrift_field *of)
{
    struct thrift_field field = {0};
    enum parquet_unit unit = PARQUET_NANOS;
    need_struct(thrift, of);
    while (thrift_next(thrift, &field)) {
        if (field.id >= PARQUET_MILLIS && field.id <= PARQUET_NANOS)
            unit = (enum parquet_unit)field.id;
        thrift_skip(thrift, &field);
    }
    return unit;
}

static void take_timestamp(struct thrift *thrift, struct parquet_element *element)
{
    struct thrift_field field = {0};
    set_timestamp(element, PARQUET_NANOS);
    element->is_utc = false;
    while (thrift_next(thrift, &field))
        if (field.id == 1)
            element->is_utc = thrift_bool(thrift, &field);
        else if (field.id == 2)
            element->unit = take_unit(thrift, &field);
        else
            thrift_skip(thrift, &field);
}

static void take_integer(struct thrift *thrift, struct parquet_element *element)
{
    struct thrift_field field = {0};
    set_integer(element, 0, false);
    while (thrift_next(thrift, &field))
        if (field.id == 1)
            element->bits = take_small(thrift, &field);
        else if (field.id == 2)
            element->is_signed = thrift_bool(thrift, &field);
        else
            thrift_skip(thrift, &field);
}

static void take_logical_member(struct thrift *thrift, const struct thrift_field *field,
                                struct parquet_element *element)
{
    need_struct(thrift, field);
    switch (field->id) {
    case 5: take_decimal(thrift, element); return;
    case 8: take_timestamp(thrift, element); return;
    case 10: take_integer(thrift, element); return;
    case 1: element->kind = PARQUET_STRING; break;
    case 2: element->kind = PARQUET_MAP; break;
    case 3: element->kind = PARQUET_LIST; break;
    case 6: element->kind = PARQUET_DATE; break;
    default: element->kind = PARQUET_OTHER;
    }
    thrift_skip(thrift, field);
}

static void take_logical(struct thrift *thrift, const struct thrift_field *of, struct parquet_element *element)
{
    struct thrift_field field = {0};
    need_struct(thrift, of);
    while (thrift_next(thrift, &field))
        take_logical_member(thrift, &field, element);
}

/* -------------------------------------------------------------------------------------------------------- elements */

struct element_reading {
    struct parquet_element *element;
    bool has_type;
    bool has_logical;
    uint32_t converted; /* UINT32_MAX: none */
};

static void take_element_field(struct thrift *thrift, const struct thrift_field *field, struct element_reading *ret)
{
    struct parquet_element *element = ret->element;
    switch (field->id) {
    case 1:
        element->type = (enum parquet_type)take_small(thrift, field);
        ret->has_type = true;
        break;
    case 3: element->repetition = (enum parquet_repetition)take_small(thrift, field); break;
    case 4: element->name = thrift_binary(thrift, field); break;
    case 5: element->children = take_small(thrift, field); break;
    case 6: ret->converted = take_small(thrift, field); break;
    case 7: element->scale = take_small(thrift, field); break;
    case 8: element->precision = take_small(thrift, field); break;
    case 10:
        ret->has_logical = true;
        take_logical(thrift, field, element);
        break;
    default: thrift_skip(thrift, field);
    }
}

static void take_element(struct thrift *thrift, struct parquet_element *element)
{
    struct thrift_field field = {0};
    struct element_reading reading = {.element = element, .converted = UINT32_MAX};
    while (thrift_next(thrift, &field))
        take_element_field(thrift, &field, &reading);
    if (!reading.has_type)
        element->type = PARQUET_GROUP;
    if ((reading.has_type && element->type >= PARQUET_GROUP) || element->repetition > PARQUET_REPEATED ||
        reading.has_type != (element->children == 0))
        thrift->failed = true;
    if (!reading.has_logical && reading.converted != UINT32_MAX)
        take_converted(element, reading.converted);
}

static os_code take_elements(struct thrift *thrift, const struct thrift_field *field, struct parquet *ret,
                             os_error *err)
{
    size_t count = thrift_list(thrift, field, THRIFT_STRUCT);
    if (thrift->failed || ret->elements != NULL || count == 0)
        return error_set(err, OS_ERR_PROTOCOL, "The schema in the Parquet footer cannot be read.");
    if (count > PARQUET_ELEMENTS_MAX)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The Parquet file has %zu columns and groups, and at most %d are read.", count,
                         PARQUET_ELEMENTS_MAX);
    ret->elements = calloc(count, sizeof(*ret->elements));
    if (ret->elements == NULL)
        return error_no_memory(err);
    ret->count = count;
    for (size_t i = 0; i < count && !thrift->failed; i++)
        take_element(thrift, &ret->elements[i]);
    return OS_OK;
}

/* Each group has as many elements behind it as it says. */
static bool is_tree(const struct parquet *parquet)
{
    uint64_t wanted = 1;
    for (size_t i = 0; i < parquet->count; i++) {
        if (wanted == 0)
            return false;
        wanted += (uint64_t)parquet->elements[i].children - 1;
    }
    return parquet->count > 0 && wanted == 0 && parquet->elements[0].type == PARQUET_GROUP;
}

os_code parquet_read(const void *footer, size_t length, struct parquet *ret, os_error *err)
{
    struct thrift thrift;
    struct thrift_field field = {0};
    int64_t rows = -1;
    os_code code = OS_OK;
    memset(ret, 0, sizeof(*ret));
    thrift_init(&thrift, footer, length);
    while (code == OS_OK && thrift_next(&thrift, &field))
        if (field.id == 2)
            code = take_elements(&thrift, &field, ret, err);
        else if (field.id == 3)
            rows = thrift_number(&thrift, &field);
        else
            thrift_skip(&thrift, &field);
    if (code != OS_OK)
        return code;
    if (thrift.failed || rows < 0 || !is_tree(ret))
        return error_set(err, OS_ERR_PROTOCOL, "The Parquet footer is damaged.");
    ret->rows = (uint64_t)rows;
    return OS_OK;
}

void parquet_free(struct parquet *parquet)
{
    free(parquet->elements);
    memset(parquet, 0, sizeof(*parquet));
}
