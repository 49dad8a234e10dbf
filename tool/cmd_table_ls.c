/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "table.h"

struct listing {
    struct output *output;
    bool output_failed;
};

static int each(void *context, const os_record *record)
{
    struct listing *listing = context;

    listing->output_failed = !table_show_record(listing->output, record, false);
    return listing->output_failed ? 1 : 0;
}

static enum status run(const struct options *options)
{
    const char *name = options->operand_count > 0 ? options->operand[0] : NULL;
    struct session session;
    struct location at;
    struct listing listing = {.output = &session.output};
    enum status status = table_open(&session, options, name, LOCATION_PREFIX, &at);

    if (status == STATUS_DONE) {
        os_error error = {0};
        os_code code = os_table_list(session.client, NULL, &session.call, each, &listing, &error);
        if (listing.output_failed) {
            status = STATUS_NOT_EXECUTED;
        } else if (code != OS_OK) {
            status = output_outcome(&session.output, at.url, status_of_read(code), &error);
        }
        status = output_finish_read(&session.output, status);
    }
    return table_close(&session, &at, status);
}

const struct command command_table_ls = {
    .name = "table ls",
    .operands = "[URL]",
    .summary = "list the records of the whole table",
    .description = "Lists every record: held or released, fence, ttl, path, etag (* for a creation). Most are "
                   "leftovers of writes\n"
                   "that committed; they end by TTL and are in nobody's way.\n",
    .examples = "oscommit table ls --ledger dynamodb://commits\n"
                "oscommit table ls --store file:///srv/store --json | jq 'select(.released | not)'\n",
    .max_operands = 1,
    .run = run,
};
