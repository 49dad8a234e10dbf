/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/json_reader.h"

#include "base/text.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

/* What is not yet read, and how much was. */
struct reader {
    const char *at;
    const char *end;
    size_t depth;
    size_t values;
};

static json_t *read_value(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\r' || *reader->at == '\t'))
        reader->at++;
}

/* Whether this is next, and then it is behind. */
static bool take(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, word, len) != 0)
        return false;
    reader->at += len;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- strings */

/* What stands between quotes: in the text itself, or without its escapes in `own`. */
struct string {
    const char *p;
    size_t len;
    char *own; /* NULL: there are none */
};

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits of \uXXXX; -1: they are none. */
static long read_unit(const char **at, const char *end)
{
    long unit = 0;
    if (end - *at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = digit_of(*(*at)++);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool is_high_half(long unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_half(long unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* One character, perhaps of two halves; -1: it is none. */
static long read_code_point(const char **at, const char *end)
{
    long unit = read_unit(at, end);
    if (is_low_half(unit))
        return -1;
    if (!is_high_half(unit))
        return unit;
    if (end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return -1;
    *at += 2;
    long low = read_unit(at, end);
    return is_low_half(low) ? 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) : -1;
}

static char *put_code_point(long point, char *to)
{
    if (point < 0x80) {
        *to++ = (char)point;
    } else if (point < 0x800) {
        *to++ = (char)(0xc0 | point >> 6);
        *to++ = (char)(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *to++ = (char)(0xe0 | point >> 12);
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
        *to++ = (char)(0x80 | (point & 0x3f));
    } else {
        *to++ = (char)(0xf0 | point >> 18);
        *to++ = (char)(0x80 | (point >> 12 & 0x3f));
        *to++ = (char)(0x80 | (point >> 6 & 0x3f));
        *to++ = (char)(0x80 | (point & 0x3f));
    }
    return to;
}

/* Behind the backslash. NULL: it is no escape. */
static char *put_escape(const char **at, const char *end, char *to)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = *(*at)++;
    if (c == 'u') {
        long point = read_code_point(at, end);
        return point >= 0 ? put_code_point(point, to) : NULL;
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (letter == NULL)
        return NULL;
    *to++ = meanings[letter - letters];
    return to;
}

/* No escape is shorter than what it stands for. */
static bool unescape(const char *at, const char *end, struct string *ret)
{
    char *to = malloc((size_t)(end - at));
    ret->own = to;
    ret->p = to;
    while (at < end && to != NULL)
        if (*at != '\\')
            *to++ = *at++;
        else
            to = ++at < end ? put_escape(&at, end, to) : NULL;
    if (to == NULL)
        return false;
    ret->len = (size_t)(to - ret->own);
    return true;
}

/* *ret->own is to be freed, whatever it returns. */
static bool read_string(struct reader *reader, struct string *ret)
{
    bool has_escapes = false;
    unsigned char all = 0;
    *ret = (struct string){.own = NULL};
    if (!take(reader, '"'))
        return false;
    const char *first = reader->at;
    for (; reader->at < reader->end && *reader->at != '"'; reader->at++) {
        unsigned char c = (unsigned char)*reader->at;
        if (c < ' ')
            return false;
        all |= c;
        if (c == '\\') {
            has_escapes = true;
            if (++reader->at == reader->end)
                return false;
        }
    }
    const char *end = reader->at;
    if (!take(reader, '"'))
        return false;
    ret->p = first;
    ret->len = (size_t)(end - first);
    if (has_escapes && !unescape(first, end, ret))
        return false;
    return (!has_escapes && all < 0x80) || text_is_utf8(text_of(ret->p, ret->len));
}

static json_t *read_string_value(struct reader *reader)
{
    struct string string;
    json_t *ret = read_string(reader, &string) ? json_stringn_nocheck(string.p, string.len) : NULL;
    free(string.own);
    return ret;
}

/* ------------------------------------------------------------------------------------------------------- numbers */

static size_t skip_digits(struct reader *reader)
{
    const char *first = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        reader->at++;
    return (size_t)(reader->at - first);
}

/* A fraction and an exponent, of which there may be none. */
static bool skip_rest_of_real(struct reader *reader)
{
    if (take(reader, '.') && skip_digits(reader) == 0)
        return false;
    if (!take(reader, 'e') && !take(reader, 'E'))
        return true;
    if (!take(reader, '+'))
        (void)take(reader, '-');
    return skip_digits(reader) > 0;
}

static json_t *integer_of(const char *digits, const char *end, bool is_negative)
{
    json_int_t number = 0;
    for (; digits < end; digits++) {
        json_int_t digit = *digits - '0';
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, is_negative ? -digit : digit, &number))
            return NULL;
    }
    return json_integer(number);
}

/* jansson knows how to round, whatever the locale is. */
static json_t *read_number(struct reader *reader)
{
    const char *first = reader->at;
    bool is_negative = take(reader, '-');
    const char *digits = reader->at;
    size_t count = skip_digits(reader);
    const char *end = reader->at;
    if (count == 0 || (count > 1 && *digits == '0') || !skip_rest_of_real(reader))
        return NULL;
    return reader->at == end ? integer_of(digits, end, is_negative)
                             : json_parse(first, (size_t)(reader->at - first), JSON_DECODE_ANY, NULL);
}

/* ---------------------------------------------------------------------------------------------------- containers */

static bool count_value(struct reader *reader)
{
    return ++reader->values <= JSON_VALUES_MAX;
}

/* Behind an opening: whether it may be one more, and something is in it. */
static bool enter(struct reader *reader, char closing, bool *ret_empty)
{
    skip_blanks(reader);
    *ret_empty = take(reader, closing);
    return reader->depth <= JSON_DEPTH_MAX && count_value(reader);
}

/* Behind a member or an element: whether there is another one. False: neither that nor the end. */
static bool go_on(struct reader *reader, char closing, bool *ret_more)
{
    skip_blanks(reader);
    *ret_more = take(reader, ',');
    if (!*ret_more)
        return take(reader, closing);
    skip_blanks(reader);
    return count_value(reader);
}

/* A key has no NUL, and none stands twice. */
static bool read_member(struct reader *reader, json_t *object)
{
    struct string key;
    json_t *value = NULL;
    bool done = read_string(reader, &key) && memchr(key.p, '\0', key.len) == NULL;
    if (done) {
        skip_blanks(reader);
        done = take(reader, ':');
    }
    if (done) {
        skip_blanks(reader);
        value = read_value(reader);
    }
    size_t before = json_object_size(object);
    done = value != NULL && json_object_setn_new_nocheck(object, key.p, key.len, value) == 0 &&
           json_object_size(object) == before + 1;
    free(key.own);
    return done;
}

static bool read_element(struct reader *reader, json_t *array)
{
    json_t *value = read_value(reader);
    return value != NULL && json_array_append_new(array, value) == 0;
}

/* Behind the opening. Takes `container`, and gives it back unless it cannot be read. */
static json_t *read_inside(struct reader *reader, json_t *container, char closing)
{
    bool is_object = closing == '}';
    bool is_empty = false;
    reader->depth++;
    bool done = container != NULL && enter(reader, closing, &is_empty);
    for (bool more = !is_empty; done && more;) {
        done = is_object ? read_member(reader, container) : read_element(reader, container);
        done = done && go_on(reader, closing, &more);
    }
    reader->depth--;
    if (done)
        return container;
    json_decref(container);
    return NULL;
}

static json_t *read_value(struct reader *reader)
{
    switch (reader->at < reader->end ? *reader->at : '\0') {
    case '{': reader->at++; return read_inside(reader, json_object(), '}');
    case '[': reader->at++; return read_inside(reader, json_array(), ']');
    case '"': return read_string_value(reader);
    case 't': return take_word(reader, "true") ? json_true() : NULL;
    case 'f': return take_word(reader, "false") ? json_false() : NULL;
    case 'n': return take_word(reader, "null") ? json_null() : NULL;
    default: return read_number(reader);
    }
}

json_t *json_reader_run(const char *text, size_t len)
{
    struct reader reader = {.at = text, .end = text + len};
    skip_blanks(&reader);
    json_t *root = reader.at < reader.end && *reader.at == '{' ? read_value(&reader) : NULL;
    skip_blanks(&reader);
    if (root != NULL && reader.at == reader.end)
        return root;
    json_decref(root);
    return NULL;
}
