/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/many.h"

static enum status sync_run(const struct options *options)
{
    return many_run(options, true);
}

static const enum option_id own_options[] = {OPTION_IF_ABSENT, OPTION_JOBS,        OPTION_MANIFEST,
                                             OPTION_LITERAL,   OPTIONS_OF_HEADERS, OPTION_COUNT};

const struct command command_sync = {
    .name = "sync",
    .operands = "FROM TO",
    .summary = "add what is missing: folder to store, store to folder, prefix to prefix",
    .description = "Copies each file below a folder, or each object below a URL, that the target does not have. It "
                   "neither replaces\n"
                   "nor deletes, which --if-absent says. What the target has with the same bytes is unchanged; "
                   "anything else that\n"
                   "stands in the way is a conflict. Each file is one guarded write with its own verdict. The exit "
                   "status is that\n"
                   "of the worst: 4, 5, 1, 77, 69, 66, 3, 74, 0. --deadline-ms is for each file.\n",
    .examples = "oscommit sync out/ s3://bucket/2026/11/ --if-absent --ledger dynamodb://commits\n"
                "oscommit sync s3://bucket/2026/11/ in/ --if-absent --jobs 16\n",
    .options = own_options,
    .min_operands = 2,
    .max_operands = 2,
    .covers_keys = true,
    .run = sync_run,
};
