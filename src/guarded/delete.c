/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded delete. */
#include "guarded/call.h"

static os_code delete_perform(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    guarded->params.operation = GUARD_DELETE;
    os_code code = guarded_take_key(guarded, arguments, err);
    if (code == OS_OK)
        code = guarded_choose_plan(guarded, 0, err);
    return code == OS_OK ? guarded_once(guarded, err) : code;
}

os_verdict guarded_delete(os_client *client, const struct guarded_arguments *arguments, os_result *ret, os_error *err)
{
    return guarded_call(client, arguments, delete_perform, ret, err);
}
