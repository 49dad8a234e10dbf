/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a race, from its history and from what its processes said of their progress; and the sentence that
 * says how it ended. Pure; knows no process and no store.
 */
#ifndef OSCOMMIT_LAB_RACE_SUMMARY_H
#define OSCOMMIT_LAB_RACE_SUMMARY_H

#include "history/history.h"
#include "history/judge.h"
#include "history/spread.h"
#include "race/content.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One kind. Calls count by their first verdict. */
struct race_figures {
    uint64_t calls;
    uint64_t committed;
    uint64_t conflicts;
    uint64_t not_executed;
    uint64_t unknown;
    uint64_t settled_committed; /* of the unknown ones */
    uint64_t settled_other;
    uint64_t for_good; /* unknown, and the evidence says that it will stay so (R13, row F) */
    uint64_t unsettled;
    uint64_t killed;      /* in flight: the process died in the call */
    uint64_t killed_seen; /* of these: somebody has seen what it wrote */
    uint64_t takeovers;
    uint64_t requests;
    uint64_t by_record; /* calls that this kept the others out of */
    uint64_t native;
    uint64_t by_both;
    uint64_t first_us;
    uint64_t last_us;
    struct spread latency; /* of those that returned */
};

struct race_progress {
    uint64_t done[RACE_WRITERS_MAX][RACE_KINDS];
    uint64_t given_up;
    unsigned lost_writers; /* ended early, or said something that is no message */
    uint64_t lives;        /* processes that were started */
    bool read_back;        /* all that was written */
    bool judged;           /* there was memory for it */
    uint64_t counters_found;
};

struct race_summary {
    unsigned writers;
    struct race_figures kind[RACE_KINDS];
    struct spread takeover_wait;    /* calls that took a record over: how long they had waited */
    uint64_t won[RACE_WRITERS_MAX]; /* names created first */
    uint64_t increments[RACE_WRITERS_MAX];
    uint64_t names;   /* different ones that were tried */
    uint64_t created; /* of these: something stands there */
    uint64_t objects_right;
    uint64_t objects_wrong; /* that the judge refuses */
    uint64_t reads;
    uint64_t unsettled; /* returned unknown, and nobody could settle it: of any kind */
};

/* Which kind a name belongs to; RACE_KINDS: none that is counted. */
enum race_kind race_kind_of(const char *name);

/* False: no memory. */
bool race_summarize(const struct history *history, const struct judge_result *judged, unsigned writers,
                    struct race_summary *ret);

uint64_t race_committed(const struct race_figures *figures); /* at once, or settled so */

enum race_judgement {
    RACE_EXACT,      /* everything was done, and adds up */
    RACE_INCOMPLETE, /* nothing contradicts, but not everything was done */
    RACE_UNSETTLED,  /* nothing contradicts, but an outcome is still unknown */
    RACE_BROKEN      /* two winners, a lost update, foreign content ... */
};

/* What a race by counts had to do; NULL: it went by time. `ret` takes the sentence. */
enum race_judgement race_conclude(const struct race_summary *summary, const struct race_progress *progress,
                                  const struct judge_result *judged, const uint64_t *count, char *ret, size_t ret_size);
const char *race_judgement_name(enum race_judgement judgement);

#endif
