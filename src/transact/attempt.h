/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt to commit: gives its step machine (transaction/) the table, a clock, the deadline and the cancellation. */
#ifndef OSCOMMIT_TRANSACT_ATTEMPT_H
#define OSCOMMIT_TRANSACT_ATTEMPT_H

#include "client/row_call.h"
#include "transact/row_write.h"
#include "transaction/transaction.h"

struct attempt {
    struct sync sync; /* when it has finished, there is a verdict */
    os_client *client;
    os_call limits; /* what is left of the caller's call */
    size_t count;   /* of rows, 1 to 100 */
    struct os_row *rows[ROWS_AT_ONCE_MAX];
    struct row_write parts[ROWS_AT_ONCE_MAX]; /* own */
    struct row_tokens tokens;
    /* What came of it. */
    enum transaction_verdict verdict;
    uint32_t requests;
    os_error error; /* the last trouble; OS_OK: none */
    /* CONFLICT, EXISTS: a row whose condition failed, or `count`. One that was to be made because it was missing goes before
     * others: what the function has gone by is no more so. */
    size_t in_the_way;
    /* Its own, of the loop's thread. */
    struct transaction machine;
    struct absence absence;
    struct op op;
    struct loop_timer timer;
    struct row_op *under_way;
    struct clock_reading sent;
    struct transaction_request asked;
    struct row_request request;
    struct rows_write writes[ROWS_AT_ONCE_MAX];
    struct rows_transaction transaction;
    struct rows_get gets[ROWS_AT_ONCE_MAX];
    size_t looked[ROWS_AT_ONCE_MAX]; /* the part of each get */
    struct row_write fence_write;
};

/* `client`, `limits`, `count` and `rows` are set, all else is zero. Makes the parts and the token: OS_ERR_ARGUMENT,
 * OS_ERR_TOO_LARGE, OS_ERR_NO_MEMORY, and nothing is sent. attempt_free belongs to it in any case. */
os_code attempt_prepare(struct attempt *attempt, os_error *err);
void attempt_free(struct attempt *attempt);

#endif
