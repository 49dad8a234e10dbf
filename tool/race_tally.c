/* SPDX-License-Identifier: Apache-2.0 */
#include "race_tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool race_tally_init(struct race_tally *tally, unsigned writers, uint64_t keys, uint64_t updates)
{
    memset(tally, 0, sizeof(*tally));
    tally->key = calloc(keys, sizeof(tally->key[0]));
    tally->writer = calloc(writers, sizeof(tally->writer[0]));
    if (tally->key == NULL || tally->writer == NULL) {
        race_tally_free(tally);
        return false;
    }
    for (uint64_t i = 0; i < keys; i++) {
        tally->key[i].winner = RACE_NO_WINNER;
    }
    tally->writers = writers;
    tally->keys = keys;
    tally->updates = updates;
    return true;
}

void race_tally_free(struct race_tally *tally)
{
    free(tally->key);
    free(tally->writer);
    tally->key = NULL;
    tally->writer = NULL;
}

static void count(struct race_phase *phase, const struct race_message *message)
{
    phase->calls++;
    phase->requests += message->requests;
    phase->takeovers += message->took_over ? 1 : 0;
    latency_add(&phase->latency, message->duration_us);
    switch (message->first) {
    case OS_COMMITTED: phase->committed++; return;
    case OS_CONFLICT: phase->conflicts++; return;
    case OS_NOT_EXECUTED: phase->not_executed++; return;
    case OS_UNKNOWN: phase->unknown++; break;
    }
    switch (message->settled) {
    case OS_COMMITTED: phase->settled_committed++; break;
    case OS_CONFLICT:
    case OS_NOT_EXECUTED: phase->settled_other++; break;
    case OS_UNKNOWN: phase->unsettled++; break;
    }
}

static bool add_creation(struct race_tally *tally, unsigned index, const struct race_message *message)
{
    struct race_writer *writer = &tally->writer[index];
    struct race_key *key;

    if (message->index != writer->next_key || message->index >= tally->keys) {
        return false;
    }
    if (!message->last && message->settled != OS_NOT_EXECUTED) {
        return false; /* only what was not executed may be tried again */
    }
    key = &tally->key[message->index];
    switch (message->settled) {
    case OS_COMMITTED:
        key->winner = key->winners == 0 ? (int32_t)index : key->winner;
        key->winners++;
        writer->won++;
        break;
    case OS_CONFLICT: key->conflicts++; break;
    case OS_NOT_EXECUTED: key->not_executed = (uint16_t)(key->not_executed + (message->last ? 1 : 0)); break;
    case OS_UNKNOWN: key->unsettled++; break;
    }
    writer->next_key += message->last ? 1 : 0;
    count(&tally->creations, message);
    return true;
}

static bool add_increment(struct race_tally *tally, unsigned index, const struct race_message *message)
{
    struct race_writer *writer = &tally->writer[index];

    if (writer->blocked || message->index != writer->increments || message->index >= tally->updates) {
        return false;
    }
    writer->increments += message->settled == OS_COMMITTED ? 1 : 0;
    writer->blocked = message->settled == OS_UNKNOWN;
    count(&tally->increments, message);
    return true;
}

bool race_tally_add(struct race_tally *tally, unsigned writer, const struct race_message *message)
{
    if (writer >= tally->writers) {
        return false;
    }
    switch (message->kind) {
    case RACE_MESSAGE_CREATE: return add_creation(tally, writer, message);
    case RACE_MESSAGE_UPDATE: return add_increment(tally, writer, message);
    default: return false;
    }
}

static unsigned heard(const struct race_key *key)
{
    return (unsigned)key->winners + key->conflicts + key->not_executed + key->unsettled;
}

/* May somebody have created it without having told? */
static bool is_open(const struct race_tally *tally, const struct race_key *key)
{
    return key->winners == 0 && (key->unsettled > 0 || heard(key) < tally->writers);
}

void race_tally_object(struct race_tally *tally, uint64_t index, int32_t writer, bool foreign)
{
    const struct race_key *key = &tally->key[index];
    int32_t wanted = key->winners == 1 ? key->winner : RACE_NO_WINNER;
    bool right = !foreign && (writer == wanted || is_open(tally, key));

    tally->objects_right += right ? 1 : 0;
    tally->objects_wrong += right ? 0 : 1;
}

uint64_t race_tally_committed(const struct race_phase *phase)
{
    return phase->committed + phase->settled_committed;
}

uint64_t race_tally_created(const struct race_tally *tally)
{
    uint64_t created = 0;

    for (uint64_t i = 0; i < tally->keys; i++) {
        created += tally->key[i].winners == 1 ? 1 : 0;
    }
    return created;
}

static bool find_broken_key(const struct race_tally *tally, char *ret, size_t ret_size)
{
    for (uint64_t i = 0; i < tally->keys; i++) {
        const struct race_key *key = &tally->key[i];
        if (key->winners > 1) {
            (void)snprintf(ret, ret_size, "Key %" PRIu64 " has %u winners.", i, key->winners);
            return true;
        }
        if (key->winners == 0 && key->conflicts > 0 && !is_open(tally, key)) {
            (void)snprintf(ret, ret_size, "Key %" PRIu64 " was refused as a conflict, but nobody created it.", i);
            return true;
        }
    }
    return false;
}

/* The counter must have every committed increment, and may have those whose outcome nobody told: unknown ones, and one
 * in flight of each process that was lost. */
static bool find_broken_counter(const struct race_tally *tally, char *ret, size_t ret_size)
{
    uint64_t committed = race_tally_committed(&tally->increments);
    uint64_t most = committed + tally->increments.unsettled + tally->lost_writers;

    if (!tally->counter_read || (tally->counter_found >= committed && tally->counter_found <= most)) {
        return false;
    }
    (void)snprintf(ret, ret_size, "The counter is %" PRIu64 ", but %" PRIu64 " increments were committed.",
                   tally->counter_found, committed);
    return true;
}

static bool find_wrong_objects(const struct race_tally *tally, char *ret, size_t ret_size)
{
    if (tally->objects_wrong == 0) {
        return false;
    }
    (void)snprintf(ret, ret_size, "%" PRIu64 " objects do not have the content of their announced winner.",
                   tally->objects_wrong);
    return true;
}

static uint64_t count_refused(const struct race_tally *tally)
{
    uint64_t refused = 0;

    for (uint64_t i = 0; i < tally->keys; i++) {
        refused += tally->key[i].not_executed;
    }
    return refused;
}

static bool find_missing(const struct race_tally *tally, char *ret, size_t ret_size)
{
    uint64_t created = race_tally_created(tally);
    uint64_t wanted = tally->writers * tally->updates;
    uint64_t refused = count_refused(tally);

    if (tally->lost_writers > 0) {
        (void)snprintf(ret, ret_size, "%u of %u processes ended early.", tally->lost_writers, tally->writers);
    } else if (created < tally->keys) {
        (void)snprintf(ret, ret_size, "Only %" PRIu64 " of %" PRIu64 " keys were created.", created, tally->keys);
    } else if (refused > 0) {
        (void)snprintf(ret, ret_size, "%" PRIu64 " creations were not executed.", refused);
    } else if (race_tally_committed(&tally->increments) < wanted) {
        (void)snprintf(ret, ret_size, "Only %" PRIu64 " of %" PRIu64 " increments were committed.",
                       race_tally_committed(&tally->increments), wanted);
    } else if (!tally->read_back || (tally->updates > 0 && !tally->counter_read)) {
        (void)snprintf(ret, ret_size, "The objects could not be read back.");
    } else {
        return false;
    }
    return true;
}

enum race_judgement race_tally_judge(const struct race_tally *tally, char *ret, size_t ret_size)
{
    uint64_t unsettled = tally->creations.unsettled + tally->increments.unsettled;

    if (find_broken_key(tally, ret, ret_size) || find_broken_counter(tally, ret, ret_size) ||
        find_wrong_objects(tally, ret, ret_size)) {
        return RACE_BROKEN;
    }
    if (unsettled > 0) {
        (void)snprintf(ret, ret_size, "The outcome of %" PRIu64 " calls is still unknown.", unsettled);
        return RACE_UNSETTLED;
    }
    if (find_missing(tally, ret, ret_size)) {
        return RACE_INCOMPLETE;
    }
    (void)snprintf(ret, ret_size, "Every key has exactly one winner%s.",
                   tally->updates > 0 ? ", and the counter has every increment" : "");
    return RACE_EXACT;
}

const char *race_judgement_name(enum race_judgement judgement)
{
    switch (judgement) {
    case RACE_EXACT: return "exact";
    case RACE_INCOMPLETE: return "incomplete";
    case RACE_UNSETTLED: return "unsettled";
    case RACE_BROKEN: break;
    }
    return "broken";
}
