/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/thrift.h"

enum { VARINT_BITS = 7, LONG_SIZE = 15, DOUBLE_BYTES = 8 };

void thrift_init(struct thrift *thrift, const void *data, size_t length)
{
    *thrift = (struct thrift){.at = data, .end = (const unsigned char *)data + length};
}

static size_t thrift_left(const struct thrift *thrift)
{
    return thrift->failed ? 0 : (size_t)(thrift->end - thrift->at);
}

static unsigned take_byte(struct thrift *thrift)
{
    if (thrift_left(thrift) == 0) {
        thrift->failed = true;
        return 0;
    }
    return *thrift->at++;
}

static uint64_t take_varint(struct thrift *thrift)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += VARINT_BITS) {
        unsigned byte = take_byte(thrift);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    thrift->failed = true;
    return 0;
}

static int64_t take_zigzag(struct thrift *thrift)
{
    uint64_t value = take_varint(thrift);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

bool thrift_next(struct thrift *thrift, struct thrift_field *field)
{
    unsigned header = take_byte(thrift);
    field->type = (enum thrift_type)(header & 0x0f);
    if (thrift->failed || field->type == THRIFT_STOP)
        return false;
    int64_t id = header >> 4 != 0 ? field->id + (int64_t)(header >> 4) : take_zigzag(thrift);
    if (field->type > THRIFT_STRUCT || id < INT16_MIN || id > INT16_MAX)
        thrift->failed = true;
    field->id = (int)id;
    return !thrift->failed;
}

int64_t thrift_number(struct thrift *thrift, const struct thrift_field *field)
{
    if (field->type == THRIFT_BYTE)
        return (signed char)take_byte(thrift);
    if (field->type < THRIFT_I16 || field->type > THRIFT_I64)
        thrift->failed = true;
    return thrift->failed ? 0 : take_zigzag(thrift);
}

bool thrift_bool(struct thrift *thrift, const struct thrift_field *field)
{
    if (field->type != THRIFT_TRUE && field->type != THRIFT_FALSE)
        thrift->failed = true;
    return field->type == THRIFT_TRUE;
}

static struct text take_binary(struct thrift *thrift)
{
    uint64_t length = take_varint(thrift);
    if (length > thrift_left(thrift)) {
        thrift->failed = true;
        return text_of("", 0);
    }
    struct text binary = text_of((const char *)thrift->at, (size_t)length);
    thrift->at += length;
    return binary;
}

struct text thrift_binary(struct thrift *thrift, const struct thrift_field *field)
{
    if (field->type != THRIFT_BINARY)
        thrift->failed = true;
    return thrift->failed ? text_of("", 0) : take_binary(thrift);
}

/* Each element takes a byte at least. */
static size_t take_list(struct thrift *thrift, enum thrift_type *ret_element)
{
    unsigned header = take_byte(thrift);
    uint64_t count = header >> 4 == LONG_SIZE ? take_varint(thrift) : header >> 4;
    *ret_element = (enum thrift_type)(header & 0x0f);
    if (count > thrift_left(thrift))
        thrift->failed = true;
    return thrift->failed ? 0 : (size_t)count;
}

size_t thrift_list(struct thrift *thrift, const struct thrift_field *field, enum thrift_type element)
{
    enum thrift_type found;
    if (field->type != THRIFT_LIST)
        thrift->failed = true;
    size_t count = thrift->failed ? 0 : take_list(thrift, &found);
    if (count > 0 && found != element)
        thrift->failed = true;
    return thrift->failed ? 0 : count;
}

/* ---------------------------------------------------------------------------------------------------------- skip */

static void skip_value(struct thrift *thrift, enum thrift_type type, unsigned depth);

static void skip_struct(struct thrift *thrift, unsigned depth)
{
    struct thrift_field field = {0};
    while (thrift_next(thrift, &field))
        if (field.type > THRIFT_FALSE) /* the header of a bool is its value, too */
            skip_value(thrift, field.type, depth);
}

static void skip_list(struct thrift *thrift, unsigned depth)
{
    enum thrift_type element;
    size_t count = take_list(thrift, &element);
    for (size_t i = 0; i < count && !thrift->failed; i++)
        skip_value(thrift, element, depth);
}

static void skip_map(struct thrift *thrift, unsigned depth)
{
    uint64_t count = take_varint(thrift);
    unsigned types = count > 0 ? take_byte(thrift) : 0;
    if (count > thrift_left(thrift))
        thrift->failed = true;
    for (uint64_t i = 0; i < count && !thrift->failed; i++) {
        skip_value(thrift, (enum thrift_type)(types >> 4), depth);
        skip_value(thrift, (enum thrift_type)(types & 0x0f), depth);
    }
}

static void skip_double(struct thrift *thrift)
{
    if (thrift_left(thrift) < DOUBLE_BYTES)
        thrift->failed = true;
    else
        thrift->at += DOUBLE_BYTES;
}

static void skip_value(struct thrift *thrift, enum thrift_type type, unsigned depth)
{
    if (depth == 0)
        thrift->failed = true;
    if (thrift->failed)
        return;
    switch (type) {
    case THRIFT_TRUE:
    case THRIFT_FALSE: /* of a list, where each has a byte */
    case THRIFT_BYTE: (void)take_byte(thrift); break;
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64: (void)take_varint(thrift); break;
    case THRIFT_DOUBLE: skip_double(thrift); break;
    case THRIFT_BINARY: (void)take_binary(thrift); break;
    case THRIFT_LIST:
    case THRIFT_SET: skip_list(thrift, depth - 1); break;
    case THRIFT_MAP: skip_map(thrift, depth - 1); break;
    case THRIFT_STRUCT: skip_struct(thrift, depth - 1); break;
    default: thrift->failed = true;
    }
}

void thrift_skip(struct thrift *thrift, const struct thrift_field *field)
{
    if (field->type > THRIFT_FALSE)
        skip_value(thrift, field->type, THRIFT_DEPTH_MAX);
}
