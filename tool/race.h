/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `race` share: its task, its processes, the check afterwards, the report. */
#ifndef OSCOMMIT_TOOL_RACE_H
#define OSCOMMIT_TOOL_RACE_H

#include "race_content.h"
#include "race_tally.h"
#include "session.h"

#include <stdbool.h>
#include <sys/types.h>

#define RACE_WORKER_COMMAND "__race-worker"

struct race {
    struct session *session;
    const struct location *at; /* its key is the race's prefix, "tests/race-<id>/" */
    char id[RACE_ID_SIZE];
    struct race_tally tally;
    bool interrupted;
};

/* The key of the store for a name behind the prefix, malloc'ed. */
char *race_full_key(const char *prefix, const char *name);

/* race_workers.c: starts the processes, runs both phases, fills the tally. False: they could not be started, which was
 * said. */
bool race_run_workers(struct race *race);

/* race_check.c */
bool race_make_counter(struct race *race, enum status *ret_status); /* false: not made, which was said */
void race_read_back(struct race *race);
void race_remove_objects(struct race *race);

/* race_report.c: gives the exit status. */
enum status race_report(struct race *race);

#endif
