/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"

#include "oscommit.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UNIT_MAX = 4 /* bytes of a character */, PIECE_SIZE = 256 };

size_t clean_unit(const char *text, bool *ret_safe)
{
    size_t len = strnlen(text, UNIT_MAX);

    for (size_t size = 1; size <= len; size++) {
        char shown[16];
        (void)os_escape_text(text, size, shown, sizeof(shown));
        if (strlen(shown) == size && memcmp(shown, text, size) == 0) {
            *ret_safe = true;
            return size;
        }
    }
    *ret_safe = false;
    for (size_t size = 1; size <= len; size++) {
        char shown[16];
        (void)os_escape_text(text, size, shown, sizeof(shown));
        if (shown[1] != 'x') /* a whole character, "\u202e" */
            return size;
    }
    return 1;
}

void clean_print(FILE *out, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        char piece[PIECE_SIZE];
        size_t taken = os_escape_text(text, len, piece, sizeof(piece));
        (void)fputs(piece, out);
        text += taken;
        len -= taken;
    }
}

void clean_print_exact(FILE *out, const char *text)
{
    if (isatty(fileno(out)) == 1)
        clean_print(out, text);
    else
        (void)fputs(text, out);
}

static bool is_safe(const char *text)
{
    bool safe = true;

    while (safe && *text != '\0')
        text += clean_unit(text, &safe);
    return safe;
}

/* $'...', which POSIX has since 2024 and bash, zsh and ksh for long: octal escapes end by themselves. */
static void print_escaped(FILE *out, const char *text)
{
    (void)fputs("$'", out);
    while (*text != '\0') {
        bool safe;
        size_t len = clean_unit(text, &safe);
        if (*text == '\'' || *text == '\\')
            (void)fputc('\\', out);
        for (size_t i = 0; i < len; i++)
            (void)fprintf(out, safe ? "%c" : "\\%03o", (unsigned char)text[i]);
        text += len;
    }
    (void)fputc('\'', out);
}

void clean_print_quoted(FILE *out, const char *text)
{
    if (!is_safe(text)) {
        print_escaped(out, text);
        return;
    }
    (void)fputc('\'', out);
    for (const char *p = text; *p != '\0'; p++)
        if (*p == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*p, out);
    (void)fputc('\'', out);
}

void clean_time(int64_t epoch_s, char ret[CLEAN_TIME_SIZE])
{
    time_t seconds = (time_t)epoch_s;
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL || strftime(ret, CLEAN_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        (void)snprintf(ret, CLEAN_TIME_SIZE, "%" PRId64, epoch_s);
}

void clean_local_time(int64_t epoch_s, char ret[CLEAN_TIME_SIZE])
{
    static const int64_t year_10000 = 253402300800;
    time_t seconds = (time_t)epoch_s;
    struct tm parts;

    if (epoch_s == 0)
        (void)snprintf(ret, CLEAN_TIME_SIZE, "-");
    else if (epoch_s >= year_10000 || localtime_r(&seconds, &parts) == NULL ||
             strftime(ret, CLEAN_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        (void)snprintf(ret, CLEAN_TIME_SIZE, "never");
}
