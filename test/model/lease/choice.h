/* SPDX-License-Identifier: Apache-2.0 */
/* What may happen next in a world of leases. */
#ifndef OSCOMMIT_MODEL_LEASE_CHOICE_H
#define OSCOMMIT_MODEL_LEASE_CHOICE_H

#include "model.h"

enum choice_kind {
    CHOICE_START = 1, /* handle */
    CHOICE_TIMER,     /* handle */
    CHOICE_RELEASE,   /* handle */
    CHOICE_STOP,      /* handle */
    CHOICE_DETACH,    /* handle: its process ends, and another may adopt what it has */
    CHOICE_CRASH,     /* handle */
    CHOICE_SERVE,     /* flight: the service decides and applies */
    CHOICE_DELIVER,   /* flight: the answer arrives; 1: without the item */
    CHOICE_LOSE,      /* flight: the answer never arrives */
    CHOICE_LAND,      /* flight that nobody waits for: it is applied after all */
    CHOICE_COPY,      /* flight: on its way twice */
    CHOICE_REJECT,    /* flight, outcome: THROTTLED, REFUSED */
    CHOICE_TTL,       /* the service deletes the item */
    CHOICE_BREAK,     /* somebody deletes it */
    CHOICE_FOREIGN,   /* enum foreign_step */
    CHOICE_SET,       /* handle, forward or back: REALTIME is set by an hour */
    CHOICE_TIME       /* budget of the step, how the clocks behave, whose */
};

enum foreign_step { FOREIGN_TAKE = 0, FOREIGN_EXTEND, FOREIGN_DROP, FOREIGN_STEPS };
enum clock_mode { CLOCKS_RUN = 0, CLOCKS_SUSPENDED, CLOCKS_FROZEN };

/* How long a step of time is; 0: no timer is waited for. */
uint64_t time_step_ms(const struct world *world, enum budget step);
bool condition_holds(const struct world *world, const struct lease_request *request);
bool foreign_may(const struct world *world, enum foreign_step step);

#endif
