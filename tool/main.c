/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oscommit command. Imports the library's public header and nothing else of it. From here: options.c reads the
 * command line, commands.c lists the commands, each cmd_*.c is one of them, verdict.c makes an outcome an exit status.
 */
#include "commands.h"
#include "help.h"
#include "output.h"

#include <signal.h>
#include <stdio.h>

static enum status finish_stdout(void)
{
    return fflush(stdout) == 0 ? STATUS_DONE : STATUS_NOT_EXECUTED;
}

static enum status run(int argc, char **argv)
{
    struct options options;
    struct usage usage = {0};

    if (!options_parse(argc, argv, commands, &options, &usage)) {
        if (options.command == NULL && options_on(&options, OPTION_HELP)) {
            help_overview(stdout, commands);
            return finish_stdout();
        }
        return output_usage(&options, &usage);
    }
    if (options_on(&options, OPTION_HELP)) {
        if (options.command == NULL) {
            help_overview(stdout, commands);
        } else {
            help_command(stdout, options.command);
        }
        return finish_stdout();
    }
    if (options_on(&options, OPTION_VERSION)) {
        return command_version.run(&options);
    }
    if (!options_take_environment(&options, &usage)) {
        return output_usage(&options, &usage);
    }
    return options.command->run(&options);
}

int main(int argc, char **argv)
{
    /* A reader that goes away is an error of write(), not the end of a process that still owes a verdict. */
    (void)signal(SIGPIPE, SIG_IGN);
    return (int)run(argc, argv);
}
