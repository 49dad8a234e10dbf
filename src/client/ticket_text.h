/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and numbers in the JSON of a ticket. */
#ifndef OSCOMMIT_CLIENT_TICKET_TEXT_H
#define OSCOMMIT_CLIENT_TICKET_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TICKET_MAX = 32 * 1024 };

/* JSON is Unicode, and what a store sends in an ETag or a nonce, or a path on disk, need not be: all but printable
 * ASCII is percent-encoded, and so is '%'. malloc'ed, or NULL when out of memory. */
char *ticket_encode(const char *value);

/* Zero, or not when out of memory. */
int ticket_set_text(json_t *object, const char *name, const char *value);
int ticket_set_u64(json_t *object, const char *name, uint64_t value);

/* Nothing but printable ASCII, as ticket_encode gives it. */
bool ticket_is_plain(const char *text);

/* False: it is not there, of another type, too long, or has a NUL in it. */
bool ticket_get_text(const json_t *object, const char *name, char *ret, size_t ret_size);
bool ticket_get_u64(const json_t *object, const char *name, uint64_t *ret);

#endif
