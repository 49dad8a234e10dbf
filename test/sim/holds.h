/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of a world's leases: who acquired which, what the library says of it, and what truly stands in the table.
 * They are looked at after each event, with each process's own clocks.
 */
#ifndef OSCOMMIT_TEST_SIM_HOLDS_H
#define OSCOMMIT_TEST_SIM_HOLDS_H

#include "oscommit_lease.h"
#include "sim/world.h"

enum { HOLDS_NAMES_MAX = 2, HOLDS_MAX = 96 };

struct hold { /* one handle, from the call that acquires it */
    struct process *process;
    uint32_t name;
    uint64_t ttl_s;
    bool fencing;
    char owner[16];  /* its own, as no version is known here */
    os_lease *lease; /* NULL: not acquired, or over, or its process has died */
    bool acquiring;
    bool releasing;
    bool met_other; /* while it was acquired, the item had another owner */
    bool told_lost;
    uint64_t token;
    bool taken;       /* before its release the item ceased to be its own, and not by its process */
    bool dropped;     /* it ceased to be so by its process */
    bool came_back;   /* after that: by a request of its own that was late (L9.1) */
    bool copied;      /* a request of its process arrived a second time meanwhile */
    os_code acquired; /* OS_ERR_CANCELLED until it is known */
    os_code released;
    bool was_released; /* `released` says how */
};

struct holds {
    struct hold at[HOLDS_MAX];
    size_t count;
    uint32_t names;
    bool asks_stopped; /* in some worlds: also of processes that stand still, which remember what they were told */
    struct hold *in_table[HOLDS_NAMES_MAX]; /* whose the item is; NULL: nobody's */
    uint64_t last_token[HOLDS_NAMES_MAX];   /* of those that were held when their acquisition returned */
    bool failed;                            /* one failure of what is looked at after each event is enough */
};

/* Of a world whose fleet has leases. False: no memory. */
bool holds_make(struct world *world);
void holds_free(struct world *world);
void holds_name(uint32_t name, char *ret); /* ret holds 16 bytes */

struct hold *holds_begin(struct world *world, struct process *process, uint32_t name);
/* The call has returned: `lease` NULL with whatever else but OS_OK. */
void holds_acquired(struct world *world, struct hold *hold, os_code code, os_lease *lease);
os_lease_status holds_state(const struct hold *hold); /* at this instant, by its process's clocks */
uint64_t holds_remaining_ms(const struct hold *hold);
bool holds_is_in_table(const struct world *world, const struct hold *hold);
void holds_forget(struct world *world, const struct process *process); /* it has died */

/* Something may have changed in the table: by a request of `process`, or (NULL) by TTL. */
void holds_note(struct world *world, const struct process *process, bool copy);
/* What must be so at every instant. */
void holds_watch(struct world *world);

#endif
