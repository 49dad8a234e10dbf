/* SPDX-License-Identifier: Apache-2.0 */
/* Head and delete: one request each. */
#include "client/arguments.h"
#include "plain/call.h"

static enum steps_next object_answered(struct plain *plain)
{
    os_code code = plain_answer(plain);
    if (code == OS_OK)
        plain_give_object(plain);
    return plain_over(plain, code);
}

static enum steps_next object_ask(struct plain *plain, enum store_verb verb)
{
    struct store_request *request = &plain->store_call.request;
    request->verb = verb;
    os_code code = plain_take_key(plain);
    if (code == OS_OK)
        code = arguments_version_id(plain->arguments->version_id, &request->version_id, &plain->error);
    return code == OS_OK ? plain_ask(plain, plain->arguments->call, object_answered) : plain_over(plain, code);
}

enum steps_next plain_head(struct plain *plain)
{
    plain->store_call.may_repeat = true;
    return object_ask(plain, STORE_HEAD);
}

enum steps_next plain_delete(struct plain *plain)
{
    os_call own;
    os_code code = arguments_take_call(plain->arguments->call, &own, &plain->error);
    if (code == OS_OK && arguments_forward_only(plain->client, plain->arguments->key, &own))
        code = arguments_refuse_forward_only("delete", plain->arguments->key, &plain->error);
    return code == OS_OK ? object_ask(plain, STORE_DELETE) : plain_over(plain, code);
}
