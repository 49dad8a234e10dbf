/* SPDX-License-Identifier: Apache-2.0 */
/* Findings, and how they are told. Internal to the judge. */
#ifndef OSCOMMIT_LAB_JUDGE_EXPLAIN_H
#define OSCOMMIT_LAB_JUDGE_EXPLAIN_H

#include "history/judge.h"
#include "history/judge_search.h"

/* Keeps the first ones. */
__attribute__((format(printf, 6, 7))) void judge_find(struct judge_result *result, enum judge_violation violation,
                                                      const char *key, const struct history_call *call,
                                                      const struct history_call *other, const char *format, ...);

/* No order explains the key's calls: says what is plainly wrong, or else where the search ended. */
enum judge_found judge_explain(const struct judge_key *key, const struct judge_outcome *outcome, uint64_t steps_max,
                               struct judge_result *result);

/* A value as it is told: the ETag, or "nothing". */
const char *judge_value_name(const char *value);

#endif
