/* SPDX-License-Identifier: Apache-2.0 */
/* Who believed what of which lease, and for how long: what the judge of leases rests on. Pure. */
#ifndef OSCOMMIT_LAB_LEASE_BELIEFS_H
#define OSCOMMIT_LAB_LEASE_BELIEFS_H

#include "history/lease_judge.h"

struct lease_belief {
    const char *who;
    const char *key;
    uint64_t waits_us; /* since then it had asked; HISTORY_NEVER: not told */
    uint64_t start_us;
    uint64_t until_us; /* HISTORY_NEVER: not told */
    uint64_t ended_us; /* by a word; HISTORY_NEVER: by none */
    enum history_lease_kind ended_by;
    uint64_t let_go_us; /* HISTORY_NEVER: it was not */
    bool has_token;
    uint64_t token;
    size_t process; /* index */
};

/* Its lines are the history's from `first` on, in `order`. */
struct lease_process {
    const char *who;
    uint64_t last_us; /* its own last word */
    uint64_t killed_us;
    const char *asks; /* for this lease, since the last `waits`; NULL: for none */
    uint64_t asks_since_us;
    size_t first_belief; /* until they are put into another order */
    size_t first_pause;
    size_t end_pause;
};

struct lease_pause {
    uint64_t from_us;
    uint64_t to_us; /* HISTORY_NEVER: it never went on */
};

/* Room for as much as the history can say. */
struct lease_beliefs {
    const struct history *history;
    struct lease_result *result; /* takes what contradicts itself */
    struct lease_belief *belief;
    size_t count;
    struct lease_process *process;
    size_t process_count;
    struct lease_pause *pause;
    size_t pause_count;
};

/* False: no memory. lease_beliefs_free is fine afterwards. */
bool lease_beliefs_take(struct lease_beliefs *ret, const struct history *history, struct lease_result *result);
void lease_beliefs_free(struct lease_beliefs *beliefs);

uint64_t lease_belief_end(const struct lease_belief *belief);

/* Counts a violation, and keeps it if there is room. */
void lease_find(struct lease_result *result, enum lease_violation violation, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* lease_gaps.c: fills after_release and after_death. `belief` is in the order of leases and times. False: no memory. */
bool lease_measure_gaps(const struct lease_beliefs *beliefs, struct lease_result *ret);

#endif
