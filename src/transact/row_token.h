/* SPDX-License-Identifier: Apache-2.0 */
/* The two tokens of a row (X1, X6), and what is needed of a row that is written to look at it, and to fence it. */
#ifndef OSCOMMIT_TRANSACT_ROW_TOKEN_H
#define OSCOMMIT_TRANSACT_ROW_TOKEN_H

#include "rows/rows.h"
#include "transaction/transaction.h"

/* Who made the present state of a row, and whose state that replaced. Strings of 32 hex digits. */
#define ROW_TOKEN  "_txn"
#define ROW_BEFORE "_txn_before"
enum { ROW_TOKEN_SIZE = 33 };

/* X1. `make` is of random bits, false without any; `fence` that of the fences of an attempt, made of its token. */
bool row_token_make(char ret[ROW_TOKEN_SIZE]);
bool row_token_fence(const char *token, char ret[ROW_TOKEN_SIZE]);
bool row_token_is(const char *text); /* NULL is none */

/* The token of an item, borrowed; NULL: it has none. */
const char *row_token_of(const json_t *item, const char *attribute);

/* All borrowed. */
struct row_mark {
    const struct rows_table *table;
    const json_t *key;
    enum transaction_part part;
    const char *read_token; /* of WRITE; else NULL */
};

/* The two tokens of an attempt. */
struct row_tokens {
    char own[ROW_TOKEN_SIZE];
    char fence[ROW_TOKEN_SIZE];
};

/* A row as it stands: `item` NULL is none. */
void row_see(const struct row_mark *mark, const struct row_tokens *tokens, const json_t *item,
             struct transaction_row *ret);

#endif
