/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "file_url.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

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

static enum status run(const struct options *options)
{
    const char *name = options->operand[0];
    const char *folder = folder_of(name);
    struct usage usage = {0};
    struct output output = {0};
    os_error error = {0};
    enum status status;
    char *url;

    if (folder[0] == '\0' || (folder == name && strstr(name, "://") != NULL)) {
        (void)usage_refuse(
            &usage,
            "\"%.200s\" is not a folder: init makes an embedded store. A table of records in DynamoDB is made "
            "by `oscommit table create`.",
            name);
        return output_usage(options, &usage);
    }
    output_start(&output, options);
    status = status_of_read(os_init(folder, &error));
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
        "Makes DIR (mode 0700 if it is new) a store: objects are plain files below it, records and metadata are kept\n"
        "in DIR/.oscommit. Doing it twice changes nothing.\n",
    .examples = "oscommit init /srv/store\n"
                "oscommit put report.csv file:///srv/store/2026/report.csv --if-absent\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
