/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor over the compact protocol of Apache Thrift ("Thrift Compact protocol encoding"), as the footer of a Parquet
 * file has it. Bounded: nothing is read behind the end, nothing nests deeper than THRIFT_DEPTH_MAX, and a list never has
 * more elements than bytes are left. The first fault marks the cursor; every later step fails, too.
 */
#ifndef OSCOMMIT_DELTA_THRIFT_H
#define OSCOMMIT_DELTA_THRIFT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THRIFT_DEPTH_MAX = 32 };

enum thrift_type {
    THRIFT_STOP = 0,
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_BYTE = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_DOUBLE = 7,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_SET = 10,
    THRIFT_MAP = 11,
    THRIFT_STRUCT = 12
};

struct thrift {
    const unsigned char *at;
    const unsigned char *end;
    bool failed;
};

struct thrift_field {
    int id; /* 0 before the first */
    enum thrift_type type;
};

void thrift_init(struct thrift *thrift, const void *data, size_t length);

/* The next field of a struct. False: the struct has ended, or there was a fault. The value of a field is read or skipped
 * before the next one. */
bool thrift_next(struct thrift *thrift, struct thrift_field *field);

/* The value of a field, which must be of the right type. A number: BYTE, I16, I32, I64. */
int64_t thrift_number(struct thrift *thrift, const struct thrift_field *field);
bool thrift_bool(struct thrift *thrift, const struct thrift_field *field);
struct text thrift_binary(struct thrift *thrift, const struct thrift_field *field); /* borrowed */
/* How many elements of `element` follow. */
size_t thrift_list(struct thrift *thrift, const struct thrift_field *field, enum thrift_type element);

void thrift_skip(struct thrift *thrift, const struct thrift_field *field);

#endif
