/* SPDX-License-Identifier: Apache-2.0 */
#include "footer.h"

#include <stdio.h>
#include <string.h>

enum { I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

static void add_varint(struct buf *out, uint64_t value)
{
    while (value >= 0x80) {
        (void)buf_add_char(out, (char)(value | 0x80));
        value >>= 7;
    }
    (void)buf_add_char(out, (char)value);
}

/* `last` is the id of the field before. */
static void add_field(struct buf *out, int *last, int id, int type)
{
    (void)buf_add_char(out, (char)((id - *last) << 4 | type));
    *last = id;
}

static void add_number(struct buf *out, int *last, int id, int value)
{
    if (value < 0)
        return;
    add_field(out, last, id, I32);
    add_varint(out, (uint64_t)value << 1);
}

void footer_add_hex(struct buf *out, const char *hex)
{
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        (void)buf_add_char(out, (char)byte);
}

static void add_element(struct buf *out, const struct footer_element *element)
{
    int last = 0;
    add_number(out, &last, 1, element->type);
    add_number(out, &last, 3, element->repetition);
    add_field(out, &last, 4, BINARY);
    add_varint(out, strlen(element->name));
    (void)buf_add_str(out, element->name);
    add_number(out, &last, 5, element->children);
    add_number(out, &last, 6, element->converted);
    add_number(out, &last, 7, element->scale);
    add_number(out, &last, 8, element->precision);
    add_number(out, &last, 9, 7); /* field_id, which is passed over */
    if (element->logical[0] != '\0') {
        add_field(out, &last, 10, STRUCT);
        footer_add_hex(out, element->logical);
    }
    (void)buf_add_char(out, 0);
}

void footer_write(struct buf *out, const struct footer_element *elements, size_t count, int columns, uint64_t rows)
{
    const struct footer_element root = {"schema", -1, -1, columns, -1, -1, -1, ""};
    int last = 0;
    add_number(out, &last, 1, 1); /* version */
    add_field(out, &last, 2, LIST);
    (void)buf_add_char(out, (char)(0xf0 | STRUCT));
    add_varint(out, count + 1);
    add_element(out, &root);
    for (size_t i = 0; i < count; i++)
        add_element(out, &elements[i]);
    add_field(out, &last, 3, I64);
    add_varint(out, rows << 1);
    (void)buf_add_char(out, 0);
}
