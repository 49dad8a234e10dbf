/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/number.h"

#include <string.h>

enum {
    LOWEST = NUMBER_SMALLEST - (NUMBER_DIGITS_MAX - 1), /* the power of ten of the last digit of any number */
    COLUMNS = NUMBER_LARGEST - LOWEST + 2               /* of a sum: one more for what is carried */
};

/* --------------------------------------------------------------------------------------------------------- text */

/* Digits are taken one by one. Zeros count once a digit other than 0 follows them. */
struct number_reading {
    struct number number;
    bool has_digits;
    bool is_behind_point;
    bool is_too_precise;
    size_t zeros;  /* behind the last digit that is in `number` */
    int64_t power; /* of the first digit that is not 0 */
};

/* Q4. */
static void keep_digit(struct number_reading *reading, uint8_t digit)
{
    struct number *number = &reading->number;
    if (reading->zeros >= NUMBER_DIGITS_MAX - number->count) {
        reading->is_too_precise = true;
        return;
    }
    memset(&number->digits[number->count], 0, reading->zeros);
    number->count += reading->zeros;
    number->digits[number->count++] = digit;
    reading->zeros = 0;
}

static void take_digit(struct number_reading *reading, uint8_t digit)
{
    bool is_leading = reading->number.count == 0;
    reading->has_digits = true;
    if (is_leading && reading->is_behind_point)
        reading->power--;
    if (digit != 0)
        keep_digit(reading, digit);
    else if (!is_leading)
        reading->zeros++;
    if (!is_leading && !reading->is_behind_point)
        reading->power++;
}

static struct text take_digits(struct number_reading *reading, struct text text)
{
    while (text.len > 0) {
        if (text.p[0] >= '0' && text.p[0] <= '9')
            take_digit(reading, (uint8_t)(text.p[0] - '0'));
        else if (text.p[0] == '.' && !reading->is_behind_point)
            reading->is_behind_point = true;
        else
            break;
        text = text_of(text.p + 1, text.len - 1);
    }
    return text;
}

static bool take_sign(struct text *text)
{
    bool is_negative = text_take_char(text, '-');
    if (!is_negative)
        (void)text_take_char(text, '+');
    return is_negative;
}

/* The service keeps exponents in 32 bits; what has a larger one is no number to it. */
static bool take_exponent(struct text *text, int64_t *ret)
{
    uint64_t exponent;
    *ret = 0;
    if (!text_take_char(text, 'e') && !text_take_char(text, 'E'))
        return true;
    bool is_negative = take_sign(text);
    if (!text_take_u64(text, &exponent) || exponent > INT32_MAX)
        return false;
    *ret = is_negative ? -(int64_t)exponent : (int64_t)exponent;
    return true;
}

static enum number_fault range_of(int64_t power)
{
    if (power > NUMBER_LARGEST)
        return NUMBER_TOO_LARGE;
    return power < NUMBER_SMALLEST ? NUMBER_TOO_SMALL : NUMBER_OK;
}

enum number_fault number_parse(struct text text, struct number *ret)
{
    struct number_reading reading = {.has_digits = false};
    int64_t exponent;
    bool is_negative = take_sign(&text);
    text = take_digits(&reading, text);
    if (!reading.has_digits || !take_exponent(&text, &exponent) || text.len > 0)
        return NUMBER_NONE;
    if (reading.is_too_precise)
        return NUMBER_TOO_PRECISE;
    if (reading.number.count > 0) {
        reading.number.is_negative = is_negative;
        enum number_fault fault = range_of(reading.power + exponent);
        if (fault != NUMBER_OK)
            return fault;
        reading.number.power = (int)(reading.power + exponent);
    }
    *ret = reading.number;
    return NUMBER_OK;
}

static int last_power(const struct number *number)
{
    return number->power - (int)number->count + 1;
}

size_t number_text(const struct number *number, char ret[NUMBER_TEXT_SIZE])
{
    size_t len = 0;
    int power = number->count > 0 && number->power > 0 ? number->power : 0;
    int last = number->count > 0 && last_power(number) < 0 ? last_power(number) : 0;
    if (number->is_negative)
        ret[len++] = '-';
    for (; power >= last; power--) {
        int at = number->power - power;
        if (power == -1)
            ret[len++] = '.';
        ret[len++] = (char)('0' + (at >= 0 && at < (int)number->count ? number->digits[at] : 0));
    }
    ret[len] = '\0';
    return len;
}

/* --------------------------------------------------------------------------------------------------- arithmetic */

static int compare_magnitudes(const struct number *a, const struct number *b)
{
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    if (a->power != b->power)
        return a->power < b->power ? -1 : 1;
    size_t common = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, common);
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

bool number_to_integer(const struct number *number, int64_t *ret)
{
    char text[NUMBER_TEXT_SIZE];
    uint64_t magnitude;
    size_t len = number_text(number, text);
    size_t sign = number->is_negative ? 1 : 0;
    if (!text_parse_u64(text_of(text + sign, len - sign), &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + sign)
        return false;
    *ret = sign == 0 || magnitude == 0 ? (int64_t)magnitude : -(int64_t)(magnitude - 1) - 1;
    return true;
}

int number_compare(const struct number *a, const struct number *b)
{
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    return a->is_negative ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}

/* columns[i] is of the power LOWEST + i. */
static void add_columns(int columns[COLUMNS], const struct number *number, int sign)
{
    for (size_t i = 0; i < number->count; i++)
        columns[number->power - (int)i - LOWEST] += sign * number->digits[i];
}

/* Leaves 0 to 9 in each column; the sum is not negative. */
static void carry(int columns[COLUMNS])
{
    for (size_t i = 0; i + 1 < COLUMNS; i++) {
        int over = columns[i] < 0 ? -1 : columns[i] / 10;
        columns[i] -= 10 * over;
        columns[i + 1] += over;
    }
}

static enum number_fault from_columns(const int columns[COLUMNS], bool is_negative, struct number *ret)
{
    struct number number = {.is_negative = is_negative};
    size_t first = COLUMNS;
    size_t last = 0;
    while (first > 0 && columns[first - 1] == 0)
        first--;
    if (first == 0) {
        *ret = (struct number){.count = 0};
        return NUMBER_OK;
    }
    while (columns[last] == 0)
        last++;
    number.power = LOWEST + (int)first - 1;
    number.count = first - last;
    enum number_fault fault = range_of(number.power);
    if (fault != NUMBER_OK || number.count > NUMBER_DIGITS_MAX)
        return fault != NUMBER_OK ? fault : NUMBER_TOO_PRECISE;
    for (size_t i = 0; i < number.count; i++)
        number.digits[i] = (uint8_t)columns[first - 1 - i];
    *ret = number;
    return NUMBER_OK;
}

enum number_fault number_add(const struct number *a, const struct number *b, struct number *ret)
{
    int columns[COLUMNS] = {0};
    const struct number *larger = compare_magnitudes(a, b) >= 0 ? a : b;
    const struct number *other = larger == a ? b : a;
    add_columns(columns, larger, 1);
    add_columns(columns, other, a->is_negative == b->is_negative ? 1 : -1);
    carry(columns);
    return from_columns(columns, larger->is_negative, ret);
}

enum number_fault number_subtract(const struct number *a, const struct number *b, struct number *ret)
{
    struct number negated = *b;
    negated.is_negative = !b->is_negative; /* also a zero, whose sign says nothing in a sum */
    return number_add(a, &negated, ret);
}

/* ---------------------------------------------------------------------------------------------------------- size */

static int floor_half(int power)
{
    return power >= 0 ? power / 2 : -((1 - power) / 2);
}

/* The Developer Guide ("DynamoDB item sizes and formats") says about a byte for two significant digits, and one more.
 * The pairs begin at even powers of ten, so 12 takes one and 1.2 two; a sign takes a byte, zero takes one in all: as
 * DynamoDB Local counts. */
size_t number_size(const struct number *number)
{
    if (number->count == 0)
        return 1;
    int pairs = floor_half(number->power) - floor_half(last_power(number)) + 1;
    return (size_t)pairs + 1 + (number->is_negative ? 1 : 0);
}

const char *number_fault_text(enum number_fault fault)
{
    switch (fault) {
    case NUMBER_OK: break;
    case NUMBER_NONE: return "is not a decimal number, such as -12.5 or 1e3";
    case NUMBER_TOO_PRECISE: return "has more than 38 significant digits";
    case NUMBER_TOO_LARGE: return "is too large: DynamoDB's numbers end below 1E+126";
    case NUMBER_TOO_SMALL: return "is too near to zero: the smallest magnitude of DynamoDB is 1E-130";
    }
    return "is a number";
}
