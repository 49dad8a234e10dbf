/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of this process: who updates an object of a store, and who waits for that, in order of arrival, whatever
 * client each is of. Knows no loop: who leaves calls the next. Any thread. A forked child begins with none: who stood in
 * them is not there.
 */
#ifndef OSCOMMIT_UPDATE_LINE_H
#define OSCOMMIT_UPDATE_LINE_H

#include "base/thread.h"
#include "client/ticket_place.h"

/* Borrowed while one stands in it. Two names of one store have two lines. */
struct line_place {
    const char *store; /* "s3" or "file" */
    const char *endpoint;
    const char *bucket;
    const char *key; /* whole */
};
void line_place_of(const struct settings *settings, const char *key, struct line_place *ret);

/* Embedded in what waits. */
struct line_member {
    struct line_place place; /* set before it arrives, with `thread` */
    struct thread thread;
    uint64_t hash;
    bool called;
    struct line_member *next;
};

enum line_arrival {
    LINE_FIRST = 1, /* its turn has come */
    LINE_BEHIND,    /* it waits to be called */
    LINE_OWN        /* its thread has the turn: it does not stand in line */
};
enum line_arrival line_arrive(struct line_member *member);
/* Of one behind. False: it was called in the meantime, so its turn comes, and it has to leave. */
bool line_give_up(struct line_member *member);
/* Of one whose turn it was. The next one, which counts as called; NULL: nobody waits. */
struct line_member *line_leave(struct line_member *member);

#endif
