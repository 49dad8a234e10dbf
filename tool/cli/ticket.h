/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets of unknown outcomes on disk. A ticket that was saved is never overwritten: it may be the only way to settle a
 * write. */
#ifndef OSCOMMIT_TOOL_TICKET_H
#define OSCOMMIT_TOOL_TICKET_H

#include "cli/usage.h"

#include <stdbool.h>
#include <stddef.h>

enum { TICKET_MAX = 64 * 1024 };

/* Before the write: could a ticket be saved there? Refuses a file that exists, and a folder that cannot be written. */
bool ticket_check(const char *file, struct usage *usage);

/* Makes the file (mode 0600), with the ticket and a line end, synced. False: errno says why. */
bool ticket_save(const char *file, const char *ticket);

/* Reads one from a file or, for "-", from stdin, without its line end; freed with free(). NULL, with a sentence. */
char *ticket_load(const char *file, struct usage *usage);

#endif
