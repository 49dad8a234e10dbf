/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include "cli/clean.h"
#include "cli/streams.h"
#include "cli/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void output_start(struct output *output, const struct options *options)
{
    output->command = options->command->name;
    output->json = options_on(options, OPTION_JSON);
    output->quiet = options_on(options, OPTION_QUIET);
    progress_start(&output->progress, !output->json && !output->quiet, output->command);
}

bool output_is_human(const struct output *output)
{
    return !output->json && !output->quiet;
}

void output_field(const char *name, const char *value)
{
    (void)printf("%-11s ", name);
    clean_print(stdout, value);
    (void)fputc('\n', stdout);
}

void output_field_time(const char *name, int64_t time_s, const char *otherwise)
{
    char time[CLEAN_TIME_SIZE];

    clean_local_time(time_s, time);
    output_field(name, time_s == 0 ? otherwise : time);
}

void output_message(struct output *output, const char *sentence)
{
    progress_clear(&output->progress);
    (void)fputs("oscommit: ", stderr);
    clean_print(stderr, sentence);
    (void)fputc('\n', stderr);
}

void output_log(struct output *output, os_log_level level, const char *line)
{
    static const char *const names[] = {"", "error: ", "warning: ", "", "debug: "};
    const struct trace *trace = trace_of_run();

    progress_clear(&output->progress);
    (void)fprintf(stderr, "oscommit: %s", level >= OS_LOG_ERROR && level <= OS_LOG_DEBUG ? names[level] : "");
    clean_print(stderr, line);
    if (trace != NULL)
        (void)fprintf(stderr, " trace_id=%s span_id=%s", trace->trace_id, trace->span_id);
    (void)fputc('\n', stderr);
}

/* Of a ticket nobody may say that its write was not executed. */
static enum status status_of_usage(const struct command *command, const struct usage *usage)
{
    bool settles = command != NULL && command->settles;
    return usage->is_denied && !settles ? STATUS_DENIED : STATUS_USAGE;
}

enum status output_usage(const struct options *options, const struct usage *usage)
{
    const struct command *command = options->command;
    enum status status = status_of_usage(command, usage);

    (void)fputs("oscommit: ", stderr);
    clean_print(stderr, usage->message);
    if (command == NULL)
        (void)fputs("\nusage: oscommit COMMAND [OPERANDS] [FLAGS]\nTry `oscommit --help`.\n", stderr);
    else
        (void)fprintf(stderr, usage->is_denied ? "\n" : "\nTry `oscommit %s --help`.\n", command->name);
    if (options_on(options, OPTION_JSON)) {
        struct json_line line;
        struct json_line error;
        json_line_begin(&line);
        json_line_text(&line, "command", command == NULL ? NULL : command->name);
        json_line_text(&line, "verdict", status_name(status));
        json_line_begin(&error);
        json_line_text(&error, "message", usage->message);
        json_line_child(&line, "error", &error);
        (void)json_line_print(&line, stdout); /* the status says enough */
    }
    return status;
}

/* Each result is of an operation, which is a span below that of the run. */
static void add_span(struct json_line *line)
{
    const struct trace *trace = trace_of_run();
    char span[SPAN_ID_SIZE];

    if (trace == NULL || !trace_new_span(span))
        return;
    json_line_text(line, "trace_id", trace->trace_id);
    json_line_text(line, "parent_span_id", trace->span_id);
    json_line_text(line, "span_id", span);
}

void output_json_begin(struct output *output, struct json_line *line, const char *url, const char *verdict)
{
    json_line_begin(line);
    json_line_text(line, "command", output->command);
    json_line_text(line, "object", url);
    json_line_text(line, "verdict", verdict);
    add_span(line);
}

bool output_json_print(struct output *output, struct json_line *line)
{
    if (!json_line_print(line, stdout)) {
        output_message(output, "There is not enough memory to print the JSON result.");
        streams_lose_result();
        return false;
    }
    return streams_flush();
}

static void guarded_json(struct output *output, const char *url, os_verdict verdict, const os_result *result,
                         const os_error *error)
{
    struct json_line line;

    output_json_begin(output, &line, url, os_verdict_name(verdict));
    json_line_text(&line, "etag", result->etag);
    json_line_text(&line, "version_id", result->version_id);
    json_line_text(&line, "rule", result->rule);
    json_line_text(&line, "guard", guarded_name(result->guard));
    json_line_text(&line, "request", result->request);
    json_line_number(&line, "generation", result->generation);
    json_line_number(&line, "guards", result->guards);
    json_line_number(&line, "attempts", result->attempts);
    json_line_number(&line, "requests", result->requests);
    json_line_number(&line, "waited_ms", result->waited_ms);
    json_line_number(&line, "duration_ms", result->duration_ms);
    json_line_flag(&line, "took_over", result->took_over != 0);
    json_line_flag(&line, "fenced", result->fenced != 0);
    if (strcmp(output->command, "update") == 0) {
        json_line_number(&line, "conflicts", result->conflicts);
        json_line_flag(&line, "unchanged", result->unchanged != 0);
    }
    if (verdict == OS_CONFLICT) {
        json_line_text(&line, "found_etag", result->found_etag);
        json_line_text(&line, "found_version_id", result->found_version_id);
        if (result->found_fencing != 0)
            json_line_number(&line, "found_fencing", result->found_fencing);
    }
    json_line_flag(&line, "final", result->final != 0);
    if (result->ask_again_ms > 0)
        json_line_number(&line, "ask_again_ms", result->ask_again_ms);
    json_line_text(&line, "ticket", result->ticket);
    json_line_error(&line, error);
    (void)output_json_print(output, &line);
}

static void guarded_human(const char *url, os_verdict verdict, const os_result *result)
{
    (void)fputs(result->unchanged != 0 ? "unchanged" : os_verdict_name(verdict), stdout);
    if (url != NULL) {
        (void)fputc(' ', stdout);
        clean_print(stdout, url);
    }
    if (verdict == OS_COMMITTED && result->etag[0] != '\0') {
        (void)fputs(" etag ", stdout);
        clean_print(stdout, result->etag);
    }
    if (verdict == OS_COMMITTED && result->version_id[0] != '\0') {
        (void)fputs(" version ", stdout);
        clean_print(stdout, result->version_id);
    }
    if (verdict == OS_CONFLICT && result->found_etag[0] != '\0') {
        (void)fputs(" found ", stdout);
        clean_print(stdout, result->found_etag);
    }
    (void)printf(" (%" PRIu64 " ms, %" PRIu32 " request%s", result->duration_ms, result->requests,
                 result->requests == 1 ? "" : "s");
    if (result->conflicts > 0)
        (void)printf(", %" PRIu32 " conflict%s", result->conflicts, result->conflicts == 1 ? "" : "s");
    if (result->waited_ms > 0)
        (void)printf(", waited %" PRIu64 " ms", result->waited_ms);
    (void)fputs(result->took_over != 0 ? ", took a record over" : "", stdout);
    if (result->guard != OS_GUARD_AUTO)
        (void)printf(", %s by %s", guarded_name(result->guard), result->request);
    (void)puts(")");
}

enum status output_guarded(struct output *output, const char *url, os_verdict verdict, const os_result *result,
                           const os_error *error)
{
    progress_end(&output->progress);
    if (output->json) {
        guarded_json(output, url, verdict, result, error);
    } else if (!output->quiet) {
        guarded_human(url, verdict, result);
        (void)streams_flush();
    }
    /* COMMITTED has an error too where a rename could not delete its source. */
    if (error->code != OS_OK && error->message[0] != '\0')
        output_message(output, error->message);
    return status_of_guarded(verdict, result, error);
}

static void print_done(const struct output *output, const char *url, const char *sentence)
{
    if (output->quiet)
        return;
    (void)printf("%s ", status_name(STATUS_DONE));
    clean_print(stdout, url == NULL ? output->command : url);
    if (sentence != NULL) {
        (void)fputs(": ", stdout);
        clean_print(stdout, sentence);
    }
    (void)fputc('\n', stdout);
}

enum status output_checked(struct output *output, const char *url, const char *sentence)
{
    struct json_line line;

    progress_end(&output->progress);
    if (!output->json) {
        print_done(output, url, sentence);
        return STATUS_DONE;
    }
    output_json_begin(output, &line, url, status_name(STATUS_DONE));
    json_line_text(&line, "sentence", sentence);
    (void)output_json_print(output, &line);
    return STATUS_DONE;
}

enum status output_outcome(struct output *output, const char *url, enum status status, const os_error *error)
{
    progress_end(&output->progress);
    if (output->json) {
        struct json_line line;
        output_json_begin(output, &line, url, status_name(status));
        json_line_error(&line, error);
        (void)output_json_print(output, &line);
    } else if (status == STATUS_DONE) {
        print_done(output, url, NULL);
    }
    if (status != STATUS_DONE)
        output_message(output, error->message[0] == '\0' ? os_code_text(error->code) : error->message);
    return status;
}

enum status output_plain_write(struct output *output, const char *url, const os_error *error)
{
    enum status status = output_outcome(output, url, status_of_write(error), error);

    if (status == STATUS_UNKNOWN) {
        output_message(output, "This write was not guarded, so nothing can decide whether it was applied: look at the "
                               "object. With --if-absent or --if-match the outcome could be resolved.");
    }
    return status;
}

void output_json_object(struct json_line *line, const os_object *object, bool length_known)
{
    json_line_text(line, "etag", object->etag);
    json_line_text(line, "version_id", object->version_id);
    if (length_known)
        json_line_number(line, "length", object->length);
    if (object->last_modified_s != 0)
        json_line_time(line, "last_modified", object->last_modified_s);
    json_line_text(line, "content_type", object->content_type);
    json_line_text(line, "nonce", object->nonce);
    json_line_text(line, "replaced", object->replaced);
    if (object->fencing != 0)
        json_line_number(line, "fencing", object->fencing);
}

static void object_human(const char *url, const os_object *object, bool length_known)
{
    (void)fputs("done ", stdout);
    clean_print(stdout, url);
    if (object->etag[0] != '\0') {
        (void)fputs(" etag ", stdout);
        clean_print(stdout, object->etag);
    }
    if (object->version_id[0] != '\0') {
        (void)fputs(" version ", stdout);
        clean_print(stdout, object->version_id);
    }
    if (length_known)
        (void)printf(" (%" PRIu64 " bytes)", object->length);
    (void)fputc('\n', stdout);
}

enum status output_object(struct output *output, const char *url, const os_object *object, bool length_known)
{
    progress_end(&output->progress);
    if (output->json) {
        struct json_line line;
        output_json_begin(output, &line, url, status_name(STATUS_DONE));
        output_json_object(&line, object, length_known);
        (void)output_json_print(output, &line);
    } else if (!output->quiet) {
        object_human(url, object, length_known);
    }
    return STATUS_DONE;
}
