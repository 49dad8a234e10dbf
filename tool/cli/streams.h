/* SPDX-License-Identifier: Apache-2.0 */
/* The standard streams: there before anything else is opened, and closed last, so that a result that did not get out is
 * an exit status. */
#ifndef OSCOMMIT_TOOL_STREAMS_H
#define OSCOMMIT_TOOL_STREAMS_H

#include "cli/status.h"

#include <stdbool.h>

/* Puts something where stdin, stdout or stderr is closed, so that no other file gets their numbers. It can be neither
 * read nor written: a missing stdin is no empty object, and a result that nobody can get is not printed. */
bool streams_open(void);

/* False: stdout has not taken everything so far. Ask right behind the printing: errno then says why. */
bool streams_good(void);
bool streams_flush(void); /* the same, of what is still in the buffer, too */

/* A result could not even be made; it was said why. */
void streams_lose_result(void);

/* Closes stdout. Where it did not take everything, says so (but not of a reader such as head(1) that has seen enough)
 * and gives STATUS_OUTPUT in place of STATUS_DONE; a verdict that says more stays what it is. */
enum status streams_close(enum status status);

#endif
