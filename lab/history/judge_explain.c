/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a key is refused. First what a person sees at once and what cannot be true whatever else happened: two winners, a
 * conflict whose write is there. Then whether it is only the end state that does not fit. Else the call at which the
 * search ended.
 */
#include "history/judge_explain.h"

#include "history/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DESCRIPTION = 200 };

const char *judge_violation_name(enum judge_violation violation)
{
    switch (violation) {
    case JUDGE_NONE: return "none";
    case JUDGE_NOT_LINEARIZABLE: return "not linearizable";
    case JUDGE_TWO_WINNERS: return "two winners";
    case JUDGE_LOST_COMMIT: return "lost commit";
    case JUDGE_FALSE_CONFLICT: return "false conflict";
    case JUDGE_VERSIONS: return "versions";
    case JUDGE_BAD_HISTORY: return "bad history";
    }
    return "?";
}

const char *judge_value_name(const char *value)
{
    return *value == '\0' ? "nothing" : value;
}

void judge_describe(const struct history_call *call, char *ret, size_t ret_size)
{
    char start[WORDS_TIME];
    char end[WORDS_TIME];
    char settled[80] = "";

    words_time(call->start_us, "?", start);
    words_time(call->end_us, "its death", end);
    if (call->settled_us != 0) {
        char at[WORDS_TIME];
        words_time(call->settled_us, "?", at);
        (void)snprintf(settled, sizeof(settled), ", settled as %s at %s", history_verdict_name(call->settled), at);
    }
    (void)snprintf(ret, ret_size, "call %" PRIu64 " (writer %" PRIu32 ", %s, %s to %s, %s%s)", call->id, call->writer,
                   history_operation_name(call->operation), start, end, history_verdict_name(call->verdict), settled);
}

void judge_find(struct judge_result *result, enum judge_violation violation, const char *key,
                const struct history_call *call, const struct history_call *other, const char *format, ...)
{
    const size_t max = sizeof(result->finding) / sizeof(result->finding[0]);
    va_list arguments;

    if (result->finding_count == max)
        return;
    struct judge_finding *finding = &result->finding[result->finding_count++];
    finding->violation = violation;
    finding->key = key;
    finding->call = call != NULL ? call->id : 0;
    finding->other_call = other != NULL ? other->id : 0;
    va_start(arguments, format);
    (void)vsnprintf(finding->sentence, sizeof(finding->sentence), format, arguments);
    va_end(arguments);
    words_mend_utf8(finding->sentence);
}

/* ------------------------------------------------------------------------------------------------- two winners */

struct winners {
    const struct history_call *one;
    const struct history_call *two;
};

/* Deletes that took effect, or may have: the latest end of those that began up to each one. `deletes` are ordered by
 * start; their ends are overwritten with that. */
static size_t collect_deletes(const struct judge_key *key, struct judge_op *deletes)
{
    size_t count = 0;

    for (size_t i = 0; i < key->op_count; i++) {
        const struct judge_op *op = &key->op[i];
        if ((op->kind == JUDGE_WRITE || op->kind == JUDGE_MAYBE) && op->to == 0) {
            deletes[count] = *op;
            if (count > 0 && deletes[count - 1].end > op->end)
                deletes[count].end = deletes[count - 1].end;
            count++;
        }
    }
    return count;
}

/* May one of them have come between two creations? */
static bool delete_between(const struct judge_op *deletes, size_t count, const struct judge_op *one,
                           const struct judge_op *two)
{
    uint64_t last = one->end > two->end ? one->end : two->end;
    size_t low = 0;

    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (deletes[middle].start <= last)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && deletes[low - 1].end >= one->start; /* one starts first */
}

static bool find_two_creations(const struct judge_key *key, struct winners *ret)
{
    struct judge_op *deletes = calloc(key->op_count + 1, sizeof(*deletes));
    const struct judge_op *before = NULL;
    bool found = false;

    if (deletes == NULL)
        return false; /* the plain case is a nicety: the refusal itself stands */
    size_t count = collect_deletes(key, deletes);
    for (size_t i = 0; i < key->op_count && !found; i++) {
        const struct judge_op *op = &key->op[i];
        if (op->kind != JUDGE_WRITE || op->from != 0)
            continue;
        found = before != NULL && !delete_between(deletes, count, before, op);
        if (found)
            *ret = (struct winners){.one = before->call, .two = op->call};
        before = op;
    }
    free(deletes);
    return found;
}

/* Two writes that replaced a value which was written at most once. */
static bool find_two_replacements(const struct judge_key *key, const uint32_t *makers, struct winners *ret)
{
    const struct judge_op **winner = calloc(key->value_count, sizeof(const struct judge_op *));
    bool found = false;

    for (size_t i = 0; winner != NULL && i < key->op_count && !found; i++) {
        const struct judge_op *op = &key->op[i];
        if (op->kind != JUDGE_WRITE || op->from == 0 || op->to == op->from || makers[op->from] > 1)
            continue;
        found = winner[op->from] != NULL;
        if (found)
            *ret = (struct winners){.one = winner[op->from]->call, .two = op->call};
        winner[op->from] = op;
    }
    free(winner);
    return found;
}

static bool tell_two_winners(const struct judge_key *key, const uint32_t *makers, struct judge_result *result)
{
    struct winners winners;
    char one[DESCRIPTION];
    char two[DESCRIPTION];

    if (!find_two_creations(key, &winners) && !find_two_replacements(key, makers, &winners))
        return false;
    judge_describe(winners.one, one, sizeof(one));
    judge_describe(winners.two, two, sizeof(two));
    judge_find(result, JUDGE_TWO_WINNERS, key->key, winners.two, winners.one,
               "%s and %s both committed under one expectation: %.40s.", one, two,
               judge_value_name(winners.one->expected));
    return true;
}

/* ---------------------------------------------------------------------------------------------- false conflict */

/* Who saw the value: a read, or a write that was committed on it; NULL and *ret_at_end: it stands there at the end. */
static bool find_observer(const struct judge_key *key, uint32_t value, const struct history_call **ret)
{
    for (size_t i = 0; i < key->op_count; i++) {
        const struct judge_op *op = &key->op[i];
        if ((op->kind == JUDGE_SEES || op->kind == JUDGE_WRITE) && op->from == value) {
            *ret = op->call;
            return true;
        }
    }
    return false;
}

static void tell_observed(const struct judge_key *key, const struct history_call *call,
                          const struct history_call *observer, struct judge_result *result)
{
    char one[DESCRIPTION];
    char two[DESCRIPTION] = "the end state";

    judge_describe(call, one, sizeof(one));
    if (observer != NULL)
        judge_describe(observer, two, sizeof(two));
    judge_find(
        result, JUDGE_FALSE_CONFLICT, key->key, call, observer,
        "%s was told that its write of %.40s was not applied. But %s shows that value, and nobody else wrote it.", one,
        call->value, two);
}

static bool tell_false_conflict(const struct judge_key *key, const uint32_t *makers, struct judge_result *result)
{
    bool *seen = calloc(key->value_count, sizeof(*seen));
    const struct history_call *observer = NULL;
    bool found = false;

    for (size_t i = 0; seen != NULL && i < key->op_count; i++)
        if (key->op[i].kind == JUDGE_SEES || key->op[i].kind == JUDGE_WRITE)
            seen[key->op[i].from] = true;
    for (size_t i = 0; seen != NULL && i < key->call_count && !found; i++) {
        const struct history_call *call = key->call[i];
        if (call->operation == HISTORY_READ || *call->value == '\0' ||
            (call->settled != OS_CONFLICT && call->settled != OS_NOT_EXECUTED))
            continue;
        uint32_t value = judge_key_number(key, call->value);
        found = makers[value] == 0 && seen[value] && find_observer(key, value, &observer);
        if (found)
            tell_observed(key, call, observer, result);
    }
    free(seen);
    return found;
}

/* ------------------------------------------------------------------------------------------------ no such order */

/* "; it was "b", by call 3 (...)" */
static void describe_state(const struct judge_key *key, const struct judge_outcome *outcome, char *ret, size_t ret_size)
{
    if (outcome->last == JUDGE_NO_OP) {
        (void)snprintf(ret, ret_size, "nothing had been written");
        return;
    }
    char by[DESCRIPTION];
    judge_describe(key->op[outcome->last].call, by, sizeof(by));
    (void)snprintf(ret, ret_size, "%.40s was there, by %s", judge_value_name(key->value[outcome->value]), by);
}

static const struct history_call *last_call(const struct judge_key *key, const struct judge_outcome *outcome)
{
    return outcome->last == JUDGE_NO_OP ? NULL : key->op[outcome->last].call;
}

static void tell_stuck(const struct judge_key *key, const struct judge_outcome *outcome, struct judge_result *result)
{
    const struct judge_op *op = &key->op[outcome->stuck];
    char one[DESCRIPTION] = "The end state";
    char state[DESCRIPTION + 80];
    const char *format;

    if (op->call != NULL)
        judge_describe(op->call, one, sizeof(one));
    describe_state(key, outcome, state, sizeof(state));
    if (op->kind == JUDGE_MISSES) {
        format = "%s was told that %.40s was not there. But in every order it was there, from the call's start to its "
                 "end; %s.";
    } else if (op->kind == JUDGE_SEES) {
        format = "%s shows %.40s, which cannot have been there: in an order that fits until then, %s.";
    } else {
        format = "%s cannot have found %.40s there before it ended: in an order that fits until then, %s.";
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    judge_find(result, JUDGE_NOT_LINEARIZABLE, key->key, op->call, last_call(key, outcome), format, one,
               judge_value_name(key->value[op->from]), state);
#pragma GCC diagnostic pop
}

static void tell_lost_commit(const struct judge_key *key, const struct judge_outcome *outcome,
                             struct judge_result *result)
{
    char state[DESCRIPTION + 80];

    describe_state(key, outcome, state, sizeof(state));
    judge_find(result, JUDGE_LOST_COMMIT, key->key, last_call(key, outcome), NULL,
               "The calls fit together, but contradict the end state, which is %.40s: after all calls, %s.",
               judge_value_name(key->end_value), state);
}

enum judge_found judge_explain(const struct judge_key *key, const struct judge_outcome *outcome, uint64_t steps_max,
                               struct judge_result *result)
{
    const struct judge_search_options without = {.without_final = true, .steps_max = steps_max};
    uint32_t *makers = calloc(key->value_count, sizeof(*makers));
    struct judge_outcome before_final;

    if (makers == NULL)
        return JUDGE_NO_MEMORY;
    for (size_t i = 0; i < key->op_count; i++) {
        bool writes = key->op[i].kind == JUDGE_WRITE || key->op[i].kind == JUDGE_MAYBE;
        makers[key->op[i].to] += writes ? 1 : 0;
    }
    bool plain = tell_two_winners(key, makers, result);
    plain = tell_false_conflict(key, makers, result) || plain;
    free(makers);
    if (plain)
        return JUDGE_FOUND_NONE;
    if (key->op[outcome->stuck].call == NULL && key->writes > 0 &&
        judge_search(key, &without, &before_final) == JUDGE_FOUND && before_final.last != JUDGE_NO_OP)
        tell_lost_commit(key, &before_final, result);
    else
        tell_stuck(key, outcome, result);
    return JUDGE_FOUND_NONE;
}
