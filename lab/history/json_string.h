/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_LAB_JSON_STRING_H
#define OSCOMMIT_LAB_JSON_STRING_H

#include <jansson.h>
#include <stdbool.h>

/* A text may quote what a service sent: one that is not UTF-8 loses its bytes that are not ASCII. NULL: no memory. */
json_t *json_string_of(const char *text);

/* "" where the field is not there. False: it is no text, or has a NUL. */
bool json_string_field(const json_t *object, const char *name, const char **ret);

#endif
