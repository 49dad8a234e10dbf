/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/file_url.h"
#include "cli/output.h"
#include "command/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder_of(const char *name)
{
    return strncmp(name, "file://", strlen("file://")) == 0 ? name + strlen("file://") : name;
}

/* "file:///srv/store" for the folder as the system resolves it; NULL without memory. */
static char *url_of(const char *folder)
{
    char *path = realpath(folder, NULL);
    char *url = path == NULL ? NULL : file_url_from_path(path, strlen(path));

    free(path);
    return url;
}

/* Makes the folders above, with the usual access, until one fails: then os_init says what is wrong. Gives how much of
 * `folder` names the first that was made, or 0. */
static size_t make_parents(const char *folder)
{
    char path[PATH_MAX];
    size_t first = 0;

    if (strlen(folder) >= sizeof(path))
        return 0;
    for (size_t i = 1; folder[i] != '\0'; i++) {
        if (folder[i] != '/' || folder[i + 1 + strspn(folder + i + 1, "/")] == '\0')
            continue; /* the last one is os_init's, whose access is private */
        memcpy(path, folder, i);
        path[i] = '\0';
        if (mkdir(path, 0777) == 0)
            first = first == 0 ? i : first;
        else if (errno != EEXIST)
            break;
    }
    return first;
}

/* What init has made in vain; never what has something in it. */
static void remove_parents(const char *folder, size_t first)
{
    char path[PATH_MAX];

    for (size_t i = first == 0 ? 0 : strlen(folder); i >= first && i > 0; i--) {
        if (folder[i] == '/') {
            memcpy(path, folder, i);
            path[i] = '\0';
            (void)rmdir(path);
        }
    }
}

static enum status init_run(const struct options *options)
{
    const char *name = options->operand[0];
    const char *folder = folder_of(name);
    struct usage usage = {0};
    struct output output = {0};
    os_error error = {0};
    enum status status;
    size_t made;
    char *url;

    if (folder[0] == '\0' || (folder == name && strstr(name, "://") != NULL)) {
        (void)usage_refuse(&usage,
                           "\"%.200s\" is not a folder: init makes an embedded store. To make a table of records in "
                           "DynamoDB, run `oscommit table create`.",
                           name);
        return output_usage(options, &usage);
    }
    output_start(&output, options);
    made = make_parents(folder);
    (void)os_init(folder, &error);
    status = status_of_read(&error);
    if (status != STATUS_DONE)
        remove_parents(folder, made);
    url = status == STATUS_DONE ? url_of(folder) : NULL;
    status = output_outcome(&output, url == NULL ? name : url, status, &error);
    free(url);
    return status;
}

const struct command command_init = {
    .name = "init",
    .operands = "DIR",
    .summary = "make an embedded store in a folder",
    .description =
        "Makes DIR a store (mode 0700 if it is new): objects are plain files below it, records and metadata are kept\n"
        "in DIR/.oscommit. Also makes the folders above it. Running it twice changes nothing.\n",
    .examples = "oscommit init /srv/store\n"
                "oscommit put report.csv file:///srv/store/2026/report.csv --if-absent\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = init_run,
};
