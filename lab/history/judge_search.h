/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for an order of one key's calls that explains them all. Internal to the judge. */
#ifndef OSCOMMIT_LAB_JUDGE_SEARCH_H
#define OSCOMMIT_LAB_JUDGE_SEARCH_H

#include "history/judge_key.h"

enum judge_found { JUDGE_FOUND, JUDGE_FOUND_NONE, JUDGE_GAVE_UP, JUDGE_NO_MEMORY };

struct judge_search_options {
    bool without_final;  /* leave the final value out */
    bool count_versions; /* the final value must come with key->versions versions */
    uint64_t steps_max;
};

struct judge_outcome {
    uint32_t stuck;    /* FOUND_NONE: the op that could not be given a place before its end */
    uint32_t value;    /* that the register had then, in one of the orders; FOUND: at the end */
    uint32_t last;     /* the write that made it; JUDGE_NO_OP: it was so from the start */
    uint64_t versions; /* FOUND: that were made */
};

enum judge_found judge_search(const struct judge_key *key, const struct judge_search_options *options,
                              struct judge_outcome *ret);

#endif
