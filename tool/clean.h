/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a person's terminal: names and service messages come from elsewhere and may have escape sequences in them.
 */
#ifndef OSCOMMIT_TOOL_CLEAN_H
#define OSCOMMIT_TOOL_CLEAN_H

#include <stdint.h>
#include <stdio.h>

/* Prints `text` with control characters (C0, DEL, and C1 in UTF-8) as \xNN. */
void clean_print(FILE *out, const char *text);

/* Prints `text` in single quotes as a POSIX shell reads it back. */
void clean_print_quoted(FILE *out, const char *text);

enum { CLEAN_TIME_SIZE = 32 };
void clean_time(int64_t epoch_s,
                char ret[CLEAN_TIME_SIZE]); /* "2026-11-21T18:00:00Z"; the number where no calendar has it */

#endif
