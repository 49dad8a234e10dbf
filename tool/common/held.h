/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that runs while a lease is held. It leads a process group of its own, so that all that it starts can be
 * ended with it, and has the terminal. It is ended before the lease is, not after: SIGTERM when no more than the grace is
 * left, SIGKILL when nothing is.
 */
#ifndef OSCOMMIT_TOOL_HELD_H
#define OSCOMMIT_TOOL_HELD_H

#include "cli/session.h"
#include "common/keeper.h"
#include "oscommit_lease.h"

enum held_stage { HELD_RUNS = 0, HELD_IS_ENDED, HELD_IS_KILLED };

struct held {
    struct session *session;
    char *const *program;
    const char *name;
    uint64_t grace_ms;
    struct keeper keeper;
    os_lease *lease;

    int changed;    /* eventfd: the state of the lease is another */
    int children;   /* signalfd of SIGCHLD */
    int signals[2]; /* pipe: what was sent to this process, to be passed on */
    int terminal;   /* the controlling one; -1: there is none */
    pid_t process;  /* and its group */
    bool is_over;
    int wait_status;    /* then */
    bool was_signalled; /* its group may have to clean up: all of it is waited for */
    bool was_in_front;  /* of the terminal, when it ended */
    enum held_stage stage;
    uint64_t kill_ms;
    int last_signal;
    uint64_t last_signal_ms;
    bool is_lost; /* it was, or would have been */
};

/* Before any thread is there: signals that its threads must not take are blocked. False: errno says why. The rest of
 * `ret` was set. */
bool held_open(struct held *ret);
void held_close(struct held *held);
/* Behind the start of the other threads: this one is to stop the process at Ctrl-Z. */
void held_receive_stops(void);

/* An os_lease_changed_fn, with it as context. */
void held_changed(void *context, os_lease *lease, os_lease_status status);

/* Runs the program until its end. 0, or errno: it could not be run. */
int held_run(struct held *held);

#endif
