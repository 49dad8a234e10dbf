/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"

#include "cli/clean.h"
#include "cli/settings.h"
#include "cli/ticket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool guarded_check(const struct options *options, bool always, struct usage *usage)
{
    const char *file = options_text(options, OPTION_TICKET_FILE);
    bool guarded = always || options_on(options, OPTION_IF_ABSENT) || options_on(options, OPTION_IF_MATCH);

    if (file != NULL && !guarded) {
        return usage_refuse(usage, "--ticket-file is for guarded writes, and this %s has no guard.",
                            options->command->name);
    }
    return file == NULL || ticket_check(file, usage);
}

void guarded_print_resolve(const struct options *options, const char *url, const char *file, const char *ticket)
{
    (void)fputs("  oscommit resolve ", stderr);
    clean_print_quoted(stderr, url);
    (void)fputs(file == NULL ? " " : " --ticket-file ", stderr);
    clean_print_quoted(stderr, file == NULL ? ticket : file);
    settings_print_given(stderr, options);
    (void)fputc('\n', stderr);
}

/* Both are always on stderr, also with --quiet: without the ticket the outcome can never be settled. */
static void print_hint(const struct session *session, const char *url, const char *file, const char *ticket)
{
    (void)fputs("oscommit: Delete nothing that this write could refer to. To decide it, run in the same environment:\n",
                stderr);
    guarded_print_resolve(session->options, url, file, ticket);
}

/* Gives the file that it was saved to, or NULL. */
static const char *save_ticket(struct session *session, const char *ticket)
{
    const char *file = options_text(session->options, OPTION_TICKET_FILE);
    char sentence[512];

    if (file == NULL || ticket_save(file, ticket))
        return file;
    (void)snprintf(sentence, sizeof(sentence), "The ticket could not be saved to \"%.200s\" (%s), so it follows here.",
                   file, strerror(errno));
    output_message(&session->output, sentence);
    return NULL;
}

enum status guarded_finish(struct session *session, const char *url, os_verdict verdict, os_result *result,
                           const os_error *error)
{
    bool has_ticket = verdict == OS_UNKNOWN && result->ticket != NULL;
    const char *file = has_ticket ? save_ticket(session, result->ticket) : NULL; /* before anything that could block */
    enum status status = output_guarded(&session->output, url, verdict, result, error);

    if (has_ticket && status == STATUS_UNKNOWN)
        print_hint(session, url, file, result->ticket);
    os_result_clear(result);
    return status;
}
