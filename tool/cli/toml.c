/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/toml.h"

#include <stdint.h>
#include <string.h>

/* A string in place; its NUL is set when what stands behind it has been read. */
struct piece {
    char *start;
    char *end;
};

struct reader {
    char *at;
    const char *end;
    size_t line;
    struct toml_fault *fault;
};

static bool toml_refuse(struct reader *reader, const char *sentence)
{
    *reader->fault = (struct toml_fault){reader->line, sentence};
    return false;
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        reader->at++;
}

static bool at_end(const struct reader *reader)
{
    return reader->at == reader->end;
}

/* Of a line, and not of the text. A carriage return alone ends none. */
static size_t line_end(const struct reader *reader)
{
    return reader->at[0] == '\n' ? 1 : reader->at[0] == '\r' && reader->at[1] == '\n' ? 2 : 0;
}

static bool is_control(char letter)
{
    return ((unsigned char)letter < 0x20 && letter != '\t') || letter == 0x7f;
}

/* A comment, the end of the line, or that of the text: nothing else may follow. */
static bool end_line(struct reader *reader)
{
    skip_blanks(reader);
    if (*reader->at == '#') {
        while (!at_end(reader) && line_end(reader) == 0) {
            if (is_control(*reader->at))
                return toml_refuse(reader, "a comment has a control character in it");
            reader->at++;
        }
    }
    if (at_end(reader))
        return true;
    if (line_end(reader) == 0)
        return toml_refuse(reader, "something follows that does not belong there; a value with blanks needs quotes");
    reader->at += line_end(reader);
    reader->line++;
    return true;
}

static int hex_digit(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* Behind "\u" and "\U". What it stands for is shorter than it. */
static bool read_code(struct reader *reader, int digits, char **out)
{
    uint32_t code = 0;

    for (int i = 0; i < digits; i++) {
        int digit = hex_digit(*reader->at);
        if (digit < 0)
            return toml_refuse(reader, "\\u needs four hexadecimal digits, and \\U eight");
        code = code << 4 | (uint32_t)digit;
        reader->at++;
    }
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return toml_refuse(reader, "\\u and \\U must stand for a character, and not for NUL");
    *out = put_utf8(*out, code);
    return true;
}

static bool read_escape(struct reader *reader, char **out)
{
    static const char letters[] = "btnfr\"\\";
    static const char meanings[] = "\b\t\n\f\r\"\\";
    char letter = *reader->at;
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);

    if (found != NULL) {
        *(*out)++ = meanings[found - letters];
        reader->at++;
        return true;
    }
    if (letter != 'u' && letter != 'U')
        return toml_refuse(reader, "a backslash begins none of \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX here");
    reader->at++;
    return read_code(reader, letter == 'u' ? 4 : 8, out);
}

/* "...", or '...', in which a backslash is one. */
static bool read_quoted(struct reader *reader, struct piece *ret)
{
    char quote = *reader->at++;
    char *out = reader->at;

    if (reader->at[0] == quote && reader->at[1] == quote)
        return toml_refuse(reader, "strings of several lines are not read here");
    ret->start = out;
    while (*reader->at != quote) {
        if (at_end(reader) || is_control(*reader->at))
            return toml_refuse(reader, "a string does not end on its line, or has a control character in it");
        if (*reader->at != '\\' || quote == '\'') {
            *out++ = *reader->at++;
            continue;
        }
        reader->at++;
        if (!read_escape(reader, &out))
            return false;
    }
    reader->at++;
    ret->end = out;
    return true;
}

static bool is_bare(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_' || letter == '-';
}

static bool read_name(struct reader *reader, struct piece *ret)
{
    if (*reader->at == '"' || *reader->at == '\'')
        return read_quoted(reader, ret);
    ret->start = reader->at;
    while (is_bare(*reader->at))
        reader->at++;
    ret->end = reader->at;
    if (ret->start == ret->end)
        return toml_refuse(reader, "a name is expected: letters, digits, - and _, or quotes");
    return true;
}

static char *end_piece(const struct piece *piece)
{
    *piece->end = '\0';
    return piece->start;
}

/* Behind the "[". */
static bool read_table(struct reader *reader, const struct toml_listener *listener)
{
    size_t line = reader->line;
    struct piece name;
    struct piece second = {NULL, NULL};

    if (*reader->at == '[')
        return toml_refuse(reader, "lists of tables ([[...]]) are not read here");
    skip_blanks(reader);
    if (!read_name(reader, &name))
        return false;
    skip_blanks(reader);
    if (*reader->at == '.') {
        reader->at++;
        skip_blanks(reader);
        if (!read_name(reader, &second))
            return false;
        skip_blanks(reader);
    }
    if (*reader->at != ']')
        return toml_refuse(reader, "the name of a table ends with ], and has two parts at most; a URL needs quotes");
    reader->at++;
    return end_line(reader) &&
           listener->table(listener->context, end_piece(&name), second.start == NULL ? NULL : end_piece(&second), line);
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* An underscore stands between two digits. */
static bool read_number(struct reader *reader, struct piece *ret)
{
    char *out = reader->at;

    ret->start = out;
    if (*reader->at == '-')
        *out++ = '-';
    if (*reader->at == '-' || *reader->at == '+')
        reader->at++;
    if (reader->at[0] == '0' && (is_digit(reader->at[1]) || reader->at[1] == '_'))
        return toml_refuse(reader, "a number must not begin with 0");
    while (is_digit(*reader->at)) {
        *out++ = *reader->at++;
        if (reader->at[0] == '_' && is_digit(reader->at[1]))
            reader->at++;
    }
    ret->end = out;
    return true;
}

static bool read_word(struct reader *reader, struct piece *ret)
{
    ret->start = reader->at;
    while (is_bare(*reader->at))
        reader->at++;
    ret->end = reader->at;
    size_t length = (size_t)(ret->end - ret->start);
    if ((length == 4 && memcmp(ret->start, "true", 4) == 0) || (length == 5 && memcmp(ret->start, "false", 5) == 0))
        return true;
    return toml_refuse(reader, "a value is a string in quotes, a whole number, true or false");
}

static bool read_value(struct reader *reader, enum toml_kind *ret_kind, struct piece *ret)
{
    bool has_sign = *reader->at == '-' || *reader->at == '+';

    if (*reader->at == '"' || *reader->at == '\'') {
        *ret_kind = TOML_STRING;
        return read_quoted(reader, ret);
    }
    if (is_digit(reader->at[has_sign ? 1 : 0])) {
        *ret_kind = TOML_NUMBER;
        return read_number(reader, ret);
    }
    *ret_kind = TOML_BOOLEAN;
    return read_word(reader, ret);
}

static bool read_setting(struct reader *reader, const struct toml_listener *listener)
{
    size_t line = reader->line;
    struct toml_value value;
    struct piece key;
    struct piece text;

    if (!read_name(reader, &key))
        return false;
    skip_blanks(reader);
    if (*reader->at == '.')
        return toml_refuse(reader, "keys with dots are not read here: use [tables]");
    if (*reader->at != '=')
        return toml_refuse(reader, "= and a value are expected behind the key");
    reader->at++;
    skip_blanks(reader);
    if (!read_value(reader, &value.kind, &text) || !end_line(reader))
        return false;
    value.text = end_piece(&text);
    return listener->setting(listener->context, end_piece(&key), &value, line);
}

bool toml_read(char *text, size_t length, const struct toml_listener *listener, struct toml_fault *ret)
{
    struct reader reader = {.at = text, .end = text + length, .line = 1, .fault = ret};
    bool good = true;

    *ret = (struct toml_fault){0, NULL};
    while (good && !at_end(&reader)) {
        skip_blanks(&reader);
        if (*reader.at == '[') {
            reader.at++;
            good = read_table(&reader, listener);
        } else if (*reader.at == '#' || at_end(&reader) || line_end(&reader) > 0) {
            good = end_line(&reader);
        } else {
            good = read_setting(&reader, listener);
        }
    }
    return good;
}
