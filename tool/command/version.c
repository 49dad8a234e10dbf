/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"
#include "command/commands.h"

const struct command command_version = {
    .name = "version",
    .operands = "",
    .summary = "print the versions of the tool and of its library",
    .description = "Prints both versions.\n",
    .examples = "oscommit version --json\n",
    .run = version_print,
};
