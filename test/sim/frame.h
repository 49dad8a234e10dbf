/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the library by a worker: into it, out of it again, how long it took, and its cancellation. */
#ifndef OSCOMMIT_TEST_SIM_FRAME_H
#define OSCOMMIT_TEST_SIM_FRAME_H

#include "sim/actions.h"

struct frame {
    struct worker *worker;
    os_call call;
    os_result result;
    os_error error;
    os_verdict verdict;
    struct truth *truth;
    struct clock_reading begun;
    uint64_t stopped_us;
};

/* Into the library and out of it again: whose memory it is. */
void frame_enter(struct worker *worker);
void frame_leave(void);
uint64_t frame_now_us(const struct worker *worker);

void frame_begin(struct worker *worker, struct frame *ret, uint64_t deadline_ms);
/* A call ends by its deadline; the time in which its process did not run is not the call's. */
void frame_end(struct frame *frame, const char *what);

void frame_cancel_later(struct worker *worker, uint64_t after_us); /* the next call */
void frame_forget_cancel(struct worker *worker);

#endif
