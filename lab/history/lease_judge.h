/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether leases excluded each other, decided from nothing but what their holders said: at no instant did two of them
 * believe that they held one lease. Pure.
 *
 *   waits      who key at_us                     it begins to ask for the lease
 *   held       who key at_us [until_us] [token]  from now on it believes that it holds it, until `until_us`
 *   until      who key until_us [at_us]          its belief ends then, and no longer when it said before
 *   lost       who [key] at_us                   it was told, or has seen, that it is over; no key: every one
 *   released   who [key] at_us                   said before it begins to release
 *   let_go     who key at_us                     the release has returned OS_OK: it was held until it began
 *   killed     who at_us                         said by another, once the process is gone
 *   paused     who at_us                         said by another, once the process stands still
 *   resumed    who at_us                         said by another, before it goes on
 *
 * A belief lasts from `held` to the first of `released`, `lost`, `killed` and the last `until_us`; without any of them,
 * for ever. An `until` behind the last one shows that it lasted all the time between. If it was let go, it lasted to `released`, whatever else was said: so says OS_OK. A pause ends no belief:
 * whoever goes on after one has it still, until it looks. Its end is not of it, so that beliefs may touch. The lines of
 * one process stand in their order; those that are said by others stand anywhere.
 */
#ifndef OSCOMMIT_LAB_LEASE_JUDGE_H
#define OSCOMMIT_LAB_LEASE_JUDGE_H

#include "history/history.h"
#include "history/spread.h"

enum lease_violation {
    LEASE_TWO_HOLDERS = 1, /* two beliefs of one lease overlap */
    LEASE_TOKEN,           /* not greater than every earlier one of its lease */
    LEASE_AFTER_END,       /* a belief is extended that had ended */
    LEASE_FALSE_RELEASE,   /* a release said that it was held until now, but it was lost, or never held */
    LEASE_BAD_HISTORY      /* contradicts itself */
};

struct lease_finding {
    enum lease_violation violation;
    const char *key;    /* of the history; "": of no lease in particular */
    char sentence[640]; /* what cannot be, in words */
};

struct lease_result {
    size_t keys;
    size_t beliefs;    /* acquisitions of which somebody believed something */
    size_t hand_overs; /* the next holder of a lease was another one */
    size_t let_go;
    size_t lost;
    size_t killed; /* while they believed */
    size_t paused; /* the same; one belief counts once for each pause */
    /* From the end of a release, and from a death, to the next `held`, where that one had waited since before, and
     * nobody else who was asking stood still, went on or died since. */
    struct spread after_release;
    struct spread after_death;
    size_t violations;
    size_t finding_count;
    struct lease_finding finding[32]; /* the first violations */
};

/* False: no memory. */
bool lease_judge(const struct history *history, struct lease_result *ret);

const char *lease_violation_name(enum lease_violation violation); /* "two holders" ... */

#endif
