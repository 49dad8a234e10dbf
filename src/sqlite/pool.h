/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to one file that are kept open, each used by one thread at a time. */
#ifndef OSCOMMIT_SQLITE_POOL_H
#define OSCOMMIT_SQLITE_POOL_H

#include "sqlite/sqlite.h"

#include <pthread.h>

enum { SQLITE_IDLE_MAX = 8 /* connections that a pool keeps open */ };

struct sqlite_shelf {
    pthread_mutex_t mutex; /* of the two below */
    struct sqlite_conn *idle;
    size_t idle_count;
};

/* May be copied: the copies are the same pool, which is closed once, and each can have another `limit`. */
struct sqlite_pool {
    const struct sqlite_spec *spec;
    char *file;
    struct sqlite_shelf *shelf;
    struct sqlite_patience limit; /* of the call that this copy is for; until_ms 0: none */
};

/* Checks the file with a first connection. A pool that could not be opened needs no close. */
os_code sqlite_pool_open(struct sqlite_pool *pool, const struct sqlite_spec *spec, const char *file,
                         const struct sqlite_patience *patience, os_error *err);
void sqlite_pool_close(struct sqlite_pool *pool); /* when no connection is out any more */

/* A connection for this thread alone, until it is given back. A busy file is waited for as long as both `patience` and
 * the pool's limit allow. A file that was removed or replaced meanwhile is opened anew: two writers on two files of the
 * same name would both be granted the record. */
os_code sqlite_take(struct sqlite_pool *pool, struct sqlite_patience patience, struct sqlite_conn **ret, os_error *err);
void sqlite_give(struct sqlite_pool *pool,
                 struct sqlite_conn *conn); /* ends a transaction that is still open by rolling it back */

#endif
