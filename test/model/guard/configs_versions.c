/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which the bucket keeps versions, and their list decides (R16). */
#include "configs.h"
#include "plans.h"

const struct config configs_versions[] = {
    {"versions-native", "a create of one request, replaced and deleted by others; the bucket is known to keep versions",
     .calls = {QUICK_CREATE(ETAG_A), REPLACE(ETAG_A, ETAG_B, 1), DELETE(ETAG_A, 1)}, NATIVE, VERSIONED, WHOLE, TINY,
     QUICK, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    {"versions-turned-on", "the same in a bucket whose versioning is turned on at some time",
     .calls = {QUICK_CREATE(ETAG_A), REPLACE(ETAG_A, ETAG_B, 1), DELETE(ETAG_A, 1)}, NATIVE, .versioned_late = true,
     WHOLE, TINY, QUICK, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    {"versions-turned-on-again", "the same, and a create after the deletion: what is not in the list may be gone",
     .calls = {QUICK_CREATE(ETAG_A), DELETE(ETAG_A, 1), CREATE(ETAG_B, 1)}, NATIVE, .versioned_late = true, WHOLE,
     QUICK, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    {"versions-copies", "copies without a nonce, and a deletion of what they make",
     .calls = {BARE_COPY(ETAG_A), DELETE(ETAG_A, 1), CREATE(ETAG_B, 1)}, NATIVE, VERSIONED, WHOLE,
     .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1}},
    {"versions-deletions", "deletions of a version whose markers nobody can tell apart",
     .calls = {DELETE(ETAG_A, 1), DELETE(ETAG_A, 1), CREATE(ETAG_A, 1)}, NATIVE, .base = ETAG_A, .versioned = true,
     WHOLE, QUICK, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1, [BUDGET_OUTSIDER] = 1}},
    {"versions-uploads", "Completes whose objects have the dates of their uploads, and a deletion",
     .calls = {COMPLETE(ETAG_A, 2), DELETE(ETAG_A, 1), COMPLETE(ETAG_B, 1)}, NATIVE, VERSIONED, .upload_dates = true,
     WHOLE, .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1, [BUDGET_GC] = 1}},
    {"versions-record", "under records that do not decide: no ETag is predicted, and TTL deletes",
     .calls = {REPLACE(ETAG_A, ETAG_B, 2), REPLACE(ETAG_B, ETAG_A, 1)}, .base = ETAG_A, .versioned = true, WHOLE, QUICK,
     .budget = {[BUDGET_LEAP] = 1, [BUDGET_EON] = 1, [BUDGET_LOSE] = 1, [BUDGET_TTL] = 1}},
    {"versions-record-turned-on", "the same in a bucket whose versioning is turned on at some time, with a deletion",
     .calls = {REPLACE(ETAG_A, ETAG_B, 1), DELETE(ETAG_B, 1)}, .base = ETAG_A, .versioned_late = true, WHOLE,
     .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_EON] = 1, [BUDGET_LOSE] = 1, [BUDGET_TTL] = 1}},
    {"versions-tickets", "in native mode, answers apart from their reading; a ticket, an outsider",
     .calls = {QUICK_CREATE(ETAG_A), DELETE(ETAG_A, 1)}, NATIVE, VERSIONED, PREDICTED,
     .budget = {[BUDGET_TICK] = 1,
                [BUDGET_LEAP] = 2,
                [BUDGET_LOSE] = 2,
                [BUDGET_STOP] = 1,
                [BUDGET_RESOLVE] = 1,
                [BUDGET_OUTSIDER] = 1}},
};

const size_t configs_versions_count = sizeof(configs_versions) / sizeof(configs_versions[0]);
