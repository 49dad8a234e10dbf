/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"
#include "oscommit_delta.h"
#include "oscommit_lease.h"

static enum status table_create_run(const struct options *options)
{
    static const struct table_calls calls = {
        .of_records = os_table_create,
        .of_leases = os_lease_table_create,
        .of_locks = os_lock_table_create,
        .of_entries = os_delta_log_store_create,
    };
    return table_call(options, &calls);
}

static const enum option_id own_options[] = {OPTION_LEASES, OPTION_LOCKS, OPTION_LOG_ENTRIES, OPTION_COUNT};

const struct command command_table_create = {
    .name = "table create",
    .operands = "[URL]",
    .summary = "make the table of records, leases, locks or log entries",
    .description =
        "Makes the table (on-demand billing, keys `path` and `etag`, TTL on `ttl`) and waits until it is ready. If a\n"
        "fit table exists, nothing changes. URL names the store; --ledger names the table.\n"
        "With --leases it is a table for `oscommit lock`: key `key`, TTL on `lease_expiry`. With --locks it is one\n"
        "for locks with owner and instance: key `lockId`, TTL on `expiry`. With --log-entries it is a log store of "
        "Delta:\n"
        "keys `tablePath` and `fileName`, TTL on `expireTime`. In DynamoDB each is a table of its own; a file\n"
        "(sqlite:///FILE) has records, leases and locks.\n",
    .examples = "oscommit table create --ledger dynamodb://commits --region eu-west-1\n"
                "oscommit table create --leases --ledger dynamodb://leases --region eu-west-1\n"
                "oscommit table create --locks --ledger dynamodb://locks --region eu-west-1\n"
                "oscommit table create --log-entries --ledger dynamodb://delta_log --region eu-west-1\n",
    .options = own_options,
    .max_operands = 1,
    .run = table_create_run,
};
