/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one world: every scenario, every kind of failure, every number, once and for ever. */
#ifndef OSCOMMIT_TEST_TORTURE_TORTURE_H
#define OSCOMMIT_TEST_TORTURE_TORTURE_H

#include "inject.h"
#include "trial.h"

enum { TORTURE_PENDING_MAX = 1024 };

struct torture {
    struct world *world;
    const char *only_world;    /* NULL: all */
    const char *only_group;    /* "objects", "holding": leases and locks, or "rows". NULL: all */
    const char *only_scenario; /* NULL: all */
    int only_kind;             /* -1: all */
    long step;                 /* of the numbers: 1 is all of them */
    long shard, shards;        /* numbers that are this process's */
    bool verbose;
    bool is_started;     /* built with operations in place of the calls, of which leases, locks and rows have none */
    unsigned long next;  /* number of the next trial */
    unsigned long drawn; /* what was it when the kind began */
    unsigned long injections[INJECT_KINDS];
    unsigned long failures;
    unsigned long uploads; /* left behind, and removed */
    struct trial *pending[TORTURE_PENDING_MAX];
    char *pending_what[TORTURE_PENDING_MAX];
    size_t pending_count;
};

void torture_run(struct torture *torture);

#endif
