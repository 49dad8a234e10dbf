/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a database file is believed, which may be a stranger's. What it says of itself is not run: no views, no
 * triggers, no virtual tables, and none but our own tables and indexes (what a person keeps beside them is left alone).
 * What it holds is bounded, and so is the time that it may take. Knows nothing of records and objects.
 */
#ifndef OSCOMMIT_SQLITE_TRUST_H
#define OSCOMMIT_SQLITE_TRUST_H

#include "sqlite/sqlite.h"

/* The path with all links resolved but in its last part, which must be a regular file with no journal that SQLite must
 * not play back. The caller frees it. spec->missing when there is none. */
os_code sqlite_trust_path(const struct sqlite_spec *spec, const char *file, char **ret, os_error *err);

/* Before the first statement of a connection. */
void sqlite_trust_limit(sqlite3 *db);

/* Whether the tables and indexes are those of spec->ddl. OS_OK or spec->broken. */
os_code sqlite_trust_schema(struct sqlite_conn *conn, os_error *err);

#endif
