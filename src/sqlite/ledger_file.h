/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tables.c and rows.c have in common: one file serves both, and records, leases, locks and rows of any attributes
 * stand in it beside each other.
 */
#ifndef OSCOMMIT_SQLITE_LEDGER_FILE_H
#define OSCOMMIT_SQLITE_LEDGER_FILE_H

#include "item/item.h"
#include "sqlite/pool.h"

enum { LEDGER_UPGRADES = 1, LEDGER_VERSION = LEDGER_UPGRADES + 1, LEDGER_APPLICATION_ID = 0x6f73634c /* "oscL" */ };
extern const char *const ledger_upgrades[LEDGER_UPGRADES];
#define LEDGER_DDL                                                                                           \
    "CREATE TABLE records ("                                                                                 \
    "path TEXT NOT NULL, etag TEXT NOT NULL, generation INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, "     \
    "ttl_s INTEGER NOT NULL, fence_s INTEGER, nonce TEXT, saw TEXT, upload TEXT, PRIMARY KEY (path, etag)) " \
    "WITHOUT ROWID;"                                                                                         \
    "CREATE INDEX records_by_ttl ON records (ttl_s);"
/* Of a sqlite_spec, whichever layer opens the file. */
#define LEDGER_SPEC                                                                        \
    .application_id = LEDGER_APPLICATION_ID, .version = LEDGER_VERSION, .ddl = LEDGER_DDL, \
    .upgrades = ledger_upgrades, .missing = OS_ERR_NO_TABLE, .broken = OS_ERR_TABLE

/* Made when it is needed first, so that the file stays one that earlier releases can use. Its DDL makes no index by a
 * statement of its own: earlier releases take that for a stranger's (trust.c). */
struct ledger_table {
    const char *name;
    const char *ddl;
};

/* TABLE_CONFLICT_BLIND: it is not there. `number`: of the bit in conn->tables_seen; `doing`: "look for tables". */
enum table_outcome ledger_table_find(struct sqlite_conn *conn, const struct ledger_table *table, unsigned number,
                                     const char *doing, os_error *err);
enum table_outcome ledger_table_make(struct sqlite_conn *conn, const struct ledger_table *table, const char *doing,
                                     os_error *err);

enum { LEDGER_EXPIRED_GRACE_S = 60 }; /* what has expired stays at least so long: E5 lets the clocks be 30 s apart */

/* *ret_pool is a copy of `pool` with the limit of the call, to give *ret back to. */
enum table_outcome ledger_take(const struct sqlite_pool *pool, struct sqlite_patience limit,
                               struct sqlite_pool *ret_pool, struct sqlite_conn **ret, os_error *err);

/* Of what was not applied. */
enum table_outcome ledger_outcome_of(os_code code);
/* `doing`: "read items". */
enum table_outcome ledger_failed(struct sqlite_conn *conn, int rc, const char *doing, os_error *err);
enum table_outcome ledger_commit(struct sqlite_conn *conn, const char *doing, os_error *err);

#endif
