/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/session.h"
#include "cli/streams.h"
#include "command/commands.h"
#include "common/many.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    struct session *session;
    const struct location *at;
    const char *delimiter; /* NULL: every key */
    bool versions;
    bool is_long;
    const struct glob *glob; /* NULL: all */
    uint64_t limit;          /* of matches; 0: none */
    uint64_t matched;
    bool is_enough;
    bool output_failed;
};

/* os_list gives what keys share before a delimiter once, without an ETag. */
static bool is_prefix(const struct listing *listing, const os_object *object)
{
    size_t len = strlen(object->key);
    size_t end = listing->delimiter == NULL ? 0 : strlen(listing->delimiter);

    return end > 0 && object->etag[0] == '\0' && len >= end && strcmp(object->key + len - end, listing->delimiter) == 0;
}

static bool ls_print_json(struct listing *listing, const os_object *object)
{
    struct json_line line;
    char *url = location_url_of(listing->at, object->key);

    json_line_begin(&line);
    json_line_text(&line, "command", "ls");
    if (is_prefix(listing, object)) {
        json_line_text(&line, "prefix", object->key);
    } else {
        json_line_text(&line, "object", url);
        json_line_text(&line, "key", object->key);
        output_json_object(&line, object, true);
        if (listing->versions) {
            json_line_flag(&line, "is_latest", object->is_latest != 0);
            json_line_flag(&line, "is_delete_marker", object->is_delete_marker != 0);
        }
    }
    line.failed = line.failed || url == NULL;
    free(url);
    return output_json_print(&listing->session->output, &line);
}

static bool ls_print_human(const struct listing *listing, const os_object *object)
{
    char time[CLEAN_TIME_SIZE];

    if (is_prefix(listing, object)) {
        (void)printf("%-20s %15s ", "", "-");
    } else {
        clean_time(object->last_modified_s, time);
        (void)printf("%-20s %15" PRIu64 " ", time, object->length);
    }
    if (listing->versions) {
        clean_print(stdout, object->version_id[0] == '\0' ? "null" : object->version_id);
        (void)printf(" %-7s ", object->is_delete_marker ? "deleted" : object->is_latest ? "latest" : "-");
    }
    if (listing->is_long) {
        clean_print(stdout, object->etag[0] == '\0' ? "-" : object->etag);
        (void)fputc(' ', stdout);
    }
    clean_print_exact(stdout, object->key);
    (void)fputc('\n', stdout);
    return streams_good();
}

static int ls_each(void *context, const os_object *object)
{
    struct listing *listing = context;
    struct output *output = &listing->session->output;

    if (listing->glob != NULL && !glob_matches(listing->glob, object->key))
        return 0;
    listing->matched++;
    progress_clear(&output->progress);
    if (output->json)
        listing->output_failed = !ls_print_json(listing, object);
    else if (!output->quiet)
        listing->output_failed = !ls_print_human(listing, object);
    if (listing->output_failed)
        return 1;
    listing->is_enough = listing->glob != NULL && listing->matched == listing->limit;
    return listing->is_enough ? 1 : 0;
}

/* What the list ended with. */
static enum status ls_end(struct listing *listing, os_code code, os_error *error)
{
    struct output *output = &listing->session->output;

    if (listing->output_failed)
        return STATUS_OUTPUT;
    if (code != OS_OK && !listing->is_enough)
        return output_outcome(output, listing->at->url, status_of_read(error), error);
    if (listing->glob == NULL || listing->matched > 0)
        return STATUS_DONE;
    error->code = OS_ERR_NOT_FOUND;
    (void)snprintf(error->message, sizeof(error->message), "No object matches \"%.900s\".", listing->at->url);
    return output_outcome(output, listing->at->url, STATUS_ABSENT, error);
}

static enum status ls_list(struct session *session, const struct location *at, const struct glob *glob)
{
    const struct options *options = session->options;
    const char *named = options_text(options, OPTION_DELIMITER);
    struct listing listing = {.session = session, .at = at, .glob = glob};
    os_list_options wanted = OS_LIST_OPTIONS_INIT;
    os_error error = {0};
    os_code code;

    listing.is_long = options_on(options, OPTION_LONG);
    listing.versions = options_on(options, OPTION_VERSIONS);
    if (!options_on(options, OPTION_RECURSIVE) && !listing.versions && glob == NULL)
        listing.delimiter = named == NULL ? "/" : named;
    wanted.prefix = glob == NULL ? at->key : glob->literal;
    wanted.delimiter = listing.delimiter;
    wanted.start_after = options_text(options, OPTION_START_AFTER);
    listing.limit = options_number(options, OPTION_MAX_KEYS);
    wanted.max_keys = glob == NULL ? listing.limit : 0;
    wanted.versions = listing.versions ? 1 : 0;
    code = os_list(session->client, &wanted, &session->call, ls_each, &listing, &error);
    return ls_end(&listing, code, &error);
}

static bool ls_parse(const struct options *options, struct location *ret, struct glob *ret_glob, struct usage *usage)
{
    bool is_pattern = options->operand_count > 0 && many_is_pattern(options, options->operand[0]);
    bool is_flat = is_pattern || options_on(options, OPTION_RECURSIVE) || options_on(options, OPTION_VERSIONS);

    if (is_flat && options_on(options, OPTION_DELIMITER))
        return usage_refuse(usage, "--delimiter does not go with --recursive, --versions or a pattern.");
    return location_prefix(options, ret, usage) && (!is_pattern || glob_open(ret->key, ret_glob, usage));
}

static enum status ls_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct glob glob = {.tokens = NULL};
    struct session session;
    enum status status;

    if (!ls_parse(options, &at, &glob, &usage)) {
        location_clear(&at);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = ls_list(&session, &at, glob.tokens == NULL ? NULL : &glob);
    status = session_close(&session, status);
    glob_close(&glob);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_RECURSIVE, OPTION_DELIMITER, OPTION_START_AFTER, OPTION_MAX_KEYS,
                                             OPTION_VERSIONS,  OPTION_LONG,      OPTION_LITERAL,     OPTION_COUNT};

const struct command command_ls = {
    .name = "ls",
    .operands = "[URL]",
    .summary = "list objects",
    .description =
        "Lists the keys that start with the URL's key, one level deep, in key order: last change, length, key.\n"
        "With --json it prints one JSON object per key; common prefixes have `prefix` instead of `key`. With "
        "--versions\n"
        "it lists every version and delete marker of every key below, with its version id. A key with *, ? or [ in it "
        "is a\n"
        "pattern, as of `oscommit get`, and all keys that match are listed; if there is none, the status is 66. "
        "--literal\n"
        "takes it as it is.\n",
    .examples = "oscommit ls s3://bucket/data/\n"
                "oscommit ls 's3://bucket/2026/**/part-*.parquet' -l\n"
                "oscommit ls file:///srv/store --recursive --json | jq -r .key\n",
    .options = own_options,
    .max_operands = 1,
    .run = ls_run,
};
