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

static os_code head(os_client *client, const char *key, const char *version_id, const os_call *call, os_object *ret,
                    os_error *err)
{
    struct plain plain = {.request = {.verb = STORE_HEAD}, .may_repeat = true};
    char *whole = NULL;
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK)
        code = call_version_id(version_id, &plain.request.version_id, err);
    if (code == OS_OK) {
        plain.request.key = whole;
        code = plain_run(&plain, client, call, err);
    }
    if (code == OS_OK)
        plain_give_object(&plain, ret);
    free(whole);
    client_leave(client, &inside);
    return code;
}

os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err)
{
    return head(client, key, NULL, call, ret, err);
}

os_code os_head_version(os_client *client, const char *key, const char *version_id, const os_call *call, os_object *ret,
                        os_error *err)
{
    return head(client, key, version_id, call, ret, err);
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
    os_code code = call_take(call, &put->call, err);
    put->deadline_monotonic_ms = now.monotonic_ms + put->call.deadline_ms;
    if (code == OS_OK)
        code = call_content(options, &put->content, &put->attributes, err);
    if (code == OS_OK)
        code = call_check_attributes(put->client, &put->attributes, err);
    if (code == OS_OK)
        code = client_object_key(put->client, key, &put->key, err);
    if (code == OS_OK)
        code = body_open(body, PLAIN_LOAD_MOST, client_stage_above(put->client, true), &put->body, err);
    return code;
}

static os_code put_whole(struct put *put, struct plain *plain, os_error *err)
{
    plain->request = (struct store_request){.verb = STORE_PUT,
                                            .key = put->key,
                                            .content = &put->content,
                                            .attributes = &put->attributes,
                                            .body = put->body.http};
    time_left(put);
    os_code code = plain_run(plain, put->client, &put->call, err);
    plain->object.length = put->body.http.length;
    return code;
}

static os_code complete(struct put *put, const struct staged *staged, struct plain *plain, os_error *err)
{
    plain->request = (struct store_request){
        .verb = STORE_COMPLETE,
        .key = put->key,
        .upload = {.id = staged->upload_id,
                   .parts = staged->parts,
                   .part_count = staged->part_count,
                   .completion = &staged->completion},
    };
    time_left(put);
    put->call.progress = NULL;
    os_code code = plain_run(plain, put->client, &put->call, err);
    plain->object.length = staged->completion.length;
    return code;
}

static os_code put_in_parts(struct put *put, struct plain *plain, os_error *err)
{
    const struct stage_wish wish = {
        .name = "put",
        .key = put->key,
        .creation = call_creation(&put->content, &put->attributes),
        .body = &put->body,
        .deadline_monotonic_ms = put->deadline_monotonic_ms,
        .cancel = put->call.cancel,
        .progress = put->call.progress,
        .progress_context = put->call.progress_context,
    };
    struct staged staged;
    os_code code = stage_parts(put->client, &wish, &staged, err);
    if (code == OS_OK)
        code = complete(put, &staged, plain, err);
    if (staged.upload_id[0] && code != OS_OK && code != OS_ERR_UNDECIDED)
        stage_abort(put->client, put->key,
                    &(struct stage_abort_wish){.upload_id = staged.upload_id,
                                               .parts_in_doubt = staged.parts_in_doubt,
                                               .deadline_monotonic_ms = put->deadline_monotonic_ms,
                                               .cancel = put->call.cancel});
    staged_free(&staged);
    return code;
}

os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
               const os_call *call, os_object *ret, os_error *err)
{
    struct put put = {.client = client, .body = {.fd = -1}};
    struct plain plain = {.may_repeat = false};
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = take_put(&put, key, body, options, call, err);
    bool in_parts = put.body.goes_on || put.body.http.length > PLAIN_BODY_MOST;
    if (code == OS_OK)
        code = in_parts ? put_in_parts(&put, &plain, err) : put_whole(&put, &plain, err);
    if (code == OS_OK)
        plain_give_object(&plain, ret);
    put_free(&put);
    client_leave(client, &inside);
    return code;
}

os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err)
{
    struct plain plain = {.request = {.verb = STORE_DELETE}};
    char *whole = NULL;
    error_clear(err);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return OS_ERR_ARGUMENT;
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK) {
        plain.request.key = whole;
        code = plain_run(&plain, client, call, err);
    }
    free(whole);
    client_leave(client, &inside);
    return code;
}
