/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/delta.h"

static enum status append(struct delta_session *delta)
{
    const struct options *options = delta->session.options;
    const char *files[OPERANDS_MAX] = {0};
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error = {0};

    for (size_t i = 1; i < options->operand_count; i++) /* the table is none of them, so a NULL stays behind */
        files[i - 1] = options->operand[i];
    os_verdict verdict = os_delta_append(delta->session.client, delta->table.key, files, &delta->how,
                                         &delta->session.call, &result, &error);
    return delta_finish(delta, verdict, &result, &error);
}

static enum status delta_append_run(const struct options *options)
{
    struct delta_session delta;
    enum status status = delta_session_open(&delta, options);

    if (status == STATUS_DONE)
        status = append(&delta);
    return delta_session_close(&delta, status);
}

static const enum option_id own_options[] = {OPTION_LOG_STORE, OPTION_APP_ID,      OPTION_APP_VERSION,
                                             OPTION_PARTITION, OPTION_TICKET_FILE, OPTION_COUNT};

const struct command command_delta_append = {
    .name = "delta append",
    .operands = "TABLE FILE...",
    .summary = "append Parquet files to a Delta table, exactly once",
    .description =
        "Uploads the Parquet files FILE under new names below TABLE, and adds them to its log in one commit. Where\n"
        "there is no table, it is made with the schema of the files; else their schema must be the table's. Tables\n"
        "that use a feature which is not written here are refused; the message names it.\n"
        "If another writer takes the next version, tries the one behind it: other appends are no conflict, a change\n"
        "of the table's schema or protocol is one. A lost answer never becomes a second commit.\n"
        "With --log-store the table of Delta's S3DynamoDBLogStore excludes other writers, as delta-rs up to 1.6.0 has\n"
        "it: the store needs no conditions then. Either all writers of a table use it, or none does.\n"
        "--app-id and --app-version make it harmless to run this again, also after a crash: if the table has that\n"
        "version of that application, or a later one, nothing is added, and the exit status is 3.\n"
        "--partition gives the value of a column that the table is partitioned by, and that is not in the files. TYPE\n"
        "is that of a new table's column [string]: date, timestamp, long, integer, short, byte, double, float,\n"
        "boolean, decimal(P,S). No value is null.\n",
    .examples = "oscommit delta append file:///srv/store/events part-1.parquet part-2.parquet\n"
                "oscommit delta append s3://bucket/events part-1.parquet --app-id nightly --app-version 7\n"
                "oscommit delta append s3://bucket/events part-1.parquet --log-store dynamodb://delta_log\n"
                "oscommit delta append s3://bucket/logs day.parquet --partition day:date=2026-11-28\n",
    .options = own_options,
    .min_operands = 2,
    .max_operands = OPERANDS_MAX,
    .run = delta_append_run,
};
