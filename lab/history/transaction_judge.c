/* SPDX-License-Identifier: Apache-2.0 */
#include "history/transaction_judge.h"

#include "history/transaction_work.h"

#include <string.h>

static void count_verdicts(const struct txn_work *work)
{
    for (uint32_t i = 0; i < work->transaction_count; i++) {
        os_verdict settled = history_transaction_at(work->history, i)->settled;
        if (settled == OS_UNKNOWN && work->in_force[i])
            work->result->seen++;
        else
            work->result->by_verdict[settled]++;
    }
}

static bool find_contradictions(struct txn_work *work)
{
    if (!txn_versions_take(work) || !txn_find_same_ids(work))
        return false;
    txn_find_bad(work);
    return true;
}

static bool find_violations(struct txn_work *work)
{
    if (!txn_versions_see(work))
        return false;
    count_verdicts(work);
    txn_lists_order(work);
    txn_find_plain(work);
    return txn_find_sums(work) && txn_nodes_make(work) && txn_edges_make(work) && txn_find_cycles(work);
}

bool judge_transactions(const struct history *history, struct transaction_result *ret)
{
    struct txn_work work = {.history = history, .result = ret};
    bool good;

    memset(ret, 0, sizeof(*ret));
    good = find_contradictions(&work);
    ret->transactions = work.transaction_count;
    ret->keys = work.key_count;
    if (good && ret->violations == 0)
        good = find_violations(&work);
    txn_work_free(&work);
    return good;
}
