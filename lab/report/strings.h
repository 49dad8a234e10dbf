/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the strings of a history in the order in which they are first asked for. Equal strings are one pointer there,
 * so addresses are compared. Number 0 is the empty string, at whatever address. */
#ifndef OSCOMMIT_LAB_REPORT_STRINGS_H
#define OSCOMMIT_LAB_REPORT_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct report_strings;

struct report_strings *report_strings_new(size_t most); /* as many strings as will ever be asked for; NULL: no memory */
void report_strings_free(struct report_strings *strings);
uint32_t report_strings_number(struct report_strings *strings, const char *text); /* NULL is the empty string */
size_t report_strings_count(const struct report_strings *strings);
const char *report_strings_at(const struct report_strings *strings, size_t number);

#endif
