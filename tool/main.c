/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oscommit command. Imports the library's public header and nothing else of it. From here: cli/options.c reads the
 * command line, command/commands.c lists the commands, each other file there is one of them, cli/verdict.c makes an
 * outcome an exit status. `race` and `check` are another program's, oscommit-race.
 */
#include "cli/metrics.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/streams.h"
#include "cli/trace.h"
#include "command/commands.h"
#include "common/other_program.h"

#include <signal.h>

static enum status tool_main(int argc, char **argv)
{
    struct options options;
    struct usage usage = {0};
    enum status status;

    if (!program_read(argc, argv, commands, &options, &status))
        return status;
    if (options.command->program != NULL)
        return other_program_run(&options, argv);
    if (!program_read_environment(&options, &status))
        return status;
    if (!metrics_begin(&options, &usage))
        return output_usage(&options, &usage);
    return options.command->run(&options);
}

int main(int argc, char **argv)
{
    /* A reader that goes away is an error of write(), not the end of a process that still owes a verdict. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (!streams_open())
        return (int)STATUS_NOT_EXECUTED;
    trace_begin();
    int status = (int)streams_close(tool_main(argc, argv));
    metrics_finish(status);
    return status;
}
