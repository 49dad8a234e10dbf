/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "clean.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The records of one table serve one store; without a store the names are those of the records. */
static bool locate(const struct options *options, const char *name, enum location_wants wants, struct location *ret,
                   struct usage *usage)
{
    bool bare = name == NULL || !location_is_url(name);

    if (bare && options_text(options, OPTION_STORE) == NULL) {
        if (options_text(options, OPTION_LEDGER) == NULL) {
            return usage_refuse(usage,
                                "The table is not known: name it with --ledger, or the store with --store or by URL.");
        }
        if (wants == LOCATION_OBJECT && name[0] == '\0') {
            return usage_refuse(usage, "The key is empty.");
        }
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
    if (!locate(options, name, wants, ret_at, &usage)) {
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

static bool show_json(struct output *output, const os_record *record)
{
    struct json_line line;
    json_t *other = record->other == NULL ? NULL : json_loads(record->other, 0, NULL);

    json_line_begin(&line);
    json_line_text(&line, "command", output->command);
    json_line_text(&line, "path", record->path);
    json_line_text(&line, "etag", record->etag);
    json_line_number(&line, "generation", record->generation);
    json_line_flag(&line, "released", record->timeout_ms == 0);
    json_line_number(&line, "timeout_ms", record->timeout_ms);
    json_line_signed(&line, "ttl_s", record->ttl_s);
    json_line_time(&line, "ttl", record->ttl_s);
    if (record->has_fence) {
        json_line_signed(&line, "fence_s", record->fence_s);
        json_line_time(&line, "fence", record->fence_s);
    }
    json_line_text(&line, "nonce", record->nonce);
    json_line_text(&line, "saw", record->saw);
    json_line_text(&line, "upload", record->upload);
    if (other != NULL) {
        json_line_value(&line, "other", other);
    } else {
        json_line_text(&line, "other", record->other);
    }
    return output_json_print(output, &line);
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text == NULL || text[0] == '\0' ? otherwise : text;
}

static void show_field(const char *name, const char *value)
{
    (void)printf("%-11s ", name);
    clean_print(stdout, value);
    (void)fputc('\n', stdout);
}

static void show_long(const os_record *record)
{
    char text[64];
    char time[CLEAN_TIME_SIZE];

    show_field("path", record->path);
    show_field("etag", record->etag);
    (void)snprintf(text, sizeof(text), "%" PRIu64, record->generation);
    show_field("generation", text);
    (void)snprintf(text, sizeof(text), "%" PRIu64 " ms%s", record->timeout_ms,
                   record->timeout_ms == 0 ? " (released)" : "");
    show_field("timeout", text);
    clean_time(record->fence_s, time);
    show_field("fence", record->has_fence ? time : "none: contenders wait the whole lease");
    clean_time(record->ttl_s, time);
    show_field("ttl", time);
    show_field("nonce", text_or(record->nonce, "none: written by object_store"));
    show_field("saw", text_or(record->saw, "none"));
    if (text_or(record->upload, "")[0] != '\0') {
        show_field("upload", record->upload);
    }
    if (strcmp(text_or(record->other, "{}"), "{}") != 0) {
        show_field("other", record->other);
    }
}

static void show_short(const os_record *record)
{
    char fence[CLEAN_TIME_SIZE];
    char ttl[CLEAN_TIME_SIZE];

    clean_time(record->fence_s, fence);
    clean_time(record->ttl_s, ttl);
    (void)printf("%-8s fence %-20s ttl %-20s ", record->timeout_ms == 0 ? "released" : "held",
                 record->has_fence ? fence : "-", ttl);
    clean_print(stdout, record->path);
    (void)fputc(' ', stdout);
    clean_print(stdout, record->etag);
    (void)fputc('\n', stdout);
}

bool table_show_record(struct output *output, const os_record *record, bool long_form)
{
    progress_clear(&output->progress);
    if (output->json) {
        return show_json(output, record);
    }
    if (output->quiet) {
        return true;
    }
    if (long_form) {
        show_long(record);
    } else {
        show_short(record);
    }
    return ferror(stdout) == 0;
}
