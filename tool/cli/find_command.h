/* SPDX-License-Identifier: Apache-2.0 */
/* Commands by their names, of one word ("put") or two ("table create"). */
#ifndef OSCOMMIT_TOOL_FIND_COMMAND_H
#define OSCOMMIT_TOOL_FIND_COMMAND_H

#include "cli/options.h"

/* The words of a command line. `lock ls` is a command of two words; `lock ls -- PROGRAM` is `lock` with an operand. */
struct command_line {
    const char *const *words;
    size_t count;
    bool has_program; /* a program stands behind "--" */
};

/* The command that the first one or two words name. NULL: *usage says what is wrong, and what was meant perhaps. */
const struct command *find_command(const struct command *const *commands, const struct command_line *line,
                                   struct usage *usage);

/* The first word of commands of two, and of none of one: "table"? */
bool is_command_group(const struct command *const *commands, const char *word);

size_t command_words(const struct command *command); /* of its name */

#endif
