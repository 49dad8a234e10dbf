/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tables.c and rows.c have in common: one file serves both, and records, leases, locks and rows of any attributes
 * stand in it beside each other.
 */
#ifndef OSCOMMIT_SQLITE_LEDGER_FILE_H
#define OSCOMMIT_SQLITE_LEDGER_FILE_H

#include "item/item.h"
#include "sqlite/sqlite.h"

enum { LEDGER_UPGRADES = 1, LEDGER_VERSION = LEDGER_UPGRADES + 1, LEDGER_APPLICATION_ID = 0x6f73634c /* "oscL" */ };
extern const char *const ledger_upgrades[LEDGER_UPGRADES];
#define LEDGER_DDL                                                                                           \
    "CREATE TABLE records ("                                                                                 \
    "path TEXT NOT NULL, etag TEXT NOT NULL, generation INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, "     \
    "ttl_s INTEGER NOT NULL, fence_s INTEGER, nonce TEXT, saw TEXT, upload TEXT, PRIMARY KEY (path, etag)) " \
    "WITHOUT ROWID;"                                                                                         \
    "CREATE INDEX records_by_ttl ON records (ttl_s);"

/* Made when it is needed first, so that the file stays one that earlier releases can use. Its DDL makes no index by a
 * statement of its own: earlier releases take that for a stranger's (trust.c). */
struct ledger_table {
    const char *name;
    const char *ddl;
};

enum ledger_table_state {
    LEDGER_TABLE_THERE = 1,
    LEDGER_TABLE_MISSING,
    LEDGER_TABLE_ANOTHER, /* not the very table that we make */
    LEDGER_TABLE_FAILED   /* sqlite_code says why */
};
/* `number`: of the bit in conn->tables_seen. */
enum ledger_table_state ledger_table_look(struct sqlite_conn *conn, const struct ledger_table *table, unsigned number);
os_code ledger_table_is_anothers(struct sqlite_conn *conn, const struct ledger_table *table, os_error *err);

enum { LEDGER_EXPIRED_GRACE_S = 60 }; /* what has expired stays at least so long: E5 lets the clocks be 30 s apart */

/* Of what was not applied. */
enum table_outcome ledger_outcome_of(os_code code);
/* Whether a commit that failed with `rc` applied nothing for certain. */
bool ledger_commit_is_undone(int rc);

#endif
