/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/duration.h"
#include "cli/session.h"
#include "cli/streams.h"
#include "command/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct search {
    struct session *session;
    const struct location *at;
    bool output_failed;
};

static const char *fate_name(os_garbage_fate fate)
{
    switch (fate) {
    case OS_GARBAGE_FOUND: return "found";
    case OS_GARBAGE_REMOVED: return "removed";
    case OS_GARBAGE_SPARED: return "spared";
    case OS_GARBAGE_FAILED: return "failed";
    }
    return "";
}

static bool gc_print_json(struct search *search, const os_garbage *garbage)
{
    struct json_line line;
    char *url = location_url_of(search->at, garbage->key);
    bool is_upload = garbage->kind == OS_GARBAGE_UPLOAD;

    json_line_begin(&line);
    json_line_text(&line, "command", "gc");
    json_line_text(&line, "kind", is_upload ? "upload" : "record");
    json_line_text(&line, "fate", fate_name(garbage->fate));
    json_line_text(&line, "object", url);
    json_line_text(&line, "key", garbage->key);
    json_line_text(&line, "etag", garbage->etag);
    json_line_text(&line, "upload", garbage->upload);
    if (garbage->since_s > 0)
        json_line_time(&line, is_upload ? "initiated" : "ttl", garbage->since_s);
    json_line_text(&line, "reason", garbage->reason);
    line.failed = line.failed || url == NULL;
    free(url);
    return output_json_print(&search->session->output, &line);
}

static bool gc_print_human(const os_garbage *garbage)
{
    char time[CLEAN_TIME_SIZE] = "-";

    if (garbage->since_s > 0)
        clean_time(garbage->since_s, time);
    (void)printf("%-8s %-7s %-20s ", fate_name(garbage->fate), garbage->kind == OS_GARBAGE_UPLOAD ? "upload" : "record",
                 time);
    clean_print(stdout, garbage->key);
    (void)fputc(' ', stdout);
    clean_print(stdout, garbage->kind == OS_GARBAGE_UPLOAD ? garbage->upload : garbage->etag);
    if (garbage->reason[0] != '\0') {
        (void)fputs(": ", stdout);
        clean_print(stdout, garbage->reason);
    }
    (void)fputc('\n', stdout);
    return streams_good();
}

static int gc_each(void *context, const os_garbage *garbage)
{
    struct search *search = context;
    struct output *output = &search->session->output;

    progress_clear(&output->progress);
    if (output->json)
        search->output_failed = !gc_print_json(search, garbage);
    else if (!output->quiet)
        search->output_failed = !gc_print_human(garbage);
    return search->output_failed ? 1 : 0;
}

static const char *listing_name(os_gc_listing listing)
{
    switch (listing) {
    case OS_GC_LISTING_WHOLE: return "whole";
    case OS_GC_LISTING_UNPROVEN: return "unproven";
    case OS_GC_LISTING_NONE: return "none";
    case OS_GC_LISTING_PARTIAL: return "partial";
    }
    return "";
}

static const char *listing_sentence(os_gc_listing listing)
{
    switch (listing) {
    case OS_GC_LISTING_UNPROVEN:
        return "The store listed no upload of a key longer than this one. There may be some nevertheless: some stores "
               "(MinIO) only list the uploads of one whole key. gc looked at this very key, and at keys whose record "
               "names an upload. Run it again with other keys that large objects were written to.";
    case OS_GC_LISTING_PARTIAL:
        return "One key has more uploads than the store lists at once, and the store refused to continue its list. Run "
               "gc again once the uploads that it found are removed.";
    case OS_GC_LISTING_NONE: return "Uploads were not looked for: signature V2 has none.";
    default: return "";
    }
}

/* The last line: what was seen, and what it was worth. */
static void sum_up(struct search *search, bool remove, const os_gc_result *result)
{
    struct output *output = &search->session->output;
    const char *doubt = listing_sentence(result->listing);
    struct json_line line;

    if (!output->json) {
        if (!output->quiet) {
            (void)printf("%" PRIu64 " %s, %" PRIu64 " spared, %" PRIu64 " failed; %" PRIu64 " uploads and %" PRIu64
                         " records seen\n",
                         remove ? result->removed : result->found, remove ? "removed" : "to remove (with --remove)",
                         result->spared, result->failed, result->uploads, result->records);
        }
        if (!output->quiet && doubt[0] != '\0')
            output_message(output, doubt);
        return;
    }
    output_json_begin(output, &line, search->at->url, status_name(result->failed > 0 ? STATUS_UNKNOWN : STATUS_DONE));
    json_line_flag(&line, "removing", remove);
    json_line_number(&line, "found", result->found);
    json_line_number(&line, "removed", result->removed);
    json_line_number(&line, "spared", result->spared);
    json_line_number(&line, "failed", result->failed);
    json_line_number(&line, "uploads", result->uploads);
    json_line_number(&line, "records", result->records);
    json_line_time(&line, "date", result->date_s);
    json_line_text(&line, "listing", listing_name(result->listing));
    json_line_text(&line, "note", doubt);
    (void)output_json_print(output, &line);
}

static enum status gc_collect(struct session *session, const struct location *at, uint64_t older_than_s)
{
    struct search search = {.session = session, .at = at};
    bool remove = options_on(session->options, OPTION_REMOVE);
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error error = {0};

    options.prefix = at->key;
    options.older_than_s = older_than_s;
    options.remove = remove ? 1 : 0;
    os_code code = os_gc(session->client, &options, &session->call, gc_each, &search, &result, &error);
    if (search.output_failed)
        return STATUS_OUTPUT;
    if (code != OS_OK)
        return output_outcome(&session->output, at->url, status_of_read(&error), &error);
    sum_up(&search, remove, &result);
    return result.failed > 0 ? STATUS_UNKNOWN : STATUS_DONE;
}

/* "90s", "30m", "36h", "7d". */
static bool take_age(const struct options *options, uint64_t *ret_s, struct usage *usage)
{
    const uint64_t most = UINT64_C(3650) * 86400;
    const char *text = options_text(options, OPTION_OLDER_THAN);

    *ret_s = 0;
    if (text == NULL || duration_parse(text, "smhd", most, ret_s))
        return true;
    return usage_refuse(usage, "--older-than must be a time such as 90m, 36h or 7d, at most ten years, not \"%.60s\".",
                        text);
}

static enum status gc_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    uint64_t older_than_s;

    if (!take_age(options, &older_than_s, &usage))
        return output_usage(options, &usage);
    if (!location_prefix(options, &at, &usage))
        return output_usage(options, &usage);
    enum status status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = gc_collect(&session, &at, older_than_s);
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_OLDER_THAN, OPTION_REMOVE, OPTION_COUNT};

const struct command command_gc = {
    .name = "gc",
    .operands = "[URL]",
    .summary = "find and remove what dead writers have left",
    .description =
        "Looks below the URL's key for multipart uploads that nobody completed or aborted, and for records whose ttl\n"
        "passed more than a day ago. Removes them only with --remove; otherwise it lists them.\n"
        "Kept: uploads named by a record whose holder may still complete them, uploads of unknown age, and records\n"
        "whose upload is open. Uploads of other programs below the same key are found as well.\n"
        "Some stores (MinIO) only list the uploads of one whole key. The last line says if that may be the case.\n",
    .examples = "oscommit gc s3://bucket/data/ --ledger dynamodb://commits\n"
                "oscommit gc file:///srv/store --older-than 7d --remove --json\n",
    .options = own_options,
    .max_operands = 1,
    .covers_keys = true,
    .run = gc_run,
};
