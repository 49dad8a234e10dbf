/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of a world is zero: unused ends of strings, empty places, upper bytes of numbers. For each 64 words comes a mask
 * of those that are not zero; for each of these, in order, the number of its bytes up to the last that is not zero, and
 * these bytes. Nothing is known of any field, so none can be forgotten.
 */
#include "pack.h"

#include <string.h>

enum { WORDS = sizeof(struct world) / 8, GROUP = 64, STRIDE = 8 };

static uint64_t word_at(const uint8_t *bytes, size_t i)
{
    uint64_t word;
    memcpy(&word, bytes + i * 8, 8);
    return word;
}

/* Written out, since gcc leaves such loops rolled at -O2, and this is where the explorer spends its time. */
static bool stride_is_zero(const uint8_t *bytes)
{
    uint64_t w[STRIDE];
    memcpy(w, bytes, sizeof(w));
    return (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) == 0;
}

static unsigned stride_mask(const uint8_t *bytes)
{
    uint64_t w[STRIDE];
    memcpy(w, bytes, sizeof(w));
    return (unsigned)(w[0] != 0) | (unsigned)(w[1] != 0) << 1 | (unsigned)(w[2] != 0) << 2 |
           (unsigned)(w[3] != 0) << 3 | (unsigned)(w[4] != 0) << 4 | (unsigned)(w[5] != 0) << 5 |
           (unsigned)(w[6] != 0) << 6 | (unsigned)(w[7] != 0) << 7;
}

/* Bit i: word begin + i is not zero. */
static uint64_t mask_of(const uint8_t *bytes, size_t begin)
{
    uint64_t mask = 0;
    size_t end = begin + GROUP < WORDS ? begin + GROUP : WORDS;
    size_t i = begin;
    for (; i + STRIDE <= end; i += STRIDE)
        if (!stride_is_zero(bytes + i * 8))
            mask |= (uint64_t)stride_mask(bytes + i * 8) << (i - begin);
    for (; i < end; i++)
        mask |= (uint64_t)(word_at(bytes, i) != 0) << (i - begin);
    return mask;
}

size_t pack(const struct world *world, uint8_t ret[PACKED_MAX])
{
    const uint8_t *bytes = (const uint8_t *)world;
    uint8_t *out = ret;
    for (size_t begin = 0; begin < WORDS; begin += GROUP) {
        uint64_t mask = mask_of(bytes, begin);
        memcpy(out, &mask, sizeof(mask));
        out += sizeof(mask);
        for (; mask != 0; mask &= mask - 1) {
            uint64_t word = word_at(bytes, begin + (size_t)__builtin_ctzll(mask));
            unsigned used = (unsigned)(71 - __builtin_clzll(word)) / 8;
            *out++ = (uint8_t)used;
            memcpy(out, &word, 8);
            out += used;
        }
    }
    return (size_t)(out - ret);
}

void unpack(const uint8_t *packed, struct world *ret)
{
    uint8_t *bytes = (uint8_t *)ret;
    memset(ret, 0, sizeof(*ret));
    for (size_t begin = 0; begin < WORDS; begin += GROUP) {
        uint64_t mask;
        memcpy(&mask, packed, sizeof(mask));
        packed += sizeof(mask);
        for (; mask != 0; mask &= mask - 1) {
            unsigned used = *packed++;
            memcpy(bytes + (begin + (size_t)__builtin_ctzll(mask)) * 8, packed, used);
            packed += used;
        }
    }
}

static uint64_t turn(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t finish(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 29) * UINT64_C(0xa0761d6478bd642f);
    return x ^ x >> 32;
}

struct fingerprint fingerprint_of(const struct world *world)
{
    const uint8_t *bytes = (const uint8_t *)world;
    uint64_t a = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t b = UINT64_C(0xc2b2ae3d27d4eb4f);
    for (size_t begin = 0; begin < WORDS; begin += GROUP) {
        uint64_t mask = mask_of(bytes, begin);
        b = (b ^ mask) * UINT64_C(0xff51afd7ed558ccd);
        a = turn(a, 11) + mask;
        for (; mask != 0; mask &= mask - 1) {
            uint64_t word = word_at(bytes, begin + (size_t)__builtin_ctzll(mask));
            a = turn((a ^ word) * UINT64_C(0x87c37b91114253d5), 31) + b;
            b = turn((b + word) * UINT64_C(0x4cf5ad432745937f), 27) ^ a;
        }
    }
    return (struct fingerprint){finish(a + turn(b, 17)), finish(b ^ turn(a, 43))};
}
