/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's event loop: the HTTP engine, timers, jobs posted from other threads, and worker threads for stores that
 * block. Everything of a loop runs on one thread but loop_post, loop_run_blocking's `work`, and loop_stop. Knows
 * nothing of guards or stores.
 */
#ifndef OSCOMMIT_LOOP_LOOP_H
#define OSCOMMIT_LOOP_LOOP_H

#include "base/clock.h"
#include "base/heap.h"
#include "http/engine.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

struct loop;

os_code loop_new(const struct http_engine_options *http, struct loop **ret, os_error *err);
/* Runs on the calling thread until loop_stop. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);  /* from any thread */
void loop_hurry(struct loop *loop); /* from any thread: from now on turns are given at once (loop_await_turn) */

/* In place of loop_run, for a thread that waits elsewhere: does what there is to do, without blocking. There is more when
 * the descriptor is readable, or that time has passed (UINT64_MAX: never); both may come too often. */
void loop_step(struct loop *loop);
int loop_fd(const struct loop *loop);
uint64_t loop_due_ms(const struct loop *loop); /* from now */
/* Steps, and waits in between, until is_over. */
void loop_run_until(struct loop *loop, bool (*is_over)(void *context), void *context);
/* After loop_run has returned: waits for the workers and runs the jobs that are left, so that nothing is under way any
 * more. */
void loop_drain(struct loop *loop);
void loop_free(struct loop *loop);
struct http_engine *loop_http(struct loop *loop);
/* Whether the thread that calls is the one that runs the loop, or one of its workers. */
bool loop_is_inside(struct loop *loop);

/* A piece of work for the loop's thread. Embedded in what it works on; never allocated by the loop. */
struct loop_job {
    void (*run)(struct loop_job *job);
    struct loop_job *next;
};
void loop_post(struct loop *loop,
               struct loop_job *job); /* from any thread; run later, in order, even from the loop's thread */

/* Run in order, each only when the requests that are under way leave a connection free, but for one now and then where
 * others leave none. Who has its turn starts its requests at once. So of thousands of calls that are made together none
 * holds a record while its next request waits for a thousand others. Loop's thread. */
struct loop_turn {
    void (*run)(struct loop_turn *turn);
    struct loop_turn *next;
    struct loop_turn *previous;
    bool waits; /* false: idle, or it runs */
};
void loop_await_turn(struct loop *loop, struct loop_turn *turn);
void loop_leave_turn(struct loop *loop, struct loop_turn *turn); /* it will not run; one that is idle stays so */

/* One-shot timers. Embedded; a zeroed one is idle. */
struct loop_timer {
    void (*fire)(struct loop_timer *timer);
    struct heap_node node;
};
void loop_timer_set(struct loop *loop, struct loop_timer *timer,
                    uint64_t delay_ms); /* replaces an earlier setting; `fire` is set by the caller */
void loop_timer_clear(struct loop *loop, struct loop_timer *timer);

/* What blocks, by what may keep it: each lane has threads of its own (workers.h). */
enum loop_lane {
    LOOP_LOOKS,    /* what is quick */
    LOOP_ATTEMPTS, /* the writes of guards */
    LOOP_WRITES,   /* other writes, parts: as long as their bytes take */
    LOOP_READS,    /* what waits for who takes the bytes */
    LOOP_RECORDS_READ,
    LOOP_RECORDS_WRITTEN, /* one file, which one at a time may write */
    LOOP_LANES
};

/* A call that blocks: `work` runs on a worker thread, then `done` on the loop's thread. Embedded; lives until done. One
 * that is to wait for others lets go of its thread, and is run again later. */
struct loop_blocking {
    void (*work)(struct loop_blocking *blocking);
    void (*done)(struct loop_blocking *blocking);
    enum loop_lane lane;
    uint64_t came; /* of workers.c */
    struct loop_blocking *next;
    struct loop_job job;
    struct loop *loop;
};
void loop_run_blocking(struct loop *loop, struct loop_blocking *blocking);

#endif
