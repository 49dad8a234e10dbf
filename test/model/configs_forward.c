/* SPDX-License-Identifier: Apache-2.0 */
/* Forward-only keys (N4): copies that are sent again, pairs that decide, and what becomes of a broken promise. */
#include "configs.h"
#include "plans.h"

#define FORWARD .native = true, .headers = true, .forward_only = true, .length_s = 3
#define CHAIN   .calls = {CREATE(ETAG_A, 1), REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_B, ETAG_C, 1)}

const struct config configs_forward[] = {
    {"forward-creates", "two creators, answers are lost, what was not served stays on its way",
     .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)}, FORWARD, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"forward-chain", "a create, and two replacements of what came before", CHAIN, FORWARD, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 3}},
    {"forward-chain-slow", "the same: requests are served and answered at different times", CHAIN, FORWARD,
     .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"forward-rivals", "two replacements of one version, and one of what the first makes",
     .calls = {REPLACE(ETAG_A, ETAG_B, 2), REPLACE(ETAG_A, ETAG_C, 1), REPLACE(ETAG_B, ETAG_D, 1)}, .base = ETAG_A,
     FORWARD, WHOLE, QUICK, .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"forward-answers", "after a lost answer: 409, refused, denied, expired token, not sent, and throttled",
     .calls = {CREATE(ETAG_A, 1), REPLACE(ETAG_A, ETAG_B, 1)}, FORWARD, WHOLE, QUICK,
     .answer_409 = GUARD_409_SEND_AGAIN,
     .budget = {[BUDGET_TICK] = 1,
                [BUDGET_LEAP] = 1,
                [BUDGET_LOSE] = 2,
                [BUDGET_409] = 1,
                [BUDGET_REFUSE] = 1,
                [BUDGET_DENY] = 1,
                [BUDGET_TOKEN] = 1,
                [BUDGET_NOT_SENT] = 1}},
    {"forward-forgets", "nobody knows the pairs of what it replaces", CHAIN, FORWARD, .forgets_pairs = true, WHOLE,
     QUICK, .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 3}},
    {"forward-tickets", "a caller gives up between two copies, and resolves from the ticket later",
     .calls = {CREATE(ETAG_A, 1), REPLACE(ETAG_A, ETAG_B, 1), CREATE(ETAG_C, 1)}, FORWARD, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2, [BUDGET_STOP] = 1, [BUDGET_RESOLVE] = 1}},
    {"forward-guards", "what was not executed is tried again by another guard",
     .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 2)}, FORWARD, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 2, [BUDGET_LOSE] = 2}},
    {"forward-uploads", "a Complete carries no pair, and is never sent again",
     .calls = {COMPLETE(ETAG_A, 2), CREATE(ETAG_B, 1), REPLACE(ETAG_A, ETAG_C, 1)}, FORWARD, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"forward-copies", "a COPY, a create, and a replacement of either",
     .calls = {COPY(ETAG_A, 1), CREATE(ETAG_B, 1), REPLACE(ETAG_A, ETAG_C, 1)}, FORWARD, WHOLE,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    {"forward-late", "the store takes a copy however late it comes, and nobody is told that one is dead", CHAIN,
     FORWARD, NO_FENCES, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 3, [BUDGET_STOP] = 1}},
    {"forward-looks", "and attempts are looked for while they are under way", CHAIN, FORWARD, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2, [BUDGET_LOOK] = 2}},
    {"forward-frozen", "all clocks of a writer stand", .calls = {CREATE(ETAG_A, 1), REPLACE(ETAG_A, ETAG_B, 1)},
     FORWARD, WHOLE, QUICK, .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 2, [BUDGET_FREEZE] = 1, [BUDGET_LOSE] = 2}},
    {"forward-late-dates", "HEADs are answered with a later Date than that of their reading",
     .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)}, FORWARD, .late_dates = true,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2}},
    /* The promise is broken: nothing else can be kept, but `committed` stays true. */
    {"forward-deleted", "a key is deleted that never should be",
     .calls = {CREATE(ETAG_A, 1), DELETE(ETAG_A, 1), CREATE(ETAG_B, 1)}, FORWARD, .only = FALSE_COMMITTED, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 3}},
    {"forward-back", "bytes return that never should",
     .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_B, ETAG_A, 1), REPLACE(ETAG_A, ETAG_C, 1)}, .base = ETAG_A,
     FORWARD, .only = FALSE_COMMITTED, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 3}},
    {"forward-back-twice", "and a copy of an attempt is applied that was applied before",
     .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_B, ETAG_A, 1)}, .base = ETAG_A, FORWARD,
     .expects = APPLIED_TWICE, WHOLE, TINY, .budget = {[BUDGET_LOSE] = 2}},
};

const size_t configs_forward_count = sizeof(configs_forward) / sizeof(configs_forward[0]);
