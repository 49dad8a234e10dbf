/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of small numbers, as Parquet packs levels and the indices of dictionaries (Encodings.md, "RLE / Bit-Packing Hybrid").
 * Nothing is unpacked before it is asked for. */
#ifndef OSCOMMIT_DELTA_RUNS_H
#define OSCOMMIT_DELTA_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNS_WIDTH_MAX = 32 };

struct runs {
    const unsigned char *at;
    const unsigned char *end;
    unsigned width; /* bits of a number */
    uint64_t left;  /* of the run */
    bool is_packed; /* the run is; else it is one number many times */
    uint32_t same;  /* the number */
    const unsigned char *packed;
    uint64_t position; /* bits into the packed run */
};

/* False: a width that cannot be. */
bool runs_init(struct runs *runs, const void *data, size_t length, unsigned width);
/* The next number. False: there is none. */
bool runs_next(struct runs *runs, uint32_t *ret);

#endif
