/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on the embedded file, on a worker thread. A busy file is waited for, a slice at a time: between two slices the
 * worker is free for others.
 */
#ifndef OSCOMMIT_TABLE_SQLITE_TASK_H
#define OSCOMMIT_TABLE_SQLITE_TASK_H

#include "loop/borrow.h"
#include "loop/loop.h"
#include "sqlite/sqlite.h"

struct sqlite_task { /* embedded in what it works for */
    /* On a worker. True: the file was busy, nothing was done, and it may be tried again. */
    bool (*work)(struct sqlite_task *task);
    void (*done)(struct sqlite_task *task); /* on the loop's thread; not after a cancel */
    void (*free)(struct sqlite_task *task); /* on the loop's thread, at the very end */
    uint64_t until_monotonic_ms;
    /* its own */
    struct loop *loop;
    struct loop_blocking blocking;
    struct borrow borrow;
    bool is_untouched; /* the file, by this task */
    bool waits;
    struct loop_timer timer; /* set while it waits without a worker */
    uint32_t pause_ms;
    uint64_t jitter; /* state of random_next */
};

/* `work`, `done`, `free` and the time are set. False, and nothing is called: out of memory. */
bool sqlite_task_start(struct sqlite_task *task, struct loop *loop, enum loop_lane lane);
/* Waits for a worker that is at it: not long, as SQLite's busy wait ends with the cancellation. */
void sqlite_task_cancel(struct sqlite_task *task);
/* The same in two steps, between which what `work` has left behind can be read. True: nothing was done. */
bool sqlite_task_stop(struct sqlite_task *task);
void sqlite_task_leave(struct sqlite_task *task);
bool sqlite_task_is_cancelled(struct sqlite_task *task);

/* For `work`: until the end of this slice. */
struct sqlite_patience sqlite_task_patience(const struct sqlite_task *task);

#endif
