/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/session.h"
#include "cli/streams.h"
#include "command/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    struct session *session;
    const struct location *at;
    const char *delimiter; /* NULL: every key */
    bool versions;
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
    clean_print_exact(stdout, object->key);
    (void)fputc('\n', stdout);
    return streams_good();
}

static int ls_each(void *context, const os_object *object)
{
    struct listing *listing = context;
    struct output *output = &listing->session->output;

    progress_clear(&output->progress);
    if (output->json)
        listing->output_failed = !ls_print_json(listing, object);
    else if (!output->quiet)
        listing->output_failed = !ls_print_human(listing, object);
    return listing->output_failed ? 1 : 0;
}

static enum status ls_list(struct session *session, const struct location *at)
{
    const struct options *options = session->options;
    const char *named = options_text(options, OPTION_DELIMITER);
    struct listing listing = {.session = session, .at = at};
    os_list_options wanted = OS_LIST_OPTIONS_INIT;
    os_error error = {0};
    os_code code;
    enum status status = STATUS_DONE;

    listing.versions = options_on(options, OPTION_VERSIONS);
    if (!options_on(options, OPTION_RECURSIVE) && !listing.versions)
        listing.delimiter = named == NULL ? "/" : named;
    wanted.prefix = at->key;
    wanted.delimiter = listing.delimiter;
    wanted.start_after = options_text(options, OPTION_START_AFTER);
    wanted.max_keys = options_number(options, OPTION_MAX_KEYS);
    wanted.versions = listing.versions ? 1 : 0;
    code = os_list(session->client, &wanted, &session->call, ls_each, &listing, &error);
    if (listing.output_failed)
        status = STATUS_OUTPUT;
    else if (code != OS_OK)
        status = output_outcome(&session->output, at->url, status_of_read(code), &error);
    return status;
}

static enum status ls_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    enum status status;

    if ((options_on(options, OPTION_RECURSIVE) || options_on(options, OPTION_VERSIONS)) &&
        options_on(options, OPTION_DELIMITER)) {
        (void)usage_refuse(&usage, "--delimiter does not go with --recursive or --versions.");
        return output_usage(options, &usage);
    }
    if (!location_prefix(options, &at, &usage))
        return output_usage(options, &usage);
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = ls_list(&session, &at);
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_RECURSIVE, OPTION_DELIMITER, OPTION_START_AFTER,
                                             OPTION_MAX_KEYS,  OPTION_VERSIONS,  OPTION_COUNT};

const struct command command_ls = {
    .name = "ls",
    .operands = "[URL]",
    .summary = "list objects",
    .description =
        "Lists the keys that start with the URL's key, one level deep, in key order: last change, length, key.\n"
        "With --json it prints one JSON object per key; common prefixes have `prefix` instead of `key`. With "
        "--versions\n"
        "it lists every version and delete marker of every key below, with its version id.\n",
    .examples = "oscommit ls s3://bucket/data/\n"
                "oscommit ls file:///srv/store --recursive --json | jq -r .key\n",
    .options = own_options,
    .max_operands = 1,
    .run = ls_run,
};
