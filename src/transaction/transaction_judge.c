/* SPDX-License-Identifier: Apache-2.0 */
/* X2, X6: what the tokens of the rows tell. */
#include "transaction/transaction_internal.h"

/* A part that is written. */
static bool shows_ours(const struct transaction_row *row)
{
    return row->seen == TRANSACTION_THERE && (row->token == TRANSACTION_OURS || row->before == TRANSACTION_OURS);
}

/* X6: a token follows the one that was read, and it is not ours. Of a row that was read without one nothing follows:
 * its absence comes back with everybody who writes rows whole and knows no tokens. */
static bool was_replaced_by_another(const struct transaction_row *row)
{
    return row->token == TRANSACTION_FENCE || row->before == TRANSACTION_FENCE || row->before == TRANSACTION_READ;
}

static enum transaction_finding judge_write(const struct transaction_row *row)
{
    if (row->seen == TRANSACTION_UNSEEN)
        return TRANSACTION_OPEN; /* conditions that held are not shown */
    if (row->seen == TRANSACTION_ABSENT)
        return TRANSACTION_MOVED; /* X2 */
    if (row->token == TRANSACTION_READ)
        return TRANSACTION_OPEN;
    return was_replaced_by_another(row) ? TRANSACTION_NEVER : TRANSACTION_MOVED;
}

/* All parts are applied, or none: what decides one decides all. */
static enum transaction_finding judge_part(enum transaction_part kind, const struct transaction_row *row)
{
    if (kind == TRANSACTION_CHECK)
        return TRANSACTION_UNDECIDED;
    if (shows_ours(row))
        return TRANSACTION_APPLIED;
    return kind == TRANSACTION_WRITE ? judge_write(row) : TRANSACTION_UNDECIDED;
}

enum transaction_finding transaction_judge(const struct transaction_settings *settings,
                                           const struct transaction_row *rows, uint32_t *ret_part)
{
    enum transaction_finding best = TRANSACTION_UNDECIDED;
    for (uint32_t i = 0; i < settings->count; i++) {
        enum transaction_finding found = judge_part((enum transaction_part)settings->parts[i], &rows[i]);
        if (found == TRANSACTION_UNDECIDED || (best != TRANSACTION_UNDECIDED && best <= found))
            continue; /* the enum is in the order of what says more */
        best = found;
        *ret_part = i;
    }
    return best;
}

bool transaction_has_moved(const struct transaction_settings *settings, const struct transaction_row *rows)
{
    for (uint32_t i = 0; i < settings->count; i++)
        if (judge_part((enum transaction_part)settings->parts[i], &rows[i]) == TRANSACTION_MOVED)
            return true;
    return false;
}
