/* SPDX-License-Identifier: Apache-2.0 */
/* Commands by their names, of one word ("put") or two ("table create"). */
#ifndef OSCOMMIT_TOOL_FIND_COMMAND_H
#define OSCOMMIT_TOOL_FIND_COMMAND_H

#include "cli/options.h"

/* The command that the first one or two of `words` name. NULL: *usage says what is wrong, and what was meant perhaps.
 */
const struct command *find_command(const struct command *const *commands, const char *const *words, size_t count,
                                   struct usage *usage);

/* The first word of a command of two, "table"? */
bool is_command_group(const struct command *const *commands, const char *word);

size_t command_words(const struct command *command); /* of its name */

#endif
