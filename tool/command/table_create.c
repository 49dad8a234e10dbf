/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"

static enum status table_create_run(const struct options *options)
{
    return table_call(options, os_table_create, NULL);
}

const struct command command_table_create = {
    .name = "table create",
    .operands = "[URL]",
    .summary = "make the table of records",
    .description =
        "Makes the table (on-demand billing, keys `path` and `etag`, TTL on `ttl`) and waits until it is ready. If a\n"
        "fit table exists, nothing changes. URL names the store; --ledger names the table.\n",
    .examples = "oscommit table create --ledger dynamodb://commits --region eu-west-1\n",
    .max_operands = 1,
    .run = table_create_run,
};
