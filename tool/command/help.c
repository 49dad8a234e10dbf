/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"
#include "cli/find_command.h"
#include "cli/output.h"
#include "command/commands.h"

#include <stdio.h>

static enum status help_run(const struct options *options)
{
    bool all = options_on(options, OPTION_ALL);
    const struct command_line line = {options->operand, options->operand_count, false};
    struct usage usage = {0};
    const struct command *command;

    if (options->operand_count == 0) {
        help_overview(stdout, options->commands, all);
        return STATUS_DONE;
    }
    if (options->operand_count == 1 && is_command_group(options->commands, options->operand[0])) {
        help_group(stdout, options->commands, options->operand[0]);
        return STATUS_DONE;
    }
    command = find_command(options->commands, &line, &usage);
    if (command != NULL && command_words(command) < options->operand_count) {
        (void)usage_refuse(&usage, "help takes one command; \"%.64s\" is one too many.", options->operand[1]);
        command = NULL;
    }
    if (command == NULL)
        return output_usage(options, &usage);
    help_command(stdout, command, all);
    return STATUS_DONE;
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command and its flags",
    .description = "Explains COMMAND; without it, lists the commands. With --all it names every setting.\n",
    .examples = "oscommit help put\n"
                "oscommit help table create --all\n",
    .max_operands = 2,
    .run = help_run,
};
