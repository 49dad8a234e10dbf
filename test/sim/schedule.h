/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when: a queue of events in virtual microseconds. Of those at one instant the seed says which is first.
 */
#ifndef OSCOMMIT_TEST_SIM_SCHEDULE_H
#define OSCOMMIT_TEST_SIM_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*schedule_fn)(void *context, uint64_t argument);

struct schedule_event {
    uint64_t at_us;
    uint64_t tie;
    uint64_t serial;
    schedule_fn run;
    void *context;
    uint64_t argument;
};

struct schedule {
    uint64_t now_us;
    uint64_t random;
    uint64_t serial; /* of the last event made */
    uint64_t ran;
    struct schedule_event *heap;
    size_t count;
    size_t cap;
};

void schedule_init(struct schedule *schedule, uint64_t seed);
void schedule_free(struct schedule *schedule);
/* Not before now. Aborts when the machine has no memory left. */
void schedule_at(struct schedule *schedule, uint64_t at_us, schedule_fn run, void *context, uint64_t argument);
/* The next event. False: there is none. */
bool schedule_step(struct schedule *schedule);

#endif
