/* SPDX-License-Identifier: Apache-2.0 */
/* Slow links and slow stores (F2 to F4): inside the bounds that the documents name, where nothing may be lost, and
 * outside, where each must find its hole. */
#include "configs.h"
#include "plans.h"

/* A body of four seconds at the least rate, and a store that waits four seconds for the rest: each is more than what
 * margin and rounding would forgive. */
#define SLOW_LINK .body_s = 4, .stalled_s = 4, .leap_s = 4

/* A leap is longer than the fence of a copy of few bytes, and shorter than the work on 5 GiB. */
#define GROWN(copy) .calls = {copy, CREATE(ETAG_B, 1)}, .by_operation = true, .store_work_s = 133, .leap_s = 60

const struct config configs_links[] = {
    {"link-slow", "what does not arrive at once: the link is slow, the writer is stopped before its tail leaves",
     TWO_CREATES, SLOW_LINK, PREDICTED, WHOLE, QUICK, .budget = {[BUDGET_LEAP] = 3}},
    {"link-slow-lost", "the same, and answers are lost", TWO_CREATES, SLOW_LINK, PREDICTED, WHOLE,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"link-slow-late", "the same of a store that waits for nothing, and a tail that may be late", TWO_CREATES,
     .body_s = 4, .late_segment_s = 4, .leap_s = 4, PREDICTED, WHOLE, QUICK, .budget = {[BUDGET_LEAP] = 3}},
    {"link-slow-again", "the same, and a call that was too slow tries once more",
     .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)}, SLOW_LINK, PREDICTED, WHOLE, .budget = {[BUDGET_LEAP] = 3}},
    {"link-slow-deaths", "the same, and processes are killed in mid-body", TWO_CREATES, SLOW_LINK, PREDICTED, WHOLE,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_CRASH] = 1}},
    {"link-slow-suspended", "the same, and a machine is suspended in mid-body: MONOTONIC stands", TWO_CREATES,
     SLOW_LINK, PREDICTED, WHOLE, .budget = {[BUDGET_LEAP] = 3, [BUDGET_SUSPEND] = 1}},
    {"link-slow-replace", "a replacement and a deletion of one version over slow links",
     .calls = {REPLACE(ETAG_A, ETAG_B, 1), DELETE(ETAG_A, 1)}, SLOW_LINK, .base = ETAG_A, .base_nonce = true, PREDICTED,
     WHOLE, .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"link-slow-native", "native creations over slow links", TWO_CREATES, SLOW_LINK, NATIVE, WHOLE,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"store-unpinned",
     "a COPY on a store that ignores the pin of its source, which grows to 5 GiB after the HEAD: 133 s of work",
     GROWN(COPY(ETAG_A, 1)), .source_unpinned = true, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"store-unpinned-quick", "the same of a COPY whose source is not known yet", GROWN(QUICK_COPY(ETAG_A, 1)),
     .source_unpinned = true, PREDICTED, WHOLE, .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"link-for-ever",
     "a store that is known to wait for the rest of a body for ever: no fence, so nothing is dead by one", TWO_CREATES,
     .body_s = 1, .stalled_s = STALLED_FOR_EVER, .late_segment_s = 1, .store_stalled_s = 5, .leap_s = 200, PREDICTED,
     WHOLE, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    /* ------------------------------------------------------------------------------------ outside the bounds */
    {"link-drained",
     "nothing is held back: the kernel delivers what it was given however slow the link, also after a reset",
     TWO_CREATES, SLOW_LINK, .kernel_drains = true, .expects = LOST_UPDATE, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 3}},
    {"link-stalled-for-ever", "the store waits for the rest of a body for longer than its profile says", TWO_CREATES,
     SLOW_LINK, .store_stalled_s = STALLED_FOR_EVER, .expects = LOST_UPDATE, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 3}},
    {"link-frozen",
     "all clocks of a machine stand for as long as the store waits for its body, and then it is stopped "
     "once more",
     .calls = {CREATE(ETAG_A, 1)}, SLOW_LINK, .expects = APPLIED_LATE, PREDICTED, WHOLE,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1, [BUDGET_FREEZE] = 1}},
    {"link-late-segment", "the last segment is on its way for longer than is allowed for", TWO_CREATES, SLOW_LINK,
     .link_late_s = 20, .expects = LOST_UPDATE, PREDICTED, WHOLE, QUICK, .budget = {[BUDGET_LEAP] = 3}},
    {"store-slow", "the store takes longer over a request that it has than the allowance says", TWO_CREATES,
     .store_work_s = 20, .expects = LOST_UPDATE, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_TICK] = 2, [BUDGET_LEAP] = 1}},
    {"store-unpinned-believed", "a source that grows after the HEAD, on a store whose profile says that it is pinned",
     GROWN(COPY(ETAG_A, 1)), .expects = LOST_UPDATE, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 3, [BUDGET_LOSE] = 1}},
    {"store-slow-verdict", "the same of one writer alone: what was called not executed is applied",
     .calls = {CREATE(ETAG_A, 1)}, .store_work_s = 20, .expects = APPLIED_LATE, PREDICTED, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1}},
};
const size_t configs_links_count = sizeof(configs_links) / sizeof(configs_links[0]);
