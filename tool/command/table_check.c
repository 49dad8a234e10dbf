/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"

static enum status table_check_run(const struct options *options)
{
    return table_call(options, os_table_check);
}

const struct command command_table_check = {
    .name = "table check",
    .operands = "[URL]",
    .summary = "check that the table is fit for records",
    .description =
        "Checks key schema, attribute types, TTL, state and replication. Says what is wrong and how to correct it.\n"
        "Writes nothing.\n",
    .examples = "oscommit table check --ledger dynamodb://commits\n",
    .max_operands = 1,
    .run = table_check_run,
};
