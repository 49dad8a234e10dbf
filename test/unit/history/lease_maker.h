/* SPDX-License-Identifier: Apache-2.0 */
/* What holders of the lease "k" say, in few words, for the tests of their judge. */
#ifndef OSCOMMIT_TEST_LEASE_MAKER_H
#define OSCOMMIT_TEST_LEASE_MAKER_H

#include "history/lease_judge.h"

/* Of any lease; "": of every one. */
void lease_say(struct history *history, enum history_lease_kind kind, const char *who, const char *key, uint64_t at_us);
void lease_waits(struct history *history, const char *who, uint64_t at_us);
void lease_held(struct history *history, const char *who, uint64_t at_us);
void lease_released(struct history *history, const char *who, uint64_t at_us);
void lease_let_go(struct history *history, const char *who, uint64_t at_us);
void lease_lost(struct history *history, const char *who, uint64_t at_us);
void lease_killed(struct history *history, const char *who, uint64_t at_us);
void lease_paused(struct history *history, const char *who, uint64_t from_us, uint64_t to_us);
void lease_until(struct history *history, const char *who, uint64_t at_us, uint64_t until_us);
void lease_holds(struct history *history, const char *who, uint64_t from_us, uint64_t to_us);
void lease_held_with(struct history *history, const char *who, uint64_t from_us, uint64_t to_us, uint64_t token);
/* They judge it and free it. */
struct lease_result lease_judged(struct history *history);
struct lease_result lease_exact(struct history *history);
void lease_broken(struct history *history, enum lease_violation violation, size_t count);
void lease_broken_says(struct history *history, enum lease_violation violation, const char *sentence);

#endif
