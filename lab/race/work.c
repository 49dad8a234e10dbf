/* SPDX-License-Identifier: Apache-2.0 */
#include "race/work.h"

#include "race/clock.h"

#include <stdio.h>
#include <string.h>

enum { TRIES_MAX = 20 }; /* of one item that is not executed */

/* ------------------------------------------------------------------------------------------------ one item each */

static bool make_body(struct race_worker *worker, struct race_write *write, uint64_t count, char *body)
{
    write->call = race_next_call(worker);
    write->body = body;
    write->len = race_body(worker->id, write->name, count, write->call, body);
    return race_value(body, write->len, write->value);
}

static os_verdict put_body(struct race_worker *worker, const char *name, const struct race_seen *seen, uint64_t count)
{
    char body[RACE_CONTENT_MAX];
    struct race_write write = {
        .operation = seen == NULL ? HISTORY_PUT_IF_ABSENT : HISTORY_PUT_IF_MATCH, .name = name, .seen = seen};

    if (!make_body(worker, &write, count, body)) {
        worker->stop = true;
        return OS_NOT_EXECUTED;
    }
    return race_write(worker, &write);
}

static os_verdict create_item(struct race_worker *worker, uint64_t index)
{
    char name[RACE_NAME_SIZE];

    race_name(RACE_CREATE, index, name);
    return put_body(worker, name, NULL, 0);
}

/* Content that no writer of this race has made: the judge will say what it means, and nothing is built on it. */
static os_verdict stop_at_foreign(struct race_worker *worker, const char *name)
{
    os_error error = {.code = OS_ERR_REFUSED};

    (void)snprintf(error.message, sizeof(error.message), "%s has content that no writer of this race has written.",
                   name);
    race_report_trouble(worker, &error);
    worker->stop = true;
    return OS_NOT_EXECUTED;
}

/* `*ret_counted`: an increment was tried, not the creation of the counter. */
static os_verdict update_item(struct race_worker *worker, uint64_t index, bool *ret_counted)
{
    char name[RACE_NAME_SIZE];
    struct race_seen seen;
    uint64_t count = 0;

    *ret_counted = false;
    race_name(RACE_UPDATE, index, name);
    if (!race_read(worker, name, &seen))
        return OS_NOT_EXECUTED;
    if (!seen.present)
        return put_body(worker, name, NULL, 0);
    if (!race_body_count(worker->id, name, seen.body, seen.len, &count))
        return stop_at_foreign(worker, name);
    *ret_counted = true;
    return put_body(worker, name, &seen, count + 1);
}

/* Its own object, which it copies from. Made by the first process of the lane that gets so far. */
static bool have_source(struct race_worker *worker, const char *name)
{
    struct race_seen seen;

    for (unsigned tries = 0; !worker->has_source && tries < TRIES_MAX && !worker->stop; tries++) {
        if (!race_read(worker, name, &seen)) {
            race_pause_shortly(worker);
        } else if (seen.present) {
            (void)snprintf(worker->source_value, sizeof(worker->source_value), "%s", seen.value);
            worker->has_source = true;
        } else if (put_body(worker, name, NULL, 0) == OS_NOT_EXECUTED) {
            race_pause_shortly(worker);
        }
    }
    return worker->has_source;
}

static os_verdict copy_item(struct race_worker *worker, uint64_t index)
{
    char name[RACE_NAME_SIZE];
    char source[RACE_NAME_SIZE];
    struct race_write write = {.operation = HISTORY_COPY_IF_ABSENT, .name = name, .source = source};

    race_name(RACE_COPY, index, name);
    race_source_name((unsigned)worker->task.lane, source);
    if (!have_source(worker, source))
        return OS_NOT_EXECUTED;
    write.call = race_next_call(worker);
    (void)snprintf(write.value, sizeof(write.value), "%s", worker->source_value);
    return race_write(worker, &write);
}

/* Deletes what it finds, or creates it where there is nothing. */
static os_verdict delete_or_create(struct race_worker *worker, uint64_t index, bool *ret_deletes)
{
    char name[RACE_NAME_SIZE];
    struct race_seen seen;
    struct race_write write = {.operation = HISTORY_DELETE_IF_MATCH, .name = name, .seen = &seen};

    *ret_deletes = false;
    race_name(RACE_DELETE, index, name);
    if (!race_read(worker, name, &seen))
        return OS_NOT_EXECUTED;
    if (!seen.present)
        return put_body(worker, name, NULL, 0);
    *ret_deletes = true;
    write.call = race_next_call(worker);
    return race_write(worker, &write);
}

/* ------------------------------------------------------------------------------------------------ by counts */

/* One try at the next item of a kind. True: the item is done, or is given up as unknown. */
static bool try_item(struct race_worker *worker, enum race_kind kind, uint64_t index, os_verdict *ret)
{
    bool counted = false;

    switch (kind) {
    case RACE_CREATE: *ret = create_item(worker, index); return *ret != OS_NOT_EXECUTED;
    case RACE_COPY: *ret = copy_item(worker, index); return *ret != OS_NOT_EXECUTED;
    case RACE_UPDATE: *ret = update_item(worker, 0, &counted); return *ret == OS_COMMITTED && counted;
    case RACE_DELETE: *ret = delete_or_create(worker, 0, &counted); return *ret == OS_COMMITTED;
    case RACE_KINDS: break;
    }
    *ret = OS_NOT_EXECUTED;
    return true;
}

static void send_progress(struct race_worker *worker, enum race_kind kind, bool given_up)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_PROGRESS, .item = (uint64_t)kind, .done = worker->task.done[kind], .given_up = given_up};

    race_send(worker, &message);
}

/* A conflict means that another process has gone on, so it is tried again without limit; failures have one. A name that
 * was not executed so often is given up, and counts as missing. */
static void work_through(struct race_worker *worker, enum race_kind kind)
{
    struct race_task *task = &worker->task;
    bool by_name = kind == RACE_CREATE || kind == RACE_COPY;
    unsigned failures = 0;

    while (task->done[kind] < task->count[kind] && !worker->stop) {
        os_verdict verdict;
        bool done = try_item(worker, kind, task->done[kind], &verdict);
        failures = verdict == OS_NOT_EXECUTED ? failures + 1 : 0;
        if (failures == TRIES_MAX && !by_name)
            return;
        if (done || failures == TRIES_MAX) {
            task->done[kind]++;
            send_progress(worker, kind, !done);
            failures = 0;
        } else if (failures > 0) {
            race_pause_shortly(worker);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ by time */

/* The shares of the kinds that are wanted. Creations and increments are what most users do. */
static enum race_kind choose_kind(struct race_worker *worker)
{
    static const unsigned share[RACE_KINDS] = {
        [RACE_CREATE] = 35, [RACE_UPDATE] = 30, [RACE_COPY] = 15, [RACE_DELETE] = 20};

    while (true) {
        uint64_t at = race_random(&worker->random) % 100;
        for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
            if (at < share[kind]) {
                if (worker->task.count[kind] > 0)
                    return (enum race_kind)kind;
                break;
            }
            at -= share[kind];
        }
    }
}

enum { STUCK_US = 1000 * 1000, ONE_OF = 6 }; /* so many of those who come to a stuck name wait there too */

static void open_next(struct race_front *front, enum race_kind kind, uint64_t slot, uint64_t next)
{
    if (atomic_compare_exchange_strong(&front->next[kind][slot], &next, next + 1))
        atomic_store(&front->since_us[kind][slot], 0);
}

/* Gives `next` of the name to race for. */
static uint64_t enter_name(struct race_worker *worker, enum race_kind kind, uint64_t slot)
{
    struct race_front *front = worker->front;
    uint64_t next = atomic_load(&front->next[kind][slot]);
    uint64_t since_us = atomic_load(&front->since_us[kind][slot]);
    uint64_t now = race_now_us();

    if (since_us != 0 && now > since_us + STUCK_US && race_random(&worker->random) % ONE_OF != 0) {
        open_next(front, kind, slot, next);
        next = atomic_load(&front->next[kind][slot]);
    }
    since_us = 0;
    (void)atomic_compare_exchange_strong(&front->since_us[kind][slot], &since_us, now);
    return next;
}

/* Whoever has an answer about a name that can be won once opens the next one. So does mostly who has deleted something:
 * to create it again means to wait for the fence of its first creation, where records are not released (R9). */
static void leave_name(struct race_worker *worker, enum race_kind kind, uint64_t slot, uint64_t next,
                       os_verdict verdict, bool deletes)
{
    struct race_front *front = worker->front;
    bool is_over = deletes && verdict == OS_COMMITTED && race_random(&worker->random) % ONE_OF != 0;

    if (verdict == OS_NOT_EXECUTED)
        return;
    if (kind == RACE_CREATE || kind == RACE_COPY || is_over)
        open_next(front, kind, slot, next);
    else if (atomic_load(&front->next[kind][slot]) == next)
        atomic_store(&front->since_us[kind][slot], 0);
}

static void work_until(struct race_worker *worker)
{
    while (race_now_us() < worker->task.until_us && !worker->stop) {
        enum race_kind kind = choose_kind(worker);
        uint64_t slot = race_random(&worker->random) % worker->front->slots;
        uint64_t next = enter_name(worker, kind, slot);
        uint64_t index = next * worker->front->slots + slot;
        bool special = false; /* an increment, a deletion */
        os_verdict verdict = OS_NOT_EXECUTED;
        switch (kind) {
        case RACE_CREATE: verdict = create_item(worker, index); break;
        case RACE_UPDATE: verdict = update_item(worker, index, &special); break;
        case RACE_COPY: verdict = copy_item(worker, index); break;
        case RACE_DELETE: verdict = delete_or_create(worker, index, &special); break;
        case RACE_KINDS: break;
        }
        leave_name(worker, kind, slot, next, verdict, kind == RACE_DELETE && special);
        if (verdict == OS_NOT_EXECUTED)
            race_pause_shortly(worker);
    }
}

void race_work(struct race_worker *worker)
{
    if (worker->task.until_us != 0) {
        work_until(worker);
        return;
    }
    for (unsigned kind = 0; kind < RACE_KINDS; kind++)
        work_through(worker, (enum race_kind)kind);
}
