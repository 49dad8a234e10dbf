/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"

#include "cli/config.h"
#include "cli/json_line.h"

#include <stdio.h>
#include <stdlib.h>

static void print_detail(void *context, const char *name, const char *value)
{
    (void)context;
    (void)printf("%-14s %s\n", name, value);
}

static void add_detail(void *context, const char *name, const char *value)
{
    json_line_text(context, name, value);
}

/* Where the config file would be, for whoever asks why it does not count. */
static void tell_config(const struct options *options, os_version_detail_fn each, void *context)
{
    const char *named = options_text(options, OPTION_CONFIG);
    bool unknown;
    char *usual;

    if (named == NULL)
        named = getenv("OSCOMMIT_CONFIG");
    usual = config_usual_path(&unknown);
    if (named != NULL && named[0] != '\0')
        each(context, "config_file", named);
    else
        each(context, "config_file", usual != NULL ? usual : "none: HOME is not set");
    free(usual);
}

static void tell_details(const struct options *options, os_version_detail_fn each, void *context)
{
    os_version_details(each, context);
    tell_config(options, each, context);
}

enum status version_print(const struct options *options)
{
    char tool[32];
    bool details = options_on(options, OPTION_VERBOSE);

    (void)snprintf(tool, sizeof(tool), "%d.%d.%d", OS_VERSION_MAJOR, OS_VERSION_MINOR, OS_VERSION_PATCH);
    if (options_on(options, OPTION_JSON)) {
        struct json_line line;
        json_line_begin(&line);
        json_line_text(&line, "command", "version");
        json_line_text(&line, "tool", tool);
        json_line_text(&line, "library", os_version());
        if (details)
            tell_details(options, add_detail, &line);
        return json_line_print(&line, stdout) ? STATUS_DONE : STATUS_NOT_EXECUTED;
    }
    (void)printf("oscommit %s (library %s)\n", tool, os_version());
    if (details)
        tell_details(options, print_detail, NULL);
    return STATUS_DONE;
}
