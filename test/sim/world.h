/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of one seed: a store and a table behind a network, some processes, and what the library's calls were
 * promised beside what truly happened. README.md tells how it works, and which assumptions of the protocol it keeps.
 */
#ifndef OSCOMMIT_TEST_SIM_WORLD_H
#define OSCOMMIT_TEST_SIM_WORLD_H

#include "base/clock.h"
#include "history/history.h"
#include "oscommit.h"
#include "sim/fake_dynamo.h"
#include "sim/fake_s3.h"
#include "sim/fault.h"
#include "sim/process.h"
#include "sim/schedule.h"

#include <stdio.h>

enum { WORLD_LANES_MAX = 6, WORLD_KEYS_MAX = 6, WORLD_CALLS_MAX = 512, WORLD_ETAG_SIZE = 128 };
#define WORLD_EPOCH_S  UINT64_C(1760000000) /* S3 time when a seed begins */
#define WORLD_BEGIN_US UINT64_C(1000000)

/* One write as the caller saw it, and as the store saw it. A rename is two of them: its copy and its delete. */
struct truth {
    uint32_t lane;
    uint64_t call; /* fault_occasion(lane, index) */
    enum history_operation operation;
    char key[16];
    char expected[WORLD_ETAG_SIZE]; /* "": absent */
    char value[WORLD_ETAG_SIZE];    /* of what the store applied, or what a read saw */
    uint64_t start_us;
    uint64_t end_us;
    os_verdict verdict;
    os_verdict settled;
    uint64_t settled_us;
    char told[WORLD_ETAG_SIZE]; /* committed: the ETag that the caller was given; "": none */
    bool returned;
    bool by_update; /* by os_update: operation and expected are those of its last round */
    uint32_t lost;  /* the same: rounds that others won */
    bool by_result; /* the verdict was told by the call itself, not inferred from a rename's error */
    char rule[8];
    char *ticket;
    os_code code;
    uint32_t guards, attempts, requests;
    bool took_over;
    char way[40]; /* "PutObject, native" */
    uint64_t generation;
    uint64_t waited_ms;
    uint32_t applied;        /* how often the store applied it */
    bool expectation_broken; /* it was applied over another version */
    uint64_t token;          /* that it was given; 0: none */
    bool token_broken;       /* it was applied over a version with a newer one */
    bool token_missing;      /* what it made has another one */
    uint64_t applied_us;
};

#define WORLD_WHOLE (UINT64_C(8) << 20)

/* What the whole fleet agrees on, and what each seed draws for it. */
struct fleet {
    uint64_t timeout_ms;
    uint32_t skew_rate;
    uint64_t ttl_s;
    uint32_t length_s;
    uint32_t allowance_s;
    uint32_t margin_s;
    os_release release;
    os_toggle fences;
    os_toggle condition_headers;
    os_guard guard;
    bool profiled;        /* it has the store's profile */
    uint64_t stage_above; /* WORLD_WHOLE: more than any body here; 0: by default (R15.2) */
    uint32_t parts_at_once;
    uint32_t segment_bytes;  /* of every connection to the store */
    uint32_t stalled_body_s; /* how long the store waits for the rest of a body */
};

/* What is wrong with a world on purpose: a defect of the simulator's own making, for its own test; surroundings outside
 * the bounds that the documents name (F2 to F4), where something must be found; or nothing at all, for once. */
enum world_defect {
    WORLD_SOUND = 0,
    WORLD_PLANTED,        /* an unknown creation is told as committed */
    WORLD_TRANSACTIONS,   /* nothing: of transactions over rows, and without objects (trading.h) */
    WORLD_CALM,           /* no fault strikes, and so nobody may be kept waiting (calm.h) */
    WORLD_SLOW_STORE,     /* the store takes longer than its allowance over what it has */
    WORLD_DRAINING_LINK,  /* what was sent is delivered however slowly, also when its sender has given it up */
    WORLD_STALLED_BODIES, /* the store waits for the rest of a body for longer than is said of it */
    WORLD_UNMARKED_STORE, /* the store puts no mark on its answers, and something in front of it answers as well (E9) */
    WORLD_ROWS_TWICE      /* transactions, and something that sends their requests twice (X1) */
};
#define WORLD_DEFECT_OPTIONS                                                                                 \
    {                                                                                                        \
        "", " --planted", " --transactions", " --calm", " --outside slow-store", " --outside draining-link", \
            " --outside stalled-bodies", " --outside unmarked-store", " --outside rows-twice"                \
    }

struct upload_note { /* of the upload of this number that the fake S3 has */
    uint64_t call;
    const struct process *process;
    bool told;     /* its id came back whole */
    bool given_up; /* the library has said that it could not be aborted */
};

enum { WORLD_FAILURES_MAX = 8, WORLD_RULES_MAX = 24 };

struct restarts { /* guards that ended so that their call started another one */
    char rule[8];
    uint64_t count;
};

struct world {
    uint64_t seed;
    struct faults faults;
    struct schedule schedule;
    struct fake_s3 *s3;
    struct fake_dynamo *dynamo;
    struct fake_dynamo *leases; /* the table of them; NULL: the world has none, and neither the books */
    struct holds *holds;
    struct books *books; /* of transactions; NULL: the world has none */
    int profile_fd;      /* a file in memory; -1: none */
    struct upload_note *uploads;
    size_t upload_count;
    struct fleet fleet;
    uint32_t lanes;
    uint32_t keys;
    uint32_t page_most; /* records of a page of the table's answers */
    bool unmarked;      /* the store puts no mark on its answers */
    bool store_expires; /* the store refuses expired attempts: then anything may come late */
    int64_t table_offset_ms;
    uint32_t key_number; /* of the credentials in force; rotated by faults */
    char access_key[32];
    char secret_key[48];
    char session_token[32];
    struct process *processes;                 /* dead ones as well, until the end */
    uint64_t requests[WORLD_LANES_MAX + 1];    /* made so far by each lane; the last is the reader at the end */
    uint64_t allocations[WORLD_LANES_MAX + 1]; /* the same */
    uint64_t in_flight;                        /* requests and answers */
    struct parcel *waiting;                    /* for their tails (network.c) */
    uint32_t workers_left;
    struct truth *truths;
    size_t truth_count;
    uint64_t sweeps;
    uint64_t digest;
    uint64_t handled; /* requests */
    uint32_t deaths;
    struct restarts restarts[WORLD_RULES_MAX];
    enum world_defect defect;
    FILE *trace; /* NULL: none */
    char failures[WORLD_FAILURES_MAX][512];
    size_t failure_count;
};

/* Runs the seed to its end and judges it. False: memory was short, or failure_count > 0. */
bool world_run(struct world *world, uint64_t seed, const struct fault_change *change, enum world_defect defect,
               FILE *trace);
void world_free(struct world *world);

void world_fail(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void world_trace(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void world_digest(struct world *world, const void *data, size_t length);
uint64_t world_s3_ms(const struct world *world, uint64_t occasion); /* by the front end that serves it */
uint64_t world_table_ms(const struct world *world);
void world_key_name(uint32_t key, char *ret); /* ret holds 16 bytes */
bool world_rotate(struct world *world);
/* A request of the process to the table that it names, now; `copy`: it has been here before. False: no memory. */
bool world_ask_ledger(struct world *world, const struct process *process, const struct buf *request, bool copy,
                      struct buf *ret_answer);

/* NULL: there are too many. */
struct truth *world_truth(struct world *world, uint32_t lane, uint64_t call, enum history_operation operation,
                          const char *key);

#endif
