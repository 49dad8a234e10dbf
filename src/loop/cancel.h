/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation tokens: triggered on any thread, reported on the loop's thread of every call that waits on them. */
#ifndef OSCOMMIT_LOOP_CANCEL_H
#define OSCOMMIT_LOOP_CANCEL_H

#include "loop/loop.h"
#include "oscommit.h"

#include <stdbool.h>

/* Embedded in a call. `on_cancelled` runs on the loop's thread, at most once, not after cancel_unlink. */
struct cancel_link {
    void (*on_cancelled)(struct cancel_link *link);
    os_cancel *cancel;
    struct loop *loop;
    struct cancel_link *next;
    struct cancel_link *previous;
    struct cancel_notice *notice; /* on its way to the loop */
};

bool cancel_link(os_cancel *cancel, struct cancel_link *link,
                 struct loop *loop); /* `on_cancelled` is set by the caller; cancel may be NULL. False: out of memory */
void cancel_unlink(struct cancel_link *link); /* loop's thread */

bool cancel_triggered(os_cancel *cancel); /* any thread; NULL: false */

#endif
