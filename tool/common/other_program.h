/* SPDX-License-Identifier: Apache-2.0 */
/* A command that another program of the package does. */
#ifndef OSCOMMIT_TOOL_OTHER_PROGRAM_H
#define OSCOMMIT_TOOL_OTHER_PROGRAM_H

#include "cli/options.h"

/* Becomes that program, with the same arguments: the one beside this program, or the installed one where /proc does
 * not say where that is.
 * Returns only where there is none, which was said. */
enum status other_program_run(const struct options *options, char **argv);

#endif
