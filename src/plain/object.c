/* SPDX-License-Identifier: Apache-2.0 */
/* Head and delete: one request each. */
#include "client/arguments.h"
#include "client/store_call.h"
#include "plain/plain.h"

#include <stdlib.h>

/* `call->request` has its verb. */
static os_code object_ask(os_client *client, const struct plain_arguments *arguments, struct store_call *call,
                          os_error *err)
{
    char *whole = NULL;
    os_code code = client_object_key(client, arguments->key, &whole, err);
    if (code == OS_OK)
        code = arguments_version_id(arguments->version_id, &call->request.version_id, err);
    call->request.key = whole;
    if (code == OS_OK)
        code = store_call_run(call, client, arguments->call, err);
    if (code == OS_OK)
        store_call_export_object(call, arguments->ret);
    free(whole);
    return code;
}

static os_code head_perform(os_client *client, const void *context, os_error *err)
{
    struct store_call call = {.request = {.verb = STORE_HEAD}, .may_repeat = true};
    return object_ask(client, context, &call, err);
}

static os_code delete_perform(os_client *client, const void *context, os_error *err)
{
    struct store_call call = {.request = {.verb = STORE_DELETE}};
    return object_ask(client, context, &call, err);
}

os_code plain_head(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, head_perform, arguments, err);
}

os_code plain_delete(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, delete_perform, arguments, err);
}
