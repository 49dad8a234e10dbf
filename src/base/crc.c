/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc.h"

#include "base/text.h"

#include <pthread.h>

/* ------------------------------------------------------------------------------------------------ CRC-32 */

/* Sixteen entries, one per half byte: an answer is a few hundred bytes, and a constant table needs no start-up. */
static const uint32_t nibble_table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc32_of(const void *data, size_t len)
{
    const unsigned char *bytes = data;
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
    }
    return ~crc;
}

/* ------------------------------------------------------------------------------------------------ the others */

/* The polynomials reflected: bit 0 stands for the highest power. */
#define CRC32_POLYNOMIAL     UINT64_C(0xedb88320)
#define CRC32C_POLYNOMIAL    UINT64_C(0x82f63b78)
#define CRC64NVME_POLYNOMIAL UINT64_C(0x9a6c9329ac4bc9b5)
#define CRC32C_TOP           (UINT64_C(1) << 31) /* x^0 */
#define CRC64NVME_TOP        (UINT64_C(1) << 63)

/* [k][b]: what the byte b does to the sum when k bytes follow it. Made once: as constants they would be 2,048 numbers
 * each that nobody can read. A 32-bit sum stands in the lower half, so that one loop serves both. */
struct crc_tables {
    uint64_t by_place[8][256];
};

static struct crc_tables crc32_tables;
static struct crc_tables crc32c_tables;
static struct crc_tables crc64nvme_tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static uint64_t times_x(uint64_t value, uint64_t polynomial)
{
    return (value & 1) != 0 ? (value >> 1) ^ polynomial : value >> 1;
}

static void make_tables(struct crc_tables *tables, uint64_t polynomial)
{
    for (size_t byte = 0; byte < 256; byte++) {
        uint64_t value = byte;
        for (int bit = 0; bit < 8; bit++)
            value = times_x(value, polynomial);
        tables->by_place[0][byte] = value;
    }
    for (size_t place = 1; place < 8; place++) {
        for (size_t byte = 0; byte < 256; byte++) {
            uint64_t before = tables->by_place[place - 1][byte];
            tables->by_place[place][byte] = (before >> 8) ^ tables->by_place[0][before & 0xff];
        }
    }
}

static void make_all_tables(void)
{
    make_tables(&crc32_tables, CRC32_POLYNOMIAL);
    make_tables(&crc32c_tables, CRC32C_POLYNOMIAL);
    make_tables(&crc64nvme_tables, CRC64NVME_POLYNOMIAL);
}

/* Any alignment, any byte order; compilers make one load of it. */
static uint64_t load_lowest_first(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static uint64_t add_bytes(const struct crc_tables *tables, uint64_t crc, const unsigned char *p, size_t len)
{
    const uint64_t(*t)[256] = tables->by_place;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t x = crc ^ load_lowest_first(p);
        crc = t[7][x & 0xff] ^ t[6][x >> 8 & 0xff] ^ t[5][x >> 16 & 0xff] ^ t[4][x >> 24 & 0xff] ^
              t[3][x >> 32 & 0xff] ^ t[2][x >> 40 & 0xff] ^ t[1][x >> 48 & 0xff] ^ t[0][x >> 56];
    }
    for (; len > 0; len--, p++)
        crc = (crc >> 8) ^ t[0][(crc ^ *p) & 0xff];
    return crc;
}

uint32_t crc32_add(uint32_t crc, const void *data, size_t len)
{
    (void)pthread_once(&tables_once, make_all_tables);
    return (uint32_t)~add_bytes(&crc32_tables, (uint32_t)~crc, data, len);
}

uint32_t crc32c_add(uint32_t crc, const void *data, size_t len)
{
    (void)pthread_once(&tables_once, make_all_tables);
    return (uint32_t)~add_bytes(&crc32c_tables, (uint32_t)~crc, data, len);
}

uint64_t crc64nvme_add(uint64_t crc, const void *data, size_t len)
{
    (void)pthread_once(&tables_once, make_all_tables);
    return ~add_bytes(&crc64nvme_tables, ~crc, data, len);
}

/* ------------------------------------------------------------------------------------------------ joined */

/* Both as polynomials over GF(2), modulo the sum's own. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t polynomial, uint64_t top)
{
    uint64_t product = 0;
    for (uint64_t power = top; power != 0; power >>= 1) {
        if ((a & power) != 0)
            product ^= b;
        b = times_x(b, polynomial);
    }
    return product;
}

/* A's sum moved past len_b bytes, that is, times x^(8 len_b), by squaring; B's sum added. The bits that are set at the
 * start and inverted at the end cancel out. */
static uint64_t combine(uint64_t crc_a, uint64_t crc_b, uint64_t len_b, uint64_t polynomial, uint64_t top)
{
    uint64_t moved = crc_a;
    uint64_t factor = top >> 8;
    for (; len_b > 0; len_b >>= 1) {
        if ((len_b & 1) != 0)
            moved = multiply(factor, moved, polynomial, top);
        factor = multiply(factor, factor, polynomial, top);
    }
    return moved ^ crc_b;
}

uint32_t crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t len_b)
{
    return (uint32_t)combine(crc_a, crc_b, len_b, CRC32C_POLYNOMIAL, CRC32C_TOP);
}

uint64_t crc64nvme_combine(uint64_t crc_a, uint64_t crc_b, uint64_t len_b)
{
    return combine(crc_a, crc_b, len_b, CRC64NVME_POLYNOMIAL, CRC64NVME_TOP);
}

/* ------------------------------------------------------------------------------------------------ written */

static void highest_first(uint64_t value, size_t len, char *ret)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(value >> (8 * (len - 1 - i)));
    text_base64(bytes, len, ret);
}

void crc32c_text(uint32_t crc, char *ret)
{
    highest_first(crc, 4, ret);
}

void crc64nvme_text(uint64_t crc, char *ret)
{
    highest_first(crc, 8, ret);
}
