/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

const char model_name[] = "explore_transactions";
const char model_options[] = "";

bool model_option(const char *option)
{
    (void)option;
    return false;
}

bool violation_counts(const char *name)
{
    (void)name;
    return true;
}

bool mode_has(enum mode mode, const struct config *of)
{
    return of->quick || mode == MODE_SLICE || mode == MODE_LONG;
}

/* What must be found ends by itself. */
uint64_t states_limit(enum mode mode, const struct config *of)
{
    if (of->expects)
        return 0;
    switch (mode) {
    case MODE_TINY:
    case MODE_QUICK: return 400000;
    case MODE_SLICE: return 3000000;
    default: return 30000000;
    }
}

void world_tally(const struct world *world, bool is_final, struct tally *ret)
{
    (void)is_final;
    for (unsigned a = 1; a <= ATTEMPTS; a++) {
        ret->committed += world->attempts[a].verdict == TRANSACTION_COMMITTED;
        ret->unknown += world->attempts[a].verdict == TRANSACTION_UNKNOWN;
    }
}

bool tally_suffices(const struct tally *tally)
{
    return tally->committed > 0;
}

void tally_print(const struct tally *tally)
{
    printf("verdicts committed: %llu, unknown: %llu\n", (unsigned long long)tally->committed,
           (unsigned long long)tally->unknown);
}
