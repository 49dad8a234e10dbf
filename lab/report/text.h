/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anybody's text in a page: as HTML and as a string of JSON inside a script element. Keys and messages come from
 * elsewhere and may be made to break out of the page, or be no UTF-8 at all. What a reader could not see or would be
 * misled by (control characters, marks that turn the direction of writing, bytes that are no UTF-8) is shown as \xNN or
 * \u{NNNN}. Also numbers and times for people. Pure but for the FILE.
 */
#ifndef OSCOMMIT_LAB_REPORT_TEXT_H
#define OSCOMMIT_LAB_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* At most `max` bytes of `text`, then "…". */
void report_html(FILE *out, const char *text, size_t max);
void report_json(FILE *out, const char *text, size_t max); /* with its quotes */

enum { REPORT_TEXT_SIZE = 40 };

/* "1,234,567" */
const char *report_count(uint64_t number, char ret[REPORT_TEXT_SIZE]);

/* "0 µs", "870 µs", "12.3 ms", "1.23 s", "2 min 05 s", "3 h 07 min": three digits that count. */
const char *report_duration(uint64_t us, char ret[REPORT_TEXT_SIZE]);

#endif
