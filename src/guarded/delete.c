/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded delete. */
#include "guarded/call.h"

static enum steps_next delete_end(struct guarded *guarded)
{
    return guarded->started ? guarded_over(guarded) : guarded_refuse_unstarted(guarded);
}

enum steps_next guarded_delete(struct guarded *guarded)
{
    os_error error;
    guarded->params.operation = GUARD_DELETE;
    os_code code = guarded_refuse_forward_only(guarded, &error);
    if (code == OS_OK)
        code = guarded_take_key(guarded, &error);
    if (code == OS_OK)
        code = guarded_choose_plan(guarded, 0, &error);
    return code == OS_OK ? guarded_drive(guarded, delete_end) : guarded_refuse(guarded, &error);
}
