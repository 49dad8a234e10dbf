/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process does that races for leases: it waits for one, holds it for a while, looks again and again whether it
 * still has it, and releases it. Everything that it believes it says at once, in the lines of history/lease_judge.h, so
 * that it can be killed at any time.
 *
 * No line says more than the library did, however long the process is stopped between two instructions. A belief begins
 * at an instant that is read after os_lease_acquire has returned. The instants of a look, and of a release, are read
 * before the question or the release: what the answer says then holds for them, too. How long a belief lasts is that
 * instant and os_lease_remaining_ms, which was asked later, and so ends earlier than the library would say.
 */
#include "history/lease_line.h"
#include "oscommit_lease.h"
#include "race/clock.h"
#include "race/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOK_EVERY_MS = 20,
    CHANGE_US = 10 * 1000, /* clocks are read in milliseconds: by so much the same end may seem to move */
    SHORT_LEAST_MS = 30,
    SHORT_MOST_MS = 500,
    REST_MOST_MS = 1000,
    RELEASE_MS = 10 * 1000,
    US_PER_MS = 1000
};

struct contest {
    struct race_worker *worker;
    char who[48]; /* lease_record.c knows it by that */
    char key[RACE_NAME_SIZE + 64];
    os_lease *lease;
    uint64_t until_us; /* as it was said last */
};

static uint64_t draw(struct race_worker *worker, uint64_t least, uint64_t most)
{
    return least + race_random(&worker->random) % (most - least + 1);
}

/* ---------------------------------------------------------------------------------------------------- saying it */

static void say_whole(struct contest *contest, const struct history_lease *lease)
{
    char line[512];
    json_t *object = lease_line_written(lease);
    size_t len = object == NULL ? 0 : json_dumpb(object, line, sizeof(line) - 1, JSON_COMPACT);

    json_decref(object);
    if (len == 0 || len > sizeof(line) - 1) {
        contest->worker->stop = true; /* what is not said cannot be judged */
        return;
    }
    line[len] = '\n';
    race_send_text(contest->worker, line, len + 1);
}

static void say(struct contest *contest, enum history_lease_kind kind, uint64_t at_us)
{
    const struct history_lease lease = {
        .kind = kind, .who = contest->who, .key = contest->key, .at_us = at_us, .until_us = HISTORY_NEVER};

    say_whole(contest, &lease);
}

static void say_belief(struct contest *contest, enum history_lease_kind kind, uint64_t at_us, uint64_t until_us)
{
    const struct history_lease lease = {.kind = kind,
                                        .who = contest->who,
                                        .key = contest->key,
                                        .at_us = at_us,
                                        .until_us = until_us,
                                        .has_token = kind == HISTORY_LEASE_HELD,
                                        .token = os_lease_token(contest->lease)};

    contest->until_us = until_us;
    say_whole(contest, &lease);
}

/* ---------------------------------------------------------------------------------------------------- holding it */

/* Says what is new. False: it is lost. */
static bool look(struct contest *contest, enum history_lease_kind kind)
{
    uint64_t at_us = race_now_us();
    bool held = os_lease_state(contest->lease) != OS_LEASE_LOST;
    uint64_t until_us = at_us + os_lease_remaining_ms(contest->lease) * US_PER_MS;
    uint64_t moved_us = until_us > contest->until_us ? until_us - contest->until_us : contest->until_us - until_us;

    if (held && (kind == HISTORY_LEASE_HELD || moved_us > CHANGE_US))
        say_belief(contest, kind, at_us, until_us);
    return held;
}

/* Mostly for a moment; sometimes for so long that it has to be extended. */
static uint64_t draw_hold_ms(struct race_worker *worker)
{
    uint64_t ttl_ms = worker->lease_ttl_s * 1000;

    if (race_random(&worker->random) % 4 == 0)
        return draw(worker, ttl_ms / 3, ttl_ms + ttl_ms / 2);
    return draw(worker, SHORT_LEAST_MS, SHORT_MOST_MS);
}

static bool hold(struct contest *contest)
{
    struct race_worker *worker = contest->worker;
    uint64_t end_us = race_now_us() + draw_hold_ms(worker) * US_PER_MS;
    bool held = look(contest, HISTORY_LEASE_HELD);

    if (end_us > worker->task.until_us)
        end_us = worker->task.until_us;
    while (held && !worker->stop && race_now_us() < end_us) {
        race_pause_ms(worker, LOOK_EVERY_MS);
        held = look(contest, HISTORY_LEASE_UNTIL);
    }
    return held;
}

static void give_back(struct contest *contest, bool held)
{
    os_call call = OS_CALL_INIT;
    os_error error = {0};
    os_code code;

    call.deadline_ms = RELEASE_MS;
    say(contest, held ? HISTORY_LEASE_RELEASED : HISTORY_LEASE_LOST, race_now_us());
    code = os_lease_release(contest->lease, &call, &error);
    contest->lease = NULL;
    if (code == OS_OK)
        say(contest, HISTORY_LEASE_LET_GO, race_now_us());
    if (code == OS_ERR_ARGUMENT || code == OS_ERR_NO_MEMORY) {
        race_report_trouble(contest->worker, &error);
        contest->worker->stop = true;
    }
}

/* ---------------------------------------------------------------------------------------------------- getting it */

static os_code ask(struct contest *contest, os_error *error)
{
    struct race_worker *worker = contest->worker;
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    os_call call = worker->session.call;
    uint64_t now_us = race_now_us();

    how.ttl_s = worker->lease_ttl_s;
    how.wait = 1;
    how.fencing = 1;
    how.owner = contest->who;
    call.deadline_ms = now_us < worker->task.until_us ? (worker->task.until_us - now_us) / US_PER_MS + 1 : 1;
    say(contest, HISTORY_LEASE_WAITS, now_us);
    return os_lease_acquire(worker->session.client, contest->key, &how, &call, &contest->lease, error);
}

/* At the end of the race nobody has waited long enough for everything: that is no trouble. */
static void take_failure(struct race_worker *worker, os_code code, const os_error *error)
{
    if (code == OS_ERR_CONFLICT || race_may_try_again(code)) {
        race_pause_shortly(worker);
        return;
    }
    race_report_trouble(worker, error);
    worker->stop = true;
}

void race_contend(struct race_worker *worker)
{
    struct contest contest = {.worker = worker};

    (void)snprintf(contest.who, sizeof(contest.who), "w%" PRIu64 ".%" PRIu64, worker->task.lane, worker->task.life);
    while (race_now_us() < worker->task.until_us && !worker->stop) {
        os_error error = {0};
        (void)snprintf(contest.key, sizeof(contest.key), "%.80s%" PRIu64, worker->prefix,
                       race_random(&worker->random) % worker->lease_count);
        os_code code = ask(&contest, &error);
        if (code == OS_OK) {
            give_back(&contest, hold(&contest));
            race_pause_ms(worker, draw(worker, 0, REST_MOST_MS));
        } else {
            take_failure(worker, code, &error);
        }
        worker->stop = worker->stop || interrupt_seen(&worker->session.interrupt);
    }
}
