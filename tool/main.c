/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oscommit command. Imports the library's public header and nothing else of it. From here: options.c reads the
 * command line, commands.c lists the commands, each cmd_*.c is one of them, verdict.c makes an outcome an exit status.
 */
#include "commands.h"
#include "help.h"
#include "output.h"
#include "streams.h"
#include "variables.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void print_help(const struct options *options)
{
    bool all = options_on(options, OPTION_ALL);

    if (options->group != NULL) {
        help_group(stdout, commands, options->group);
    } else if (options->command != NULL) {
        help_command(stdout, options->command, all);
    } else {
        help_overview(stdout, commands, all);
    }
}

static enum status run(int argc, char **argv)
{
    struct options options;
    struct usage usage = {0};

    if (!options_parse(argc, argv, commands, &options, &usage)) {
        return output_usage(&options, &usage);
    }
    if (options_on(&options, OPTION_HELP)) {
        print_help(&options);
        return STATUS_DONE;
    }
    if (options_on(&options, OPTION_VERSION)) {
        return command_version.run(&options);
    }
    if (!options_take_environment(&options, &usage)) {
        return output_usage(&options, &usage);
    }
    if (!options_on(&options, OPTION_QUIET)) {
        variables_warn(environ, stderr);
    }
    return options.command->run(&options);
}

int main(int argc, char **argv)
{
    /* A reader that goes away is an error of write(), not the end of a process that still owes a verdict. */
    (void)signal(SIGPIPE, SIG_IGN);
    return streams_open() ? (int)streams_close(run(argc, argv)) : (int)STATUS_NOT_EXECUTED;
}
