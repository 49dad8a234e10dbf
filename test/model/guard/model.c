/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <string.h>

const char model_name[] = "explore";
const char model_options[] = "[--consequences]";

bool model_option(const char *option)
{
    consequences_only = consequences_only || strcmp(option, "--consequences") == 0;
    return strcmp(option, "--consequences") == 0;
}

bool mode_has(enum mode mode, const struct config *of)
{
    switch (mode) {
    case MODE_QUICK: return of->quick;
    case MODE_TINY: return of->tiny;
    default: return true;
    }
}

uint64_t states_limit(enum mode mode, const struct config *of)
{
    (void)of;
    switch (mode) {
    case MODE_TINY: return 200000;
    case MODE_QUICK: return 250000;
    case MODE_SLICE: return 300000;
    default: return 3000000;
    }
}

void world_tally(const struct world *world, bool is_final, struct tally *ret)
{
    for (unsigned w = 0; w < WRITERS && is_final; w++) {
        const struct writer *writer = &world->writers[w];
        if (config->calls[w].kind != CALL_NONE && config->calls[w].kind != CALL_FORGER && writer->started)
            ret->verdicts[writer->verdict[writer->number]]++;
    }
}

/* Some configurations end in no verdict, by their plan. */
bool tally_suffices(const struct tally *tally)
{
    (void)tally;
    return true;
}

void tally_print(const struct tally *tally)
{
    printf("final verdicts: committed %llu, conflict %llu, not executed %llu, unknown %llu, none %llu\n",
           (unsigned long long)tally->verdicts[VERDICT_COMMITTED],
           (unsigned long long)tally->verdicts[VERDICT_CONFLICT],
           (unsigned long long)tally->verdicts[VERDICT_NOT_EXECUTED],
           (unsigned long long)tally->verdicts[VERDICT_UNKNOWN], (unsigned long long)tally->verdicts[VERDICT_NONE]);
}
