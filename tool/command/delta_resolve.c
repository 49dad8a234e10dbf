/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ticket.h"
#include "command/commands.h"
#include "common/delta.h"

#include <stdlib.h>
#include <string.h>

static bool take_ticket(const struct options *options, char **ret, struct usage *usage)
{
    const char *file = options_text(options, OPTION_TICKET_FILE);
    bool is_operand = options->operand_count > 1;

    if (is_operand == (file != NULL))
        return usage_refuse(usage,
                            "delta resolve needs one ticket: give --ticket-file FILE (- for stdin), or the ticket "
                            "itself.");
    *ret = is_operand ? strdup(options->operand[1]) : ticket_load(file, usage);
    return *ret != NULL || usage_refuse(usage, "There is not enough memory.");
}

static enum status resolve(struct delta_session *delta, const char *ticket)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict = os_delta_resolve(delta->session.client, delta->table.key, ticket, &delta->how,
                                          &delta->session.call, &result, &error);

    return delta_finish(delta, verdict, &result, &error);
}

static enum status delta_resolve_run(const struct options *options)
{
    struct usage usage = {0};
    struct delta_session delta;
    char *ticket = NULL;
    enum status status;

    if (!take_ticket(options, &ticket, &usage))
        return output_usage(options, &usage);
    status = delta_session_open(&delta, options);
    if (status == STATUS_DONE)
        status = resolve(&delta, ticket);
    status = delta_session_close(&delta, status);
    free(ticket);
    return status;
}

static const enum option_id own_options[] = {OPTION_LOG_STORE, OPTION_TICKET_FILE, OPTION_COUNT};

const struct command command_delta_resolve = {
    .name = "delta resolve",
    .operands = "TABLE [TICKET]",
    .summary = "decide an unknown append to a Delta table from its ticket",
    .description =
        "Finds out whether an append that ended unknown is in the table, on any machine with the same store, and\n"
        "ledger or --log-store. An entry that stands in the log store is made the version that it is for.\n"
        "Exit status 4 again: not yet, keep the ticket.\n",
    .examples = "oscommit delta append s3://bucket/events part-1.parquet --ticket-file t.json\n"
                "status=$?\n"
                "if [ $status -eq 4 ]; then\n"
                "  oscommit delta resolve s3://bucket/events --ticket-file t.json\n"
                "  status=$?\n"
                "fi\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 2,
    .settles = true,
    .run = delta_resolve_run,
};
