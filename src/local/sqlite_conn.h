/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of sqlite_util.h: how a file is made, opened, recognised and switched to WAL. For sqlite_util.c alone.
 */
#ifndef OSCOMMIT_LOCAL_SQLITE_CONN_H
#define OSCOMMIT_LOCAL_SQLITE_CONN_H

#include "local/sqlite_util.h"

enum { SQLITE_OPEN_MS = 10000 }; /* for the first looks at a file, and for making one, where nobody says otherwise */

/* spec->missing or spec->broken when the file is not there or not what it should be. */
os_code sqlite_conn_open(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                         struct sqlite_conn **ret, os_error *err);
void sqlite_conn_close(struct sqlite_conn *conn);             /* NULL is fine */
const char *sqlite_conn_file(const struct sqlite_conn *conn); /* "" if it is not open */

#endif
