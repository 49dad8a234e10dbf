/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_line.h"

#include "cli/clean.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void json_line_begin(struct json_line *line)
{
    line->object = json_object();
    line->failed = line->object == NULL;
}

void json_line_value(struct json_line *line, const char *name, json_t *value)
{
    if (json_object_set_new(line->object, name, value) != 0) /* takes NULL for both, and says so */
        line->failed = true;
}

/* JSON has no bytes that are not UTF-8; a name from the command line or a service's code may have them: "\xff". */
static json_t *lossy_string(const char *text)
{
    char *copy = malloc(4 * strlen(text) + 1);
    char *end = copy;
    json_t *value;

    if (copy == NULL)
        return NULL;
    while (*text != '\0') {
        bool safe;
        size_t len = clean_unit(text, &safe);
        bool broken = len == 1 && (unsigned char)*text >= 0x80;
        end += broken ? sprintf(end, "\\x%02x", (unsigned char)*text) : sprintf(end, "%.*s", (int)len, text);
        text += len;
    }
    value = json_string(copy);
    free(copy);
    return value;
}

void json_line_text(struct json_line *line, const char *name, const char *text)
{
    json_t *value;

    if (text == NULL || text[0] == '\0')
        return;
    value = json_string(text);
    json_line_value(line, name, value != NULL ? value : lossy_string(text));
}

void json_line_number(struct json_line *line, const char *name, uint64_t number)
{
    char digits[24];

    if (number <= INT64_MAX) {
        json_line_value(line, name, json_integer((json_int_t)number));
        return;
    }
    (void)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    json_line_text(line, name, digits);
}

void json_line_signed(struct json_line *line, const char *name, int64_t number)
{
    json_line_value(line, name, json_integer((json_int_t)number));
}

void json_line_real(struct json_line *line, const char *name, double number)
{
    json_line_value(line, name, json_real(number));
}

void json_line_flag(struct json_line *line, const char *name, bool flag)
{
    json_line_value(line, name, json_boolean(flag));
}

void json_line_time(struct json_line *line, const char *name, int64_t epoch_s)
{
    char text[CLEAN_TIME_SIZE];

    clean_time(epoch_s, text);
    json_line_text(line, name, text);
}

void json_line_child(struct json_line *line, const char *name, struct json_line *child)
{
    line->failed = line->failed || child->failed;
    json_line_value(line, name, child->object);
    child->object = NULL;
}

void json_line_error(struct json_line *line, const os_error *error)
{
    struct json_line child;

    if (error->code == OS_OK)
        return;
    json_line_begin(&child);
    json_line_text(&child, "code", os_code_name(error->code));
    json_line_text(&child, "text", os_code_text(error->code));
    json_line_text(&child, "message", error->message);
    json_line_text(&child, "service_code", error->service_code);
    if (error->http_status != 0)
        json_line_signed(&child, "http_status", error->http_status);
    json_line_text(&child, "request_id", error->request_id);
    json_line_child(line, "error", &child);
}

/* "\u202e", and beyond that the two halves of a pair (RFC 8259, section 7). */
static void print_escaped(FILE *out, const char *character, size_t len)
{
    char shown[16];
    unsigned long number;

    (void)os_escape_text(character, len, shown, sizeof(shown));
    number = strtoul(shown + 2, NULL, 16);
    if (number > 0xffff) {
        number -= 0x10000;
        (void)fprintf(out, "\\u%04lx", 0xd800 + (number >> 10));
        number = 0xdc00 + (number & 0x3ff);
    }
    (void)fprintf(out, "\\u%04lx", number);
}

/* Somebody may look at it on a terminal. Outside of its strings JSON is ASCII; in them an escape says the same. */
static void print_text(FILE *out, const char *text)
{
    while (*text != '\0') {
        bool safe;
        size_t len = clean_unit(text, &safe);
        if (safe)
            (void)fwrite(text, 1, len, out);
        else
            print_escaped(out, text, len);
        text += len;
    }
}

bool json_line_print(struct json_line *line, FILE *out)
{
    char *text = line->failed ? NULL : json_dumps(line->object, JSON_COMPACT | JSON_REAL_PRECISION(6));
    bool good = text != NULL;

    json_line_free(line);
    if (good) {
        print_text(out, text);
        (void)fputc('\n', out);
    }
    free(text);
    return good;
}

void json_line_free(struct json_line *line)
{
    json_decref(line->object);
    line->object = NULL;
}
