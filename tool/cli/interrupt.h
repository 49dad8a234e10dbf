/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP end a running call through its os_cancel, and the verdict is still printed.
 * os_cancel_trigger is not safe in a signal handler, so the signals are blocked everywhere and read from a signalfd by
 * one thread. A second signal, half a second later or more, ends the process at once, with the status of an unknown
 * outcome unless a verdict was given before.
 */
#ifndef OSCOMMIT_TOOL_INTERRUPT_H
#define OSCOMMIT_TOOL_INTERRUPT_H

#include "oscommit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct interrupt {
    int signals; /* signalfd */
    int ending;  /* eventfd: written by interrupt_stop */
    int seen;    /* eventfd: readable from the first signal on, for poll() */
    int peer;    /* ends of a pipe whose loss counts as a signal; -1: none */
    bool started;
    atomic_int status;   /* what a second signal ends the process with */
    atomic_int diverted; /* where signals go instead; -1: nowhere */
    atomic_int number;   /* of the first signal that was not diverted; 0: none */
    pthread_t thread;
    os_cancel *cancel;
    void (*tick)(void *context); /* about once a second, on the thread; NULL: none */
    void *tick_context;
};

/* To be called before the client is opened, so that its thread inherits the blocked signals. False: errno says why. */
bool interrupt_start(struct interrupt *interrupt, int peer, void (*tick)(void *context), void *tick_context);
bool interrupt_seen(const struct interrupt *interrupt);

/* The verdict is known: a second signal ends with this status. */
void interrupt_settle(struct interrupt *interrupt, int status);
void interrupt_stop(struct interrupt *interrupt);

/* Ends this process, or its whole group, by the signal, so that whoever waits for it sees that. Comes back where the signal
 * does not end it. */
void interrupt_end_by(int number, bool whole_group);

/* From now on a signal ends nothing: its number is written to `fd`, as one byte. -1: signals count again. */
void interrupt_divert(struct interrupt *interrupt, int fd);

/* Waits until `fd` is ready for `events` (POLLIN, POLLOUT) or has hung up. False when a signal came first. */
bool interrupt_wait(const struct interrupt *interrupt, int fd, short events);

enum interrupt_waited { INTERRUPT_READY, INTERRUPT_SIGNAL, INTERRUPT_LATE };
/* The same until a time of the monotonic clock. */
enum interrupt_waited interrupt_wait_until(const struct interrupt *interrupt, int fd, short events,
                                           uint64_t monotonic_ms);

#endif
