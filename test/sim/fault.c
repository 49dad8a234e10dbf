/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fault.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t most_per_mille;
} kinds[FAULT_COUNT] = {
#define FAULT_ROW(symbol, name, rate) {name, rate},
    FAULT_LIST(FAULT_ROW)
#undef FAULT_ROW
};

enum { PURPOSE_RATE = 1000, PURPOSE_SWARM = 1001, PURPOSE_STRIKE = 2000 };

const char *fault_name(enum fault_kind kind)
{
    return kinds[kind].name;
}

static uint64_t mix(uint64_t seed, uint64_t purpose, uint64_t occasion)
{
    uint64_t state = seed;
    uint64_t first = random_next(&state);
    state = first ^ (purpose * UINT64_C(0xd1342543de82ef95));
    uint64_t second = random_next(&state);
    state = second ^ (occasion * UINT64_C(0xaf251af3b0f025b5));
    return random_next(&state);
}

uint64_t fault_number(const struct faults *faults, uint64_t purpose, uint64_t occasion, uint64_t least, uint64_t most)
{
    return least + mix(faults->seed, purpose, occasion) % (most - least + 1);
}

/* Swarm testing (Groce and others, 2012): most seeds have a few kinds only, so that none hides another. */
bool faults_init(struct faults *faults, uint64_t seed, const struct fault_change *change)
{
    *faults = (struct faults){.seed = seed, .change = change};
    uint64_t kinds_per_mille = 50 + 90 * fault_number(faults, PURPOSE_SWARM, 0, 0, 5);
    for (uint32_t i = 0; i < FAULT_COUNT; i++) {
        uint32_t most = kinds[i].most_per_mille;
        bool has = fault_number(faults, PURPOSE_SWARM, i + 1, 0, 999) < kinds_per_mille && !change->without_kind[i];
        uint64_t quarter = fault_number(faults, PURPOSE_RATE, i, 1, 4);
        faults->rate[i] = !has ? 0 : most == 1000 ? 1000 : (uint32_t)(most * quarter * quarter / 16);
        if (has && faults->rate[i] == 0)
            faults->rate[i] = 1;
    }
    faults->log = calloc(FAULT_LOG_MAX, sizeof(*faults->log));
    return faults->log != NULL;
}

void faults_free(struct faults *faults)
{
    free(faults->log);
    faults->log = NULL;
}

static bool is_among(const struct fault_point *points, size_t count, struct fault_point point)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].kind == point.kind && points[i].occasion == point.occasion)
            return true;
    return false;
}

static bool drawn(const struct faults *faults, struct fault_point point)
{
    const struct fault_change *change = faults->change;
    if (change->has_only)
        return is_among(change->only, change->only_count, point);
    return faults->rate[point.kind] > 0 &&
           fault_number(faults, PURPOSE_STRIKE + point.kind, point.occasion, 0, 999) < faults->rate[point.kind] &&
           !is_among(change->without, change->without_count, point);
}

bool fault_strikes(struct faults *faults, enum fault_kind kind, uint64_t occasion)
{
    struct fault_point point = {.kind = kind, .occasion = occasion};
    if (faults->stopped || !drawn(faults, point))
        return false;
    faults->struck[kind]++;
    if (faults->log_count < FAULT_LOG_MAX)
        faults->log[faults->log_count++] = point;
    return true;
}

bool fault_is_of_the_world(enum fault_kind kind)
{
    return kinds[kind].most_per_mille == 1000;
}

/* ------------------------------------------------------------------------------------------------ changes */

static bool add_point(struct fault_point **points, size_t *count, struct fault_point point)
{
    struct fault_point *grown = realloc(*points, (*count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    *points = grown;
    grown[(*count)++] = point;
    return true;
}

bool fault_change_without_call(struct fault_change *change, uint64_t call)
{
    uint64_t *grown = realloc(change->without_call, (change->without_call_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    change->without_call = grown;
    grown[change->without_call_count++] = call;
    return true;
}

bool fault_change_only(struct fault_change *change, const struct fault_point *points, size_t count)
{
    change->has_only = true;
    change->only_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!add_point(&change->only, &change->only_count, points[i]))
            return false;
    return true;
}

bool fault_change_copy(const struct fault_change *from, struct fault_change *ret)
{
    struct fault_change copy = {.has_only = from->has_only};
    bool ok = true;
    memcpy(copy.without_kind, from->without_kind, sizeof(copy.without_kind));
    for (size_t i = 0; i < from->without_count && ok; i++)
        ok = add_point(&copy.without, &copy.without_count, from->without[i]);
    for (size_t i = 0; i < from->only_count && ok; i++)
        ok = add_point(&copy.only, &copy.only_count, from->only[i]);
    for (size_t i = 0; i < from->without_call_count && ok; i++)
        ok = fault_change_without_call(&copy, from->without_call[i]);
    *ret = copy;
    return ok;
}

void fault_change_free(struct fault_change *change)
{
    free(change->without);
    free(change->only);
    free(change->without_call);
    *change = (struct fault_change){0};
}

bool fault_lacks_call(const struct fault_change *change, uint64_t call)
{
    for (size_t i = 0; i < change->without_call_count; i++)
        if (change->without_call[i] == call)
            return true;
    return false;
}

static bool parse_occasion(const char *text, uint64_t *ret)
{
    unsigned lane = 0;
    unsigned long long number = 0;
    int used = 0;
    if (sscanf(text, "%u.%llu%n", &lane, &number, &used) != 2 || text[used] != '\0')
        return false;
    *ret = fault_occasion(lane, number);
    return true;
}

/* "KIND" or "KIND@LANE.NUMBER". False: no such kind, or not of this form. */
static bool parse_kind(const char *text, enum fault_kind *ret, bool *ret_has_occasion, uint64_t *ret_occasion)
{
    const char *at = strchr(text, '@');
    size_t length = at != NULL ? (size_t)(at - text) : strlen(text);
    *ret_has_occasion = at != NULL;
    if (at != NULL && !parse_occasion(at + 1, ret_occasion))
        return false;
    for (uint32_t i = 0; i < FAULT_COUNT; i++) {
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

bool fault_change_parse_without(struct fault_change *change, const char *text)
{
    uint64_t occasion = 0;
    enum fault_kind kind = 0;
    bool has_occasion = false;
    if (strncmp(text, "call@", 5) == 0)
        return parse_occasion(text + 5, &occasion) && fault_change_without_call(change, occasion);
    if (!parse_kind(text, &kind, &has_occasion, &occasion))
        return false;
    if (!has_occasion) {
        change->without_kind[kind] = true;
        return true;
    }
    struct fault_point point = {.kind = kind, .occasion = occasion};
    return add_point(&change->without, &change->without_count, point);
}

bool fault_change_parse_only(struct fault_change *change, const char *text)
{
    struct fault_point point = {0};
    bool has_occasion = false;
    change->has_only = true;
    if (strcmp(text, "none") == 0)
        return true;
    return parse_kind(text, &point.kind, &has_occasion, &point.occasion) && has_occasion &&
           add_point(&change->only, &change->only_count, point);
}

static void name(const char *what, uint64_t occasion, char *ret)
{
    snprintf(ret, 64, "%s@%u.%llu", what, (unsigned)(occasion >> 40),
             (unsigned long long)(occasion & ((UINT64_C(1) << 40) - 1)));
}

void fault_point_name(struct fault_point point, char *ret)
{
    name(kinds[point.kind].name, point.occasion, ret);
}

void fault_call_name(uint64_t call, char *ret)
{
    name("call", call, ret);
}
