/* SPDX-License-Identifier: Apache-2.0 */
/* What may happen next in a world, and what it then looks like. */
#ifndef OSCOMMIT_MODEL_CHOICE_H
#define OSCOMMIT_MODEL_CHOICE_H

#include "model.h"

enum choice_kind {
    CHOICE_START = 1,  /* writer: its next guard, or the resolution of its ticket */
    CHOICE_TIMER,      /* writer */
    CHOICE_STOP,       /* writer */
    CHOICE_CRASH,      /* writer */
    CHOICE_SERVE,      /* flight, front end ahead: the service reads, or decides and applies */
    CHOICE_DELIVER,    /* flight: the answer arrives */
    CHOICE_LOSE,       /* flight: the answer never arrives */
    CHOICE_LAND,       /* flight that nobody waits for: it is applied after all */
    CHOICE_COPY,       /* flight: on its way twice */
    CHOICE_BLIND,      /* flight: the failed condition is answered without the item */
    CHOICE_THROTTLE,   /* flight */
    CHOICE_ANSWER,     /* flight, attempt_answer: without being applied */
    CHOICE_409_LATER,  /* flight: answered by an ambiguous 409, and may still be applied */
    CHOICE_TTL,        /* row */
    CHOICE_OUTSIDER,   /* 0 put, 1 delete, 2 put the first bytes back */
    CHOICE_TIME,       /* budget of the step, how the clocks behave, whose */
    CHOICE_SET,        /* writer, forwards or backwards: REALTIME is set */
    CHOICE_PEER,       /* writer: its next step */
    CHOICE_GC,         /* writer: an outsider aborts its upload */
    CHOICE_VERSIONING, /* it is turned on */
    CHOICE_ADMIT,      /* attempt that does not arrive at once: the store has its headers (link.h) */
    CHOICE_TAIL,       /* the same: all before its tail is acknowledged, and there is time: the tail is let go */
    CHOICE_ARRIVE,     /* the same: the store has all of it */
    CHOICE_KEEP,       /* the same: too slow; the connection is reset, the tail never leaves */
    CHOICE_FORGE       /* forger, which lie */
};

enum clock_mode { CLOCKS_RUN = 0, CLOCKS_SUSPENDED, CLOCKS_FROZEN };

/* Whether the store would take this copy of an attempt now. */
bool store_takes(const struct world *world, const struct flight *send);
/* The upload of this writer's Complete is aborted, by whomever. */
void store_aborts(struct world *world, unsigned w);
bool ledger_condition_holds(const struct world *world, const struct flight *put);

#endif
