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
        os_code code = os_table_create(session.client, &session.call, &error);
        status = output_outcome(&session.output, options_text(options, OPTION_LEDGER), status_of_read(code), &error);
    }
    return table_close(&session, &at, status);
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
    .run = run,
};
