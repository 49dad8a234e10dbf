/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The updates of one object in one process take turns, in order of arrival (V6.4): they would only make each other lose.
 * A turn may hand what it has written to the next one of its client, which then need not read it.
 */
#ifndef OSCOMMIT_UPDATE_TURN_H
#define OSCOMMIT_UPDATE_TURN_H

#include "client/client.h"
#include "update/line.h"

/* An object as it was at some time. */
struct update_version {
    bool exists;
    char etag[VERSION_ETAG_SIZE];
    void *data; /* own; NULL: none is known */
    size_t length;
};
bool update_version_set(struct update_version *version, const char *etag, const void *data, size_t length);
void update_version_clear(struct update_version *version);

struct update_turn {
    os_client *client;
    const char *key;              /* whole; borrowed */
    struct op_limits limits;      /* of the waiting */
    struct update_version handed; /* by the turn before; data NULL: nothing. Becomes the owner's */

    struct update_habit habit; /* as it is when the turn comes; kept when the turn is left */
    enum client_etags etags;   /* when the turn came */
    struct sync sync;          /* the arrival and the waiting */
    struct op op;
    struct line_member member;
    struct loop_job call; /* its turn has come */
    struct loop_job departure;
    struct monitor departed;
    bool is_gone;
    const struct update_version *offer;
    bool has; /* the turn */
    os_error error;
};

/* Waits for the turn. OS_ERR_DEADLINE, OS_ERR_CANCELLED, or OS_ERR_ARGUMENT if this thread has it already. Blocks. */
os_code update_turn_take(struct update_turn *turn, os_error *err);
/* Gives it to the next one, and what was written; NULL: it shall read for itself. */
void update_turn_leave(struct update_turn *turn, const struct update_version *written);

#endif
