/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts, made from the tables of commands and flags so that they cannot lag behind. */
#ifndef OSCOMMIT_TOOL_HELP_H
#define OSCOMMIT_TOOL_HELP_H

#include "cli/options.h"

#include <stdio.h>

/* `all`: with every setting, instead of those that are needed often. */
void help_overview(FILE *out, const struct command *const *commands, bool all);
void help_group(FILE *out, const struct command *const *commands, const char *group); /* "table" */
void help_command(FILE *out, const struct command *command, bool all);

#endif
