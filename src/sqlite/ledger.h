/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded ledger: records in one SQLite table (WAL, synchronous=FULL), the same conditions as DynamoDB's.
 * Blocking; several threads and processes at once. Expired records are removed by writes, a few at a time, as
 * DynamoDB's TTL would.
 */
#ifndef OSCOMMIT_SQLITE_LEDGER_H
#define OSCOMMIT_SQLITE_LEDGER_H

#include "commit/record.h"
#include "oscommit.h"
#include "sqlite/sqlite.h"

struct sqlite_ledger;

/* `patience` with a busy file; NULL: ten seconds. */
os_code sqlite_ledger_create(const char *file, const struct sqlite_patience *patience,
                             os_error *err); /* mode 0600; doing it twice is fine */
os_code sqlite_ledger_open(
    const char *file, const struct sqlite_patience *patience, struct sqlite_ledger **ret,
    os_error *err); /* OS_ERR_NO_TABLE when the file is not there, OS_ERR_TABLE when it is something else */
void sqlite_ledger_close(struct sqlite_ledger *ledger);

struct sqlite_key {
    const char *path;
    const char *etag;
};
struct sqlite_write {
    const char *path;
    const char *etag;
    const struct record *record;
    const char *upload; /* the id that record->upload stands for; kept where that is not 0 */
    const struct record_condition *condition;
    int64_t now_s; /* for TTL only */
};
/* The record of a LEDGER_CONFLICT is in *ret_conflict, its upload id or "" in ret_upload (RECORD_UPLOAD_SIZE bytes);
 * either may be NULL. A database that stays busy beyond `patience` is THROTTLED; an I/O error or full disk is
 * REFUSED with a sentence (definitely not applied: the transaction was rolled back), or AMBIGUOUS where the commit
 * itself failed. */
enum ledger_outcome sqlite_ledger_put(struct sqlite_ledger *ledger, const struct sqlite_write *write,
                                      struct sqlite_patience patience, struct record *ret_conflict, char *ret_upload,
                                      os_error *err);
/* Removes a record on a condition, with the outcomes of sqlite_ledger_put; one that is gone is LEDGER_CONFLICT_BLIND.
 */
enum ledger_outcome sqlite_ledger_delete(struct sqlite_ledger *ledger, const char *path, const char *etag,
                                         const struct record_condition *condition, struct sqlite_patience patience,
                                         struct record *ret_conflict, os_error *err);
/* Puts `record` in the place of a row that is no record. A row that is one is LEDGER_CONFLICT, none CONFLICT_BLIND. */
enum ledger_outcome sqlite_ledger_fix(struct sqlite_ledger *ledger, const char *path, const char *etag,
                                      const struct record *record, struct sqlite_patience patience, os_error *err);
/* `ret_upload` as above. */
enum ledger_outcome sqlite_ledger_get(struct sqlite_ledger *ledger, const struct sqlite_key *key,
                                      struct sqlite_patience patience, bool *ret_found, struct record *ret,
                                      char *ret_upload, os_error *err);
typedef bool (*sqlite_row_fn)(void *context, const char *path, const char *etag,
                              const struct record *record /* NULL: the row is none */,
                              const char *upload /* "" if none */);
/* Of one path, or all when path is NULL, in the order of path and etag. `each` returns false to stop. */
enum ledger_outcome sqlite_ledger_list(struct sqlite_ledger *ledger, const char *path, struct sqlite_patience patience,
                                       sqlite_row_fn each, void *context, os_error *err);

#endif
