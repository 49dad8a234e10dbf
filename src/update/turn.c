/* SPDX-License-Identifier: Apache-2.0 */
#include "update/turn.h"

#include "update/habit.h"

#include "base/container.h"
#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HANDED_MOST = 64 << 10 }; /* bytes: it is copied on the I/O thread */

bool update_version_set(struct update_version *version, const char *etag, const void *data, size_t length)
{
    assert(version->data == NULL);
    version->data = malloc(length + 1);
    if (version->data == NULL)
        return false;
    if (length > 0)
        memcpy(version->data, data, length);
    ((char *)version->data)[length] = '\0';
    version->length = length;
    version->exists = true;
    TEXT_COPY_STR_CUT(etag, version->etag);
    return true;
}

void update_version_clear(struct update_version *version)
{
    free(version->data);
    memset(version, 0, sizeof(*version));
}

/* ------------------------------------------------------------------------------------------------ arriving */

static void turn_grant(struct update_turn *turn)
{
    turn->etags = turn->client->etags;
    turn->habit = update_habit_of(turn->client, turn->key);
    turn->has = true;
    sync_finish(&turn->sync);
}

/* Posted by whoever had the turn before. */
static void turn_is_called(struct loop_job *job)
{
    struct update_turn *turn = container_of(job, struct update_turn, call);
    op_end(&turn->op);
    turn_grant(turn);
}

/* Never: the call comes as a job. */
static void turn_attempt(struct op *op)
{
    (void)op;
}

static void turn_refuse(struct update_turn *turn)
{
    assert(turn->error.code != OS_OK);
    sync_finish(&turn->sync);
}

/* One that was called in the meantime hears of its deadline in its first round. */
static void turn_given_up(struct op *op, enum op_reason reason)
{
    struct update_turn *turn = container_of(op, struct update_turn, op);
    if (!line_give_up(&turn->member))
        return;
    op_end(&turn->op);
    error_set(&turn->error, op_reason_code(reason),
              "update of %.300s was ended while it waited for an earlier one of the same process, because %s; nothing "
              "was written.",
              turn->key, op_reason_clause(reason));
    turn_refuse(turn);
}

static void turn_wait(struct update_turn *turn)
{
    if (op_begin(&turn->op, &turn->limits, turn_attempt, turn_given_up)) {
        log_line(&turn->client->log, OS_LOG_DEBUG, "update of %s waits for an earlier one of this process", turn->key);
        return;
    }
    if (!line_give_up(&turn->member))
        return;
    error_no_memory(&turn->error);
    turn_refuse(turn);
}

static void turn_arrive(struct sync *sync)
{
    struct update_turn *turn = container_of(sync, struct update_turn, sync);
    switch (line_arrive(&turn->member)) {
    case LINE_FIRST: turn_grant(turn); return;
    case LINE_BEHIND: turn_wait(turn); return;
    case LINE_OWN: break;
    }
    error_set(&turn->error, OS_ERR_ARGUMENT,
              "os_update of %.300s was called within its own transform and would wait for itself; nothing was "
              "written.",
              turn->key);
    turn_refuse(turn);
}

os_code update_turn_take(struct update_turn *turn, os_error *err)
{
    if (!monitor_init(&turn->departed)) /* now: who has the turn must be able to leave */
        return error_no_memory(err);
    line_place_of(&turn->client->settings, turn->key, &turn->member.place);
    thread_self(&turn->member.thread);
    turn->call.run = turn_is_called;
    turn->sync.start = turn_arrive;
    os_code code = sync_run(turn->client, &turn->sync, err);
    if (code == OS_OK && !turn->has) {
        *err = turn->error;
        code = err->code;
    }
    if (code != OS_OK)
        monitor_destroy(&turn->departed);
    return code;
}

/* ------------------------------------------------------------------------------------------------ leaving */

/* No bytes for another client: it may have no right to read them. */
static void turn_hand_on(const struct update_turn *turn, struct update_turn *next)
{
    const struct update_version *offer = turn->offer;
    if (offer && offer->length <= HANDED_MOST && next->client == turn->client)
        (void)update_version_set(&next->handed, offer->etag, offer->data, offer->length); /* else it reads */
    loop_post(next->client->loop, &next->call);
}

static void turn_depart(struct loop_job *job)
{
    struct update_turn *turn = container_of(job, struct update_turn, departure);
    update_habit_keep(turn->client, &turn->habit);
    struct line_member *next = line_leave(&turn->member);
    if (next)
        turn_hand_on(turn, container_of(next, struct update_turn, member));
    monitor_enter(&turn->departed);
    turn->is_gone = true;
    monitor_wake(&turn->departed); /* inside: the owner destroys it right after */
    monitor_leave(&turn->departed);
}

void update_turn_leave(struct update_turn *turn, const struct update_version *written)
{
    assert(turn->has);
    turn->offer = written;
    turn->departure.run = turn_depart;
    loop_post(turn->client->loop, &turn->departure);
    monitor_enter(&turn->departed);
    while (!turn->is_gone)
        monitor_wait(&turn->departed);
    monitor_leave(&turn->departed);
    monitor_destroy(&turn->departed);
}
