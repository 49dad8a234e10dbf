/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/real.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MAX = 17,
    LARGE = 21, /* the power of ten from which on there is an exponent, */
    SMALL = -6  /* and the one below which there is */
};

/* digits[0].digits[1]digits[2]... * 10^power, as letters. */
struct real_digits {
    bool is_negative;
    int power;
    size_t count;
    char digits[DIGITS_MAX + 1]; /* with a NUL */
};

/* A sign, digits, and an exponent of ten. Without a point, which a locale may write otherwise. */
enum { PLAIN_SIZE = 1 + NUMBER_DIGITS_MAX + 1 + TEXT_NUMBER_SIZE };

static double plain_value(bool is_negative, const char *digits, int power)
{
    char text[PLAIN_SIZE];
    snprintf(text, sizeof(text), "%s%se%d", is_negative ? "-" : "", digits, power - (int)strlen(digits) + 1);
    return strtod(text, NULL);
}

static double digits_value(const struct real_digits *digits)
{
    return plain_value(digits->is_negative, digits->digits, digits->power);
}

/* So many digits, rounded to the nearest. What stands between the first and the others is the locale's. */
static void round_to(double real, size_t count, struct real_digits *ret)
{
    char text[PLAIN_SIZE];
    size_t len = 0;
    snprintf(text, sizeof(text), "%.*e", (int)count - 1, real);
    const char *p = text;
    *ret = (struct real_digits){.is_negative = *p == '-'};
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            ret->digits[len++] = *p;
    ret->power = (int)strtol(p + 1, NULL, 10);
    ret->count = len;
}

/* The next of so many digits, away from zero. */
static void step_up(struct real_digits *digits)
{
    size_t at = digits->count;
    while (at > 0 && digits->digits[at - 1] == '9')
        digits->digits[--at] = '0';
    if (at > 0) {
        digits->digits[at - 1]++;
        return;
    }
    digits->digits[0] = '1';
    digits->power++;
}

static void strip_zeros(struct real_digits *digits)
{
    while (digits->count > 1 && digits->digits[digits->count - 1] == '0')
        digits->digits[--digits->count] = '\0';
}

/* Up to fifteen digits always come back from a double that has all its bits, and a double always from 17. Doubles stand closer below a power of
 * two than above it: there the nearest of 16 digits may be another double, and the next one up be this. */
static void find_shortest(double real, struct real_digits *ret)
{
    if (real == 0) {
        *ret = (struct real_digits){.count = 1, .digits = "0"};
        return;
    }
    bool is_subnormal = real > -DBL_MIN && real < DBL_MIN;
    for (size_t count = is_subnormal ? 1 : 15; count <= DIGITS_MAX; count++) {
        round_to(real, count, ret);
        if (digits_value(ret) == real)
            break;
        step_up(ret);
        if (digits_value(ret) == real)
            break;
    }
    strip_zeros(ret);
}

static int write_plain(const struct real_digits *real, char *ret)
{
    static const char zeros[] = "000000000000000000000";
    int count = (int)real->count;
    int before = real->power + 1; /* the point */
    if (before <= 0)
        return snprintf(ret, REAL_TEXT_SIZE, "0.%.*s%s", -before, zeros, real->digits);
    if (before >= count)
        return snprintf(ret, REAL_TEXT_SIZE, "%s%.*s", real->digits, before - count, zeros);
    return snprintf(ret, REAL_TEXT_SIZE, "%.*s.%s", before, real->digits, real->digits + before);
}

size_t real_text(double real, char ret[REAL_TEXT_SIZE])
{
    struct real_digits shortest;
    char text[REAL_TEXT_SIZE];
    find_shortest(real, &shortest);
    if (shortest.power >= SMALL && shortest.power < LARGE)
        write_plain(&shortest, text);
    else
        snprintf(text, sizeof(text), "%c%s%se%+d", shortest.digits[0], shortest.count > 1 ? "." : "",
                 shortest.digits + 1, shortest.power);
    return (size_t)snprintf(ret, REAL_TEXT_SIZE, "%s%s", shortest.is_negative ? "-" : "", text);
}

enum number_fault real_to_number(double real, struct number *ret)
{
    char text[REAL_TEXT_SIZE];
    size_t len = real_text(real, text);
    return number_parse(text_of(text, len), ret);
}

bool real_from_number(const struct number *number, double *ret)
{
    char digits[NUMBER_DIGITS_MAX + 1] = "0";
    struct number again;
    for (size_t i = 0; i < number->count; i++)
        digits[i] = (char)('0' + number->digits[i]);
    *ret = plain_value(number->is_negative, digits, number->power);
    return real_to_number(*ret, &again) == NUMBER_OK && number_compare(number, &again) == 0;
}
