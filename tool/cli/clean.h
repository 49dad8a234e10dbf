/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a person's terminal: names and service messages come from elsewhere and may have escape sequences in them.
 * What is shown as it is, os_escape_text says alone. */
#ifndef OSCOMMIT_TOOL_CLEAN_H
#define OSCOMMIT_TOOL_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints `text` as os_escape_text shows it. */
void clean_print(FILE *out, const char *text);

/* A name in a listing: as clean_print to a terminal, byte for byte to a file or a pipe, as ls(1) does. */
void clean_print_exact(FILE *out, const char *text);

/* How many bytes the next character has (1: also a byte that is none), and whether it may be shown as it is. */
size_t clean_unit(const char *text, bool *ret_safe);

/* Prints `text` quoted, safe for a terminal, as a shell reads it back. */
void clean_print_quoted(FILE *out, const char *text);

enum { CLEAN_TIME_SIZE = 32 };
void clean_time(int64_t epoch_s,
                char ret[CLEAN_TIME_SIZE]); /* "2026-11-21T18:00:00Z"; the number where no calendar has it */
/* "2026-11-21 19:00:00", in local time; "-" for 0, "never" beyond the year 9999. */
void clean_local_time(int64_t epoch_s, char ret[CLEAN_TIME_SIZE]);

#endif
