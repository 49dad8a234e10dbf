/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/duration.h"
#include "cli/session.h"
#include "cli/streams.h"
#include "command/commands.h"

#include <stdio.h>
#include <string.h>

enum { MOST_S = 604800 /* of Signature V4 */ };

static bool take_options(const struct options *options, os_presign_options *ret, struct usage *usage)
{
    static const os_presign_method methods[] = {OS_PRESIGN_GET, OS_PRESIGN_HEAD, OS_PRESIGN_PUT_IF_ABSENT};
    const char *expires = options_text(options, OPTION_EXPIRES);
    uint64_t expires_s = 0;

    if (expires != NULL && !duration_parse(expires, "smhd", MOST_S, &expires_s))
        return usage_refuse(usage, "--expires must be a time such as 15m or 12h, at most 7d, not \"%.64s\".", expires);
    ret->method = methods[options_choice(options, OPTION_METHOD)];
    ret->expires_s = (uint32_t)expires_s;
    ret->version_id = options_text(options, OPTION_VERSION_ID);
    ret->content_type = options_text(options, OPTION_CONTENT_TYPE);
    return true;
}

/* As an object: {"If-None-Match": "*"}. Names are in lower case, which HTTP does not mind. */
static void add_headers(struct json_line *line, char *headers)
{
    struct json_line object;
    char *rest = headers;

    json_line_begin(&object);
    for (char *header = strsep(&rest, "\n"); header != NULL; header = strsep(&rest, "\n")) {
        char *colon = strstr(header, ": ");
        if (colon == NULL)
            continue;
        *colon = '\0';
        json_line_text(&object, header, colon + 2);
    }
    json_line_child(line, "headers", &object);
}

/* To stdout alone, also with --quiet: it is the result, and a credential. */
static enum status print_url(struct session *session, const char *object, const char *url, char *headers)
{
    struct output *output = &session->output;
    struct json_line line;

    progress_end(&output->progress);
    if (output->json) {
        output_json_begin(output, &line, object, status_name(STATUS_DONE));
        json_line_text(&line, "url", url);
        add_headers(&line, headers);
        return output_json_print(output, &line) ? STATUS_DONE : STATUS_OUTPUT;
    }
    (void)puts(url);
    return streams_flush() ? STATUS_DONE : STATUS_OUTPUT;
}

static enum status presign_run(const struct options *options)
{
    os_presign_options wanted = OS_PRESIGN_OPTIONS_INIT;
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    os_error error = {0};
    enum status status;
    char *headers = NULL;
    char *url = NULL;

    if (!take_options(options, &wanted, &usage) ||
        !location_parse(options->operand[0], LOCATION_OBJECT, options, &at, &usage))
        return output_usage(options, &usage);
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE) {
        os_code code = os_presign(session.client, at.key, &wanted, &url, &headers, &error);
        status = code == OS_OK ? print_url(&session, at.url, url, headers)
                               : output_outcome(&session.output, at.url, status_of_read(&error), &error);
    }
    status = session_close(&session, status);
    os_free(url);
    os_free(headers);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_METHOD, OPTION_EXPIRES, OPTION_VERSION_ID, OPTION_CONTENT_TYPE,
                                             OPTION_COUNT};

const struct command command_presign = {
    .name = "presign",
    .operands = "URL",
    .summary = "make a URL with which anybody can send one request",
    .description =
        "Prints a URL for a GET of the object, or with --method for a HEAD or a PUT. Whoever has it can send that "
        "request\n"
        "until it expires: it is a credential, and goes to stdout alone. Sends nothing.\n"
        "A PUT must have the header If-None-Match: *, and writes only if nothing is there. It leaves no record and no\n"
        "ticket, so nobody can settle an answer that was lost. It is refused where writers rely on records: that takes "
        "a\n"
        "--store-profile that proves the condition. With --json, `headers` are those that the request must have.\n",
    .examples =
        "oscommit presign s3://bucket/report.pdf --expires 15m\n"
        "url=$(oscommit presign s3://bucket/inbox/1 --method put) && curl -T file -H 'If-None-Match: *' \"$url\"\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = presign_run,
};
