/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the environment that were meant to be settings: a misspelt OSCOMMIT_RECORD_PREFIX would leave a fleet
 * with two ways to name its records, and nobody would be told. */
#ifndef OSCOMMIT_TOOL_VARIABLES_H
#define OSCOMMIT_TOOL_VARIABLES_H

#include <stdio.h>

/* A warning for each variable of `environment` whose name is nearly that of a setting. */
void variables_warn(char *const *environment, FILE *out);

#endif
