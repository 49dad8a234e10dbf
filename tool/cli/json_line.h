/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON object that becomes one line. A step that fails marks the line; printing tells. */
#ifndef OSCOMMIT_TOOL_JSON_LINE_H
#define OSCOMMIT_TOOL_JSON_LINE_H

#include "oscommit.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_line {
    json_t *object;
    bool failed;
};

void json_line_begin(struct json_line *line);
void json_line_text(struct json_line *line, const char *name, const char *text); /* left out when NULL or empty */
void json_line_number(struct json_line *line, const char *name,
                      uint64_t number); /* over 2^63-1: its digits as a string */
void json_line_signed(struct json_line *line, const char *name, int64_t number);
void json_line_real(struct json_line *line, const char *name, double number);
void json_line_flag(struct json_line *line, const char *name, bool flag);
void json_line_time(struct json_line *line, const char *name, int64_t epoch_s); /* "2026-11-21T18:00:00Z" */
void json_line_value(struct json_line *line, const char *name, json_t *value);  /* takes the reference */
void json_line_child(struct json_line *line, const char *name, struct json_line *child);
void json_line_error(struct json_line *line, const os_error *error); /* left out when it is OS_OK */

/* Prints and frees it. False: not enough memory. Whether `out` took it, `out` says. */
bool json_line_print(struct json_line *line, FILE *out);
void json_line_free(struct json_line *line);

#endif
