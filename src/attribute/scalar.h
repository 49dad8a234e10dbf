/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON strings in S, N and B, and those in sets: how two compare, and whether one is among many. They are well
 * formed (check.h).
 */
#ifndef OSCOMMIT_ATTRIBUTE_SCALAR_H
#define OSCOMMIT_ATTRIBUTE_SCALAR_H

#include "attribute/number.h"
#include "attribute/type.h"
#include "base/text.h"

struct text scalar_text(const json_t *string); /* it may hold a NUL */
struct number scalar_number(const json_t *string);
json_t *value_of_number(const struct number *number); /* an N; NULL when out of memory */

/* S as UTF-8, N as numbers, B as unsigned bytes: < 0, 0, > 0. */
int scalar_compare(enum value_type type, const json_t *a, const json_t *b);

bool scalar_is_among(enum value_type type, const json_t *array, const json_t *string);

/* The elements of an array in their order; malloc'ed, NULL when out of memory. They are borrowed. */
const json_t **scalars_sorted(enum value_type type, const json_t *array);
bool scalars_have(enum value_type type, const json_t *const *sorted, size_t count, const json_t *string);

#endif
