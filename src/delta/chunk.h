/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of a Parquet file, as far as a checkpoint needs them: texts and integers, without compression or with Snappy,
 * plain or by a dictionary, in pages of either version (README.md and Encodings.md of apache/parquet-format). Bounded.
 */
#ifndef OSCOMMIT_DELTA_CHUNK_H
#define OSCOMMIT_DELTA_CHUNK_H

#include "delta/parquet.h"

enum { CHUNK_PATH_MAX = 255, CHUNK_LENGTH_MAX = 64 << 20, CHUNK_VALUES_MAX = 100000, CHUNK_ROWS_MAX = 20000000 };

enum chunk_codec { CHUNK_PLAIN = 0, CHUNK_SNAPPY = 1 };

struct chunk {
    char path[CHUNK_PATH_MAX + 1]; /* "metaData.schemaString"; "" for one that is longer */
    uint64_t offset;               /* in the file */
    uint64_t length;
    uint64_t values;
    uint32_t codec;
    enum parquet_type type;
    uint32_t max_definition; /* how many of its parents, and itself, may be missing */
    uint32_t max_repetition;
    bool is_optional;
};

/* Gives each column chunk of each row group. *ret_code after false: `each` said so. OS_ERR_PROTOCOL: it is no footer. */
typedef os_code (*chunk_fn)(void *context, const struct chunk *chunk);
os_code chunks_read(const void *footer, size_t length, const struct parquet *parquet, chunk_fn each, void *context,
                    os_error *err);

/* Appends to `values`, a JSON array, what the chunk has where its parent is there: a string, an integer, or null. */
os_code chunk_decode(const struct chunk *chunk, const void *data, size_t length, json_t *values, os_error *err);

#endif
