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

#ifdef OSCOMMIT_ONE_PROGRAM
/* This program is that one, too, by its name (packaging/one_program/main.c). */
static int try_in(const char *folder, const char *program, char **argv)
{
    (void)folder;
    argv[0] = (char *)program;
    (void)execv("/proc/self/exe", argv);
    return errno;
}
#else
/* Returns only if it cannot, with the reason. */
static int try_in(const char *folder, const char *program, char **argv)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s%s", folder, program) >= (int)sizeof(path))
        return ENAMETOOLONG;
    argv[0] = path;
    (void)execv(path, argv);
    return errno;
}
#endif

static enum status report_missing(const struct options *options, const char *folder, int reason)
{
    const struct command *command = options->command;
    struct output output = {0};
    os_error error = {.code = OS_ERR_CONFIG};

    (void)snprintf(error.message, sizeof(error.message),
                   "%s is done by the program %s, which could not be run in %.200s (%s): install it beside oscommit, "
                   "from the same package.",
                   command->name, command->program, folder, strerror(reason));
    output_start(&output, options);
    return output_outcome(&output, NULL, STATUS_NOT_EXECUTED, &error);
}

/* One of another place may be of another release, so it is asked only where this program's own place is not known. */
enum status other_program_run(const struct options *options, char **argv)
{
    char folder[PATH_MAX];

    find_own_folder(folder);
    if (folder[0] == '\0')
        (void)snprintf(folder, sizeof(folder), "%s", OSCOMMIT_INSTALLED_PROGRAMS);
    return report_missing(options, folder, try_in(folder, options->command->program, argv));
}
