/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/snappy.h"

#include <stdint.h>
#include <string.h>

enum { LITERAL_LONG = 60 }; /* from there on the length stands in bytes of its own */

struct cursor {
    const unsigned char *at;
    const unsigned char *end;
};

static bool take_bytes(struct cursor *cursor, unsigned count, uint32_t *ret)
{
    uint32_t value = 0;
    if ((size_t)(cursor->end - cursor->at) < count)
        return false;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)cursor->at[i] << (8 * i);
    cursor->at += count;
    *ret = value;
    return true;
}

static bool take_length(struct cursor *cursor, uint32_t *ret)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && cursor->at < cursor->end; shift += 7) {
        unsigned byte = *cursor->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *ret = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

static bool copy_literal(struct cursor *cursor, unsigned tag, struct buf *out)
{
    uint32_t length = tag >> 2;
    if (length >= LITERAL_LONG && !take_bytes(cursor, length - LITERAL_LONG + 1, &length))
        return false;
    if ((size_t)(cursor->end - cursor->at) <= length)
        return false;
    bool good = buf_add(out, cursor->at, (size_t)length + 1);
    cursor->at += (size_t)length + 1;
    return good;
}

/* From what was written already; the two may overlap, so byte by byte. */
static bool copy_back(struct buf *out, size_t begin, uint32_t offset, uint32_t length)
{
    if (offset == 0 || offset > out->len - begin)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (!buf_add_char(out, out->data[out->len - offset]))
            return false;
    return true;
}

static bool copy_element(struct cursor *cursor, unsigned tag, struct buf *out, size_t begin)
{
    uint32_t offset = 0;
    if ((tag & 3) == 1)
        return take_bytes(cursor, 1, &offset) && copy_back(out, begin, offset | (tag >> 5) << 8, (tag >> 2 & 7) + 4);
    return take_bytes(cursor, (tag & 3) == 2 ? 2 : 4, &offset) && copy_back(out, begin, offset, (tag >> 2) + 1);
}

bool snappy_decode(const void *data, size_t length, struct buf *out)
{
    struct cursor cursor = {data, (const unsigned char *)data + length};
    size_t begin = out->len;
    uint32_t whole = 0;
    if (!take_length(&cursor, &whole))
        return false;
    while (cursor.at < cursor.end && out->len - begin <= whole) {
        unsigned tag = *cursor.at++;
        if (!((tag & 3) == 0 ? copy_literal(&cursor, tag, out) : copy_element(&cursor, tag, out, begin)))
            return false;
    }
    return cursor.at == cursor.end && out->len - begin == whole;
}
