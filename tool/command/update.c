/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "command/commands.h"
#include "common/fencing.h"
#include "common/filter.h"
#include "common/headers.h"

static int transform(void *context, const os_current *current, os_body *ret)
{
    struct filter *filter = context;

    if (!filter_run(filter, current))
        return 1;
    ret->data = filter->output;
    ret->length = filter->length;
    return 0;
}

static enum status update_object(struct session *session, const struct location *at)
{
    struct filter filter;
    struct headers headers;
    os_update_options how = OS_UPDATE_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict;
    enum status status;

    if (!headers_fill(&headers, session->options))
        return session_fail(session, at->url, OS_ERR_NO_MEMORY, "There is no memory for the metadata.");
    status = fencing_take(session, at->url, &headers.options.fencing);
    if (status != STATUS_DONE) {
        headers_clear(&headers);
        return status;
    }
    filter_init(&filter, session, session->options->program, at->url);
    how.put = &headers.options;
    how.max_length = filter.most;
    verdict = os_update(session->client, at->key, transform, &filter, &how, &session->call, &result, &error);
    filter_explain(&filter, &error);
    filter_clear(&filter);
    headers_clear(&headers);
    return guarded_finish(session, at->url, verdict, &result, &error);
}

static enum status update_command_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    enum status status;

    if (!location_parse(options->operand[0], LOCATION_OBJECT, options, &at, &usage) ||
        !guarded_check(options, true, &usage)) {
        location_clear(&at);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = update_object(&session, &at);
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_MAX_LENGTH, OPTION_TICKET_FILE, OPTIONS_OF_HEADERS, OPTION_COUNT};

const struct command command_update = {
    .name = "update",
    .operands = "URL -- PROGRAM [ARGUMENTS]",
    .summary = "let a program change an object, exactly once",
    .description =
        "Reads the object URL, gives its bytes to PROGRAM on stdin, and writes what that prints, if nobody else has\n"
        "changed the object meanwhile. If somebody has, reads again and runs PROGRAM again, until the deadline. So\n"
        "PROGRAM should do nothing but make the new bytes. If it prints the same bytes, nothing is written. If its\n"
        "exit status is not 0, nothing is written, and the command ends with status 1. Its environment has\n"
        "OSCOMMIT_UPDATE_EXISTS (0 if nothing is there; stdin is then empty), OSCOMMIT_UPDATE_ETAG,\n"
        "OSCOMMIT_UPDATE_URL, and OSCOMMIT_UPDATE_ROUND (1, and one more after each conflict).\n"
        "Content type, metadata, tags and the like are not taken over from what was there: give each time what the\n"
        "object shall have.\n"
        "Status 3: the deadline passed, and others were always first. After status 4 resolve the ticket before you\n"
        "repeat the command, or the change may be made twice.\n",
    .examples =
        "oscommit update s3://bucket/counter --ledger dynamodb://commits -- awk '{ n = $1 } END { print n + 1 }'\n"
        "oscommit update s3://bucket/state.json --ledger dynamodb://commits -- jq -c '.current = 42'\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .runs_program = true,
    .run = update_command_run,
};
