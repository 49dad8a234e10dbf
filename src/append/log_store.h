/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits through the table of Delta's S3DynamoDBLogStore. docs/delta.md has the steps and what each lost answer means
 * (D1 to D7).
 */
#ifndef OSCOMMIT_APPEND_LOG_STORE_H
#define OSCOMMIT_APPEND_LOG_STORE_H

#include "append/log_version.h"

/* What is to become a version. */
struct log_write {
    uint64_t version;
    char temp[DELTA_TEMP_NAME_SIZE];      /* the bytes lie under it (D1) */
    char sha256[LOG_SHA256_SIZE];         /* of them */
    const struct buf *bytes;              /* NULL: of a ticket */
    const char *ticket;                   /* borrowed; NULL: it is no such one */
    char table[ENTRY_TABLE_PATH_MAX + 1]; /* of the ticket */
    bool is_named;                        /* an entry may name the temp file, now or later */
};

/* D2 to D6. COMMITTED: the version is theirs. CONFLICT: it is another's, and is there. UNKNOWN:
 * append->result.ticket. */
os_verdict log_store_commit(struct append *append, struct log_write *write);

/* What became of a commit whose ticket is this; OS_NOT_EXECUTED is not given. False: it is no such ticket. */
bool log_store_take_ticket(const char *ticket, struct log_write *ret);
os_verdict log_store_resolve(struct append *append, const struct log_write *write);

#endif
