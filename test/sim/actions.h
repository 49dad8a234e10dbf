/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a worker: the public interface is used here and nowhere else in the simulator, and what it says is
 * written down as truths. All of these run on the worker's own thread. */
#ifndef OSCOMMIT_TEST_SIM_ACTIONS_H
#define OSCOMMIT_TEST_SIM_ACTIONS_H

#include "oscommit_model.h"
#include "sim/content.h"
#include "sim/holds.h"
#include "sim/plan.h"

struct worker {
    struct process *process;
    struct world *world;
    os_client *client;
    uint32_t next_call;
    char seen[WORLD_KEYS_MAX][WORLD_ETAG_SIZE]; /* what each key was when it was last looked at */
    os_cancel *cancel;                          /* of the call under way */
    struct content content;                     /* the same */
    uint64_t calls;
    os_model *models[2];             /* of accounts and notes, where there are transactions */
    os_client *lease_client;         /* of the table of leases; NULL: none was needed yet */
    struct hold *hold;               /* the lease that it has; NULL: none */
    struct plan_lease plan;          /* of the last call */
    uint64_t token[HOLDS_NAMES_MAX]; /* of the last lease of each name */
};

void worker_free(struct worker *worker);

bool action_open(struct worker *worker);
void action_close(struct worker *worker);
/* The same of a client for the table of leases, which a process opens when it needs it. */
bool action_open_leases(struct worker *worker);
void action_close_leases(struct worker *worker);
bool action_open_rows(struct worker *worker); /* in the place of action_open, for transactions alone */
void action_call(struct worker *worker, const struct plan_call *call);
/* One ticket that is not settled, or all of them. */
void action_resolve(struct worker *worker, bool all, uint64_t deadline_ms);
/* Somebody has written a ticket for a record of the table: resolved, and not believed (R17). False: there was none
 * whose writer may still be at it. *ret_key: of which key it was. */
bool action_forged(struct worker *worker, uint32_t *ret_key);
/* One more write of the key, which must be definite now that there are no faults, and what stands there then. */
void action_final(struct worker *worker, uint32_t key);

#endif
