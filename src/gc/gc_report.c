/* SPDX-License-Identifier: Apache-2.0 */
/* What one os_gc tells its caller, and the time that it has left. */
#include "base/error.h"
#include "gc/gc.h"

#include <string.h>

const os_call *gc_call(struct gc *gc)
{
    gc->call.deadline_ms = clock_left_for_call_ms(gc->deadline_monotonic_ms);
    return &gc->call;
}

os_code gc_tell(struct gc *gc, const os_garbage *garbage)
{
    switch (garbage->fate) {
    case OS_GARBAGE_FOUND: gc->result.found++; break;
    case OS_GARBAGE_REMOVED: gc->result.removed++; break;
    case OS_GARBAGE_SPARED: gc->result.spared++; break;
    case OS_GARBAGE_FAILED: gc->result.failed++; break;
    }
    os_garbage told = *garbage;
    told.size = sizeof(told);
    told.key += gc->root_length;
    if (gc->each && gc->each(gc->context, &told) != 0)
        return error_set(gc->err, OS_ERR_STOPPED, "The caller's callback stopped the search.");
    return OS_OK;
}
