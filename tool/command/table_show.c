/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"

#include <stdio.h>

struct listing {
    struct output *output;
    const struct options *options;
    uint64_t count;
    bool output_failed;
};

static int table_show_each(void *context, const os_record *record)
{
    struct listing *listing = context;
    struct table_view view;

    if (listing->count++ > 0 && output_is_human(listing->output))
        (void)fputc('\n', stdout);
    table_view(record, listing->options, &view);
    listing->output_failed = !table_show_record(listing->output, record, &view, true);
    return listing->output_failed ? 1 : 0;
}

static enum status table_show_run(const struct options *options)
{
    struct session session;
    struct location at;
    struct listing listing = {.output = &session.output, .options = options};
    enum status status = table_open(&session, options, options->operand[0], LOCATION_OBJECT, &at);

    if (status == STATUS_DONE) {
        os_error error = {0};
        os_code code = os_table_list(session.client, at.key, &session.call, table_show_each, &listing, &error);
        if (listing.output_failed)
            status = STATUS_OUTPUT;
        else if (code != OS_OK)
            status = output_outcome(&session.output, at.url, status_of_read(&error), &error);
        else if (listing.count == 0)
            status = session_fail(&session, at.url, OS_ERR_NOT_FOUND, "There is no record of \"%.800s\".", at.key);
    }
    return table_close(&session, &at, status);
}

const struct command command_table_show = {
    .name = "table show",
    .operands = "KEY|URL",
    .summary = "show the records of one object",
    .description =
        "Shows every record of the key, what it means for the next writer, and since when, in local time. There is "
        "one\n"
        "for its creation (etag *), and one for each version that somebody replaced or deleted, until TTL removes it.\n"
        "Exit status 66 if there is none.\n",
    .examples = "oscommit table show s3://bucket/data/0001 --ledger dynamodb://commits\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = table_show_run,
};
