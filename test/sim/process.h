/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated processes and their threads. A process has three clocks of its own, memory of its own, and may stop, be
 * suspended with its machine, or die; its threads are coroutines, which wait for a time or to be woken. It knows
 * nothing of the library.
 */
#ifndef OSCOMMIT_TEST_SIM_PROCESS_H
#define OSCOMMIT_TEST_SIM_PROCESS_H

#include "base/clock.h"
#include "sim/memory.h"
#include "sim/schedule.h"

struct world;
struct coroutine;
struct line_member;

struct process_clocks {
    uint64_t monotonic_base_us;
    uint64_t boottime_base_us;
    uint64_t realtime_base_us; /* since the epoch; jumps are added */
    uint64_t suspended_us;     /* in which MONOTONIC stood still */
    int64_t drift_ppm;         /* all three: they count one crystal */
    bool is_disciplined;       /* but for REALTIME, which something keeps right */
};

struct task; /* a thread */

struct process {
    struct process *next;
    struct world *world;
    uint32_t lane;
    uint32_t incarnation;
    struct process_clocks clocks;
    uint64_t born_us;
    uint64_t stopped_until_us; /* paused or suspended */
    uint64_t stopped_us;       /* altogether */
    uint64_t cut_off_until_us; /* from the services */
    uint64_t lost_us;          /* when a request or an answer was last lost, or late */
    bool dead;
    struct memory_owner memory;
    struct task *tasks;
    uint64_t task_count;
    uint64_t random;         /* of the library's random_bytes */
    uint64_t stopped_before; /* the request that it last stopped before, as a fault's occasion */
    uint64_t call;           /* the one under way: fault_occasion(lane, index) */
    uint64_t engine_count;
    void *engines;                         /* of sim_engine.c */
    struct line_member *lines;             /* of line.c */
    void *owner;                           /* of worker.c */
    void (*died)(struct process *process); /* called when all of it is gone */
};

struct task {
    struct task *next;
    struct process *process;
    struct coroutine *coroutine;
    void (*run)(void *context);
    void *context;
    uint64_t id;
    uint64_t wait; /* counts its waits, so that a wake-up for an old one is not taken for a new one's */
    bool waiting;
    bool woken;
    const void *waits_on; /* what it waits to be woken by; NULL: nothing */
    struct memory_owner *memory;
};

extern struct task *task_running; /* NULL: the simulator itself */

/* Runs `run` from now on. `memory`: whose allocations it makes at first. Aborts when memory is short. */
struct task *task_start(struct process *process, void (*run)(void *context), void *context,
                        struct memory_owner *memory);
/* Waits until it is woken (true) or `until_us` has come (false); UINT64_MAX: no end. */
bool task_wait(const void *waits_on, uint64_t until_us);
void task_wake_all(struct process *process, const void *waits_on);
bool task_ended(const struct task *task);

void process_read_clocks(const struct process *process, uint64_t now_us, struct clock_reading *ret);
/* When the process's MONOTONIC will have gone on by so much, if nothing suspends it. */
uint64_t process_after_ms(const struct process *process, uint64_t now_us, uint64_t monotonic_ms);
/* Nothing of it runs for so long. Effective as soon as its running thread waits. */
void process_stop(struct process *process, uint64_t for_us, bool suspended);
/* Its threads are never resumed, its memory is gone. From within one of them it does not return. */
void process_kill(struct process *process);
void process_free(struct process *process); /* not from within it */

#endif
