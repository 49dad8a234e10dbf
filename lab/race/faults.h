/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a race meets which fault. Each kind is due again and again, at random times whose mean depends on the number of
 * writers; what is due meets the next request that fits (harm.c), or, where there is no network in between, the
 * instant itself. Knows the processes of the lanes by their ids, and what is done to them is recorded. Safe from any
 * thread: the proxy's threads stop and kill at the boundaries of requests.
 */
#ifndef OSCOMMIT_LAB_RACE_FAULTS_H
#define OSCOMMIT_LAB_RACE_FAULTS_H

#include "cli/usage.h"
#include "race/record.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

enum race_fault {
    RACE_FAULT_PAUSE,
    RACE_FAULT_KILL,
    RACE_FAULT_SLOW,
    RACE_FAULT_LOST_REPLY,
    RACE_FAULT_LATE,
    RACE_FAULT_5XX,
    RACE_FAULT_THROTTLE,
    RACE_FAULTS
};

#define RACE_FAULT_BIT(fault) (1U << (unsigned)(fault))
#define RACE_FAULT_ALL        (RACE_FAULT_BIT(RACE_FAULTS) - 1)
#define RACE_FAULT_LOCAL      (RACE_FAULT_BIT(RACE_FAULT_PAUSE) | RACE_FAULT_BIT(RACE_FAULT_KILL)) /* without a network */

const char *race_fault_name(enum race_fault fault); /* "lost-reply" */
enum history_event_kind race_fault_event(enum race_fault fault);

/* "pause,kill" or "all". False: a name that is none. */
bool race_faults_parse(const char *text, unsigned *ret_mask, struct usage *usage);

struct race_lane_state {
    pid_t pid;    /* 0: nobody there who may be hit */
    bool matters; /* it holds what others want: where nothing else decides, it is hit sooner */
    bool killed;
    uint64_t stopped_us; /* 0: it runs */
    uint64_t resume_us;
    char met[RACE_NAME_SIZE + 16];
};

struct race_faults {
    pthread_mutex_t mutex;
    struct race_record *record;
    unsigned mask;
    unsigned lanes;
    bool running;
    bool at_requests; /* pauses and kills wait for the boundary of a request */
    uint64_t random;
    uint64_t mean_us;
    uint64_t long_us;    /* what outlasts an attempt: its length, the store's allowance and the margin */
    unsigned long_of_20; /* so many of twenty pauses outlast that */
    uint64_t due_us[RACE_FAULTS];
    struct race_lane_state lane[RACE_WRITERS_MAX];
};

void race_faults_init(struct race_faults *faults, struct race_record *record, unsigned mask, unsigned lanes,
                      uint64_t seed, uint64_t long_us);
void race_faults_free(struct race_faults *faults);
void race_faults_start(struct race_faults *faults);
void race_faults_stop(struct race_faults *faults); /* nothing is met any more, and whoever was stopped goes on */

/* Who fills the lane from now on; 0: nobody. To be called before the process is collected, so that no other process
 * that gets its number is hit. */
void race_faults_lane(struct race_faults *faults, unsigned lane, pid_t pid);

void race_faults_matters(struct race_faults *faults, unsigned lane, bool matters);

/* Whether the lane's process was killed here, once. */
bool race_faults_take_killed(struct race_faults *faults, unsigned lane);

/* Does what the time has come for; gives the milliseconds until it wants to be called again. */
int race_faults_tick(struct race_faults *faults);

/* Whether this fault is due, and then not any more until its next time. */
bool race_faults_take(struct race_faults *faults, enum race_fault fault);
uint64_t race_faults_draw(struct race_faults *faults, uint64_t below);
uint64_t race_faults_draw_length(struct race_faults *faults); /* of a pause: mostly short, sometimes over long_us */

/* Stops or kills the process of a lane, at the boundary that `what` names. */
void race_faults_pause(struct race_faults *faults, unsigned lane, const char *what);
void race_faults_kill(struct race_faults *faults, unsigned lane, const char *what);

#endif
