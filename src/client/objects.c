/* SPDX-License-Identifier: Apache-2.0 */
/* The plain object calls but get and list: head, put, delete. */
#include "client/body.h"
#include "client/call.h"
#include "client/plain.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Small files are read at once (and sent with an MD5); larger ones go from disk. 5 GiB: PutObject's limit. */
#define PLAIN_LOAD_MOST (UINT64_C(1) << 20)
#define PLAIN_BODY_MOST (UINT64_C(5) << 30)

os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err)
{
    struct plain plain = {.request = {.verb = STORE_HEAD}, .may_repeat = true};
    char *whole = NULL;
    error_clear(err);
    client_enter(client);
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK) {
        plain.request.key = whole;
        code = plain_run(&plain, client, call, err);
    }
    if (code == OS_OK)
        plain_give_object(&plain, ret);
    free(whole);
    client_leave(client);
    return code;
}

os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
               const os_call *call, os_object *ret, os_error *err)
{
    struct plain plain = {.request = {.verb = STORE_PUT}};
    struct s3_content content;
    struct body opened = {.fd = -1};
    char *whole = NULL;
    error_clear(err);
    client_enter(client);
    os_code code = call_content(options, &content, err);
    if (code == OS_OK)
        code = client_object_key(client, key, &whole, err);
    if (code == OS_OK)
        code = body_open(body, PLAIN_LOAD_MOST, PLAIN_BODY_MOST, &opened, err);
    if (code == OS_OK) {
        plain.request.key = whole;
        plain.request.content = &content;
        plain.request.body = opened.http;
        code = plain_run(&plain, client, call, err);
    }
    plain.object.length = opened.http.length;
    if (code == OS_OK)
        plain_give_object(&plain, ret);
    body_close(&opened);
    free(whole);
    client_leave(client);
    return code;
}

os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err)
{
    struct plain plain = {.request = {.verb = STORE_DELETE}};
    char *whole = NULL;
    error_clear(err);
    client_enter(client);
    os_code code = client_object_key(client, key, &whole, err);
    if (code == OS_OK) {
        plain.request.key = whole;
        code = plain_run(&plain, client, call, err);
    }
    free(whole);
    client_leave(client);
    return code;
}
