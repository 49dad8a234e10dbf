/* SPDX-License-Identifier: Apache-2.0 */
#include "lease_maker.h"

#include "support/checks.h"

#define NEVER HISTORY_NEVER

void lease_say(struct history *history, enum history_lease_kind kind, const char *who, const char *key, uint64_t at_us)
{
    struct history_lease lease = {.kind = kind, .who = who, .key = key, .at_us = at_us, .until_us = NEVER};

    assert_true(history_add_lease(history, &lease));
}

void lease_waits(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_WAITS, who, "k", at_us);
}

void lease_held(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_HELD, who, "k", at_us);
}

void lease_released(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_RELEASED, who, "k", at_us);
}

void lease_let_go(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_LET_GO, who, "k", at_us);
}

void lease_lost(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_LOST, who, "", at_us);
}

void lease_killed(struct history *history, const char *who, uint64_t at_us)
{
    lease_say(history, HISTORY_LEASE_KILLED, who, "", at_us);
}

void lease_paused(struct history *history, const char *who, uint64_t from_us, uint64_t to_us)
{
    lease_say(history, HISTORY_LEASE_PAUSED, who, "", from_us);
    lease_say(history, HISTORY_LEASE_RESUMED, who, "", to_us);
}

void lease_until(struct history *history, const char *who, uint64_t at_us, uint64_t until_us)
{
    struct history_lease lease = {
        .kind = HISTORY_LEASE_UNTIL, .who = who, .key = "k", .at_us = at_us, .until_us = until_us};

    assert_true(history_add_lease(history, &lease));
}

void lease_holds(struct history *history, const char *who, uint64_t from_us, uint64_t to_us)
{
    lease_held(history, who, from_us);
    lease_released(history, who, to_us);
}

void lease_held_with(struct history *history, const char *who, uint64_t from_us, uint64_t to_us, uint64_t token)
{
    struct history_lease lease = {.kind = HISTORY_LEASE_HELD,
                                  .who = who,
                                  .key = "k",
                                  .at_us = from_us,
                                  .until_us = to_us,
                                  .has_token = true,
                                  .token = token};

    assert_true(history_add_lease(history, &lease));
}

struct lease_result lease_judged(struct history *history)
{
    struct lease_result result;

    assert_true(lease_judge(history, &result));
    history_free(history);
    return result;
}

struct lease_result lease_exact(struct history *history)
{
    struct lease_result result;

    assert_true(lease_judge(history, &result));
    if (result.violations != 0)
        fail_msg("%s", result.finding[0].sentence);
    history_free(history);
    return result;
}

void lease_broken(struct history *history, enum lease_violation violation, size_t count)
{
    struct lease_result result = lease_judged(history);

    assert_int_equal(result.violations, count);
    for (size_t i = 0; i < result.finding_count; i++)
        assert_string_equal(lease_violation_name(result.finding[i].violation), lease_violation_name(violation));
}

void lease_broken_says(struct history *history, enum lease_violation violation, const char *sentence)
{
    struct lease_result result;

    assert_true(lease_judge(history, &result));
    assert_int_equal(result.violations, 1);
    assert_int_equal(result.finding[0].violation, violation);
    assert_string_equal(result.finding[0].sentence, sentence);
    history_free(history);
}
