/* SPDX-License-Identifier: Apache-2.0 */
#include "common/other_program.h"

#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of this program, with the slash behind it; "" where it cannot be known. */
static void find_own_folder(char ret[PATH_MAX])
{
    ssize_t len = readlink("/proc/self/exe", ret, PATH_MAX - 1);
    char *slash;

    ret[len < 0 ? 0 : len] = '\0';
    slash = strrchr(ret, '/');
    ret[slash == NULL ? 0 : slash + 1 - ret] = '\0';
}

/* Returns only if it cannot: true where there is no such file. */
static bool is_missing(const char *folder, const char *program, char **argv)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s%s", folder, program) >= (int)sizeof(path)) {
        return true;
    }
    argv[0] = path;
    (void)execv(path, argv);
    return errno == ENOENT || errno == ENOTDIR;
}

static enum status report_missing(const struct options *options, const char *folder, int reason)
{
    const struct command *command = options->command;
    struct output output = {0};
    os_error error = {.code = OS_ERR_CONFIG};

    (void)snprintf(error.message, sizeof(error.message),
                   "%s is done by the program %s, which could not be run in %.200s nor in %s (%s): install it beside "
                   "oscommit, from the same package.",
                   command->name, command->program, folder, OSCOMMIT_INSTALLED_PROGRAMS, strerror(reason));
    output_start(&output, options);
    return output_outcome(&output, NULL, STATUS_NOT_EXECUTED, &error);
}

enum status other_program_run(const struct options *options, char **argv)
{
    const char *program = options->command->program;
    char folder[PATH_MAX];

    find_own_folder(folder);
    if (folder[0] == '\0' || is_missing(folder, program, argv)) {
        (void)is_missing(OSCOMMIT_INSTALLED_PROGRAMS, program, argv);
    }
    return report_missing(options, folder, errno);
}
