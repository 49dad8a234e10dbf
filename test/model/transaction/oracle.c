/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <string.h>

static bool says_never(enum transaction_verdict verdict)
{
    return verdict == TRANSACTION_CONFLICT || verdict == TRANSACTION_EXISTS || verdict == TRANSACTION_NOT_EXECUTED;
}

void oracle_applied(struct world *world, unsigned attempt)
{
    struct attempt *of = &world->attempts[attempt];
    of->applied++;
    if (of->applied > 1)
        violated("applied-twice", "attempt %u is applied once more", attempt);
    if (says_never((enum transaction_verdict)of->verdict))
        violated("applied-late", "attempt %u is applied, and it was said that it never will be", attempt);
}

/* X8: nothing but the two tokens. */
void oracle_fenced(const struct row *before, const struct row *after)
{
    if (before->there != after->there || before->value != after->value)
        violated("fence-destroys", "a fence changes more than the tokens");
}

static void check_truth(const struct world *world, unsigned attempt, enum transaction_verdict verdict)
{
    unsigned applied = world->attempts[attempt].applied;
    if (verdict == TRANSACTION_COMMITTED && applied == 0)
        violated("false-committed", "attempt %u is said to be committed, and was not applied", attempt);
    if (says_never(verdict) && applied > 0)
        violated("false-conflict", "attempt %u is said never to be applied, and it was", attempt);
}

static bool writes(const struct call *call)
{
    bool any = false;
    for (unsigned r = 0; r < ROWS; r++)
        any = any || term_writes(&call->terms[r]);
    return any;
}

void oracle_verdict(struct world *world, unsigned c, enum transaction_verdict verdict)
{
    const struct call *call = &world->calls[c];
    world->attempts[call->attempt].verdict = (uint8_t)verdict;
    if (writes(call))
        check_truth(world, call->attempt, verdict);
    if (verdict == TRANSACTION_UNKNOWN && !(call->is_lost && writes(call)))
        violated("unknown-for-nothing", "attempt %u is said to be unknown, and no answer was lost", call->attempt);
    if (verdict == TRANSACTION_EXISTS && call->is_lost)
        violated("exists-after-loss", "attempt %u is said to be refused by what exists, after an answer was lost",
                 call->attempt);
}

void oracle_resolved(struct world *world, unsigned attempt, enum transaction_verdict verdict)
{
    world->attempts[attempt].verdict = (uint8_t)verdict;
    check_truth(world, attempt, verdict);
}

void oracle_step(const struct world *world, unsigned c, const struct transaction_actions *actions)
{
    const struct transaction *machine = &world->calls[c].machine;
    if (machine->phase != TRANSACTION_PHASE_OVER && machine->flight.kind == 0 && !actions->has_timer)
        violated("stuck", "%c waits for nothing", (char)('A' + c));
}
