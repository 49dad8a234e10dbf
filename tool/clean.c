/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

void clean_print(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;
        if (*p < 0x20 || *p == 0x7f || c1) {
            (void)fprintf(out, "\\x%02x", *p);
            if (c1) {
                p++;
                (void)fprintf(out, "\\x%02x", *p);
            }
        } else {
            (void)fputc(*p, out);
        }
    }
}

void clean_print_quoted(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'') {
            (void)fputs("'\\''", out);
        } else {
            (void)fputc(*p, out);
        }
    }
    (void)fputc('\'', out);
}

void clean_time(int64_t epoch_s, char ret[CLEAN_TIME_SIZE])
{
    time_t seconds = (time_t)epoch_s;
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL || strftime(ret, CLEAN_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        (void)snprintf(ret, CLEAN_TIME_SIZE, "%" PRId64, epoch_s);
    }
}
