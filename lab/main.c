/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit-race, which `oscommit race` and `oscommit check` run: a race of many processes for names (race/), through
 * proxies that harm requests (proxy/), its history and the judge of it (history/), and its page (report/). Imports the
 * library's public header and nothing else of it.
 */
#include "check.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/streams.h"
#include "cli/trace.h"
#include "description/description.h"
#include "race/race.h"

#include <signal.h>

static const struct command *const commands[] = {&command_race, &command_check, &command_race_worker, NULL};

static enum status run_command(const struct options *options)
{
    if (options->command == &command_race)
        return race_run(options);
    return options->command == &command_check ? check_run(options) : options->command->run(options);
}

static enum status race_main(int argc, char **argv)
{
    struct options options;
    struct usage usage = {0};
    enum status status;

    if (!program_read(argc, argv, commands, &options, &status) || !program_read_environment(&options, &status))
        return status;
    if (options_text(&options, OPTION_METRICS) != NULL && options.distance[OPTION_METRICS] == 0) {
        (void)usage_refuse(&usage, "--metrics is not for %s, which has figures of its own.", options.command->name);
        return output_usage(&options, &usage);
    }
    return run_command(&options);
}

int main(int argc, char **argv)
{
    /* A reader that goes away is an error of write(), not the end of a process that still owes a verdict. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (!streams_open())
        return (int)STATUS_NOT_EXECUTED;
    trace_begin();
    return (int)streams_close(race_main(argc, argv));
}
