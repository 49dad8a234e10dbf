/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads for calls that block (the embedded store, SQLite, Signature V2): started as they are needed, kept until the
 * client closes. Each lane has so many of its own that whatever fills one of them keeps nobody waiting in another.
 */
#ifndef OSCOMMIT_LOOP_WORKERS_H
#define OSCOMMIT_LOOP_WORKERS_H

#include "base/thread.h"
#include "loop/loop.h"

enum {
    WORKERS_LANE = 16,  /* at once in each lane but these two of the ledger */
    WORKERS_LEDGER = 4, /* who writes waits for the others anyway */
    WORKERS_MAX = (LOOP_LANES - 2) * WORKERS_LANE + 2 * WORKERS_LEDGER
};

struct workers;

typedef void (*workers_done_fn)(struct loop_blocking *blocking);

os_code workers_new(workers_done_fn done, struct workers **ret, os_error *err);
/* Runs blocking->work on some thread, then `done` there, which may free `blocking`. In a lane, in the order in which
 * they came. When no thread at all can be started, on the calling one; when fewer than that, the lanes share them. */
void workers_run(struct workers *workers, struct loop_blocking *blocking);
bool workers_include(struct workers *workers, const struct thread *thread); /* is one of them */
void workers_free(struct workers *workers);                                 /* waits until all work is done */

#endif
