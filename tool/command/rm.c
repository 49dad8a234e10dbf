/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "command/commands.h"

#include <stdio.h>

/* A store says of a DELETE that it is done also where nothing was; somebody who mistyped a name wants to know. Who may
 * delete but not look is let go on, and so is who is refused a look for what is not there (S3 without s3:ListBucket).
 */
static enum status remove_plainly(struct session *session, const struct location *at)
{
    os_object found = OS_OBJECT_INIT;
    os_error error = {0};
    os_code code = os_head(session->client, at->key, &session->call, &found, &error);

    if (code == OS_ERR_NOT_FOUND) {
        (void)snprintf(error.message, sizeof(error.message), "There is no object %.900s: nothing was deleted.",
                       at->url);
    }
    if (code != OS_OK && code != OS_ERR_DENIED)
        return output_outcome(&session->output, at->url, status_of_read(&error), &error);
    (void)os_delete(session->client, at->key, &session->call, &error);
    return output_plain_write(&session->output, at->url, &error);
}

static enum status remove_object(struct session *session, const struct location *at)
{
    const char *etag = options_text(session->options, OPTION_IF_MATCH);
    os_result result = OS_RESULT_INIT;
    os_error error = {0};

    if (etag != NULL) {
        os_verdict verdict = os_delete_if_match(session->client, at->key, etag, &session->call, &result, &error);
        return guarded_finish(session, at->url, verdict, &result, &error);
    }
    return remove_plainly(session, at);
}

static enum status rm_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    enum status status;

    if (!location_parse(options->operand[0], LOCATION_OBJECT, options, &at, &usage) ||
        !guarded_check(options, false, &usage)) {
        location_clear(&at);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, at.store);
    if (status == STATUS_DONE)
        status = remove_object(&session, &at);
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_IF_MATCH, OPTION_TICKET_FILE, OPTION_COUNT};

const struct command command_rm = {
    .name = "rm",
    .operands = "URL",
    .summary = "delete an object, if it is still a known version",
    .description =
        "With --if-match it deletes the object only if that is still the version that has this ETag. Without, it is a\n"
        "plain delete, which must not be used on keys that guarded writers share. If there is no such object, it says\n"
        "so and sends nothing.\n",
    .examples = "oscommit rm s3://bucket/data/0001 --if-match '\"9b2c...\"' --ledger dynamodb://commits\n"
                "oscommit rm file:///srv/store/scratch\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = rm_run,
};
