/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"
#include "oscommit_lease.h"

static enum status table_create_run(const struct options *options)
{
    return table_call(options, options_on(options, OPTION_LEASES) ? os_lease_table_create : os_table_create, NULL);
}

static const enum option_id own_options[] = {OPTION_LEASES, OPTION_COUNT};

const struct command command_table_create = {
    .name = "table create",
    .operands = "[URL]",
    .summary = "make the table of records, or of leases",
    .description =
        "Makes the table (on-demand billing, keys `path` and `etag`, TTL on `ttl`) and waits until it is ready. If a\n"
        "fit table exists, nothing changes. URL names the store; --ledger names the table.\n"
        "With --leases it is a table for `oscommit lock`: key `key`, TTL on `lease_expiry`. In DynamoDB that is "
        "another\n"
        "table than the one of records; a file (sqlite:///FILE) has both.\n",
    .examples = "oscommit table create --ledger dynamodb://commits --region eu-west-1\n"
                "oscommit table create --leases --ledger dynamodb://leases --region eu-west-1\n",
    .options = own_options,
    .max_operands = 1,
    .run = table_create_run,
};
