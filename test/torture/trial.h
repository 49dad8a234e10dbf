/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of the library on fresh keys, what was told to its caller, and what is true: what stands at the keys before
 * and after, as an undisturbed client reads it. Knows nothing of what was made to fail.
 */
#ifndef OSCOMMIT_TEST_TORTURE_TRIAL_H
#define OSCOMMIT_TEST_TORTURE_TRIAL_H

#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>

struct world { /* where the trials take place */
    const char *name;
    char root[128]; /* of the embedded store; a folder for files in any case */
    os_options options;
    void *services; /* of world_remote.c */
};

enum state { STATE_NONE, STATE_OLD, STATE_NEW, STATE_TORN };

enum scenario_kind { SCENARIO_GUARDED, SCENARIO_PLAIN, SCENARIO_READ };

struct trial;
struct scenario {
    const char *name;
    enum scenario_kind kind;
    enum state before, after;             /* at the key; after: when the call has done its work */
    enum state other_before, other_after; /* at the other key (the source of a copy) */
    bool stale;                           /* the caller's expectation is broken */
    bool in_parts;                        /* whatever its size */
    bool guarded_before;                  /* what is there was put under a record, and carries its nonce */
    uint64_t deadline_ms;                 /* [250] */
    void (*run)(os_client *client, struct trial *trial);
    bool (*check)(os_client *client, struct trial *trial); /* of a read; NULL: nothing but the code */
};
extern const struct scenario scenarios[];
extern const size_t scenario_count;

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

    enum state state, other_state; /* as found afterwards */
    bool resolved;                 /* the verdict was unknown first: a rename has not gone on to its second half */
    char why[1600];                /* what is not true */
};

/* Puts what the scenario wants to find at the keys, with an undisturbed client. */
bool trial_prepare(struct trial *trial, os_client *calm);
/* Opens a client, makes the call, closes the client: what is disturbed. */
void trial_run(struct trial *trial);
/* Compares with what is there now. False: trial->why. */
bool trial_check(struct trial *trial, os_client *calm);
/* Later, when nothing is in flight any more: it is still so, an unknown can be settled, and the next writer gets
 * through. */
bool trial_settle(struct trial *trial, os_client *calm);
void trial_clear(struct trial *trial);

bool trial_blame(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3))); /* false */

os_client *world_client(const struct world *world, os_error *err);
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
