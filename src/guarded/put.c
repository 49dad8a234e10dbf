/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded put: its body in one request, or in parts. */
#include "client/arguments.h"
#include "guarded/call.h"

#include "base/error.h"
#include "base/text.h"

#include <assert.h>

static enum steps_next put_end(struct guarded *guarded)
{
    body_close(&guarded->put.body);
    return guarded->started ? guarded_over(guarded) : guarded_refuse_unstarted(guarded);
}

static enum steps_next put_in_parts(struct guarded *guarded)
{
    struct driver_params *params = &guarded->params;
    struct multipart_params parts = {.body = &guarded->put.body,
                                     .creation = arguments_creation(params->content, params->attributes)};
    multipart_put(guarded, &parts);
    body_close(&guarded->put.body);
    return guarded_over(guarded);
}

/* By the rules by which the body was opened: what is learned meanwhile (F3) may raise the threshold, and of a
 * stream no more is there than was read by the first one. Of one that goes on is known that it has to go in parts. */
static enum steps_next put_body(struct guarded *guarded)
{
    struct driver_params *params = &guarded->params;
    const struct write_plan_rules *rules = &guarded->put.rules;
    const struct body *body = &guarded->put.body;
    os_error error;
    if (guarded_choose_plan_by(guarded, rules, body->goes_on ? UINT64_MAX : body->http.length, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    if (params->plan.request == PLAN_COMPLETE_UPLOAD)
        return guarded_block(guarded, put_in_parts);
    assert(!body->goes_on);
    params->body = body->http;
    params->deadline_ms = guarded_time_left(guarded);
    return guarded_drive(guarded, put_end);
}

/* Of an operation: it may have waited long for a thread, and a stream takes its time. */
static bool put_is_cancelled(const struct guarded *guarded)
{
    return guarded->over && (cancel_triggered(guarded->params.cancel) || cancel_triggered(guarded->client->closing));
}

static enum steps_next put_open(struct guarded *guarded)
{
    const struct guarded_arguments *arguments = guarded->arguments;
    struct guarded_put *put = &guarded->put;
    os_error error;
    if (put_is_cancelled(guarded)) {
        error_set(&error, OS_ERR_CANCELLED, "%s of %s was cancelled before its body was read.", arguments->name,
                  guarded->key);
        return guarded_refuse(guarded, &error);
    }
    uint64_t most = write_plan_multipart_above(&put->rules, PLAN_PUT, !arguments->replaces);
    if (body_open(arguments->body, most, most, &put->body, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    return put_body(guarded);
}

enum steps_next guarded_put(struct guarded *guarded)
{
    os_client *client = guarded->client;
    struct driver_params *params = &guarded->params;
    struct guarded_put *put = &guarded->put;
    os_error error;
    client_write_plan_rules(client, &put->rules);
    params->operation = GUARD_PUT;
    params->content = &put->content;
    params->attributes = &put->attributes;
    os_code code = guarded_take_key(guarded, &error);
    if (code == OS_OK)
        code = arguments_content(guarded->arguments->put_options, &put->content, &put->attributes, &error);
    if (code == OS_OK)
        code = arguments_check_attributes(client, &put->attributes, &error);
    if (code == OS_OK)
        code = guarded_take_fencing(guarded, arguments_fencing(guarded->arguments->put_options), &error);
    if (code != OS_OK)
        return guarded_refuse(guarded, &error);
    put->content.fencing = params->fencing_text;
    return body_opens_at_once(guarded->arguments->body) ? put_open(guarded) : guarded_block(guarded, put_open);
}
