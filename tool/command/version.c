/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"
#include "command/commands.h"

const struct command command_version = {
    .name = "version",
    .operands = "",
    .summary = "print the versions of the tool and of its library",
    .description =
        "Prints both versions. With --verbose also what a report of a defect should say: the compiler, the kind of\n"
        "build, the libraries below (where one is not of the version of its header: both), where certificates, the\n"
        "config file and the module of Signature V2 are. oscommit --version --verbose is the same.\n",
    .examples = "oscommit version --verbose\n"
                "oscommit version --verbose --json\n",
    .run = version_print,
};
