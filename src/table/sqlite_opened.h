/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers of a service share once one of them has opened it. Opened when first needed, and again after a failure:
 * the file may be made later than the client.
 */
#ifndef OSCOMMIT_TABLE_SQLITE_OPENED_H
#define OSCOMMIT_TABLE_SQLITE_OPENED_H

#include "oscommit.h"
#include "sqlite/sqlite.h"

#include <pthread.h>

struct sqlite_opened {
    const char *file;
    os_code (*open_file)(const char *file, const struct sqlite_patience *patience, void **ret, os_error *err);
    void (*close_file)(void *open);
    /* its own */
    pthread_mutex_t mutex; /* of `it` */
    void *it;
};

bool sqlite_opened_init(struct sqlite_opened *opened); /* the rest is set; false: out of resources */
void sqlite_opened_free(struct sqlite_opened *opened);
/* NULL: it cannot be opened, and *err says why. From any thread. */
void *sqlite_opened_get(struct sqlite_opened *opened, struct sqlite_patience patience, os_error *err);

#endif
