/* SPDX-License-Identifier: Apache-2.0 */
/* os_update as an operation: it is one step, which blocks on a thread of the client's. */
#include "operation/update.h"

#include "base/container.h"
#include "operation/keep.h"

static enum steps_next operation_update_blocks(struct guarded *guarded)
{
    const struct kept_update *kept = container_of(guarded->arguments, const struct kept_update, guarded);
    struct update_arguments update = kept->update;
    os_call call = *update.call;
    call.deadline_ms = guarded_time_left(guarded); /* it may have waited for a thread */
    update.call = &call;
    guarded->outcome.result = (os_result)OS_RESULT_INIT;
    guarded->outcome.verdict = update_run(guarded->client, &update, &guarded->outcome.result, &guarded->outcome.error);
    return guarded_over(guarded);
}

enum steps_next operation_update(struct guarded *guarded)
{
    return guarded_block(guarded, operation_update_blocks);
}
