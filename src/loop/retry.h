/* SPDX-License-Identifier: Apache-2.0 */
/* Something that is tried again later, with pauses that grow (R11), on the loop's thread. Knows no end by itself. */
#ifndef OSCOMMIT_LOOP_RETRY_H
#define OSCOMMIT_LOOP_RETRY_H

#include "base/backoff.h"
#include "loop/loop.h"

/* Embedded in what is tried. A zeroed one waits for nothing and may be stopped. */
struct retry {
    void (*attempt)(struct retry *retry);
    struct loop *loop;
    struct loop_timer timer;
    struct backoff backoff;
    struct clock_reading started;
};

/* From any thread. Makes no attempt by itself. */
void retry_init(struct retry *retry, struct loop *loop, void (*attempt)(struct retry *retry));

/* One attempt: after the next pause of the back-off, or after a pause of the owner's. Replaces one that is waited for. */
void retry_later(struct retry *retry);
void retry_after(struct retry *retry, uint64_t delay_ms);
/* As retry_later. False, and no attempt is made: the pause would last until that time, or longer. */
bool retry_before(struct retry *retry, uint64_t deadline_monotonic_ms);
void retry_stop(struct retry *retry); /* no attempt that has been asked for is made */

uint64_t retry_elapsed_ms(const struct retry *retry); /* since `started`, by the clock that advanced most */

#endif
