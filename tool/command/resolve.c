/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "cli/session.h"
#include "cli/ticket.h"
#include "command/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tickets are JSON objects; no URL and no key that needs this command starts so. */
static bool is_ticket(const char *operand)
{
    return operand[0] == '{';
}

static bool take_operands(const struct options *options, const char **ret_url, const char **ret_ticket,
                          struct usage *usage)
{
    for (size_t i = 0; i < options->operand_count; i++) {
        const char **slot = is_ticket(options->operand[i]) ? ret_ticket : ret_url;
        if (*slot != NULL)
            return usage_refuse(usage, "resolve takes one URL and one ticket.");
        *slot = options->operand[i];
    }
    if (*ret_ticket != NULL && options_on(options, OPTION_TICKET_FILE))
        return usage_refuse(usage, "The ticket is given twice, on the command line and by --ticket-file; give one.");
    if (*ret_ticket == NULL && !options_on(options, OPTION_TICKET_FILE)) {
        return usage_refuse(usage,
                            "resolve needs a ticket: give --ticket-file FILE (- for stdin), or the ticket itself.");
    }
    return true;
}

/* No ticket, or not of this object, store or ledger, or no ledger: to ask again in the same way would change nothing. */
static bool is_unfit(os_verdict verdict, const os_result *result, const os_error *error)
{
    bool is_of_arguments = error->code == OS_ERR_ARGUMENT || error->code == OS_ERR_CONFIG;
    return verdict == OS_UNKNOWN && is_of_arguments && result->guards == 0 && result->requests == 0;
}

static enum status resolve_ticket(struct session *session, const struct location *at, const char *ticket)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_resolve_options settle = OS_RESOLVE_OPTIONS_INIT;

    settle.key = at->key;
    settle.same_store = options_on(session->options, OPTION_SAME_STORE);
    settle.abort_upload = options_on(session->options, OPTION_ABORT_UPLOAD);
    settle.give_up = 1;
    os_verdict verdict = os_settle(session->client, ticket, &settle, &session->call, &result, &error);
    if (is_unfit(verdict, &result, &error)) {
        os_result_clear(&result);
        return output_outcome(&session->output, at->url, STATUS_USAGE, &error);
    }
    enum status status = output_guarded(&session->output, at->url, verdict, &result, &error);

    if (status == STATUS_UNKNOWN && result.ask_again_ms > 0) {
        char sentence[128];
        const char *file = options_text(session->options, OPTION_TICKET_FILE);
        (void)snprintf(sentence, sizeof(sentence),
                       "Keep the ticket, and resolve it again in %" PRIu64 " s:", (result.ask_again_ms + 999) / 1000);
        output_message(&session->output, sentence);
        guarded_print_resolve(session->options, at->url, file && strcmp(file, "-") != 0 ? file : NULL, ticket);
    } else if (status == STATUS_UNKNOWN && error.code == OS_ERR_UNDECIDED) {
        output_message(&session->output, "Keep the ticket.");
    }
    os_result_clear(&result);
    return status;
}

static enum status resolve_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    const char *url = NULL;
    const char *given = NULL;
    char *ticket = NULL;
    bool good = take_operands(options, &url, &given, &usage);
    struct session session;
    enum status status;

    good = good && (url == NULL ? location_store(options, &at, &usage)
                                : location_parse(url, LOCATION_PREFIX, options, &at, &usage));
    if (good) {
        ticket = given == NULL ? ticket_load(options_text(options, OPTION_TICKET_FILE), &usage) : strdup(given);
        good = ticket != NULL || usage_refuse(&usage, "There is not enough memory.");
    }
    if (!good) {
        location_clear(&at);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = resolve_ticket(&session, &at, ticket);
    status = session_close(&session, status);
    free(ticket);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_TICKET_FILE, OPTION_SAME_STORE, OPTION_ABORT_UPLOAD, OPTION_COUNT};

const struct command command_resolve = {
    .name = "resolve",
    .operands = "[URL] [TICKET]",
    .summary = "decide an unknown outcome from its ticket",
    .description =
        "Finds out whether a write whose verdict was unknown has been applied. Works on any machine with the same "
        "store,\n"
        "ledger and settings. Asks until the outcome is certain, the deadline has passed, or store or ledger have not\n"
        "answered for ten seconds. URL is that of the store, or that of the object, which must then be the ticket's.\n"
        "resolve makes no attempt. It may write two things: the release of the ticket's record, and the abort of the\n"
        "upload that the record names. Both need a stored record that equals the ticket in every attribute and shows\n"
        "the write to be dead. --abort-upload vouches for a ticket of your own whose record is gone, or that never "
        "had\n"
        "one (--guard native).\n"
        "Exit status 4 again: not yet, keep the ticket. 5: no evidence is left that could decide; look at the "
        "object.\n",
    .examples =
        "oscommit put data.bin s3://bucket/data/0001 --if-absent --ticket-file t.json --ledger dynamodb://commits\n"
        "status=$?\n"
        "if [ $status -eq 4 ]; then\n"
        "  oscommit resolve s3://bucket/data/0001 --ticket-file t.json --ledger dynamodb://commits\n"
        "  status=$?\n"
        "fi\n",
    .options = own_options,
    .max_operands = 2,
    .settles = true,
    .run = resolve_run,
};
