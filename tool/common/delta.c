/* SPDX-License-Identifier: Apache-2.0 */
#include "common/delta.h"

#include "cli/clean.h"
#include "cli/settings.h"
#include "cli/streams.h"
#include "cli/ticket.h"
#include "cli/verdict.h"
#include "common/table_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_application(const struct options *options, os_delta_options *ret, struct usage *usage)
{
    ret->app_id = options_text(options, OPTION_APP_ID);
    ret->app_version = (int64_t)options_number(options, OPTION_APP_VERSION);
    if ((ret->app_id != NULL) == options_on(options, OPTION_APP_VERSION))
        return true;
    return usage_refuse(usage, "--app-id and --app-version go together: give both, or neither.");
}

/* "day:date=2026-11-28": the options have seen the "=". */
static bool take_partition(struct delta_session *delta, size_t number, const char *given, struct usage *usage)
{
    os_delta_partition *partition = &delta->partitions[number];
    char *pair = strdup(given);
    char *equals = pair != NULL ? strchr(pair, '=') : NULL;

    delta->pairs[number] = pair;
    if (equals == NULL)
        return usage_refuse(usage, "There is no memory for --partition.");
    *equals = '\0';
    char *colon = strrchr(pair, ':');
    if (colon != NULL)
        *colon = '\0';
    *partition = (os_delta_partition){pair, equals + 1, colon != NULL ? colon + 1 : NULL};
    return true;
}

static bool take_partitions(const struct options *options, struct delta_session *delta, struct usage *usage)
{
    bool good = true;

    for (size_t i = 0; i < options->partition_count && good; i++)
        good = take_partition(delta, i, options->partitions[i], usage);
    delta->how.partitions = delta->partitions;
    delta->how.partition_count = options->partition_count;
    return good;
}

enum status delta_session_open(struct delta_session *delta, const struct options *options)
{
    const char *file = options_text(options, OPTION_TICKET_FILE);
    const char *log_store = options_text(options, OPTION_LOG_STORE);
    struct usage usage = {0};
    static const os_delta_options plain = OS_DELTA_OPTIONS_INIT;

    memset(delta, 0, sizeof(*delta));
    delta->how = plain;
    if (!table_operand_take(options, &delta->table, &usage) || !take_application(options, &delta->how, &usage) ||
        !take_partitions(options, delta, &usage) ||
        (file != NULL && !options->command->settles && !ticket_check(file, &usage)))
        return output_usage(options, &usage);
    enum status status = session_open(&delta->session, options, delta->table.store);
    if (status != STATUS_DONE || log_store == NULL)
        return status;
    status = session_connect_table(&delta->session, log_store, &delta->log_store);
    delta->how.log_store = delta->log_store;
    return status;
}

enum status delta_session_close(struct delta_session *delta, enum status status)
{
    os_client_close(delta->log_store);
    location_clear(&delta->table);
    for (size_t i = 0; i < PARTITIONS_MAX; i++)
        free(delta->pairs[i]);
    return delta->session.options == NULL ? status : session_close(&delta->session, status);
}

/* ------------------------------------------------------------------------------------------------------------ the end */

static void print_human(const char *url, os_verdict verdict, const os_delta_result *result)
{
    (void)printf("%s ", os_verdict_name(verdict));
    clean_print(stdout, url);
    if (result->version >= 0)
        (void)printf(" version %" PRId64, result->version);
    if (verdict == OS_COMMITTED && result->files > 0)
        (void)printf(" (%s%" PRIu64 " file%s, %" PRIu64 " row%s)", result->created != 0 ? "new table, " : "",
                     result->files, result->files == 1 ? "" : "s", result->records, result->records == 1 ? "" : "s");
    (void)puts("");
    (void)streams_flush();
}

static void print_json(struct delta_session *delta, os_verdict verdict, const os_delta_result *result,
                       const os_error *error)
{
    struct json_line line;

    output_json_begin(&delta->session.output, &line, delta->table.url, os_verdict_name(verdict));
    if (result->version >= 0)
        json_line_signed(&line, "version", result->version);
    json_line_number(&line, "conflicts", result->conflicts);
    if (verdict == OS_COMMITTED) {
        json_line_number(&line, "files", result->files);
        json_line_number(&line, "records", result->records);
        json_line_flag(&line, "created", result->created != 0);
    }
    json_line_text(&line, "ticket", result->ticket);
    json_line_error(&line, error);
    (void)output_json_print(&delta->session.output, &line);
}

/* Both are always on stderr, also with --quiet: without the ticket the outcome can never be settled. */
static void print_ticket(struct delta_session *delta, const char *ticket, const char *file)
{
    output_message(&delta->session.output,
                   "Do not append the files again, and delete none. To decide it, run in the same "
                   "environment:");
    (void)fputs("  oscommit delta resolve ", stderr);
    clean_print_quoted(stderr, delta->table.url);
    (void)fputs(file != NULL ? " --ticket-file " : " ", stderr);
    clean_print_quoted(stderr, file != NULL ? file : ticket);
    if (delta->log_store != NULL) {
        (void)fputs(" --log-store ", stderr);
        clean_print_quoted(stderr, options_text(delta->session.options, OPTION_LOG_STORE));
    }
    settings_print_given(stderr, delta->session.options);
    (void)fputc('\n', stderr);
}

static const char *save_ticket(struct delta_session *delta, const char *ticket)
{
    const struct options *options = delta->session.options;
    const char *file = options_text(options, OPTION_TICKET_FILE);

    if (file == NULL || options->command->settles || ticket_save(file, ticket))
        return file;
    output_message(&delta->session.output, "The ticket could not be saved to the file, so it follows here.");
    return NULL;
}

enum status delta_finish(struct delta_session *delta, os_verdict verdict, os_delta_result *result,
                         const os_error *error)
{
    struct output *output = &delta->session.output;
    static const os_result no_result = OS_RESULT_INIT;
    bool has_ticket = verdict == OS_UNKNOWN && result->ticket != NULL;
    const char *file = has_ticket ? save_ticket(delta, result->ticket) : NULL; /* before anything that could block */

    progress_end(&output->progress);
    if (output->json)
        print_json(delta, verdict, result, error);
    else if (!output->quiet)
        print_human(delta->table.url, verdict, result);
    if (error->code != OS_OK && error->message[0] != '\0')
        output_message(output, error->message);
    if (has_ticket)
        print_ticket(delta, result->ticket, file);
    os_delta_result_clear(result);
    return status_of_guarded(verdict, &no_result, error);
}
