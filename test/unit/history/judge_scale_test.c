/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories of one key with hundreds of thousands of calls, as a long race makes them: most values unique, some calls
 * unknown. The judge decides them within steps that are a small multiple of the calls; a search that forgot to follow
 * the forced order would need more than there are.
 */
#include "history_maker.h"
#include "history_random.h"
#include "support/checks.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 25000, WRITERS = 8, ROUND_US = 1000 };
#define STEPS_MAX (UINT64_C(100) * ROUNDS * WRITERS)

struct race {
    struct history *history;
    struct random_history random; /* for its generator */
    char value[32];               /* that stands there */
    uint64_t values;
    int64_t versions;
    bool alternates; /* two values only */
};

static void next_value(struct race *race, char ret[32])
{
    if (race->alternates)
        (void)snprintf(ret, 32, "%s", strcmp(race->value, "\"a\"") == 0 ? "\"b\"" : "\"a\"");
    else
        (void)snprintf(ret, 32, "\"%llu\"", (unsigned long long)++race->values);
}

static uint64_t within(struct race *race, uint64_t from, uint64_t length)
{
    return from + random_below(&race->random, length);
}

/* One of those that took effect or not; `unknown` percent of them never learned it, half of those until much later. */
static void add_outcome(struct race *race, const char *value, uint64_t start, uint64_t end, os_verdict verdict,
                        unsigned unknown)
{
    bool creates = race->value[0] == '\0';
    enum history_operation operation = creates ? HISTORY_PUT_IF_ABSENT : HISTORY_PUT_IF_MATCH;
    uint64_t chance = random_below(&race->random, 200);

    if (chance < unknown) {
        maker_call(race->history, operation, race->value, value, start, HISTORY_NEVER, OS_UNKNOWN);
    } else if (chance < 2 * unknown) {
        maker_settled(race->history, operation, race->value, value, start, end, verdict,
                      end + random_below(&race->random, UINT64_C(100) * ROUND_US));
    } else {
        maker_call(race->history, operation, race->value, value, start, end, verdict);
    }
}

/* All writers expect the same value; one of them wins. */
static void play_round(struct race *race, uint64_t begin, unsigned unknown)
{
    uint64_t winner = random_below(&race->random, WRITERS);
    uint64_t instant = begin + ROUND_US / 2;
    char won[32] = "";

    for (uint64_t writer = 0; writer < WRITERS; writer++) {
        char value[32];
        uint64_t start = within(race, begin, ROUND_US / 2);
        next_value(race, value);
        add_outcome(race, value, start, within(race, instant, ROUND_US), writer == winner ? OS_COMMITTED : OS_CONFLICT,
                    unknown);
        if (writer == winner)
            memcpy(won, value, sizeof(won));
    }
    memcpy(race->value, won, sizeof(won));
    race->versions++;
    if (random_below(&race->random, 4) == 0)
        maker_read(race->history, race->value, instant, within(race, instant, 400));
}

static struct history *make_race(unsigned unknown, bool alternates, bool count_versions)
{
    struct race race = {.history = maker_new(), .alternates = alternates};

    random_start(&race.random, unknown + 1);
    for (uint64_t round = 0; round < ROUNDS; round++)
        play_round(&race, ROUND_US * round, unknown);
    maker_final(race.history, race.value, count_versions ? race.versions : -1);
    return race.history;
}

static void judge_race(struct history *history, bool accepted)
{
    struct judge_result result;

    assert_true(history_call_count(history) > UINT64_C(200000));
    assert_true(judge_history_within(history, STEPS_MAX, &result));
    assert_false(result.gave_up);
    if (accepted && result.finding_count > 0)
        fail_msg("%s", result.finding[0].sentence);
    assert_int_equal(result.refused, accepted ? 0 : 1);
    history_free(history);
}

TEST(a_long_race_is_accepted)
{
    judge_race(make_race(0, false, true), true);
}

TEST(a_long_race_with_unknown_calls_is_accepted)
{
    judge_race(make_race(10, false, true), true);
}

TEST(a_long_race_with_an_impossible_end_is_refused)
{
    struct history *history = make_race(5, false, false);

    maker_write(history, "\"1\"", "\"late\"", UINT64_C(2) * ROUNDS * ROUND_US, UINT64_C(3) * ROUNDS * ROUND_US,
                OS_COMMITTED);
    judge_race(history, false);
}

TEST(a_long_race_with_one_version_too_many_is_refused)
{
    struct history *history = make_race(0, false, false);

    struct history_final final = *history_final_at(history, 0);
    final.versions = ROUNDS + 1;
    struct history *again = maker_new();
    for (size_t i = 0; i < history_call_count(history); i++)
        assert_true(history_add_call(again, history_call_at(history, i)));
    assert_true(history_add_final(again, &final));
    history_free(history);
    judge_race(again, false);
}

TEST(a_long_race_of_two_values_that_alternate_is_accepted)
{
    judge_race(make_race(0, true, true), true);
}
