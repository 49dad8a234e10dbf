/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a race for leases say, and what was done to them, as lines of its history. */
#include "history/lease_line.h"
#include "race/clock.h"
#include "race/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WHO_SIZE = 48 };

/* As contend.c calls itself. */
static void name_process(unsigned lane, uint64_t life, char ret[WHO_SIZE])
{
    (void)snprintf(ret, WHO_SIZE, "w%u.%" PRIu64, lane, life);
}

static bool add_line(struct race *race, const struct history_lease *lease)
{
    bool added = history_add_lease(race->record.history, lease);

    race->record.no_memory = race->record.no_memory || !added;
    return added;
}

bool race_lease_line_is(const char *line)
{
    return strncmp(line, "{\"lease\":", 9) == 0;
}

static bool is_said_by_itself(enum history_lease_kind kind)
{
    return kind != HISTORY_LEASE_KILLED && kind != HISTORY_LEASE_PAUSED && kind != HISTORY_LEASE_RESUMED;
}

static uint64_t since_begin(const struct race *race, uint64_t us)
{
    return us == HISTORY_NEVER || us < race->record.origin_us ? us : us - race->record.origin_us;
}

static void note_target(struct race *race, unsigned lane, enum history_lease_kind kind)
{
    if (kind == HISTORY_LEASE_HELD)
        race_faults_matters(&race->faults, lane, true);
    if (kind == HISTORY_LEASE_LOST || kind == HISTORY_LEASE_LET_GO || kind == HISTORY_LEASE_WAITS)
        race_faults_matters(&race->faults, lane, false);
}

bool race_lease_line_take(struct race *race, unsigned lane, uint64_t life, const char *line)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    struct history_lease lease;
    char who[WHO_SIZE];
    bool good;

    name_process(lane, life, who);
    good = object != NULL && lease_line_read(object, &lease) == NULL && strcmp(lease.who, who) == 0 &&
           is_said_by_itself(lease.kind);
    if (good) {
        lease.at_us = since_begin(race, lease.at_us);
        lease.until_us = since_begin(race, lease.until_us);
        good = add_line(race, &lease);
        note_target(race, lane, lease.kind);
    }
    json_decref(object);
    return good;
}

static bool add_of_others(struct race *race, enum history_lease_kind kind, const char *who, uint64_t at_us)
{
    const struct history_lease lease = {.kind = kind, .who = who, .key = "", .at_us = at_us, .until_us = HISTORY_NEVER};

    return add_line(race, &lease);
}

void race_lease_killed(struct race *race, unsigned lane, uint64_t life)
{
    char who[WHO_SIZE];

    name_process(lane, life, who);
    (void)add_of_others(race, HISTORY_LEASE_KILLED, who, since_begin(race, race_now_us()));
}

/* The events of a lane stand in their order, so that each pause is of the process that began last before it. */
bool race_lease_pauses(struct race *race)
{
    uint64_t lives[RACE_WRITERS_MAX] = {0};

    for (size_t i = 0; i < race->record.event_count; i++) {
        const struct race_event *event = &race->record.event[i];
        char who[WHO_SIZE];
        if (event->kind == HISTORY_START)
            lives[event->lane]++;
        if (event->kind != HISTORY_PAUSE || lives[event->lane] == 0)
            continue;
        name_process(event->lane, lives[event->lane] - 1, who);
        if (!add_of_others(race, HISTORY_LEASE_PAUSED, who, event->start_us) ||
            !add_of_others(race, HISTORY_LEASE_RESUMED, who, event->end_us))
            return false;
    }
    return !race->record.event_lost;
}
