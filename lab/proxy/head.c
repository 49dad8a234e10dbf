/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy/head.h"

#include <string.h>
#include <strings.h>

bool head_is(struct head_text text, const char *name)
{
    return strlen(name) == text.len && strncasecmp(text.p, name, text.len) == 0;
}

bool head_take_line(struct head_text *rest, struct head_text *ret)
{
    const char *end = rest->len > 0 ? memchr(rest->p, '\n', rest->len) : NULL;
    if (end == NULL || end == rest->p || end[-1] != '\r')
        return false;
    size_t whole = (size_t)(end - rest->p) + 1;
    *ret = (struct head_text){rest->p, whole - 2};
    *rest = (struct head_text){rest->p + whole, rest->len - whole};
    return true;
}

/* Characters that can be seen, and not none. */
static bool is_word(struct head_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c <= ' ' || c >= 0x7f)
            return false;
    }
    return text.len > 0;
}

/* RFC 9110, section 5.5: a tab is the one control character that a value may have inside. */
static bool is_value(struct head_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

bool head_read_request_line(struct head_text line, struct head_text *ret_method, struct head_text *ret_target)
{
    static const char version[] = " HTTP/1.1";
    const size_t tail = sizeof(version) - 1;
    const char *blank = line.len > tail ? memchr(line.p, ' ', line.len - tail) : NULL;
    if (blank == NULL || memcmp(line.p + line.len - tail, version, tail) != 0)
        return false;
    *ret_method = (struct head_text){line.p, (size_t)(blank - line.p)};
    *ret_target = (struct head_text){blank + 1, line.len - tail - ret_method->len - 1};
    return is_word(*ret_method) && is_word(*ret_target);
}

/* Digits only, not more than a message may have. */
static bool read_number(struct head_text text, uint64_t *ret)
{
    uint64_t value = 0;
    if (text.len == 0 || text.len > 15)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.p[i] - '0');
    }
    *ret = value;
    return true;
}

bool head_read_status_line(struct head_text line, int *ret_status, struct head_framing *framing)
{
    uint64_t status;
    if (line.len < 12 || strncmp(line.p, "HTTP/1.", 7) != 0 || line.p[8] != ' ' ||
        !read_number((struct head_text){line.p + 9, 3}, &status) || status < 100)
        return false;
    framing->closes = line.p[7] == '0';
    *ret_status = (int)status;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool head_read_field(struct head_text line, struct head_field *ret)
{
    const char *colon = line.len > 0 ? memchr(line.p, ':', line.len) : NULL;
    if (colon == NULL)
        return false;
    const char *value = colon + 1;
    const char *end = line.p + line.len;
    while (value < end && is_blank(*value))
        value++;
    while (end > value && is_blank(end[-1]))
        end--;
    ret->name = (struct head_text){line.p, (size_t)(colon - line.p)};
    ret->value = (struct head_text){value, (size_t)(end - value)};
    return is_word(ret->name) && is_value(ret->value);
}

static bool note_length(struct head_text value, struct head_framing *framing)
{
    uint64_t length;
    if (!read_number(value, &length) || (framing->has_length && framing->length != length))
        return false;
    framing->length = length;
    framing->has_length = true;
    return true;
}

bool head_note_framing(const struct head_field *field, struct head_framing *framing)
{
    if (head_is(field->name, "content-length"))
        return note_length(field->value, framing);
    if (head_is(field->name, "transfer-encoding")) {
        framing->chunked = head_is(field->value, "chunked");
        return framing->chunked;
    }
    if (head_is(field->name, "connection"))
        framing->closes = framing->closes || head_is(field->value, "close");
    else if (head_is(field->name, "expect"))
        framing->expects_continue = true;
    return true;
}

bool head_is_framed(const struct head_framing *framing)
{
    return !(framing->chunked && framing->has_length);
}
