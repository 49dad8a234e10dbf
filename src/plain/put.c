/* SPDX-License-Identifier: Apache-2.0 */
/* A put without a guard: in one request, or in parts. */
#include "client/arguments.h"
#include "plain/call.h"
#include "upload/upload.h"

#include "base/error.h"

/* Small files are read at once (and sent with an MD5); larger ones go from disk. 5 GiB: PutObject's limit. */
#define PLAIN_LOAD_MOST (UINT64_C(1) << 20)
#define PLAIN_BODY_MOST (UINT64_C(5) << 30)

static enum steps_next put_answered(struct plain *plain)
{
    os_code code = plain_answer(plain);
    plain->store_call.object.length = plain->put.body.http.length;
    if (code == OS_OK)
        plain_give_object(plain);
    return plain_over(plain, code);
}

static enum steps_next put_whole(struct plain *plain)
{
    struct plain_put *put = &plain->put;
    plain->store_call.request = (struct store_request){.verb = STORE_PUT,
                                                       .key = plain->key,
                                                       .content = &put->content,
                                                       .attributes = &put->attributes,
                                                       .condition = {.if_none_match_any = plain->arguments->if_absent},
                                                       .body = put->body.http};
    plain_take_time(plain);
    return plain_ask(plain, &plain->call, put_answered);
}

static os_code put_complete(struct plain *plain, const struct uploaded *uploaded)
{
    struct store_call *store_call = &plain->store_call;
    store_call->request = (struct store_request){
        .verb = STORE_COMPLETE,
        .key = plain->key,
        .upload = {.id = uploaded->upload_id,
                   .parts = uploaded->parts,
                   .part_count = uploaded->part_count,
                   .completion = &uploaded->completion},
    };
    plain_take_time(plain);
    plain->call.progress = NULL;
    os_code code = store_call_run(store_call, plain->client, &plain->call, &plain->error);
    store_call->object.length = uploaded->completion.length;
    return code;
}

static os_code put_upload(struct plain *plain)
{
    struct plain_put *put = &plain->put;
    const struct upload_params params = {
        .name = "put",
        .key = plain->key,
        .creation = arguments_creation(&put->content, &put->attributes),
        .body = &put->body,
        .deadline_monotonic_ms = plain->deadline_monotonic_ms,
        .cancel = plain->call.cancel,
        .progress = plain->call.progress,
        .progress_context = plain->call.progress_context,
    };
    struct uploaded uploaded;
    os_code code = upload_parts(plain->client, &params, &uploaded, &plain->error);
    if (code == OS_OK)
        code = put_complete(plain, &uploaded);
    if (uploaded.upload_id[0] && code != OS_OK && code != OS_ERR_UNDECIDED)
        upload_abort(plain->client, plain->key,
                     &(struct upload_abort_params){.upload_id = uploaded.upload_id,
                                                   .parts_in_doubt = uploaded.parts_in_doubt,
                                                   .deadline_monotonic_ms = plain->deadline_monotonic_ms,
                                                   .cancel = plain->call.cancel});
    uploaded_free(&uploaded);
    return code;
}

static enum steps_next put_in_parts(struct plain *plain)
{
    os_code code = put_upload(plain);
    if (code == OS_OK)
        plain_give_object(plain);
    return plain_over(plain, code);
}

static enum steps_next put_open(struct plain *plain)
{
    struct body *body = &plain->put.body;
    if (plain->over && (cancel_triggered(plain->call.cancel) || cancel_triggered(plain->client->closing)))
        return plain_over(plain, error_set(&plain->error, OS_ERR_CANCELLED,
                                           "put of %s was cancelled before its body was read.", plain->key));
    uint64_t stream_most = write_plan_body_most(plain->client->settings.stage_above);
    os_code code = body_open(plain->arguments->body, PLAIN_LOAD_MOST, stream_most, body, &plain->error);
    if (code != OS_OK)
        return plain_over(plain, code);
    bool in_parts = body->goes_on || body->http.length > PLAIN_BODY_MOST;
    return in_parts ? plain_block(plain, put_in_parts) : put_whole(plain);
}

enum steps_next plain_put(struct plain *plain)
{
    const struct plain_arguments *arguments = plain->arguments;
    struct plain_put *put = &plain->put;
    os_error *err = &plain->error;
    os_code code = plain_take_call(plain);
    if (code == OS_OK)
        code = arguments_content(arguments->put_options, &put->content, &put->attributes, err);
    if (code == OS_OK && arguments_fencing(arguments->put_options) != 0)
        code = error_set(err, OS_ERR_ARGUMENT,
                         "A put without a condition cannot be held back by a fencing token: use os_put_if_match or "
                         "os_put_if_absent.");
    if (code == OS_OK)
        code = arguments_check_attributes(plain->client, &put->attributes, err);
    if (code == OS_OK)
        code = plain_take_key(plain);
    if (code != OS_OK)
        return plain_over(plain, code);
    return body_opens_at_once(arguments->body) ? put_open(plain) : plain_block(plain, put_open);
}
