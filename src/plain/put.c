/* SPDX-License-Identifier: Apache-2.0 */
/* A put without a guard: in one request, or in parts. */
#include "client/arguments.h"
#include "client/body.h"
#include "client/store_call.h"
#include "plain/plain.h"
#include "upload/upload.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Small files are read at once (and sent with an MD5); larger ones go from disk. 5 GiB: PutObject's limit. */
#define PLAIN_LOAD_MOST (UINT64_C(1) << 20)
#define PLAIN_BODY_MOST (UINT64_C(5) << 30)

/* What a put has made of its arguments. */
struct put {
    os_client *client;
    char *key;
    struct s3_content content;
    struct s3_attributes attributes;
    struct body body;
    os_call call; /* what is left of it */
    uint64_t deadline_monotonic_ms;
};

static void put_free(struct put *put)
{
    body_close(&put->body);
    free(put->key);
}

/* The deadline is of the whole call: reading a stream, or sending parts, has used some of it. */
static void put_take_time(struct put *put)
{
    struct clock_reading now;
    clock_read(&now);
    bool over = now.monotonic_ms >= put->deadline_monotonic_ms;
    put->call.deadline_ms = over ? 1 : put->deadline_monotonic_ms - now.monotonic_ms;
}

static os_code put_take(struct put *put, const struct plain_arguments *arguments, os_error *err)
{
    struct clock_reading now;
    clock_read(&now);
    os_code code = arguments_take_call(arguments->call, &put->call, err);
    put->deadline_monotonic_ms = now.monotonic_ms + put->call.deadline_ms;
    if (code == OS_OK)
        code = arguments_content(arguments->put_options, &put->content, &put->attributes, err);
    if (code == OS_OK)
        code = arguments_check_attributes(put->client, &put->attributes, err);
    if (code == OS_OK)
        code = client_object_key(put->client, arguments->key, &put->key, err);
    if (code == OS_OK)
        code = body_open(arguments->body, PLAIN_LOAD_MOST, client_multipart_above(put->client, true), &put->body, err);
    return code;
}

static os_code put_whole(struct put *put, struct store_call *store_call, os_error *err)
{
    store_call->request = (struct store_request){.verb = STORE_PUT,
                                                 .key = put->key,
                                                 .content = &put->content,
                                                 .attributes = &put->attributes,
                                                 .body = put->body.http};
    put_take_time(put);
    os_code code = store_call_run(store_call, put->client, &put->call, err);
    store_call->object.length = put->body.http.length;
    return code;
}

static os_code put_complete(struct put *put, const struct uploaded *uploaded, struct store_call *store_call,
                            os_error *err)
{
    store_call->request = (struct store_request){
        .verb = STORE_COMPLETE,
        .key = put->key,
        .upload = {.id = uploaded->upload_id,
                   .parts = uploaded->parts,
                   .part_count = uploaded->part_count,
                   .completion = &uploaded->completion},
    };
    put_take_time(put);
    put->call.progress = NULL;
    os_code code = store_call_run(store_call, put->client, &put->call, err);
    store_call->object.length = uploaded->completion.length;
    return code;
}

static os_code put_in_parts(struct put *put, struct store_call *store_call, os_error *err)
{
    const struct upload_params params = {
        .name = "put",
        .key = put->key,
        .creation = arguments_creation(&put->content, &put->attributes),
        .body = &put->body,
        .deadline_monotonic_ms = put->deadline_monotonic_ms,
        .cancel = put->call.cancel,
        .progress = put->call.progress,
        .progress_context = put->call.progress_context,
    };
    struct uploaded uploaded;
    os_code code = upload_parts(put->client, &params, &uploaded, err);
    if (code == OS_OK)
        code = put_complete(put, &uploaded, store_call, err);
    if (uploaded.upload_id[0] && code != OS_OK && code != OS_ERR_UNDECIDED)
        upload_abort(put->client, put->key,
                     &(struct upload_abort_params){.upload_id = uploaded.upload_id,
                                                   .parts_in_doubt = uploaded.parts_in_doubt,
                                                   .deadline_monotonic_ms = put->deadline_monotonic_ms,
                                                   .cancel = put->call.cancel});
    uploaded_free(&uploaded);
    return code;
}

static os_code put_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_arguments *arguments = context;
    struct put put = {.client = client, .body = {.fd = -1}};
    struct store_call store_call = {.may_repeat = false};
    os_code code = put_take(&put, arguments, err);
    bool in_parts = put.body.goes_on || put.body.http.length > PLAIN_BODY_MOST;
    if (code == OS_OK)
        code = in_parts ? put_in_parts(&put, &store_call, err) : put_whole(&put, &store_call, err);
    if (code == OS_OK)
        store_call_export_object(&store_call, arguments->ret);
    put_free(&put);
    return code;
}

os_code plain_put(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, put_perform, arguments, err);
}
