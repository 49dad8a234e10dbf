/* SPDX-License-Identifier: Apache-2.0 */
/* Two pointers, rows that name an object each, which move together; in an embedded store. */
#ifndef OSCOMMIT_TEST_LAKE_H
#define OSCOMMIT_TEST_LAKE_H

#include "unit/api/client_scratch.h"

#include "oscommit_model.h"

#include <stdatomic.h>
#include <stdio.h>

enum { LAKE_KEY_SIZE = 128 };

struct lake {
    struct scratch scratch;
    os_client *client; /* none while a child is made */
    os_model *pointers;
    os_model *intents;
    os_txn_result result;
    os_error error;
};
void lake_set_up(struct lake *ret);
void lake_tear_down(struct lake *lake);

/* Told, where it is set, of each request of a client that is opened from then on, at its end; number 1 is the first. */
struct lake_watch {
    void (*request)(void *context, int number, const char *operation);
    void *context;
    _Atomic int count;
};
os_client *lake_client(const struct lake *lake, struct lake_watch *watch);

/* ------------------------------------------------------------------------------------------------ moving */

struct lake_plan {
    struct lake *lake;
    const char *names[2]; /* of the pointers that move together; NULL: fewer */
    const char *text;     /* of the objects */
    os_code ends_with;    /* OS_OK: it commits */
    os_call *call;
    void (*meanwhile)(struct lake_plan *plan, const char *key); /* in the first run, once the first object is staged */
    void *context;                                              /* of it */
    os_code staged;                                             /* what staging came to */
    int runs;
    int moved; /* pointers, in this run */
};
os_code lake_move(void *context, os_txn *txn, os_error *err);
os_verdict lake_transact(struct lake_plan *plan);

#define CHECK_MOVED(plan)                                                                                   \
    do {                                                                                                    \
        if (lake_transact(plan) != OS_COMMITTED)                                                            \
            fail_msg("%s: %s", os_verdict_name((plan)->lake->result.verdict), (plan)->lake->error.message); \
    } while (0)

/* ------------------------------------------------------------------------------------------------ what is there */

struct lake_pointer {
    struct lake *lake;
    const char *name;
    int64_t version; /* 0: there is none */
    char key[LAKE_KEY_SIZE];
};
struct lake_pointer lake_pointer(struct lake *lake, const char *name);
void lake_check_reads(struct lake *lake, const char *key, const char *text);
int lake_objects(struct lake *lake); /* how many */

struct lake_heard {
    struct lake *lake; /* who collects */
    int count;
    os_garbage_fate fate; /* of the last */
    char key[LAKE_KEY_SIZE];
    char reason[256];
    int stops;
};
int lake_hear(void *context, const os_txn_garbage *garbage);
/* A gc that has nothing to complain of. `heard` may be NULL. */
os_txn_gc_result lake_collect(struct lake *lake, int of_any_age, int removes, struct lake_heard *heard);
void lake_check_nothing_left(struct lake *lake); /* no intent, of any age */

#endif
