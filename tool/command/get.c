/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/many.h"
#include "common/range.h"
#include "common/transfer.h"

#include <string.h>
#include <sys/stat.h>

/* Several objects need a folder; without one the name is that of one object, whatever is in it. */
static bool is_folder(const char *name)
{
    size_t length = strlen(name);
    struct stat info;

    return (length > 0 && name[length - 1] == '/') || (stat(name, &info) == 0 && S_ISDIR(info.st_mode));
}

static enum status get_run(const struct options *options)
{
    const char *file = options->operand_count > 1 ? options->operand[1] : "-";
    const char *range = options_text(options, OPTION_RANGE);
    struct usage usage = {0};
    struct location from = {0};
    struct session session;
    uint64_t offset = 0;
    uint64_t count = 0;
    enum status status;

    if (is_folder(file) && many_is_pattern(options, options->operand[0]))
        return many_run(options, false);
    if (options_on(options, OPTION_JOBS)) {
        (void)usage_refuse(&usage, "--jobs is for a pattern, whose objects go into a folder.");
        return output_usage(options, &usage);
    }
    if ((range != NULL && !range_parse(range, &offset, &count, &usage)) ||
        !transfer_down_check(options, file, &usage) ||
        !location_parse(options->operand[0], LOCATION_OBJECT, options, &from, &usage))
        return output_usage(options, &usage);
    status = session_open(&session, options, from.store);
    if (status == STATUS_DONE)
        status = transfer_down(&session, &from, file, offset, count);
    status = session_close(&session, status);
    location_clear(&from);
    return status;
}

static const enum option_id own_options[] = {OPTION_RANGE, OPTION_VERSION_ID, OPTION_LITERAL, OPTION_JOBS,
                                             OPTION_COUNT};

const struct command command_get = {
    .name = "get",
    .operands = "URL [FILE|-|FOLDER/]",
    .summary = "read an object, or those that match a pattern",
    .description =
        "Reads the object URL to stdout, or into FILE, which appears when it is complete. If FILE is a device or a\n"
        "FIFO, it is written to. If it is a symbolic link, the link stays and the file behind it is replaced.\n"
        "Into a FOLDER it reads all objects that match the URL as a pattern, as `cp -r` does: * is any text without a\n"
        "slash, ** any text, ? a character, [a-z] one of some. A backslash takes the next character as it is. If "
        "nothing\n"
        "matches, the status is 66.\n",
    .examples = "oscommit get s3://bucket/data/0001 data.bin\n"
                "oscommit get s3://bucket/data.tar | tar -t\n"
                "oscommit get s3://bucket/data/0001 head.bin --range 0-511\n"
                "oscommit get 's3://bucket/2026/*.json' reports/\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 2,
    .run = get_run,
};
