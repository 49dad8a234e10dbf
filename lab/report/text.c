/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define NO_CHARACTER UINT32_MAX

/* The length of the sequence that `lead` begins (0: none), and the smallest code point that needs so many bytes. */
static size_t sequence_length(unsigned char lead, uint32_t *ret_bits, uint32_t *ret_least)
{
    if (lead < 0x80) {
        *ret_bits = lead;
        *ret_least = 0;
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        *ret_bits = lead & 0x1FU;
        *ret_least = 0x80;
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        *ret_bits = lead & 0x0FU;
        *ret_least = 0x800;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *ret_bits = lead & 0x07U;
        *ret_least = 0x10000;
        return 4;
    }
    return 0;
}

/* Takes one character off `text` (not empty) and returns its bytes; one byte, with NO_CHARACTER, where there is none.
 */
static size_t next_character(const unsigned char *text, uint32_t *ret_code)
{
    uint32_t code = 0;
    uint32_t least = 0;
    size_t length = sequence_length(text[0], &code, &least);

    *ret_code = NO_CHARACTER;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0U) != 0x80U) /* the terminating zero is none either */
            return 1;
        code = code << 6 | (text[i] & 0x3FU);
    }
    if (length == 0 || code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 1;
    *ret_code = code;
    return length;
}

/* Neither seen nor harmless: controls, zero-width and direction marks, line separators, the byte order mark. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t hidden[][2] = {
        {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF},
    };

    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (code >= hidden[i][0] && code <= hidden[i][1])
            return true;
    return false;
}

/* Writes an ASCII character as the page wants it; false: it may stand as it is. */
typedef bool special_fn(FILE *out, uint32_t code);

static bool html_special(FILE *out, uint32_t code)
{
    switch (code) {
    case '&': (void)fputs("&amp;", out); return true;
    case '<': (void)fputs("&lt;", out); return true;
    case '>': (void)fputs("&gt;", out); return true;
    case '"': (void)fputs("&quot;", out); return true;
    case '\'': (void)fputs("&#39;", out); return true;
    default: return false;
    }
}

/* Inside a script element "</script" and "<!--" end or change what is read: no `<` and `>` stands there as it is. */
static bool json_special(FILE *out, uint32_t code)
{
    switch (code) {
    case '"':
    case '\\':
    case '<':
    case '>':
    case '&':
    case '\'': (void)fprintf(out, "\\u%04" PRIX32, code); return true;
    default: return false;
    }
}

static void put_text(FILE *out, const char *text, size_t max, const char *backslash, special_fn *special)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = max;

    while (*at != '\0') {
        uint32_t code;
        size_t length = next_character(at, &code);

        if (length > left) {
            (void)fputs("\xE2\x80\xA6", out); /* … */
            return;
        }
        if (code == NO_CHARACTER || (code < 0x100 && is_hidden(code)))
            (void)fprintf(out, "%sx%02X", backslash, code == NO_CHARACTER ? *at : (unsigned)code);
        else if (is_hidden(code))
            (void)fprintf(out, "%su{%04" PRIX32 "}", backslash, code);
        else if (!special(out, code))
            (void)fwrite(at, 1, length, out);
        at += length;
        left -= length;
    }
}

void report_html(FILE *out, const char *text, size_t max)
{
    put_text(out, text, max, "\\", html_special);
}

void report_json(FILE *out, const char *text, size_t max)
{
    (void)fputc('"', out);
    put_text(out, text, max, "\\\\", json_special);
    (void)fputc('"', out);
}

const char *report_count(uint64_t number, char ret[REPORT_TEXT_SIZE])
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    size_t out = 0;

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            ret[out++] = ',';
        ret[out++] = digits[i];
    }
    ret[out] = '\0';
    return ret;
}

/* `value` thousandths of `unit`, rounded to three digits that count. */
static void three_digits(uint64_t value, const char *unit, char ret[REPORT_TEXT_SIZE])
{
    int decimals = value < 9995 ? 2 : value < 99950 ? 1 : 0;

    (void)snprintf(ret, REPORT_TEXT_SIZE, "%.*f %s", decimals, (double)value / 1000.0, unit);
}

const char *report_duration(uint64_t us, char ret[REPORT_TEXT_SIZE])
{
    uint64_t seconds = us / 1000000 + (us % 1000000 >= 500000 ? 1 : 0);

    if (us < 1000)
        (void)snprintf(ret, REPORT_TEXT_SIZE, "%" PRIu64 " \xC2\xB5s", us);
    else if (us < 999500)
        three_digits(us, "ms", ret);
    else if (us < 59950000)
        three_digits(us / 1000, "s", ret);
    else if (seconds < 3600)
        (void)snprintf(ret, REPORT_TEXT_SIZE, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    else
        (void)snprintf(ret, REPORT_TEXT_SIZE, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
    return ret;
}
