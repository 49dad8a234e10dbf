/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/session.h"
#include "command/commands.h"

#include <inttypes.h>
#include <stdio.h>

static void print_field(const char *name, const char *value)
{
    if (value[0] != '\0') {
        (void)printf("%-14s ", name);
        clean_print(stdout, value);
        (void)fputc('\n', stdout);
    }
}

static enum status head_report(struct session *session, const char *url, const os_object *found)
{
    char text[CLEAN_TIME_SIZE];

    if (!output_is_human(&session->output))
        return output_object(&session->output, url, found, true);
    progress_end(&session->output.progress);
    print_field("object", url);
    print_field("etag", found->etag);
    print_field("version", found->version_id);
    (void)snprintf(text, sizeof(text), "%" PRIu64, found->length);
    print_field("length", text);
    clean_time(found->last_modified_s, text);
    print_field("last modified", text);
    print_field("content type", found->content_type);
    print_field("nonce", found->nonce);
    print_field("replaced", found->replaced);
    if (found->fencing != 0)
        (void)snprintf(text, sizeof(text), "%" PRIu64, found->fencing);
    print_field("fencing token", found->fencing != 0 ? text : "");
    return STATUS_DONE;
}

static enum status head_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    os_object found = OS_OBJECT_INIT;
    os_error error = {0};
    enum status status;

    if (!location_parse(options->operand[0], LOCATION_OBJECT, options, &at, &usage))
        return output_usage(options, &usage);
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE) {
        os_code code = os_head_version(session.client, at.key, options_text(options, OPTION_VERSION_ID), &session.call,
                                       &found, &error);
        status = code == OS_OK ? head_report(&session, at.url, &found)
                               : output_outcome(&session.output, at.url, status_of_read(&error), &error);
    }
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_VERSION_ID, OPTION_COUNT};

const struct command command_head = {
    .name = "head",
    .operands = "URL",
    .summary = "show an object's ETag, length, nonce and token",
    .description =
        "Shows what the store says about the object. Without an object the exit status is 66, and with --json\n"
        "error.code is OS_ERR_NOT_FOUND. `nonce` names the guarded write that made the object,\n"
        "`replaced` the one whose object it replaced, where that is known. The fencing token is that of the lease\n"
        "under which it was written (--json: `fencing`): no write under a smaller one replaces it.\n",
    .examples = "oscommit head s3://bucket/state\n"
                "etag=$(oscommit head s3://bucket/state --json | jq -r .etag)\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = head_run,
};
