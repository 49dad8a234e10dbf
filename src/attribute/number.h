/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DynamoDB's numbers, exactly: zero, or 38 significant digits with a magnitude of 1E-130 to
 * 9.9999999999999999999999999999999999999E+125 (Developer Guide, "Naming rules and data types"). Never a binary
 * floating-point number on the way.
 */
#ifndef OSCOMMIT_ATTRIBUTE_NUMBER_H
#define OSCOMMIT_ATTRIBUTE_NUMBER_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NUMBER_DIGITS_MAX = 38,
    NUMBER_LARGEST = 125,   /* the power of ten of the first digit */
    NUMBER_SMALLEST = -130, /* the same */
    NUMBER_TEXT_SIZE = 171  /* "-0.", 129 zeros, 38 digits, a NUL */
};

/* digits[0].digits[1]digits[2]... * 10^power. Neither the first nor the last digit is 0; zero has no digits, no sign
 * and no power. */
struct number {
    bool is_negative;
    int power;
    size_t count;
    uint8_t digits[NUMBER_DIGITS_MAX];
};

enum number_fault {
    NUMBER_OK = 0,
    NUMBER_NONE,        /* the text is no number */
    NUMBER_TOO_PRECISE, /* more than 38 significant digits */
    NUMBER_TOO_LARGE,
    NUMBER_TOO_SMALL
};

/* Digits with an optional sign, an optional point (digits before or behind it) and an optional exponent. No blanks. */
enum number_fault number_parse(struct text text, struct number *ret);
/* As the service gives it back: no exponent, no zeros that say nothing, "0.5", "0" without a sign. Returns its length.
 */
size_t number_text(const struct number *number, char ret[NUMBER_TEXT_SIZE]);
/* False: it is no whole number of 64 bits. */
bool number_to_integer(const struct number *number, int64_t *ret);

int number_compare(const struct number *a, const struct number *b); /* < 0, 0, > 0 */
/* The exact result, or why there is none: the service rounds nothing. `ret` may be one of the two. */
enum number_fault number_add(const struct number *a, const struct number *b, struct number *ret);
enum number_fault number_subtract(const struct number *a, const struct number *b, struct number *ret);

/* Bytes of an item. */
size_t number_size(const struct number *number);

/* For a sentence about a number: "has more than 38 significant digits". */
const char *number_fault_text(enum number_fault fault);

#endif
