/* SPDX-License-Identifier: Apache-2.0 */
#include "common/table.h"

#include "cli/clean.h"
#include "cli/streams.h"
#include "common/table_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The records of one table serve one store; without a store the names are those of the records. */
static bool table_locate(const struct options *options, const char *name, enum location_wants wants,
                         struct location *ret, struct usage *usage)
{
    bool bare = name == NULL || !location_is_url(name);

    if (bare && options_text(options, OPTION_STORE) == NULL) {
        if (options_text(options, OPTION_LEDGER) == NULL) {
            return usage_refuse(
                usage, "The table is not given: name it with --ledger, or name the store with --store or by URL.");
        }
        if (wants == LOCATION_OBJECT && name[0] == '\0')
            return usage_refuse(usage, "The key is empty.");
        ret->key = strdup(name == NULL ? "" : name);
        ret->url = strdup(name == NULL ? options_text(options, OPTION_LEDGER) : name);
        return (ret->key != NULL && ret->url != NULL) || usage_refuse(usage, "There is not enough memory.");
    }
    return name == NULL ? location_store(options, ret, usage) : location_parse(name, wants, options, ret, usage);
}

enum status table_open(struct session *session, const struct options *options, const char *name,
                       enum location_wants wants, struct location *ret_at)
{
    struct usage usage = {0};

    memset(session, 0, sizeof(*session));
    memset(ret_at, 0, sizeof(*ret_at));
    if (!table_locate(options, name, wants, ret_at, &usage))
        return output_usage(options, &usage);
    if (wants == LOCATION_OBJECT && ret_at->store == NULL && options_on(options, OPTION_RECORDS_BY_BUCKET)) {
        (void)usage_refuse(&usage, "With --records-by-bucket a record is found by its bucket: name the store with "
                                   "--store, or the object by its URL.");
        return output_usage(options, &usage);
    }
    /* A client asks for a store even where only the ledger is used; no request goes to this one. */
    return session_open(session, options, ret_at->store == NULL ? "s3://no-store-was-named" : ret_at->store);
}

enum status table_close(struct session *session, struct location *at, enum status status)
{
    location_clear(at);
    return session->options == NULL ? status : session_close(session, status);
}

static table_fn *table_fn_of(const struct options *options, const struct table_calls *calls)
{
    if (options_on(options, OPTION_LEASES))
        return calls->of_leases;
    if (options_on(options, OPTION_LOG_ENTRIES))
        return calls->of_entries;
    return options_on(options, OPTION_LOCKS) ? calls->of_locks : calls->of_records;
}

/* `said`: what the check itself had to say of a table that is fit. */
static enum status tell_fit(struct session *session, const char *said)
{
    const struct options *options = session->options;
    const char *ledger = options_text(options, OPTION_LEDGER);
    const char *items = options_on(options, OPTION_LEASES)        ? "leases"
                        : options_on(options, OPTION_LOCKS)       ? "locks"
                        : options_on(options, OPTION_LOG_ENTRIES) ? "log entries"
                                                                  : "records";
    bool is_dynamo = ledger != NULL && strncmp(ledger, "dynamo", strlen("dynamo")) == 0;
    char sentence[160];

    (void)snprintf(sentence, sizeof(sentence), "Nothing is wrong. Looked at: the %s. They are fit for %s.",
                   is_dynamo ? "keys, TTL, state and replication" : "file and its schema", items);
    return output_checked(&session->output, ledger, said[0] != '\0' ? said : sentence);
}

enum status table_call(const struct options *options, const struct table_calls *calls)
{
    const char *name = options->operand_count > 0 ? options->operand[0] : NULL;
    table_fn *call = table_fn_of(options, calls);
    struct usage usage = {0};
    struct session session;
    struct location at;

    if (options_on(options, OPTION_LEASES) + options_on(options, OPTION_LOCKS) +
            options_on(options, OPTION_LOG_ENTRIES) >
        1) {
        (void)usage_refuse(&usage, "A table has leases, locks or log entries: give one of --leases, --locks and "
                                   "--log-entries.");
        return output_usage(options, &usage);
    }
    enum status status = table_open(&session, options, name, LOCATION_PREFIX, &at);
    if (status == STATUS_DONE) {
        os_error error = {0};
        os_code code = call(session.client, &session.call, &error);
        if (code == OS_OK && call == calls->of_records && calls->then != NULL)
            calls->then(&session);
        status =
            code == OS_OK && calls->then != NULL
                ? tell_fit(&session, error.message)
                : output_outcome(&session.output, options_text(options, OPTION_LEDGER), status_of_read(&error), &error);
    }
    return table_close(&session, &at, status);
}

static void add_view(struct json_line *line, const os_record *record, const struct table_view *view)
{
    json_line_text(line, "state", table_state_word(view->state));
    json_line_text(line, "unreadable", record->unreadable);
    if (record->since_s != 0) {
        json_line_signed(line, "since_s", record->since_s);
        json_line_time(line, "since", record->since_s);
    }
    if (view->until_s != 0) {
        json_line_signed(line, "until_s", view->until_s);
        json_line_time(line, "until", view->until_s);
    }
}

static void add_record(struct json_line *line, const os_record *record)
{
    json_line_number(line, "generation", record->generation);
    json_line_flag(line, "released", record->timeout_ms == 0);
    json_line_number(line, "timeout_ms", record->timeout_ms);
    json_line_signed(line, "ttl_s", record->ttl_s);
    json_line_time(line, "ttl", record->ttl_s);
    if (record->has_fence) {
        json_line_signed(line, "fence_s", record->fence_s);
        json_line_time(line, "fence", record->fence_s);
    }
    json_line_text(line, "nonce", record->nonce);
    json_line_text(line, "saw", record->saw);
    json_line_text(line, "upload", record->upload);
    json_line_text(line, "bucket", record->bucket);
}

static bool show_json(struct output *output, const os_record *record, const struct table_view *view)
{
    struct json_line line;
    json_t *other = record->other == NULL ? NULL : json_loads(record->other, JSON_DECODE_ANY, NULL);

    json_line_begin(&line);
    json_line_text(&line, "command", output->command);
    json_line_text(&line, "path", record->path);
    json_line_text(&line, "etag", record->etag);
    add_view(&line, record, view);
    if (view->state != TABLE_DAMAGED)
        add_record(&line, record);
    if (other != NULL)
        json_line_value(&line, "other", other);
    else
        json_line_text(&line, "other", record->other);
    return output_json_print(output, &line);
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text == NULL || text[0] == '\0' ? otherwise : text;
}

/* What the state means for the next writer. */
static void show_state(const os_record *record, const struct table_view *view)
{
    char until[CLEAN_TIME_SIZE];
    char text[512];

    clean_local_time(view->until_s, until);
    switch (view->state) {
    case TABLE_RELEASED: (void)snprintf(text, sizeof(text), "released: it blocks nobody"); break;
    case TABLE_OVER:
        (void)snprintf(text, sizeof(text), "over since %s: its write was applied, or never will be; it blocks nobody",
                       until);
        break;
    case TABLE_LIVE: (void)snprintf(text, sizeof(text), "live: its writer may still write, until %s", until); break;
    case TABLE_UNFENCED:
        (void)snprintf(text, sizeof(text), "unfenced: each other writer waits %" PRIu64 " s%s", view->wait_ms / 1000,
                       view->is_old ? "; its own lease has passed" : "");
        break;
    case TABLE_ENDLESS:
        (void)snprintf(text, sizeof(text), "endless: nobody takes it over; `oscommit table release` releases it");
        break;
    case TABLE_DAMAGED:
        (void)snprintf(text, sizeof(text),
                       "damaged: %.300s It blocks every writer; `oscommit table release --force` replaces it",
                       text_or(record->unreadable, ""));
        break;
    }
    output_field("state", text);
}

static void show_record(const os_record *record)
{
    char text[64];

    output_field_time("since", record->since_s, "not known");
    (void)snprintf(text, sizeof(text), "%" PRIu64, record->generation);
    output_field("generation", text);
    (void)snprintf(text, sizeof(text), "%" PRIu64 " ms%s", record->timeout_ms,
                   record->timeout_ms == 0 ? " (released)" : "");
    output_field("timeout", text);
    output_field_time("fence", record->has_fence ? record->fence_s : 0, "none: other writers wait the whole lease");
    output_field_time("ttl", record->ttl_s, "1970");
    output_field("nonce", text_or(record->nonce, "none: written by object_store"));
    output_field("saw", text_or(record->saw, "none"));
    if (text_or(record->upload, "")[0] != '\0')
        output_field("upload", record->upload);
    if (text_or(record->bucket, "")[0] != '\0')
        output_field("bucket", record->bucket);
}

static void show_long(const os_record *record, const struct table_view *view)
{
    output_field("path", record->path);
    output_field("etag", record->etag);
    show_state(record, view);
    if (view->state != TABLE_DAMAGED)
        show_record(record);
    if (strcmp(text_or(record->other, "{}"), "{}") != 0)
        output_field(view->state == TABLE_DAMAGED ? "item" : "other", record->other);
}

static void show_short(const os_record *record, const struct table_view *view)
{
    char since[CLEAN_TIME_SIZE];
    char until[CLEAN_TIME_SIZE];
    char holder[TABLE_HOLDER_SIZE];

    clean_local_time(record->since_s, since);
    clean_local_time(view->until_s, until);
    table_holder(record, holder);
    (void)printf("%-8s  %-19s  %-19s  %-12s  ", table_state_word(view->state), since, until, holder);
    clean_print(stdout, record->path);
    (void)fputc(' ', stdout);
    clean_print(stdout, record->etag);
    (void)fputc('\n', stdout);
}

bool table_show_record(struct output *output, const os_record *record, const struct table_view *view, bool long_form)
{
    progress_clear(&output->progress);
    if (output->json)
        return show_json(output, record, view);
    if (output->quiet)
        return true;
    if (long_form)
        show_long(record, view);
    else
        show_short(record, view);
    return streams_good();
}
