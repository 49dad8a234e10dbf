/* SPDX-License-Identifier: Apache-2.0 */
/* A call on leases or locks, step after step (client/steps.h): what the parts of this folder share. */
#ifndef OSCOMMIT_HOLDING_CALL_H
#define OSCOMMIT_HOLDING_CALL_H

#include "client/steps.h"
#include "holding/asking.h"
#include "holding/holding.h"
#include "holding/listing.h"

/* A lease is acquired, adopted or ended. */
struct holding_lease {
    struct sync sync;
    os_lease *hold;
    bool began; /* until then nothing has changed */
    bool no_memory;
    bool was_lost; /* when its release began */
};

enum { LOCK_PART_MAX = 255, LOCK_KEY_MAX = 2 * LOCK_PART_MAX + 1 };

/* The request for a lock, as it lies in memory while it is under way. */
struct holding_lock {
    os_lock lock;
    char id[LOCK_KEY_MAX + 1];
    struct item item;
    struct item_condition condition;
    struct item_change changes[2];
    os_lock_info info;
    enum table_outcome outcome; /* of the request, whatever a look after it has seen */
    os_code code;               /* what came of both; OS_ERR_CONFLICT without a sentence: `info` shows on what */
    holding_step_fn next;
};

/* What stands under the name of a lease. */
struct holding_read {
    struct item key;
    os_lease_info info;
};

struct holding {
    struct steps steps;
    holding_step_fn step; /* the next one */
    os_client *client;
    const struct holding_arguments *arguments;
    os_code code; /* what came of it */
    os_error error;
    os_call call; /* the caller's */
    uint64_t deadline_monotonic_ms;
    struct holding_asking asking;
    /* Of these each call has one. */
    union {
        struct holding_lease lease;
        struct holding_lock lock;
        struct holding_read read;
        struct holding_listing listing;
    };
    bool lists; /* it has the last one */
    void (*over)(struct holding *holding);
};

/* A call that nobody waits for: prepared on any thread, begun on the loop's, where `over` is called when its code is
 * there. `holding` and `arguments` live until then; holding_free belongs to it. */
void holding_init(struct holding *ret, os_client *client, const struct holding_arguments *arguments,
                  holding_step_fn first);
void holding_start(struct holding *holding, void (*over)(struct holding *holding));
void holding_free(struct holding *holding);

/* ------------------------------------------------------------------------------------------------ steps */

/* The ends of a step: the call is over, with what holding->error says unless it is OS_OK ... */
enum steps_next holding_over(struct holding *holding, os_code code);
/* ... or holding->asking goes to the table, whose answer holding_answer gives to `next` ... */
enum steps_next holding_ask(struct holding *holding, holding_step_fn next);
os_code holding_answer(struct holding *holding);
/* ... or it waits for something else on the loop's thread ... */
enum steps_next holding_wait(struct holding *holding, struct sync *sync, holding_step_fn next);
/* ... or `next` may block. */
enum steps_next holding_block(struct holding *holding, holding_step_fn next);
/* What the table has answered is what the call says. */
enum steps_next holding_say(struct holding *holding);

enum steps_next holding_refuse_unstarted(struct holding *holding); /* for want of memory */

/* The client must have a table. */
os_code holding_need_table(struct holding *holding);
/* The caller's call, whose time begins now. */
os_code holding_take_call(struct holding *holding);
/* One request to the table of such items, whose answer is what the call says. */
enum steps_next holding_ask_of_table(struct holding *holding, enum table_verb verb, const struct item_schema *schema);
/* All that holding->listing wants, which is then given to the caller. */
enum steps_next holding_ask_for_list(struct holding *holding);

#endif
