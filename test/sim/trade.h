/* SPDX-License-Identifier: Apache-2.0 */
/* The function of one transaction, which may run several times, and tells the books what it does. */
#ifndef OSCOMMIT_TEST_SIM_TRADE_H
#define OSCOMMIT_TEST_SIM_TRADE_H

#include "oscommit_model.h"
#include "sim/trading.h"

enum { TRADE_RUNS_MAX = 4, TRADE_KEYS_MAX = 3 };

struct trade {
    struct worker *worker;
    uint64_t call;
    enum trade_kind kind;
    uint32_t keys[TRADE_KEYS_MAX];
    uint32_t key_count;
    int64_t amount;
    uint32_t choice;
    bool is_careless; /* passes over what has failed, and returns OS_OK */
    struct run *runs[TRADE_RUNS_MAX];
    size_t run_count;
};

/* Which one a call is, from the seed alone. */
void trade_plan(const struct world *world, uint64_t call, struct trade *ret);

/* An os_txn_fn; the context is a trade. */
os_code trade_run(void *context, os_txn *txn, os_error *err);

#endif
