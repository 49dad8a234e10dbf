/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of the library on fresh keys, what was told to its caller, and what is true: what stands at the keys before
 * and after, as an undisturbed client reads it. Knows nothing of what was made to fail.
 */
#ifndef OSCOMMIT_TEST_TORTURE_TRIAL_H
#define OSCOMMIT_TEST_TORTURE_TRIAL_H

#include "oscommit_lease.h"
#include "oscommit_model.h"

#include <stdbool.h>
#include <stddef.h>

struct world { /* where the trials take place */
    const char *name;
    char root[128]; /* of the embedded store; a folder for files in any case */
    os_options options;
    os_options lease_options; /* of a client for leases alone, and of one for locks */
    os_options lock_options;
    os_options row_options;
    void *services; /* of world_remote.c */
};

enum state { STATE_NONE, STATE_OLD, STATE_NEW, STATE_TORN };

/* Of leases, locks and rows: no object is looked at, and the scenario's own functions judge. */
enum scenario_kind {
    SCENARIO_GUARDED,
    SCENARIO_PLAIN,
    SCENARIO_READ,
    SCENARIO_LEASE,
    SCENARIO_LOCK,
    SCENARIO_ROWS,
    SCENARIO_KINDS
};

struct trial;
struct scenario {
    const char *name;
    enum scenario_kind kind;
    enum state before, after;             /* at the key; after: when the call has done its work */
    enum state other_before, other_after; /* at the other key (the source of a copy) */
    bool stale;                           /* the caller's expectation is broken */
    bool etag_is_true;                    /* though the ETag that he gives is that of what is there */
    bool in_parts;                        /* whatever its size */
    bool guarded_before;                  /* what is there was put under a record, and carries its nonce */
    uint64_t fencing_before, fencing;     /* the token of what is there, and of the write; 0: none */
    uint64_t deadline_ms;                 /* [250] */
    void (*run)(os_client *client, struct trial *trial);
    bool (*check)(os_client *client, struct trial *trial); /* of a read; NULL: nothing but the code */
    /* Of leases, locks and rows alone. */
    bool held;          /* by another, before the call */
    bool with_token;    /* the lease has a fencing token */
    bool calm_at_first; /* the client is opened undisturbed, and so is all until `run` calls inject_pause(false) */
    os_code wanted;     /* of the undisturbed run */
    bool (*prepare)(os_client *calm, struct trial *trial);
    bool (*settle)(os_client *calm, struct trial *trial);
    os_metric_fn metric;                                                /* its context is the trial */
    os_code (*change)(struct trial *trial, os_txn *txn, os_error *err); /* of rows */
    bool may_stay_unknown;
};
struct scenarios {
    const struct scenario *list;
    size_t count;
};
extern const struct scenarios object_scenarios, lease_scenarios, lock_scenarios, row_scenarios;

struct trial {
    const struct scenario *scenario;
    const struct world *world;
    unsigned long number;
    char key[64], other[64], file[192];
    char etag[128]; /* the one that the caller expects at the key */
    os_call call;

    os_code opened;
    os_code code;       /* of a plain call; OS_OK as long as none was made */
    os_verdict verdict; /* of a guarded one; 0: none was made */
    os_error err;
    os_result result;
    void *data; /* what a read gave */
    size_t length;
    os_object object;

    /* Of leases and locks. */
    os_client *calm;      /* undisturbed, open from before the call until it was checked */
    os_lease *of_another; /* held by `calm` */
    os_lease *lease;      /* while it is held */
    bool gave;            /* the acquisition gave one */
    bool lost_early;
    os_lease_status told; /* at the end of the call */
    uint64_t token, token_before;
    os_code ended;             /* of the undisturbed release that came after the call */
    os_code ended_other;       /* of the other holder's release */
    os_lease_info found;       /* at the end of the call, by `calm` */
    os_lease_info left;        /* after that release */
    os_lease_info given_lease; /* by os_lease_read */
    os_lock_info given_lock, lock_before, lock_after;

    os_model *model; /* of rows */

    enum state state, other_state; /* as found afterwards */
    bool undisturbed;              /* nothing is made to fail: what is wanted comes, however long it takes */
    bool resolved;                 /* the verdict was unknown first: a rename has not gone on to its second half */
    char why[1600];                /* what is not true */
};

enum { FOLLOW_UP_MS = 60000 }; /* what is undisturbed waits as long */

/* Puts what the scenario wants to find at the keys, with an undisturbed client. */
bool trial_prepare(struct trial *trial, os_client *calm);
/* Opens a client, makes the call, closes the client: what is disturbed. */
void trial_run(struct trial *trial);
/* Compares with what is there now. False: trial->why. */
bool trial_check(struct trial *trial, os_client *calm);
/* Later, when nothing is in flight any more: it is still so, an unknown can be settled, and the next writer gets
 * through. */
bool trial_settle(struct trial *trial, os_client *calm);
void trial_close_calm(struct trial *trial);
void trial_clear(struct trial *trial);

bool trial_blame(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3))); /* false */

bool trial_is_of_table(const struct trial *trial); /* of leases, locks or rows */

os_client *world_client(const struct world *world, enum scenario_kind kind, os_error *err);
const os_options *world_options(const struct world *world, enum scenario_kind kind);
bool world_embedded_start(struct world *world, const char *folder);
bool world_embedded_is_clean(const struct world *world); /* no temporary file that outlives a sweep */
void world_embedded_stop(struct world *world);           /* removes the folder and all that is in it */
bool world_remote_start(struct world *world, const char *folder);
/* Servers with other ports: each keeps what it was ever asked. No ticket may be out. */
void world_remote_renew(struct world *world);
void world_remote_rest(struct world *world); /* waits until no connection is open: every client is closed */
void world_remote_stop(struct world *world);

/* The texts of the two versions of a key; the new one is longer than a block where the scenario's number says so. */
void trial_text(const struct trial *trial, enum state state, const char **ret, size_t *ret_length);

#endif
