/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "command/commands.h"
#include "common/transfer.h"

static enum status put_run(const struct options *options)
{
    struct usage usage = {0};
    struct location to = {0};
    struct session session;
    enum status status;

    if (!location_parse(options->operand[1], LOCATION_OBJECT, options, &to, &usage) ||
        !guarded_check(options, false, &usage)) {
        location_clear(&to);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, to.store);
    if (status == STATUS_DONE)
        status = transfer_up(&session, &to, options->operand[0]);
    status = session_close(&session, status);
    location_clear(&to);
    return status;
}

static const enum option_id own_options[] = {OPTION_IF_ABSENT, OPTION_IF_MATCH, OPTION_TICKET_FILE, OPTIONS_OF_HEADERS,
                                             OPTION_COUNT};

const struct command command_put = {
    .name = "put",
    .operands = "FILE|- URL",
    .summary = "write an object; with --if-absent or --if-match, exactly once",
    .description =
        "Writes FILE, or stdin, to the object URL: with --if-absent only if nothing is there, with --if-match only\n"
        "over the version that has this ETag. Of any number of racing writers exactly one commits. With neither it is\n"
        "a plain, unguarded write, which must not be used on keys that guarded writers share.\n",
    .examples =
        "oscommit put data.bin s3://bucket/data/0001 --if-absent --ledger dynamodb://commits\n"
        "jq -c . state.json | oscommit put - s3://bucket/state --if-match '\"9b2c...\"' --ledger dynamodb://commits\n",
    .options = own_options,
    .min_operands = 2,
    .max_operands = 2,
    .reads_file = true,
    .run = put_run,
};
