/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/streams.h"
#include "cli/verdict.h"
#include "command/commands.h"
#include "common/delta.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[] = {[OS_DELTA_VERSION_MISSING] = "version missing",
                                    [OS_DELTA_VERSION_UNREADABLE] = "version unreadable",
                                    [OS_DELTA_FILE_TWICE] = "file twice",
                                    [OS_DELTA_FILE_MISSING] = "file missing",
                                    [OS_DELTA_TEMP_LEFT] = "temp file left",
                                    [OS_DELTA_ENTRY_INCOMPLETE] = "entry incomplete",
                                    [OS_DELTA_ENTRY_WITHOUT_VERSION] = "entry without version",
                                    [OS_DELTA_ENTRY_MISSING] = "entry missing"};

struct findings {
    struct delta_session *delta;
    uint64_t count;
};

static int show(void *context, const os_delta_finding *finding)
{
    struct findings *findings = context;
    struct output *output = &findings->delta->session.output;
    struct json_line line;

    findings->count++;
    progress_clear(&output->progress);
    if (output->json) {
        output_json_begin(output, &line, findings->delta->table.url, "found");
        json_line_text(&line, "kind", kinds[finding->kind]);
        if (finding->version >= 0)
            json_line_signed(&line, "version", finding->version);
        json_line_text(&line, "name", finding->name);
        json_line_text(&line, "sentence", finding->sentence);
        (void)output_json_print(output, &line);
    } else if (!output->quiet) {
        (void)printf("%s: ", kinds[finding->kind]);
        clean_print(stdout, finding->sentence);
        (void)puts("");
    }
    return streams_good() ? 0 : 1;
}

static enum status check(struct delta_session *delta)
{
    struct findings findings = {.delta = delta};
    os_error error = {0};
    os_code code = os_delta_check(delta->session.client, delta->table.key, &delta->how, &delta->session.call, show,
                                  &findings, &error);

    if (code != OS_OK || findings.count == 0)
        return output_outcome(&delta->session.output, delta->table.url, status_of_read(code), &error);
    return STATUS_NOT_EXECUTED;
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
