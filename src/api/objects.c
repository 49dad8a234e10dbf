/* SPDX-License-Identifier: Apache-2.0 */
/* The plain object calls but get and list: head, put, delete. */
#include "client/arguments.h"
#include "client/body.h"
#include "client/store_call.h"
#include "guarded/call.h"
#include "upload/upload.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Small files are read at once (and sent with an MD5); larger ones go from disk. 5 GiB: PutObject's limit. */
#define PLAIN_LOAD_MOST (UINT64_C(1) << 20)
#define PLAIN_BODY_MOST (UINT64_C(5) << 30)

static os_code objects_head(os_client *client, const char *key, const char *version_id, const os_call *call,
                            os_object *ret, os_error *err)
{
    struct store_call store_call = {.request = {.verb = STORE_HEAD}, .may_repeat = true};
    char *whole = NULL;
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK)
        code = arguments_version_id(version_id, &store_call.request.version_id, err);
    if (code == OS_OK) {
        store_call.request.key = whole;
        code = store_call_run(&store_call, client, call, err);
    }
    if (code == OS_OK)
        store_call_export_object(&store_call, ret);
    free(whole);
    client_leave(client, &inside);
    return code;
}

os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err)
{
    return objects_head(client, key, NULL, call, ret, err);
}

os_code os_head_version(os_client *client, const char *key, const char *version_id, const os_call *call, os_object *ret,
                        os_error *err)
{
    return objects_head(client, key, version_id, call, ret, err);
}

/* What os_put has made of its arguments. */
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
static void time_left(struct put *put)
{
    struct clock_reading now;
    clock_read(&now);
    bool over = now.monotonic_ms >= put->deadline_monotonic_ms;
    put->call.deadline_ms = over ? 1 : put->deadline_monotonic_ms - now.monotonic_ms;
}

static os_code take_put(struct put *put, const char *key, const os_body *body, const os_put_options *options,
                        const os_call *call, os_error *err)
{
    struct clock_reading now;
    clock_read(&now);
    os_code code = arguments_take_call(call, &put->call, err);
    put->deadline_monotonic_ms = now.monotonic_ms + put->call.deadline_ms;
    if (code == OS_OK)
        code = arguments_content(options, &put->content, &put->attributes, err);
    if (code == OS_OK)
        code = arguments_check_attributes(put->client, &put->attributes, err);
    if (code == OS_OK)
        code = client_object_key(put->client, key, &put->key, err);
    if (code == OS_OK)
        code = body_open(body, PLAIN_LOAD_MOST, client_multipart_above(put->client, true), &put->body, err);
    return code;
}

static os_code put_whole(struct put *put, struct store_call *store_call, os_error *err)
{
    store_call->request = (struct store_request){.verb = STORE_PUT,
                                                 .key = put->key,
                                                 .content = &put->content,
                                                 .attributes = &put->attributes,
                                                 .body = put->body.http};
    time_left(put);
    os_code code = store_call_run(store_call, put->client, &put->call, err);
    store_call->object.length = put->body.http.length;
    return code;
}

static os_code objects_complete(struct put *put, const struct uploaded *uploaded, struct store_call *store_call,
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
    time_left(put);
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
        code = objects_complete(put, &uploaded, store_call, err);
    if (uploaded.upload_id[0] && code != OS_OK && code != OS_ERR_UNDECIDED)
        upload_abort(put->client, put->key,
                     &(struct upload_abort_params){.upload_id = uploaded.upload_id,
                                                   .parts_in_doubt = uploaded.parts_in_doubt,
                                                   .deadline_monotonic_ms = put->deadline_monotonic_ms,
                                                   .cancel = put->call.cancel});
    uploaded_free(&uploaded);
    return code;
}

os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
               const os_call *call, os_object *ret, os_error *err)
{
    struct put put = {.client = client, .body = {.fd = -1}};
    struct store_call store_call = {.may_repeat = false};
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = take_put(&put, key, body, options, call, err);
    bool in_parts = put.body.goes_on || put.body.http.length > PLAIN_BODY_MOST;
    if (code == OS_OK)
        code = in_parts ? put_in_parts(&put, &store_call, err) : put_whole(&put, &store_call, err);
    if (code == OS_OK)
        store_call_export_object(&store_call, ret);
    put_free(&put);
    client_leave(client, &inside);
    return code;
}

os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err)
{
    struct store_call store_call = {.request = {.verb = STORE_DELETE}};
    char *whole = NULL;
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK) {
        store_call.request.key = whole;
        code = store_call_run(&store_call, client, call, err);
    }
    free(whole);
    client_leave(client, &inside);
    return code;
}
