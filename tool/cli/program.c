/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/program.h"

#include "cli/config.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/variables.h"
#include "cli/version.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the options borrow from it, they do until the process ends. */
static struct config config;

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

static bool take_config(struct options *options, struct usage *usage)
{
    const char *named = options_text(options, OPTION_CONFIG);

    if (named != NULL && strcmp(named, "/dev/null") == 0)
        options->value[OPTION_CONFIG_PROFILE] = NULL;
    return config_load(named, &config, usage) && config_apply(&config, options, usage);
}

bool program_read_environment(struct options *options, enum status *ret_status)
{
    struct usage usage = {0};

    if (!options_take_environment(options, &usage) || !take_config(options, &usage)) {
        *ret_status = output_usage(options, &usage);
        return false;
    }
    if (!options_on(options, OPTION_QUIET))
        variables_warn(environ, stderr);
    return true;
}
