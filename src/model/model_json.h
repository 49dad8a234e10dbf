/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as a JavaScript program has it, for that is what shares the tables: every number is a double. So 1.0 is 1, and an
 * integer that no double holds is none.
 */
#ifndef OSCOMMIT_MODEL_MODEL_JSON_H
#define OSCOMMIT_MODEL_MODEL_JSON_H

#include "model/model_place.h"

#include "base/buf.h"

#include <stdint.h>

/* Number.MAX_SAFE_INTEGER: what is larger is not exact, and the SDK for JavaScript writes and reads none (util-dynamodb
 * 3.996.9, convertToAttr, convertToNative). */
#define MODEL_INTEGER_MAX INT64_C(9007199254740991)

enum model_numbers {
    MODEL_NUMBERS_ANY = 0, /* such as stand in the text of a key */
    MODEL_NUMBERS_STORED   /* such as are an N: none beyond MODEL_INTEGER_MAX */
};

/* A copy of its own, which may be changed: what is whole and within MODEL_INTEGER_MAX is an integer, any other number a real.
 * The order of members is kept. *ret is NULL on failure. */
os_code model_json_copy(struct model_place *place, const json_t *json, enum model_numbers numbers, json_t **ret);

/* The first member of another name than those, which end with a NULL; NULL: there is none. */
const char *model_json_unknown(const json_t *object, const char *const *known);

/* Names as JavaScript sorts them, by units of UTF-16: < 0, 0, > 0. */
int model_name_compare(const char *a, const char *b);

/* Appends what fast-json-stable-stringify 2.1.0 makes of it: no blanks, members by their names. Of a copy. False when out of
 * memory. */
bool model_json_write(struct buf *out, const json_t *json);

/* "Order.quantity: the value "1" is no integer.", where `fault` is "is no integer". A long value is cut. */
os_code model_refuse_value(const struct model_place *place, const json_t *value, const char *fault);

#endif
