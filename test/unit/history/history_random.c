/* SPDX-License-Identifier: Apache-2.0 */
#include "history_random.h"

#include "support/checks.h"

#include <stdio.h>
#include <string.h>

enum { STEP_US = 100 };

/* splitmix64 */
static uint64_t draw(struct random_history *random)
{
    random->seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = random->seed;
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

void random_start(struct random_history *random, uint64_t seed)
{
    *random = (struct random_history){.seed = seed};
    (void)draw(random);
}

uint64_t random_below(struct random_history *random, uint64_t bound)
{
    return draw(random) % bound;
}

static bool percent(struct random_history *random, uint32_t chance)
{
    return random_below(random, 100) < chance;
}

/* ETags of two digits, static. */
static const char *value_named(uint64_t number)
{
    static char names[RANDOM_VALUES_MAX][8];

    assert_true(number < RANDOM_VALUES_MAX);
    (void)snprintf(names[number], sizeof(names[number]), "\"%02u\"", (unsigned)(number % 100));
    return names[number];
}

/* ------------------------------------------------------------------------------------------------------- making */

struct play {
    struct random_history *random;
    const struct random_options *options;
    const char *value; /* in the register */
    int64_t versions;
};

static void choose_operation(struct play *play, struct history_call *call)
{
    struct random_history *random = play->random;
    bool as_it_is = percent(random, 70);
    uint64_t kind = random_below(random, 10);

    call->expected = as_it_is ? play->value : value_named(random_below(random, play->options->values));
    call->value = value_named(random_below(random, play->options->values));
    if (kind < 2) {
        call->operation = HISTORY_READ;
        call->expected = "";
        call->value = play->value;
    } else if (*call->expected == '\0' || percent(random, 15)) {
        call->operation = kind < 8 ? HISTORY_PUT_IF_ABSENT : HISTORY_COPY_IF_ABSENT;
        call->expected = "";
    } else if (kind < 4) {
        call->operation = HISTORY_DELETE_IF_MATCH;
        call->value = "";
    } else {
        call->operation = kind < 8 ? HISTORY_PUT_IF_MATCH : HISTORY_COPY_IF_MATCH;
    }
}

/* Whether the writer learned what became of its write, and when. */
static void hide_outcome(struct play *play, struct history_call *call, uint64_t instant)
{
    struct random_history *random = play->random;

    call->settled = call->verdict;
    if (!percent(random, play->options->unknown))
        return;
    call->verdict = OS_UNKNOWN;
    if (percent(random, 50))
        call->end_us = call->start_us + random_below(random, instant - call->start_us + 1); /* and applied later */
    if (percent(random, 30))
        call->end_us = HISTORY_NEVER;
    if (percent(random, 50)) {
        call->settled = OS_UNKNOWN;
        return;
    }
    uint64_t from = call->end_us == HISTORY_NEVER || call->end_us < instant ? instant : call->end_us;
    call->settled_us = from + random_below(random, play->options->spread_us * UINT64_C(4) + 1);
}

static void play_call(struct play *play, struct history_call *call, uint64_t instant)
{
    struct random_history *random = play->random;

    call->start_us = instant - random_below(random, play->options->spread_us + 1);
    call->end_us = instant + random_below(random, play->options->spread_us + 1);
    choose_operation(play, call);
    if (call->operation == HISTORY_READ) {
        call->verdict = call->settled = OS_COMMITTED;
        return;
    }
    if (percent(random, play->options->unexecuted)) {
        call->verdict = OS_NOT_EXECUTED;
    } else if (strcmp(call->expected, play->value) == 0) {
        call->verdict = OS_COMMITTED;
        play->value = call->value;
        play->versions += *call->value != '\0' ? 1 : 0;
    } else {
        call->verdict = OS_CONFLICT;
    }
    hide_outcome(play, call, instant);
}

void random_make(struct random_history *random, const struct random_options *options, const char *key)
{
    struct play play = {.random = random, .options = options, .value = ""};

    assert_true(options->calls < RANDOM_CALLS_MAX);
    random->count = options->calls;
    for (size_t i = 0; i < random->count; i++) {
        struct history_call *call = &random->call[i];
        *call = (struct history_call){.key = key, .writer = (uint32_t)random_below(random, 4)};
        play_call(&play, call, options->spread_us + STEP_US * (i + 1));
    }
    random->final = (struct history_final){
        .key = percent(random, 80) ? key : NULL,
        .value = play.value,
        .at_us = UINT64_C(1000000000),
        .versions = percent(random, 60) ? play.versions : -1,
    };
}

/* ----------------------------------------------------------------------------------------------------- changing */

static bool flip_verdict(struct random_history *random, struct history_call *call)
{
    static const os_verdict other[] = {OS_COMMITTED, OS_CONFLICT, OS_NOT_EXECUTED};
    os_verdict verdict = other[random_below(random, 3)];

    if (call->operation == HISTORY_READ || call->verdict == OS_UNKNOWN || verdict == call->verdict)
        return false;
    call->verdict = call->settled = verdict;
    return true;
}

static bool settle_falsely(struct random_history *random, struct history_call *call)
{
    static const os_verdict other[] = {OS_COMMITTED, OS_CONFLICT, OS_NOT_EXECUTED};

    if (call->verdict != OS_UNKNOWN)
        return false;
    call->settled = other[random_below(random, 3)];
    if (call->settled_us == 0)
        call->settled_us = (call->end_us == HISTORY_NEVER ? call->start_us : call->end_us) + 1;
    return true;
}

static bool move_time(struct random_history *random, struct history_call *call)
{
    uint64_t by = random_below(random, 6 * STEP_US);
    bool later = percent(random, 50);

    if (call->end_us == HISTORY_NEVER || (!later && call->start_us < by))
        return false;
    call->start_us = later ? call->start_us + by : call->start_us - by;
    call->end_us = later ? call->end_us + by : call->end_us - by;
    if (call->settled_us != 0)
        call->settled_us = later ? call->settled_us + by : call->settled_us - by;
    return true;
}

static bool change_value(struct random_history *random, struct history_call *call)
{
    if (call->operation == HISTORY_DELETE_IF_MATCH)
        return false;
    call->value = value_named(random_below(random, RANDOM_VALUES_MAX));
    return true;
}

static bool change_expected(struct random_history *random, struct history_call *call)
{
    if (*call->expected == '\0')
        return false;
    call->expected = value_named(random_below(random, RANDOM_VALUES_MAX));
    return true;
}

static void swap_times(struct history_call *a, struct history_call *b)
{
    struct history_call was = *a;

    if (a->end_us != HISTORY_NEVER && b->end_us != HISTORY_NEVER && a->settled_us == 0 && b->settled_us == 0) {
        a->start_us = b->start_us;
        a->end_us = b->end_us;
        b->start_us = was.start_us;
        b->end_us = was.end_us;
    }
}

static bool change_final(struct random_history *random, enum random_change change)
{
    struct history_final *final = &random->final;

    if (final->key == NULL)
        return false;
    if (change == RANDOM_CHANGE_FINAL) {
        final->value = percent(random, 30) ? "" : value_named(random_below(random, 4));
        return true;
    }
    if (final->versions < 1)
        return false;
    final->versions += percent(random, 50) ? 1 : -1;
    return true;
}

bool random_change(struct random_history *random, enum random_change change)
{
    struct history_call *call = &random->call[random_below(random, random->count)];

    switch (change) {
    case RANDOM_FLIP_VERDICT: return flip_verdict(random, call);
    case RANDOM_MOVE_TIME: return move_time(random, call);
    case RANDOM_CHANGE_VALUE: return change_value(random, call);
    case RANDOM_CHANGE_EXPECTED: return change_expected(random, call);
    case RANDOM_SETTLE_FALSELY: return settle_falsely(random, call);
    case RANDOM_SWAP_TIMES: swap_times(call, &random->call[random_below(random, random->count)]); return true;
    case RANDOM_DROP_CALL: *call = random->call[--random->count]; return true;
    case RANDOM_DOUBLE_CALL: random->call[random->count++] = *call; return true;
    case RANDOM_CHANGE_FINAL:
    case RANDOM_CHANGE_VERSIONS: return change_final(random, change);
    case RANDOM_CHANGES: break;
    }
    return false;
}

void random_add_to(const struct random_history *random, uint64_t first_id, struct history *history)
{
    for (size_t i = 0; i < random->count; i++) {
        struct history_call call = random->call[i];
        call.id = first_id + i;
        assert_true(history_add_call(history, &call));
    }
    if (random->final.key != NULL)
        assert_true(history_add_final(history, &random->final));
}
