/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/program.h"

#include "cli/help.h"
#include "cli/output.h"
#include "cli/variables.h"
#include "cli/version.h"

#include <stdio.h>
#include <unistd.h>

static void print_help(const struct options *options)
{
    bool all = options_on(options, OPTION_ALL);

    if (options->group != NULL)
        help_group(stdout, options->commands, options->group);
    else if (options->command != NULL)
        help_command(stdout, options->command, all);
    else
        help_overview(stdout, options->commands, all);
}

bool program_read(int argc, char **argv, const struct command *const *commands, struct options *ret,
                  enum status *ret_status)
{
    struct usage usage = {0};

    if (!options_parse(argc, argv, commands, ret, &usage)) {
        *ret_status = output_usage(ret, &usage);
        return false;
    }
    if (options_on(ret, OPTION_HELP)) {
        print_help(ret);
        *ret_status = STATUS_DONE;
        return false;
    }
    if (options_on(ret, OPTION_VERSION)) {
        *ret_status = version_print(ret);
        return false;
    }
    return true;
}

bool program_read_environment(struct options *options, enum status *ret_status)
{
    struct usage usage = {0};

    if (!options_take_environment(options, &usage)) {
        *ret_status = output_usage(options, &usage);
        return false;
    }
    if (!options_on(options, OPTION_QUIET))
        variables_warn(environ, stderr);
    return true;
}
