/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of foreign text (keys, ETags, what services say) a person may be shown as it is. Every message and log line goes
 * through here, and so does what the tool prints. It takes and gives bytes; locales do not count.
 */
#include "base/text.h"
#include "oscommit.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_SIZE = 12 /* "\\U0010ffff" with its NUL, and more */ };

/*
 * Characters that move the cursor or say something to a terminal (C0, DEL, C1), that turn the direction of writing
 * (Unicode's Bidi_Control: "Trojan Source", CVE-2021-42574), that end a line, or that nobody sees, so that two names
 * look the same (Default_Ignorable_Code_Point, but for the variation selectors that emoji have). Sorted.
 */
static const struct {
    uint32_t first;
    uint32_t last;
} escaped[] = {
    {0x0000, 0x001f},   /* C0 */
    {0x007f, 0x009f},   /* DEL and C1 */
    {0x00ad, 0x00ad},   /* soft hyphen */
    {0x034f, 0x034f},   /* combining grapheme joiner */
    {0x061c, 0x061c},   /* Arabic letter mark */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x17b4, 0x17b5},   /* Khmer inherent vowels */
    {0x180b, 0x180f},   /* Mongolian selectors and vowel separator */
    {0x200b, 0x200f},   /* zero width, left-to-right and right-to-left marks */
    {0x2028, 0x202e},   /* line and paragraph separators, embeddings and overrides */
    {0x2060, 0x206f},   /* word joiner, invisible operators, isolates */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xffa0, 0xffa0},   /* halfwidth Hangul filler */
    {0xfff0, 0xfffb},   /* unassigned ignorables, interlinear annotations */
    {0xfffe, 0xffff},   /* no characters */
    {0x1bca0, 0x1bca3}, /* shorthand format controls */
    {0x1d173, 0x1d17a}, /* musical format controls */
    {0xe0000, 0xe0fff}, /* tags, variation selectors supplement */
};

static bool is_escaped(uint32_t character)
{
    for (size_t i = 0; i < sizeof(escaped) / sizeof(escaped[0]); i++)
        if (character >= escaped[i].first && character <= escaped[i].last)
            return true;
    return false;
}

/* Of a well-formed sequence. */
static uint32_t escape_decode(const unsigned char *p, size_t len)
{
    static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t character = p[0] & lead_bits[len];
    for (size_t i = 1; i < len; i++)
        character = character << 6 | (p[i] & 0x3fU);
    return character;
}

/* One character, or one byte that is none, as it is shown. Gives how many bytes of `text` that is. */
static size_t show_one(struct text text, char piece[PIECE_SIZE])
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t len = text_utf8_sequence(text);
    uint32_t character = len > 0 ? escape_decode(p, len) : 0;
    if (len == 0 || (len == 1 && is_escaped(character))) {
        snprintf(piece, PIECE_SIZE, "\\x%02x", (unsigned)p[0]);
        return 1;
    }
    if (!is_escaped(character)) {
        memcpy(piece, p, len);
        piece[len] = '\0';
    } else {
        snprintf(piece, PIECE_SIZE, character > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)character);
    }
    return len;
}

/* How many of the first `max` bytes are printable ASCII, which nearly all are. */
static size_t plain_run(struct text text, size_t max)
{
    size_t len = 0;
    while (len < text.len && len < max && text.p[len] >= ' ' && text.p[len] < 0x7f)
        len++;
    return len;
}

size_t os_escape_text(const char *text, size_t length, char *ret, size_t ret_size)
{
    struct text rest = text_of(text, length);
    size_t used = 0;
    if (ret_size == 0)
        return 0;
    while (rest.len > 0) {
        size_t plain = plain_run(rest, ret_size - used - 1);
        memcpy(ret + used, rest.p, plain);
        used += plain;
        rest = text_of(rest.p + plain, rest.len - plain);
        if (rest.len == 0)
            break;
        char piece[PIECE_SIZE];
        size_t taken = show_one(rest, piece);
        size_t piece_len = strlen(piece);
        if (piece_len >= ret_size - used)
            break;
        memcpy(ret + used, piece, piece_len);
        used += piece_len;
        rest = text_of(rest.p + taken, rest.len - taken);
    }
    ret[used] = '\0';
    return length - rest.len;
}
