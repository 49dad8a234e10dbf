/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"

#include <stdio.h>
#include <string.h>

/* The records of the key that could be meant. */
struct candidates {
    struct output *output;
    const struct options *options;
    char etag[1025]; /* of the last one that is in a writer's way; else of the last that is held */
    unsigned in_the_way;
    unsigned held;
    unsigned all;
    bool failed;
};

static void take_candidate(struct candidates *candidates, const os_record *record, const struct table_view *view)
{
    bool in_the_way = view->state != TABLE_RELEASED && view->state != TABLE_OVER;

    if (view->state == TABLE_RELEASED)
        return;
    candidates->held++;
    candidates->in_the_way += in_the_way ? 1 : 0;
    if (!in_the_way && candidates->in_the_way > 0)
        return;
    int len = snprintf(candidates->etag, sizeof(candidates->etag), "%s", record->etag);
    candidates->failed = len < 0 || (size_t)len >= sizeof(candidates->etag);
}

static int table_release_each(void *context, const os_record *record)
{
    struct candidates *candidates = context;
    struct table_view view;

    candidates->all++;
    table_view(record, candidates->options, &view);
    take_candidate(candidates, record, &view);
    if (!candidates->output->json && !candidates->failed)
        candidates->failed = !table_show_record(candidates->output, record, &view, false);
    return candidates->failed ? 1 : 0;
}

/* Without --etag the record that is meant must be the only one that is in a writer's way, or else that is held.
 * STATUS_DONE, or everything was said. */
static enum status choose_candidate(struct session *session, const struct location *at, struct candidates *candidates)
{
    os_error error = {0};
    os_code code = os_table_list(session->client, at->key, &session->call, table_release_each, candidates, &error);

    if (candidates->failed) {
        return session_fail(session, at->url, OS_ERR_IO,
                            "The records of \"%.400s\" could not be read; none was released.", at->key);
    }
    if (code != OS_OK)
        return output_outcome(&session->output, at->url, status_of_read(&error), &error);
    if (options_text(session->options, OPTION_ETAG) != NULL)
        return STATUS_DONE;
    if (candidates->all == 0)
        return session_fail(session, at->url, OS_ERR_NOT_FOUND, "There is no record of \"%.800s\".", at->key);
    if (candidates->held == 0) {
        return session_fail(session, at->url, OS_ERR_NOT_FOUND, "No record of \"%.800s\" is held: nothing to release.",
                            at->key);
    }
    unsigned meant = candidates->in_the_way > 0 ? candidates->in_the_way : candidates->held;
    if (meant > 1) {
        return session_fail(session, at->url, OS_ERR_ARGUMENT,
                            "%u records of \"%.400s\" are %s: choose the one to release with --etag.", meant, at->key,
                            candidates->in_the_way > 0 ? "in a writer's way" : "held");
    }
    return STATUS_DONE;
}

static enum status release_record(struct session *session, const struct location *at)
{
    const char *etag = options_text(session->options, OPTION_ETAG);
    int force = options_on(session->options, OPTION_FORCE) ? 1 : 0;
    struct candidates candidates = {.output = &session->output, .options = session->options};
    enum status status = choose_candidate(session, at, &candidates);
    os_error error = {0};

    if (status != STATUS_DONE)
        return status;
    (void)os_table_release(session->client, at->key, etag == NULL ? candidates.etag : etag, force, &session->call,
                           &error);
    return output_outcome(&session->output, at->url, status_of_write(&error), &error);
}

/* Whether the holder can still write is a question of S3 time, which the store tells. */
static bool check_store(const struct options *options, struct usage *usage)
{
    if (location_is_url(options->operand[0]) || options_text(options, OPTION_STORE) != NULL)
        return true;
    return usage_refuse(usage, "A release needs the store's time: name the object by URL, or give --store.");
}

static enum status table_release_run(const struct options *options)
{
    struct usage usage = {0};
    struct session session;
    struct location at;
    enum status status;

    if (!check_store(options, &usage))
        return output_usage(options, &usage);
    status = table_open(&session, options, options->operand[0], LOCATION_OBJECT, &at);
    if (status == STATUS_DONE)
        status = release_record(&session, &at);
    return table_close(&session, &at, status);
}

static const enum option_id own_options[] = {OPTION_ETAG, OPTION_FORCE, OPTION_COUNT};

const struct command command_table_release = {
    .name = "table release",
    .operands = "KEY|URL",
    .summary = "release a stuck record",
    .description =
        "Shows the records of the key and releases the one that is held, so that the next writer can take it. Deletes\n"
        "nothing, and releases only the generation that was seen. Refused while the holder's attempt may still be "
        "applied,\n"
        "unless --force is given: then a holder that is still alive can overwrite the next writer's object.\n",
    .examples = "oscommit table release s3://bucket/data/0001 --ledger dynamodb://commits\n"
                "oscommit table release s3://bucket/state --etag '\"9b2c...\"' --ledger dynamodb://commits\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = table_release_run,
};
