/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on a thread of its own, and calls made on that thread. */
#ifndef OSCOMMIT_TEST_LOOP_ON_LOOP_H
#define OSCOMMIT_TEST_LOOP_ON_LOOP_H

#include "loop/loop.h"
#include "support/event.h"
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct on_loop {
    struct loop *loop;
    pthread_t thread;
};
void on_loop_set_up(struct on_loop *ret); /* it runs */
void on_loop_set_up_trusting(struct on_loop *ret, const char *ca_file);
void on_loop_tear_down(struct on_loop *on);

/* Runs `call` on the loop's thread, and waits for it. */
void on_loop_call(struct on_loop *on, void (*call)(void *context), void *context);
/* The same unless *done is not zero by then. */
void on_loop_cancel_unless_done(struct on_loop *on, void (*call)(void *context), void *context, const int *done);
/* Ends the loop, as a client that closes does: no job and no worker is under way any more. */
void on_loop_settle(struct on_loop *on);

#endif
