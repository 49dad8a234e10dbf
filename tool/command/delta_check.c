/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/delta.h"
#include "common/table_check.h"

static const char *const kinds[] = {[OS_DELTA_VERSION_MISSING] = "version missing",
                                    [OS_DELTA_VERSION_UNREADABLE] = "version unreadable",
                                    [OS_DELTA_FILE_TWICE] = "file twice",
                                    [OS_DELTA_FILE_MISSING] = "file missing",
                                    [OS_DELTA_TEMP_LEFT] = "temp file left",
                                    [OS_DELTA_ENTRY_INCOMPLETE] = "entry incomplete",
                                    [OS_DELTA_ENTRY_WITHOUT_VERSION] = "entry without version",
                                    [OS_DELTA_ENTRY_MISSING] = "entry missing"};

static int show(void *context, const os_delta_finding *finding)
{
    const struct finding found = {kinds[finding->kind], finding->version, finding->name, finding->sentence};

    return findings_show(context, &found);
}

static enum status check(struct delta_session *delta)
{
    struct findings findings = {.session = &delta->session, .url = delta->table.url};
    os_error error = {0};

    findings.looked_at =
        delta->log_store != NULL
            ? "Nothing was found. Every version of the log was read, every object listed, and every entry of the log "
              "store compared."
            : "Nothing was found. Every version of the log was read, and every object listed.";
    os_code code = os_delta_check(delta->session.client, delta->table.key, &delta->how, &delta->session.call, show,
                                  &findings, &error);

    return findings_finish(&findings, code, &error);
}

static enum status delta_check_run(const struct options *options)
{
    struct delta_session delta;
    enum status status = delta_session_open(&delta, options);

    if (status == STATUS_DONE)
        status = check(&delta);
    return delta_session_close(&delta, status);
}

static const enum option_id own_options[] = {OPTION_LOG_STORE, OPTION_COUNT};

const struct command command_delta_check = {
    .name = "delta check",
    .operands = "TABLE",
    .summary = "find what a fleet of writers has left of a Delta table",
    .description =
        "Looks for versions that are missing or cannot be read, data files that are missing or were added twice, and\n"
        "temp files that were left; with --log-store also for entries that are incomplete, that have no version, and\n"
        "for versions that have no entry, as writers leave them that do not use the log store. Prints a line for "
        "each.\n"
        "Reads every version of the log, and lists all objects of the table. Changes nothing.\n",
    .examples = "oscommit delta check s3://bucket/events\n"
                "oscommit delta check s3://bucket/events --log-store dynamodb://delta_log\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status = "   0  nothing was found\n"
                   "   1  something was found, or not everything could be looked at\n"
                   "   2  bad usage or settings\n"
                   "  66  there is no such table\n"
                   "  69  the store or the log store cannot be reached\n"
                   "  77  access denied, or no usable credentials\n",
    .run = delta_check_run,
};
