/* SPDX-License-Identifier: Apache-2.0 */
#include "description/description.h"

static const enum option_id own_options[] = {OPTION_REPORT, OPTION_COUNT};

const struct command command_check = {
    .name = "check",
    .operands = "FILE|- ...",
    .summary = "judge the history of a race",
    .description =
        "Judges histories that `race --history` wrote (docs/history.md). For every key it looks for an order of the\n"
        "calls that respects their times and makes every verdict right. Of a race for leases it looks whether two "
        "holders\n"
        "believed at once that they held one, and whether the tokens grew. Of transactions it looks whether they\n"
        "were strictly serializable. Needs no store and no ledger.\n"
        "Reads at most 8 files at once. --report takes one file, and writes it as a page whatever the judgement is.\n",
    .exit_status = "   0  all histories are accepted\n"
                   "   1  one cannot be read, or a page cannot be written\n"
                   "   2  bad usage or settings\n"
                   "   3  one is refused; every finding is printed\n"
                   "   4  one has a key that needs more steps than the limit: it is neither accepted nor refused\n"
                   "  74  the judgement could not be written to stdout\n"
                   "  77  a file may not be read or written\n",
    .examples = "oscommit check history.jsonl\n"
                "oscommit check --report race.html history.jsonl\n"
                "zcat history.jsonl.gz | oscommit check --json -\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 8,
    .program = LAB_PROGRAM,
};
