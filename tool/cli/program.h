/* SPDX-License-Identifier: Apache-2.0 */
/* How both programs begin. */
#ifndef OSCOMMIT_TOOL_PROGRAM_H
#define OSCOMMIT_TOOL_PROGRAM_H

#include "cli/options.h"

/* Reads the command line, and answers --help and --version. False: it is done with, or was refused, which was said. */
bool program_read(int argc, char **argv, const struct command *const *commands, struct options *ret,
                  enum status *ret_status);

/* Fills the settings that were left open, from variables and the config file, and warns of variables that are none. False: refused, which was said. */
bool program_read_environment(struct options *options, enum status *ret_status);

#endif
