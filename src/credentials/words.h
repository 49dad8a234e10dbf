/* SPDX-License-Identifier: Apache-2.0 */
/* A command line as words, as a POSIX shell would have them, but that nothing is expanded. Pure. */
#ifndef OSCOMMIT_CREDENTIALS_WORDS_H
#define OSCOMMIT_CREDENTIALS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Cuts `line` up in place: '...' keeps all, "..." keeps all but \" and \\, a backslash keeps what follows. words[] gets
 * up to `max` of them, and a NULL behind. False: none, too many, or a quote that is not closed. */
bool words_split(char *line, char **words, size_t max);

#endif
