/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts a history by key, looks for contradictions in it, and has each key judged on its own: linearizability is local
 * (Herlihy and Wing 1990), a history is linearizable if each of its objects is.
 */
#include "history/judge.h"

#include "history/judge_explain.h"
#include "history/judge_key.h"
#include "history/judge_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sorted {
    const struct history_call **call;
    size_t call_count;
    const struct history_final **final;
    size_t final_count;
};

/* ------------------------------------------------------------------------------------------------------- order */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_calls(const void *a, const void *b)
{
    const struct history_call *left = *(const struct history_call *const *)a;
    const struct history_call *right = *(const struct history_call *const *)b;

    if (left->key != right->key)
        return strcmp(left->key, right->key);
    int order = compare_numbers(left->start_us, right->start_us);
    return order != 0 ? order : compare_numbers(left->id, right->id);
}

static int compare_finals(const void *a, const void *b)
{
    const struct history_final *left = *(const struct history_final *const *)a;
    const struct history_final *right = *(const struct history_final *const *)b;

    return strcmp(left->key, right->key);
}

static int compare_ids(const void *a, const void *b)
{
    const struct history_call *left = *(const struct history_call *const *)a;
    const struct history_call *right = *(const struct history_call *const *)b;

    return compare_numbers(left->id, right->id);
}

static bool sort_history(const struct history *history, struct sorted *ret)
{
    ret->call_count = history_call_count(history);
    ret->final_count = history_final_count(history);
    ret->call = calloc(ret->call_count + 1, sizeof(const struct history_call *));
    ret->final = calloc(ret->final_count + 1, sizeof(const struct history_final *));
    if (ret->call == NULL || ret->final == NULL)
        return false;
    for (size_t i = 0; i < ret->call_count; i++)
        ret->call[i] = history_call_at(history, i);
    for (size_t i = 0; i < ret->final_count; i++)
        ret->final[i] = history_final_at(history, i);
    qsort(ret->final, ret->final_count, sizeof(const struct history_final *), compare_finals);
    return true;
}

/* ---------------------------------------------------------------------------------------------- contradictions */

static bool is_verdict(os_verdict verdict)
{
    return verdict >= OS_COMMITTED && verdict <= OS_UNKNOWN;
}

static const char *bad_times(const struct history_call *call)
{
    if (call->end_us < call->start_us)
        return "ends before it starts";
    if (call->settled_us != 0 && call->settled_us < (call->end_us == HISTORY_NEVER ? call->start_us : call->end_us))
        return "was settled before it ended";
    if (call->end_us == HISTORY_NEVER && call->verdict != OS_UNKNOWN)
        return "never ended but has a verdict";
    return NULL;
}

static const char *bad_verdict(const struct history_call *call)
{
    if (!is_verdict(call->verdict) || !is_verdict(call->settled))
        return "has no verdict";
    if (call->verdict != OS_UNKNOWN && call->settled != call->verdict)
        return "was settled although it was not unknown";
    if (call->settled != call->verdict && call->settled_us == 0)
        return "was settled, but has no time of it";
    return NULL;
}

/* What is expected and written must be what the operation is for, unless it never took effect. */
static const char *bad_values(const struct history_call *call)
{
    bool creates = call->operation == HISTORY_PUT_IF_ABSENT || call->operation == HISTORY_COPY_IF_ABSENT;
    bool deletes = call->operation == HISTORY_DELETE_IF_MATCH;
    bool took_effect = call->settled == OS_COMMITTED || call->settled == OS_UNKNOWN;

    if (call->operation < HISTORY_PUT_IF_ABSENT || call->operation > HISTORY_READ)
        return "has no operation";
    if (call->operation == HISTORY_READ || call->settled == OS_NOT_EXECUTED)
        return NULL;
    if (creates != (*call->expected == '\0'))
        return creates ? "creates, but expects a value" : "replaces or deletes, but expects nothing";
    if (took_effect && deletes != (*call->value == '\0'))
        return deletes ? "deletes, but writes a value" : "writes nothing";
    return NULL;
}

static bool tell_bad_call(const struct history_call *call, struct judge_result *result)
{
    char one[200];
    const char *what = bad_verdict(call);

    what = what != NULL ? what : bad_times(call);
    what = what != NULL ? what : bad_values(call);
    if (what != NULL) {
        judge_describe(call, one, sizeof(one));
        judge_find(result, JUDGE_BAD_HISTORY, call->key, call, NULL, "%s %s.", one, what);
    }
    return what != NULL;
}

/* Two calls of one id would make every sentence about them ambiguous. Leaves the calls ordered by id. */
static void tell_same_ids(struct sorted *sorted, struct judge_result *result)
{
    qsort(sorted->call, sorted->call_count, sizeof(const struct history_call *), compare_ids);
    for (size_t i = 1; i < sorted->call_count; i++) {
        const struct history_call *call = sorted->call[i];
        if (call->id == sorted->call[i - 1]->id) {
            judge_find(result, JUDGE_BAD_HISTORY, call->key, call, sorted->call[i - 1],
                       "Two calls have the number %" PRIu64 ".", call->id);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ one key */

/* The versions that there are must be some number of writes that can have taken effect. */
static enum judge_found judge_versions(const struct judge_key *key, const struct judge_outcome *outcome,
                                       uint64_t steps_max, struct judge_result *result)
{
    const struct judge_search_options options = {.count_versions = true, .steps_max = steps_max};
    struct judge_outcome counted;
    enum judge_found found = JUDGE_FOUND_NONE;
    uint64_t versions = (uint64_t)key->versions;

    if (outcome->versions == versions)
        return JUDGE_FOUND;
    if (versions >= key->writes && versions <= key->writes + key->maybes)
        found = judge_search(key, &options, &counted);
    if (found == JUDGE_FOUND_NONE) {
        judge_find(result, JUDGE_VERSIONS, key->key, NULL, NULL,
                   "The bucket holds %" PRIu64 " versions of \"%.80s\", but %zu writes of it were committed and %zu are"
                   " unknown, and no order of them makes so many.",
                   versions, key->key, key->writes, key->maybes);
    }
    return found;
}

static enum judge_found judge_key(struct judge_key *key, uint64_t steps_max, struct judge_result *result)
{
    const struct judge_search_options options = {.steps_max = steps_max};
    struct judge_outcome outcome;

    if (!judge_key_build(key))
        return JUDGE_NO_MEMORY;
    enum judge_found found = judge_search(key, &options, &outcome);
    if (found == JUDGE_FOUND_NONE)
        return judge_explain(key, &outcome, steps_max, result);
    return found == JUDGE_FOUND && key->versions >= 0 ? judge_versions(key, &outcome, steps_max, result) : found;
}

/* False: no memory. */
static bool judge_and_count(struct judge_key *key, const struct history_final *const *finals, size_t final_count,
                            uint64_t steps_max, struct judge_result *result)
{
    bool bad = false;

    key->versions = -1;
    for (size_t i = 0; i < key->call_count; i++)
        bad = tell_bad_call(key->call[i], result) || bad;
    for (size_t i = 0; i < final_count; i++) {
        if (i > 0 && (finals[i]->value != key->end_value || finals[i]->versions != key->versions)) {
            judge_find(result, JUDGE_BAD_HISTORY, key->key, NULL, NULL, "\"%.80s\" has two different end states.",
                       key->key);
            bad = true;
        }
        key->end_value = finals[i]->value;
        key->versions = finals[i]->versions;
    }
    enum judge_found found = bad ? JUDGE_FOUND_NONE : judge_key(key, steps_max, result);
    judge_key_free(key);
    result->keys++;
    result->refused += found == JUDGE_FOUND_NONE ? 1 : 0;
    if (found == JUDGE_GAVE_UP) {
        result->undecided++;
        result->gave_up = true;
        result->gave_up_key = result->gave_up_key != NULL ? result->gave_up_key : key->key;
    }
    return found != JUDGE_NO_MEMORY;
}

/* ---------------------------------------------------------------------------------------------------- all keys */

/* The key that comes next, in the order of their names, of those that have calls or an end state. */
static const char *next_key(const struct sorted *sorted, size_t call, size_t final)
{
    const char *by_call = call < sorted->call_count ? sorted->call[call]->key : NULL;
    const char *by_final = final < sorted->final_count ? sorted->final[final]->key : NULL;

    if (by_call == NULL || by_final == NULL)
        return by_call != NULL ? by_call : by_final;
    return strcmp(by_call, by_final) <= 0 ? by_call : by_final;
}

static bool judge_keys(const struct sorted *sorted, uint64_t steps_max, struct judge_result *result)
{
    size_t call = 0;
    size_t final = 0;
    bool good = true;

    while (good && (call < sorted->call_count || final < sorted->final_count)) {
        struct judge_key key = {.key = next_key(sorted, call, final), .call = sorted->call + call};
        size_t first_final = final;
        while (call < sorted->call_count && sorted->call[call]->key == key.key) {
            call++;
            key.call_count++;
        }
        while (final < sorted->final_count && sorted->final[final]->key == key.key)
            final++;
        good = judge_and_count(&key, sorted->final + first_final, final - first_final, steps_max, result);
    }
    return good;
}

bool judge_history_within(const struct history *history, uint64_t steps_max, struct judge_result *ret)
{
    struct sorted sorted = {0};

    memset(ret, 0, sizeof(*ret));
    bool good = sort_history(history, &sorted);
    if (good) {
        ret->calls = sorted.call_count;
        tell_same_ids(&sorted, ret);
        qsort(sorted.call, sorted.call_count, sizeof(const struct history_call *), compare_calls);
        good = judge_keys(&sorted, steps_max, ret);
    }
    free(sorted.call);
    free(sorted.final);
    return good;
}

bool judge_history(const struct history *history, struct judge_result *ret)
{
    return judge_history_within(history, JUDGE_STEPS_MAX, ret);
}
