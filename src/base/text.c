/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool same_nocase(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

static void advance(struct text *cursor, size_t len)
{
    cursor->p += len;
    cursor->len -= len;
}

struct text text_from(const char *str)
{
    return str != NULL ? text_of(str, strlen(str)) : text_of("", 0);
}

struct text text_of(const char *p, size_t len)
{
    return (struct text){.p = p != NULL ? p : "", .len = p != NULL ? len : 0};
}

bool text_is(struct text text, const char *str)
{
    return strlen(str) == text.len && memcmp(text.p, str, text.len) == 0;
}

bool text_is_nocase(struct text text, const char *str)
{
    return strlen(str) == text.len && same_nocase(text.p, str, text.len);
}

bool text_starts(struct text text, const char *prefix)
{
    size_t len = strlen(prefix);
    return len <= text.len && memcmp(text.p, prefix, len) == 0;
}

bool text_contains_nocase(struct text text, const char *needle)
{
    size_t len = strlen(needle);
    for (size_t at = 0; len <= text.len && at <= text.len - len; at++)
        if (same_nocase(text.p + at, needle, len))
            return true;
    return false;
}

bool text_is_visible(struct text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] <= ' ' || text.p[i] >= 0x7f)
            return false;
    return true;
}

struct text text_trim(struct text text)
{
    while (text.len > 0 && is_blank(text.p[0]))
        advance(&text, 1);
    while (text.len > 0 && is_blank(text.p[text.len - 1]))
        text.len--;
    return text;
}

bool text_copy(struct text text, char *ret, size_t ret_size)
{
    if (text.len >= ret_size || memchr(text.p, '\0', text.len) != NULL)
        return false;
    memcpy(ret, text.p, text.len);
    ret[text.len] = '\0';
    return true;
}

size_t text_utf8_cut(struct text text, size_t max)
{
    if (text.len <= max)
        return text.len;
    size_t cut = max;
    while (cut > 0 && max - cut < 3 && ((unsigned char)text.p[cut] & 0xc0) == 0x80)
        cut--;
    return ((unsigned char)text.p[cut] & 0xc0) == 0x80 ? max : cut;
}

size_t text_copy_cut(struct text text, char *ret, size_t ret_size)
{
    size_t kept = text_utf8_cut(text, ret_size - 1);
    memcpy(ret, text.p, kept);
    ret[kept] = '\0';
    return kept;
}

bool text_take_char(struct text *cursor, char c)
{
    if (cursor->len == 0 || cursor->p[0] != c)
        return false;
    advance(cursor, 1);
    return true;
}

bool text_take_str(struct text *cursor, const char *str)
{
    if (!text_starts(*cursor, str))
        return false;
    advance(cursor, strlen(str));
    return true;
}

bool text_take_until(struct text *cursor, char stop, struct text *ret)
{
    const char *at = cursor->len > 0 ? memchr(cursor->p, stop, cursor->len) : NULL;
    if (at == NULL)
        return false;
    *ret = text_of(cursor->p, (size_t)(at - cursor->p));
    advance(cursor, ret->len + 1);
    return true;
}

bool text_take_u64(struct text *cursor, uint64_t *ret)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; at < cursor->len && is_digit(cursor->p[at]); at++) {
        uint64_t digit = (uint64_t)(cursor->p[at] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == 0)
        return false;
    advance(cursor, at);
    *ret = value;
    return true;
}

bool text_parse_u64(struct text text, uint64_t *ret)
{
    uint64_t value;
    if (!text_take_u64(&text, &value) || text.len > 0)
        return false;
    *ret = value;
    return true;
}

/* ---------------------------------------------------------------------------------------------- codings */

static bool is_unreserved(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

bool text_percent_encode(struct buf *out, struct text text, bool keep_slash)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        size_t first = i;
        while (i < text.len && (is_unreserved(text.p[i]) || (keep_slash && text.p[i] == '/')))
            i++;
        buf_add(out, text.p + first, i - first);
        if (i < text.len) {
            unsigned byte = (unsigned char)text.p[i];
            buf_add(out, (char[]){'%', digits[byte >> 4], digits[byte & 15]}, 3);
        }
        if (!buf_ok(out))
            return false;
    }
    return buf_ok(out);
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_percent_decode(struct buf *out, struct text text)
{
    while (text.len > 0) {
        char c = text.p[0];
        size_t taken = 1;
        if (c == '%') {
            int high = text.len >= 3 ? hex_value(text.p[1]) : -1;
            int low = text.len >= 3 ? hex_value(text.p[2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(unsigned char)(high * 16 + low);
            taken = 3;
        }
        if (!buf_add_char(out, c))
            return false;
        advance(&text, taken);
    }
    return buf_ok(out);
}

/* `have` bytes, 1 to 3, as four characters. */
static void base64_quad(const unsigned char *p, size_t have, char *ret)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)p[0] << 16;
    group |= have > 1 ? (uint32_t)p[1] << 8 : 0;
    group |= have > 2 ? (uint32_t)p[2] : 0;
    ret[0] = alphabet[group >> 18];
    ret[1] = alphabet[group >> 12 & 63];
    ret[2] = have > 1 ? alphabet[group >> 6 & 63] : '=';
    ret[3] = have > 2 ? alphabet[group & 63] : '=';
}

bool text_base64_encode(struct buf *out, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i += 3) {
        char quad[4];
        base64_quad(p + i, len - i < 3 ? len - i : 3, quad);
        if (!buf_add(out, quad, sizeof(quad)))
            return false;
    }
    return buf_ok(out);
}

void text_base64(const void *data, size_t len, char *ret)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i += 3, ret += 4)
        base64_quad(p + i, len - i < 3 ? len - i : 3, ret);
    *ret = '\0';
}

void text_hex(const void *data, size_t len, char *ret)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++) {
        ret[2 * i] = digits[p[i] >> 4];
        ret[2 * i + 1] = digits[p[i] & 15];
    }
    ret[2 * len] = '\0';
}

/* Unicode, table 3-7. */
size_t text_utf8_sequence(struct text text)
{
    unsigned char first = (unsigned char)text.p[0];
    if (first < 0x80)
        return 1;
    size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.len < len)
        return 0;
    unsigned char second = (unsigned char)text.p[1];
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most)
        return 0;
    for (size_t i = 2; i < len; i++)
        if (((unsigned char)text.p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

bool text_is_utf8(struct text text)
{
    while (text.len > 0) {
        size_t len = text_utf8_sequence(text);
        if (len == 0)
            return false;
        advance(&text, len);
    }
    return true;
}

bool text_normalise_etag(const char *etag, char *ret, size_t ret_size)
{
    struct text text = text_from(etag);
    if (text_starts(text, "W/"))
        return false;
    if (text.len >= 2 && text.p[0] == '"' && text.p[text.len - 1] == '"')
        text = text_of(text.p + 1, text.len - 2);
    if (text.len == 0 || text.len + 3 > ret_size)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] <= ' ' || text.p[i] == '"' || text.p[i] == 0x7f)
            return false;
    ret[0] = '"';
    memmove(ret + 1, text.p, text.len);
    ret[text.len + 1] = '"';
    ret[text.len + 2] = '\0';
    return true;
}

char *text_join(const char *first, const char *second)
{
    size_t length = strlen(first);
    size_t second_size = strlen(second) + 1;
    char *whole = malloc(length + second_size);
    if (whole) {
        memcpy(whole, first, length);
        memcpy(whole + length, second, second_size);
    }
    return whole;
}
