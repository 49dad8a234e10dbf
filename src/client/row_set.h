/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for rows that a step waits for together (client/steps.h), some of them under way at once. */
#ifndef OSCOMMIT_CLIENT_ROW_SET_H
#define OSCOMMIT_CLIENT_ROW_SET_H

#include "client/row_call.h"

struct row_set {
    struct sync sync; /* when it has finished, all calls are over */
    struct row_call *calls;
    size_t count;
    size_t parallel;                /* as many are under way at most; at least 1 */
    os_call limits;                 /* the caller's call, but for its deadline ... */
    uint64_t deadline_monotonic_ms; /* ... which is that of all of them: none begins behind it */
    /* Its own, of the loop's thread. */
    size_t next;
    size_t under_way;
    bool is_starting;
};

/* The calls are prepared, but for `done` and `context`. Where the sync could not begin, for want of memory, none of them has
 * an answer, and each says so. */
void row_set_prepare(struct row_set *set);
void row_set_free(struct row_set *set); /* what the calls have; not `calls` itself */

/* One call, whose client, request and name are set. What it says, which is OS_OK also of a conflict. Then comes row_call_free.
 * Blocks. */
os_code row_set_ask_one(struct row_call *call, const os_call *limits, uint64_t deadline_monotonic_ms, os_error *err);

#endif
