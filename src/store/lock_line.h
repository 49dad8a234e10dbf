/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for a lock of the embedded store, without a thread: a line for each lock, of those that found it taken or
 * came behind one that did. The lock itself is the file's (file_lock.h), and whoever is let out of the line tries it
 * again and may have to come back, to the place that he had: a fault here could make somebody late, never let two in.
 *
 * Nothing tells when another process lets go, so the first of a line tries again and again, less and less often. The
 * others stand behind him; where the lock is let go in this process, the first and all who can share it with him are
 * let out at once. A line that has handed its lock on within the process for a while rests for longer than others pause
 * between two tries, or they would never get it. All on the loop's thread.
 */
#ifndef OSCOMMIT_STORE_LOCK_LINE_H
#define OSCOMMIT_STORE_LOCK_LINE_H

#include "loop/loop.h"

enum {
    LOCK_LINE_FIRST_MS = 1,
    LOCK_LINE_MOST_MS = 20,    /* between two tries, doubling from the first pause */
    LOCK_LINE_STREAK_MS = 100, /* for which a process may hand a lock on to itself */
    LOCK_LINE_REST_MS = 30
};

struct lock_line;
struct lock_lines;

/* Embedded; all zero but the first three is one that waits nowhere. */
struct lock_waiter {
    bool shares;            /* the lock, with others who do */
    uint64_t deadline_ms;   /* CLOCK_MONOTONIC */
    uint64_t came;          /* from lock_line_number, once */
    struct lock_line *line; /* NULL: it waits nowhere */
    struct lock_waiter *next;
    struct lock_waiter *previous;
};

typedef void (*lock_line_fn)(struct lock_waiter *waiter);

/* `out`: it has left the line, to try again. `late`: it has left it because its deadline has come. NULL: no memory. */
struct lock_lines *lock_lines_new(struct loop *loop, size_t count, lock_line_fn out, lock_line_fn late);
void lock_lines_free(struct lock_lines *lines); /* nobody waits any more */

uint64_t lock_line_number(struct lock_lines *lines);                    /* of who comes now */
bool lock_line_is_empty(const struct lock_lines *lines, size_t number); /* else who comes now has to wait */
void lock_line_wait(struct lock_lines *lines, size_t number, struct lock_waiter *waiter);
void lock_line_leave(struct lock_waiter *waiter); /* neither function is called any more; nothing if it waits nowhere */
/* Somebody of this client has let go of the lock. */
void lock_line_let_go(struct lock_lines *lines, size_t number);

#endif
