/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of sqlite_util.h: how a file is made, opened, recognised and switched to WAL. For sqlite_util.c alone.
 */
#ifndef OSCOMMIT_LOCAL_SQLITE_CONN_H
#define OSCOMMIT_LOCAL_SQLITE_CONN_H

#include "local/sqlite_util.h"

/* spec->missing or spec->broken when the file is not there or not what it should be. */
os_code sqlite_conn_open(const struct sqlite_spec *spec, const char *file, struct sqlite_conn **ret, os_error *err);
void sqlite_conn_close(struct sqlite_conn *conn);                                  /* NULL is fine */
void sqlite_conn_wait_at_most(struct sqlite_conn *conn, uint32_t busy_timeout_ms); /* from now on */
const char *sqlite_conn_file(const struct sqlite_conn *conn);                      /* "" if it is not open */

#endif
