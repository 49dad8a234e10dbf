/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of transactions: what was written under one is not written again. */
#ifndef OSCOMMIT_SQLITE_ROWS_TOKEN_H
#define OSCOMMIT_SQLITE_ROWS_TOKEN_H

#include "base/digest.h"
#include "sqlite/rows.h"
#include "sqlite/rows_file.h"

struct rows_digest {
    unsigned char bytes[SHA256_SIZE];
};
/* What all writes say, checked as they are; equal for equal ones. OS_ERR_NO_MEMORY. */
os_code rows_digest_of(const struct rows_transaction *transaction, struct rows_digest *ret, os_error *err);

enum rows_token_state {
    ROWS_TOKEN_NEW = 1,
    ROWS_TOKEN_DONE, /* the same writes were done */
    ROWS_TOKEN_USED  /* for others */
};
/* Inside a transaction. The tables of SQLite are there. */
enum table_outcome rows_token_find(struct rows_conn *at, const struct rows_transaction *transaction,
                                   const struct rows_digest *digest, enum rows_token_state *ret, os_error *err);
/* Also removes some that are older than ten minutes. */
enum table_outcome rows_token_put(struct rows_conn *at, const struct rows_transaction *transaction,
                                  const struct rows_digest *digest, os_error *err);

#endif
