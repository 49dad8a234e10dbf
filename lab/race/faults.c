/* SPDX-License-Identifier: Apache-2.0 */
#include "race/faults.h"

#include "race/clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
    TICK_MS = 50,
    FLEET_MEAN_US = 12 * 1000 * 1000, /* between two faults of a kind, for one writer */
    MEAN_LEAST_US = 100 * 1000
};

static const struct {
    const char *name;
    enum history_event_kind event;
} kinds[RACE_FAULTS] = {
    [RACE_FAULT_PAUSE] = {"pause", HISTORY_PAUSE},
    [RACE_FAULT_KILL] = {"kill", HISTORY_KILL},
    [RACE_FAULT_SLOW] = {"slow", HISTORY_SLOW},
    [RACE_FAULT_LOST_REPLY] = {"lost-reply", HISTORY_LOST_REPLY},
    [RACE_FAULT_LATE] = {"late", HISTORY_LATE},
    [RACE_FAULT_5XX] = {"5xx", HISTORY_5XX},
    [RACE_FAULT_THROTTLE] = {"throttle", HISTORY_THROTTLE},
};

const char *race_fault_name(enum race_fault fault)
{
    return kinds[fault].name;
}

enum history_event_kind race_fault_event(enum race_fault fault)
{
    return kinds[fault].event;
}

bool race_faults_parse(const char *text, unsigned *ret_mask, struct usage *usage)
{
    unsigned mask = 0;

    while (true) {
        size_t len = strcspn(text, ",");
        unsigned found = len == 3 && strncmp(text, "all", 3) == 0 ? RACE_FAULT_ALL : 0;
        for (unsigned i = 0; i < RACE_FAULTS; i++) {
            bool same = strlen(kinds[i].name) == len && strncmp(text, kinds[i].name, len) == 0;
            found |= same ? RACE_FAULT_BIT(i) : 0;
        }
        if (found == 0) {
            return usage_refuse(usage,
                                "--faults must be all, or a list of pause, kill, slow, lost-reply, late, 5xx and "
                                "throttle with commas in between, not \"%.*s\".",
                                (int)(len < 60 ? len : 60), text);
        }
        mask |= found;
        if (text[len] == '\0') {
            *ret_mask = mask;
            return true;
        }
        text += len + 1;
    }
}

/* ------------------------------------------------------------------------------------------------ the plan */

static uint64_t draw_below(struct race_faults *faults, uint64_t below)
{
    return below == 0 ? 0 : race_random(&faults->random) % below;
}

static void plan_next(struct race_faults *faults, enum race_fault fault)
{
    faults->due_us[fault] = race_now_us() + draw_below(faults, 2 * faults->mean_us);
}

void race_faults_init(struct race_faults *faults, struct race_record *record, unsigned mask, unsigned lanes,
                      uint64_t seed, uint64_t long_us)
{
    memset(faults, 0, sizeof(*faults));
    (void)pthread_mutex_init(&faults->mutex, NULL);
    faults->record = record;
    faults->mask = mask;
    faults->lanes = lanes;
    faults->random = seed;
    faults->mean_us = FLEET_MEAN_US / lanes > MEAN_LEAST_US ? FLEET_MEAN_US / lanes : MEAN_LEAST_US;
    faults->long_us = long_us;
    faults->long_of_20 = 1;
}

void race_faults_free(struct race_faults *faults)
{
    (void)pthread_mutex_destroy(&faults->mutex);
}

void race_faults_start(struct race_faults *faults)
{
    (void)pthread_mutex_lock(&faults->mutex);
    for (unsigned i = 0; i < RACE_FAULTS; i++)
        plan_next(faults, (enum race_fault)i);
    faults->running = true;
    (void)pthread_mutex_unlock(&faults->mutex);
}

bool race_faults_take(struct race_faults *faults, enum race_fault fault)
{
    bool due;

    (void)pthread_mutex_lock(&faults->mutex);
    due = faults->running && (faults->mask & RACE_FAULT_BIT(fault)) != 0 && race_now_us() >= faults->due_us[fault];
    if (due)
        plan_next(faults, fault);
    (void)pthread_mutex_unlock(&faults->mutex);
    return due;
}

uint64_t race_faults_draw(struct race_faults *faults, uint64_t below)
{
    uint64_t drawn;

    (void)pthread_mutex_lock(&faults->mutex);
    drawn = draw_below(faults, below);
    (void)pthread_mutex_unlock(&faults->mutex);
    return drawn;
}

/* Of twenty: mostly fourteen below half a second, five of some seconds, one that outlasts every attempt. */
static uint64_t draw_length(struct race_faults *faults)
{
    uint64_t one_of = draw_below(faults, 20);
    uint64_t below_long = 20 - faults->long_of_20;

    if (one_of < below_long * 14 / 19)
        return 10 * 1000 + draw_below(faults, 490 * 1000);
    if (one_of < below_long)
        return 500 * 1000 + draw_below(faults, 2500 * 1000);
    return faults->long_us + draw_below(faults, 2000 * 1000);
}

uint64_t race_faults_draw_length(struct race_faults *faults)
{
    uint64_t drawn;

    (void)pthread_mutex_lock(&faults->mutex);
    drawn = draw_length(faults);
    (void)pthread_mutex_unlock(&faults->mutex);
    return drawn;
}

/* ------------------------------------------------------------------------------------------------ processes */

/* With the mutex held. */
static void go_on(struct race_faults *faults, unsigned index)
{
    struct race_lane_state *lane = &faults->lane[index];

    if (lane->stopped_us == 0)
        return;
    if (lane->pid > 0)
        (void)kill(lane->pid, SIGCONT);
    race_record_event(faults->record, HISTORY_PAUSE, index, lane->stopped_us, race_now_us(), lane->met);
    lane->stopped_us = 0;
}

void race_faults_stop(struct race_faults *faults)
{
    (void)pthread_mutex_lock(&faults->mutex);
    faults->running = false;
    for (unsigned i = 0; i < faults->lanes; i++)
        go_on(faults, i);
    (void)pthread_mutex_unlock(&faults->mutex);
}

void race_faults_lane(struct race_faults *faults, unsigned lane, pid_t pid)
{
    (void)pthread_mutex_lock(&faults->mutex);
    go_on(faults, lane);
    faults->lane[lane].pid = pid;
    faults->lane[lane].matters = false;
    (void)pthread_mutex_unlock(&faults->mutex);
}

void race_faults_matters(struct race_faults *faults, unsigned lane, bool matters)
{
    (void)pthread_mutex_lock(&faults->mutex);
    faults->lane[lane].matters = matters;
    (void)pthread_mutex_unlock(&faults->mutex);
}

bool race_faults_take_killed(struct race_faults *faults, unsigned lane)
{
    bool killed;

    (void)pthread_mutex_lock(&faults->mutex);
    killed = faults->lane[lane].killed;
    faults->lane[lane].killed = false;
    (void)pthread_mutex_unlock(&faults->mutex);
    return killed;
}

/* With the mutex held. */
static void pause_lane(struct race_faults *faults, unsigned index, const char *what)
{
    struct race_lane_state *lane = &faults->lane[index];

    if (faults->running && lane->pid > 0 && lane->stopped_us == 0 && kill(lane->pid, SIGSTOP) == 0) {
        lane->stopped_us = race_now_us();
        lane->resume_us = lane->stopped_us + draw_length(faults);
        (void)snprintf(lane->met, sizeof(lane->met), "%s", what);
    }
}

static void kill_lane(struct race_faults *faults, unsigned index, const char *what)
{
    struct race_lane_state *lane = &faults->lane[index];
    uint64_t now = race_now_us();

    if (faults->running && lane->pid > 0 && kill(lane->pid, SIGKILL) == 0) {
        go_on(faults, index);
        lane->pid = 0;
        lane->killed = true;
        race_record_event(faults->record, HISTORY_KILL, index, now, now, what);
    }
}

void race_faults_pause(struct race_faults *faults, unsigned lane, const char *what)
{
    (void)pthread_mutex_lock(&faults->mutex);
    pause_lane(faults, lane, what);
    (void)pthread_mutex_unlock(&faults->mutex);
}

void race_faults_kill(struct race_faults *faults, unsigned lane, const char *what)
{
    (void)pthread_mutex_lock(&faults->mutex);
    kill_lane(faults, lane, what);
    (void)pthread_mutex_unlock(&faults->mutex);
}

/* Any, but of those that matter, if there are some, three of four times. */
static unsigned draw_lane(struct race_faults *faults)
{
    uint64_t any;
    unsigned lane;

    (void)pthread_mutex_lock(&faults->mutex);
    any = draw_below(faults, faults->lanes);
    lane = (unsigned)any;
    for (unsigned i = 0; i < faults->lanes && !faults->lane[lane].matters; i++)
        lane = (lane + 1) % faults->lanes;
    if (faults->lane[lane].matters && draw_below(faults, 4) == 0)
        lane = (unsigned)any;
    (void)pthread_mutex_unlock(&faults->mutex);
    return lane;
}

static void hit_anybody(struct race_faults *faults)
{
    if (race_faults_take(faults, RACE_FAULT_PAUSE))
        race_faults_pause(faults, draw_lane(faults), "");
    if (race_faults_take(faults, RACE_FAULT_KILL))
        race_faults_kill(faults, draw_lane(faults), "");
}

int race_faults_tick(struct race_faults *faults)
{
    uint64_t now = race_now_us();
    int next_ms = TICK_MS;

    if (!faults->at_requests) {
        hit_anybody(faults);
        next_ms = 1 + (int)race_faults_draw(faults, 20); /* no rhythm that calls could have too */
    }
    (void)pthread_mutex_lock(&faults->mutex);
    for (unsigned i = 0; i < faults->lanes; i++)
        if (faults->lane[i].stopped_us != 0 && now >= faults->lane[i].resume_us)
            go_on(faults, i);
    (void)pthread_mutex_unlock(&faults->mutex);
    return faults->mask == 0 ? -1 : next_ms;
}
