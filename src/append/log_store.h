/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits through the table of Delta's S3DynamoDBLogStore. docs/delta.md has the steps and what each lost answer means
 * (D1 to D7).
 */
#ifndef OSCOMMIT_APPEND_LOG_STORE_H
#define OSCOMMIT_APPEND_LOG_STORE_H

#include "append/append.h"
#include "delta/entry.h"
#include "table/table.h"

/* One entry, as it was read. */
struct log_entry {
    bool found;
    bool is_complete;
    char temp[ENTRY_TEMP_PATH_MAX + 1]; /* below `_delta_log/` */
};

/* Reads the entry of a version. */
os_code log_store_read(struct append *append, uint64_t version, struct log_entry *ret);

/* D2 to D6 for `version`, with the bytes that lie under `temp` (D1). COMMITTED: the version is theirs. CONFLICT: it is
 * another's, and is there. UNKNOWN: append->result.ticket. */
os_verdict log_store_commit(struct append *append, uint64_t version, const char *temp, const struct buf *bytes);

/* D7: makes the version of an incomplete entry of anybody's, and completes the entry. OS_OK: both are done, or the entry has
 * been taken back. */
os_code log_store_repair(struct append *append, uint64_t version, const struct log_entry *entry);

/* What became of a commit whose ticket is this; OS_NOT_EXECUTED is not given. False: it is no such ticket. */
bool log_store_take_ticket(const char *ticket, uint64_t *ret_version, char ret_temp[DELTA_TEMP_NAME_SIZE]);
os_verdict log_store_resolve(struct append *append, uint64_t version, const char *temp);

/* TABLE_CREATE or TABLE_CHECK of the table of entries. */
os_code log_store_table(os_client *log_store, enum table_verb verb, const os_call *call, os_error *err);

#endif
