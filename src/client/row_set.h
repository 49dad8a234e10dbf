/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for rows that a step waits for together (client/steps.h), some of them under way at once. */
#ifndef OSCOMMIT_CLIENT_ROW_SET_H
#define OSCOMMIT_CLIENT_ROW_SET_H

#include "client/row_call.h"

struct row_set {
    struct sync sync; /* what is waited for; then each call has its answer */
    struct row_call *calls;
    size_t count;
    size_t parallel; /* so many are under way at most; at least 1 */
    os_call limits;  /* what is left of the caller's call */
    /* Its own, on the loop's thread. */
    size_t next;
    size_t under_way;
    bool is_starting;
};

/* The calls are prepared but for `done`; those with an error are over already. Until the sync has finished nothing of it is
 * moved. */
void row_set_prepare(struct row_set *set);
/* One that could not begin at all, for want of memory, says so. */
void row_set_free(struct row_set *set); /* what the calls hold */

#endif
