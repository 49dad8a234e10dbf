/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "table.h"

static enum status run(const struct options *options)
{
    const char *name = options->operand_count > 0 ? options->operand[0] : NULL;
    struct session session;
    struct location at;
    enum status status = table_open(&session, options, name, LOCATION_PREFIX, &at);

    if (status == STATUS_DONE) {
        os_error error = {0};
        os_code code = os_table_check(session.client, &session.call, &error);
        status = output_outcome(&session.output, options_text(options, OPTION_LEDGER), status_of_read(code), &error);
    }
    return table_close(&session, &at, status);
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
    .run = run,
};
