/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "command/commands.h"
#include "common/copy.h"
#include "common/fencing.h"

static enum status mv_guarded(struct session *session, const struct object_pair *pair)
{
    os_copy_options copy = OS_COPY_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict;
    enum status status = fencing_take(session, pair->to.url, &copy.fencing);

    if (status != STATUS_DONE)
        return status;
    copy.source_etag = options_text(session->options, OPTION_SOURCE_ETAG);
    verdict =
        os_rename_if_not_exists(session->client, pair->from.key, pair->to.key, &copy, &session->call, &result, &error);
    return guarded_finish(session, pair->to.url, verdict, &result, &error);
}

static enum status mv_run(const struct options *options)
{
    struct usage usage = {0};
    struct object_pair pair = {0};
    struct session session;
    enum status status;

    if (!pair_parse(options, &pair, &usage) || !guarded_check(options, true, &usage)) {
        pair_clear(&pair);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, pair.to.store);
    if (status == STATUS_DONE)
        status = mv_guarded(&session, &pair);
    status = session_close(&session, status);
    pair_clear(&pair);
    return status;
}

static const enum option_id own_options[] = {OPTION_IF_ABSENT, OPTION_SOURCE_ETAG, OPTION_TICKET_FILE, OPTION_COUNT};

const struct command command_mv = {
    .name = "mv",
    .operands = "URL URL",
    .summary = "rename an object, if nothing has the new name",
    .description =
        "Copies to the new name if nothing is there, then deletes exactly the version that was copied. Both steps are\n"
        "guarded. The verdict is that of the copy. If the process dies in between, both names exist; one always "
        "does.\n",
    .examples = "oscommit mv s3://bucket/staging/0001 s3://bucket/data/0001 --ledger dynamodb://commits\n",
    .options = own_options,
    .min_operands = 2,
    .max_operands = 2,
    .run = mv_run,
};
