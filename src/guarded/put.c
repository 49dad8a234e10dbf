/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded put: its body in one request, or in parts. */
#include "client/arguments.h"
#include "guarded/call.h"

#include <assert.h>

/* By the rules by which the body was opened: what is learned meanwhile (F3) may raise the threshold, and of a
 * stream no more is there than was read by the first one. Of one that goes on is known that it has to go in parts. */
static os_code put_body(struct guarded *guarded, const struct write_plan_rules *rules, struct body *body, os_error *err)
{
    struct driver_params *params = &guarded->params;
    os_code code = guarded_choose_plan_by(guarded, rules, body->goes_on ? UINT64_MAX : body->http.length, err);
    if (code != OS_OK)
        return code;
    if (params->plan.request != PLAN_COMPLETE_UPLOAD) {
        assert(!body->goes_on);
        params->body = body->http;
        params->deadline_ms = guarded_time_left(guarded);
        return guarded_once(guarded, err);
    }
    struct multipart_params parts = {.body = body, .creation = arguments_creation(params->content, params->attributes)};
    multipart_put(guarded, &parts);
    return OS_OK;
}

static os_code put_perform(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    os_client *client = guarded->client;
    struct driver_params *params = &guarded->params;
    struct write_plan_rules rules;
    struct s3_content content;
    struct s3_attributes attributes;
    struct body body;
    client_write_plan_rules(client, &rules);
    uint64_t most = write_plan_multipart_above(&rules, PLAN_PUT, !arguments->replaces);
    params->operation = GUARD_PUT;
    params->content = &content;
    params->attributes = &attributes;
    os_code code = guarded_take_key(guarded, arguments, err);
    if (code == OS_OK)
        code = arguments_content(arguments->put_options, &content, &attributes, err);
    if (code == OS_OK)
        code = arguments_check_attributes(client, &attributes, err);
    if (code == OS_OK)
        code = body_open(arguments->body, most, most, &body, err);
    if (code != OS_OK)
        return code;
    code = put_body(guarded, &rules, &body, err);
    body_close(&body);
    return code;
}

os_verdict guarded_put(os_client *client, const struct guarded_arguments *arguments, os_result *ret, os_error *err)
{
    return guarded_call(client, arguments, put_perform, ret, err);
}
