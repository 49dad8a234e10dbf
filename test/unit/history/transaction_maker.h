/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions in few words, for the tests of their judge. Numbers count from 1. */
#ifndef OSCOMMIT_TEST_TRANSACTION_MAKER_H
#define OSCOMMIT_TEST_TRANSACTION_MAKER_H

#include "history/transaction_judge.h"

/* "" is nothing. */
#define READ(of, seen)                                          \
    {                                                           \
        .kind = HISTORY_ITEM_READ, .key = (of), .value = (seen) \
    }
#define WRITE(of, from, to)                                                        \
    {                                                                              \
        .kind = HISTORY_ITEM_WRITE, .key = (of), .expected = (from), .value = (to) \
    }
#define APPEND(of, what)                                          \
    {                                                             \
        .kind = HISTORY_ITEM_APPEND, .key = (of), .value = (what) \
    }
#define LIST(of, ...)                                                                          \
    {                                                                                          \
        .kind = HISTORY_ITEM_LIST, .key = (of), .element = (const char *const[]){__VA_ARGS__}, \
        .element_count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)     \
    }
#define EMPTY_LIST(of)                         \
    {                                          \
        .kind = HISTORY_ITEM_LIST, .key = (of) \
    }
#define READ_AMOUNT(of, seen, number)                                                                   \
    {                                                                                                   \
        .kind = HISTORY_ITEM_READ, .key = (of), .value = (seen), .has_amount = true, .amount = (number) \
    }
#define WRITE_AMOUNT(of, from, to, number)                                                              \
    {                                                                                                   \
        .kind = HISTORY_ITEM_WRITE, .key = (of), .expected = (from), .value = (to), .has_amount = true, \
        .amount = (number)                                                                              \
    }

/* What it reads and writes follows. */
#define ADD(history, verdict, start_us, end_us, ...)                                                  \
    maker_transaction(history, verdict, start_us, end_us, (const struct history_item[]){__VA_ARGS__}, \
                      sizeof((const struct history_item[]){__VA_ARGS__}) / sizeof(struct history_item))
#define COMMIT(history, start_us, end_us, ...) ADD(history, OS_COMMITTED, start_us, end_us, __VA_ARGS__)

void maker_transaction(struct history *history, os_verdict verdict, uint64_t start_us, uint64_t end_us,
                       const struct history_item *item, size_t item_count);
void maker_settled_transaction(struct history *history, const struct history_transaction *transaction);

/* They judge it and free it. */
struct transaction_result transactions_judged(struct history *history);
struct transaction_result transactions_accepted(struct history *history);
/* Exactly one finding. */
struct transaction_result transactions_refused(struct history *history, enum transaction_violation violation);
/* The only finding's sentence. */
void transactions_refused_saying(struct history *history, enum transaction_violation violation, const char *sentence);

#endif
