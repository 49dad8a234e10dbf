/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of transactions: what was written under one is not written again. */
#ifndef OSCOMMIT_SQLITE_ROWS_TOKEN_H
#define OSCOMMIT_SQLITE_ROWS_TOKEN_H

#include "base/digest.h"
#include "rows/rows.h"
#include "sqlite/rows_file.h"

struct rows_token {
    const char *text; /* borrowed */
    int64_t now_s;
    unsigned char writes[SHA256_SIZE]; /* what all of them say: equal for equal ones */
};
/* Of a transaction that has been checked. OS_ERR_NO_MEMORY. */
os_code rows_token_make(const struct rows_transaction *transaction, int64_t now_s, struct rows_token *ret,
                        os_error *err);

enum rows_token_state {
    ROWS_TOKEN_NEW = 1,
    ROWS_TOKEN_DONE, /* the same writes were done */
    ROWS_TOKEN_USED  /* for others */
};
/* Inside a transaction. The tables of SQLite are there. */
enum table_outcome rows_token_find(struct rows_conn *at, const struct rows_token *token, enum rows_token_state *ret,
                                   os_error *err);
/* Also removes some that are older than ten minutes. */
enum table_outcome rows_token_put(struct rows_conn *at, const struct rows_token *token, os_error *err);

#endif
