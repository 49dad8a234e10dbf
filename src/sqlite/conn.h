/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: how a file is made, opened, recognised and switched to WAL. */
#ifndef OSCOMMIT_SQLITE_CONN_H
#define OSCOMMIT_SQLITE_CONN_H

#include "sqlite/sqlite.h"

enum {
    SQLITE_OPEN_MS = 10000, /* for the first looks at a file, and for making one, where nobody says otherwise */
    SQLITE_WORK_MS = 5000   /* that its own work may take at least, whatever was left for waiting */
};

/* Makes the file (mode 0600), or finds that a fit one is there already. `patience` NULL: ten seconds, as below. */
os_code sqlite_create(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                      os_error *err);

/* spec->missing or spec->broken when the file is not there or not what it should be. */
os_code sqlite_conn_open(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                         struct sqlite_conn **ret, os_error *err);
void sqlite_conn_close(struct sqlite_conn *conn); /* NULL is fine */
/* How long it waits for others, and works. */
void sqlite_conn_set_patience(struct sqlite_conn *conn, const struct sqlite_patience *patience);

#endif
