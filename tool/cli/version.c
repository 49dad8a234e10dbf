/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"

#include "cli/json_line.h"

#include <stdio.h>

enum status version_print(const struct options *options)
{
    char tool[32];

    (void)snprintf(tool, sizeof(tool), "%d.%d.%d", OS_VERSION_MAJOR, OS_VERSION_MINOR, OS_VERSION_PATCH);
    if (options_on(options, OPTION_JSON)) {
        struct json_line line;
        json_line_begin(&line);
        json_line_text(&line, "command", "version");
        json_line_text(&line, "tool", tool);
        json_line_text(&line, "library", os_version());
        return json_line_print(&line, stdout) ? STATUS_DONE : STATUS_NOT_EXECUTED;
    }
    (void)printf("oscommit %s (library %s)\n", tool, os_version());
    return STATUS_DONE;
}
