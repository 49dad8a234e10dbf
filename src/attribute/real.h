/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubles as the decimal numbers that are written for them: the fewest digits that are this double again, and of those the
 * nearest (ECMAScript, Number::toString; Go's strconv.FormatFloat with precision -1).
 */
#ifndef OSCOMMIT_ATTRIBUTE_REAL_H
#define OSCOMMIT_ATTRIBUTE_REAL_H

#include "attribute/number.h"

enum { REAL_TEXT_SIZE = 32 };

/* As ECMAScript writes a number that is finite: "-1.5", "0.000001", "1e-7", "100000000000000000000", "1e+21", "0" without a
 * sign. Returns its length. */
size_t real_text(double real, char ret[REAL_TEXT_SIZE]);

/* The number of DynamoDB that is written so, or why there is none. */
enum number_fault real_to_number(double real, struct number *ret);

/* The double whose number this is. False, and *ret is only near it: it has digits that a double does not keep. */
bool real_from_number(const struct number *number, double *ret);

#endif
