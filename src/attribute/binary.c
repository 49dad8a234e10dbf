/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/binary.h"

/* -1: no letter of base64. */
static int sextet(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == '+')
        return 62;
    return letter == '/' ? 63 : -1;
}

static size_t padding(struct text base64)
{
    size_t count = 0;
    while (count < 2 && count < base64.len && base64.p[base64.len - 1 - count] == '=')
        count++;
    return count;
}

bool binary_is_valid(struct text base64)
{
    size_t letters = base64.len - padding(base64);
    if (base64.len % 4 != 0)
        return false;
    for (size_t i = 0; i < letters; i++)
        if (sextet(base64.p[i]) < 0)
            return false;
    int unused = letters % 4 == 2 ? 15 : letters % 4 == 3 ? 3 : 0;
    return unused == 0 || (sextet(base64.p[letters - 1]) & unused) == 0;
}

size_t binary_size(struct text base64)
{
    return base64.len / 4 * 3 - padding(base64);
}

static unsigned byte_at(struct text base64, size_t at)
{
    const char *letters = base64.p + at / 3 * 4 + at % 3;
    unsigned both = (unsigned)sextet(letters[0]) << 6 | (unsigned)sextet(letters[1]);
    return both >> (4 - 2 * (at % 3)) & 255;
}

int binary_compare(struct text a, struct text b)
{
    size_t size_a = binary_size(a);
    size_t size_b = binary_size(b);
    for (size_t i = 0; i < size_a && i < size_b; i++)
        if (byte_at(a, i) != byte_at(b, i))
            return byte_at(a, i) < byte_at(b, i) ? -1 : 1;
    return (size_a > size_b) - (size_a < size_b);
}

static bool has_at(struct text base64, size_t at, struct text part)
{
    size_t size = binary_size(part);
    for (size_t i = 0; i < size; i++)
        if (byte_at(base64, at + i) != byte_at(part, i))
            return false;
    return true;
}

bool binary_begins_with(struct text base64, struct text prefix)
{
    return binary_size(prefix) <= binary_size(base64) && has_at(base64, 0, prefix);
}

bool binary_contains(struct text base64, struct text part)
{
    size_t size = binary_size(base64);
    size_t part_size = binary_size(part);
    for (size_t at = 0; at + part_size <= size; at++)
        if (has_at(base64, at, part))
            return true;
    return false;
}

void binary_decode(struct text base64, unsigned char *ret)
{
    size_t size = binary_size(base64);
    for (size_t i = 0; i < size; i++)
        ret[i] = (unsigned char)byte_at(base64, i);
}
