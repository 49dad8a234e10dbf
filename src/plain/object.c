/* SPDX-License-Identifier: Apache-2.0 */
/* Head and delete: one request each; and one more where a HEAD does not say what is missing. */
#include "client/arguments.h"
#include "plain/call.h"

/* Whatever else came of it, there is no such object. */
static enum steps_next bucket_answered(struct plain *plain)
{
    os_error answer;
    os_code code = store_call_code(&plain->store_call, &answer);
    if (code == OS_ERR_NO_BUCKET)
        plain->error = answer;
    return plain_over(plain, plain->error.code);
}

static enum steps_next object_answered(struct plain *plain)
{
    os_code code = plain_answer(plain);
    if (plain->store_call.may_lack_bucket) {
        plain->store_call.request = (struct store_request){.verb = STORE_HEAD_BUCKET};
        plain_take_time(plain);
        return plain_ask(plain, &plain->call, bucket_answered);
    }
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
    return code == OS_OK ? plain_ask(plain, &plain->call, object_answered) : plain_over(plain, code);
}

enum steps_next plain_head(struct plain *plain)
{
    plain->store_call.may_repeat = true;
    os_code code = plain_take_call(plain);
    return code == OS_OK ? object_ask(plain, STORE_HEAD) : plain_over(plain, code);
}

enum steps_next plain_delete(struct plain *plain)
{
    os_code code = plain_take_call(plain);
    if (code == OS_OK && arguments_forward_only(plain->client, plain->arguments->key, &plain->call))
        code = arguments_refuse_forward_only("delete", plain->arguments->key, &plain->error);
    return code == OS_OK ? object_ask(plain, STORE_DELETE) : plain_over(plain, code);
}
