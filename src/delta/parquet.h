/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the footer of a Parquet file says of its columns and rows (parquet.thrift of apache/parquet-format, 2.11). Reads
 * no data. The names are borrowed from the footer.
 */
#ifndef OSCOMMIT_DELTA_PARQUET_H
#define OSCOMMIT_DELTA_PARQUET_H

#include "base/text.h"
#include "oscommit.h"

#include <jansson.h>

enum {
    PARQUET_TAIL = 8,              /* the length of the footer, and the magic */
    PARQUET_FOOTER_MAX = 64 << 20, /* bytes */
    PARQUET_ELEMENTS_MAX = 100000  /* groups and columns */
};

enum parquet_type {
    PARQUET_BOOLEAN = 0,
    PARQUET_INT32,
    PARQUET_INT64,
    PARQUET_INT96,
    PARQUET_FLOAT,
    PARQUET_DOUBLE,
    PARQUET_BYTE_ARRAY,
    PARQUET_FIXED,
    PARQUET_GROUP /* none of the format's: an element with children */
};

enum parquet_repetition { PARQUET_REQUIRED = 0, PARQUET_OPTIONAL, PARQUET_REPEATED };

/* What the physical type means. */
enum parquet_kind {
    PARQUET_PLAIN = 0,
    PARQUET_STRING,
    PARQUET_MAP,
    PARQUET_LIST,
    PARQUET_DECIMAL,
    PARQUET_DATE,
    PARQUET_TIMESTAMP,
    PARQUET_INTEGER,
    PARQUET_OTHER /* something that Delta has no type for */
};

enum parquet_unit { PARQUET_MILLIS = 1, PARQUET_MICROS = 2, PARQUET_NANOS = 3 };

struct parquet_element {
    struct text name;
    enum parquet_type type;
    enum parquet_repetition repetition;
    enum parquet_kind kind;
    uint32_t children;
    uint32_t precision; /* DECIMAL */
    uint32_t scale;
    uint32_t bits; /* INTEGER */
    bool is_signed;
    enum parquet_unit unit; /* TIMESTAMP */
    bool is_utc;
};

struct parquet {
    struct parquet_element *elements; /* depth first; the first is the whole */
    size_t count;
    uint64_t rows;
};

/* How long the footer is, which stands before the tail. False: the file is no Parquet, or is encrypted. */
bool parquet_footer_length(const unsigned char tail[PARQUET_TAIL], uint64_t *ret);

/* OS_ERR_PROTOCOL: it is none. parquet_free frees what *ret has, whatever the code was. */
os_code parquet_read(const void *footer, size_t length, struct parquet *ret, os_error *err);
void parquet_free(struct parquet *parquet);

/* The schema of a Delta table of such files, a struct type as JSON. OS_ERR_UNSUPPORTED: it has what Delta cannot express;
 * the sentence names the column. */
os_code parquet_delta_schema(const struct parquet *parquet, json_t **ret, os_error *err);

#endif
