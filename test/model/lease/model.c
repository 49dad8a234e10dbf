/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

const char model_name[] = "explore_leases";
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
    case MODE_QUICK: return 80000;
    case MODE_SLICE: return 400000;
    default: return 4000000;
    }
}

void world_tally(const struct world *world, bool is_final, struct tally *ret)
{
    (void)is_final;
    for (unsigned h = 0; h < config->handles; h++)
        ret->held += world_believes(world, h);
}

bool tally_suffices(const struct tally *tally)
{
    return tally->held > 0;
}

void tally_print(const struct tally *tally)
{
    printf("worlds in which one holds: %llu\n", (unsigned long long)tally->held);
}
