/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/runs.h"

#include <string.h>

enum { GROUP = 8, RUNS_HEADER_BITS = 35 };

bool runs_init(struct runs *runs, const void *data, size_t length, unsigned width)
{
    memset(runs, 0, sizeof(*runs));
    runs->at = data;
    runs->end = (const unsigned char *)data + length;
    runs->width = width;
    return width <= RUNS_WIDTH_MAX;
}

static bool take_header(struct runs *runs, uint64_t *ret)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < RUNS_HEADER_BITS && runs->at < runs->end; shift += 7) {
        unsigned byte = *runs->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* The last group may be cut short: what is not there is not asked for. */
static void begin_packed(struct runs *runs, uint64_t groups)
{
    uint64_t bytes = groups * runs->width;
    uint64_t there = (uint64_t)(runs->end - runs->at);
    runs->is_packed = true;
    runs->packed = runs->at;
    runs->position = 0;
    runs->left = groups * GROUP;
    if (bytes > there) {
        bytes = there;
        runs->left = bytes * 8 / runs->width;
    }
    runs->at += bytes;
}

static bool begin_same(struct runs *runs, uint64_t count)
{
    unsigned bytes = (runs->width + 7) / 8;
    if ((size_t)(runs->end - runs->at) < bytes)
        return false;
    runs->is_packed = false;
    runs->left = count;
    runs->same = 0;
    for (unsigned i = 0; i < bytes; i++)
        runs->same |= (uint32_t)*runs->at++ << (8 * i);
    return true;
}

static uint32_t take_packed(struct runs *runs)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < runs->width; i++, runs->position++)
        value |= (uint32_t)(runs->packed[runs->position / 8] >> (runs->position % 8) & 1) << i;
    return value;
}

bool runs_next(struct runs *runs, uint32_t *ret)
{
    uint64_t header = 0;
    while (runs->left == 0) {
        if (!take_header(runs, &header))
            return false;
        if ((header & 1) != 0)
            begin_packed(runs, header >> 1);
        else if (!begin_same(runs, header >> 1))
            return false;
    }
    runs->left--;
    *ret = runs->is_packed ? take_packed(runs) : runs->same;
    return true;
}
