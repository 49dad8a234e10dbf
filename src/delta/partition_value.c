/* SPDX-License-Identifier: Apache-2.0 */
/* Values of partition columns as text. What engines could read in two ways is refused: signs, zeros in front, local time. */
#include "delta/partition.h"

#include "base/text.h"

#include <string.h>

static size_t take_digits(struct text *rest)
{
    size_t count = 0;
    while (count < rest->len && rest->p[count] >= '0' && rest->p[count] <= '9')
        count++;
    *rest = text_of(rest->p + count, rest->len - count);
    return count;
}

/* Up to `most` digits, without zeros in front. */
static bool take_whole(struct text *rest, size_t most)
{
    bool is_zero = text_starts(*rest, "0");
    size_t count = take_digits(rest);
    return count > 0 && count <= most && (count == 1 || !is_zero);
}

static bool is_integer(struct text text, uint64_t most)
{
    bool is_negative = text_take_char(&text, '-');
    struct text digits = text;
    uint64_t number = 0;
    return take_whole(&digits, 19) && text_parse_u64(text, &number) && number <= most + is_negative &&
           (number > 0 || !is_negative);
}

static bool is_byte(struct text text, const char *type)
{
    (void)type;
    return is_integer(text, INT8_MAX);
}

static bool is_short(struct text text, const char *type)
{
    (void)type;
    return is_integer(text, INT16_MAX);
}

static bool is_int(struct text text, const char *type)
{
    (void)type;
    return is_integer(text, INT32_MAX);
}

static bool is_long(struct text text, const char *type)
{
    (void)type;
    return is_integer(text, INT64_MAX);
}

static bool is_real(struct text text, const char *type)
{
    (void)type;
    if (text_is(text, "NaN") || text_is(text, "Infinity") || text_is(text, "-Infinity"))
        return true;
    (void)text_take_char(&text, '-');
    if (!take_whole(&text, 400) || (text_take_char(&text, '.') && take_digits(&text) == 0))
        return false;
    if (!text_take_char(&text, 'E') && !text_take_char(&text, 'e'))
        return text.len == 0;
    (void)text_take_char(&text, '-');
    return take_whole(&text, 3) && text.len == 0;
}

/* "decimal(10,2)": ten digits, of which two stand behind the point. */
static bool read_decimal_type(struct text type, uint64_t *ret_precision, uint64_t *ret_scale)
{
    return text_take_str(&type, "decimal(") && text_take_u64(&type, ret_precision) && text_take_char(&type, ',') &&
           text_take_u64(&type, ret_scale) && text_is(type, ")") && *ret_precision > 0 && *ret_precision <= 38 &&
           *ret_scale <= *ret_precision;
}

static bool is_decimal(struct text text, const char *type)
{
    uint64_t precision = 0;
    uint64_t scale = 0;
    (void)read_decimal_type(text_from(type), &precision, &scale);
    (void)text_take_char(&text, '-');
    bool has_zero = text_starts(text, "0");
    if (!take_whole(&text, has_zero ? 1 : (size_t)(precision - scale)))
        return false;
    if (!text_take_char(&text, '.'))
        return text.len == 0;
    size_t behind = take_digits(&text);
    return behind > 0 && behind <= scale && text.len == 0;
}

static bool is_boolean(struct text text, const char *type)
{
    (void)type;
    return text_is(text, "true") || text_is(text, "false");
}

static bool is_timestamp(struct text text, const char *type)
{
    int64_t seconds;
    (void)type;
    return text.len <= strlen("2006-02-03T16:45:09.000000Z") && text_parse_iso8601(text, &seconds);
}

static bool is_date(struct text text, const char *type)
{
    char noon[] = "2006-02-03T12:00:00Z";
    if (text.len != strlen("2006-02-03"))
        return false;
    memcpy(noon, text.p, text.len);
    return is_timestamp(text_from(noon), type);
}

static bool is_text(struct text text, const char *type)
{
    (void)type;
    return text_is_utf8(text);
}

static bool is_of_type(const char *name, const char *type)
{
    uint64_t precision;
    uint64_t scale;
    return strcmp(name, "decimal") == 0 ? read_decimal_type(text_from(type), &precision, &scale)
                                        : strcmp(name, type) == 0;
}

bool delta_partition_fits(const char *type, const char *value)
{
    static const struct {
        const char *name;
        bool (*fits)(struct text text, const char *type);
    } types[] = {{"string", is_text}, {"byte", is_byte},           {"short", is_short},    {"integer", is_int},
                 {"long", is_long},   {"float", is_real},          {"double", is_real},    {"boolean", is_boolean},
                 {"date", is_date},   {"timestamp", is_timestamp}, {"decimal", is_decimal}};
    struct text text = text_from(value);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (is_of_type(types[i].name, type))
            return text.len == 0 || (text.len <= DELTA_VALUE_MAX && types[i].fits(text, type));
    return false;
}
