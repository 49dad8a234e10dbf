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

/* ------------------------------------------------------------------------------------------------ the line */

static void turn_unlink(struct update_turn *turn)
{
    struct update_turn **link = &turn->client->updates;
    while (*link != turn)
        link = &(*link)->next;
    *link = turn->next;
}

/* The first of the turn's key. */
static struct update_turn *turn_of_key(const os_client *client, const char *key)
{
    struct update_turn *turn = client->updates;
    while (turn && strcmp(turn->key, key) != 0)
        turn = turn->next;
    return turn;
}

static void turn_append(struct update_turn *turn)
{
    struct update_turn **link = &turn->client->updates;
    while (*link)
        link = &(*link)->next;
    *link = turn;
}

/* ------------------------------------------------------------------------------------------------ arriving */

static void turn_grant(struct update_turn *turn)
{
    turn->etags = turn->client->etags;
    turn->habit = update_habit_of(turn->client, turn->key);
    turn->has = true;
    sync_finish(&turn->sync);
}

static void turn_is_due(struct op *op)
{
    struct update_turn *turn = container_of(op, struct update_turn, op);
    op_end(&turn->op);
    turn_grant(turn);
}

static void turn_given_up(struct op *op, enum op_reason reason)
{
    struct update_turn *turn = container_of(op, struct update_turn, op);
    op_end(&turn->op);
    turn_unlink(turn);
    error_set(&turn->error, op_reason_code(reason),
              "update of %.300s was ended while it waited for an earlier one of the same client, because %s; nothing "
              "was written.",
              turn->key, op_reason_clause(reason));
    sync_finish(&turn->sync);
}

static void turn_wait(struct update_turn *turn)
{
    if (op_begin(&turn->op, &turn->limits, turn_is_due, turn_given_up)) {
        log_line(&turn->client->log, OS_LOG_DEBUG, "update of %s waits for an earlier one of this client", turn->key);
        return;
    }
    turn_unlink(turn);
    error_no_memory(&turn->error);
    sync_finish(&turn->sync);
}

static void turn_arrive(struct sync *sync)
{
    struct update_turn *turn = container_of(sync, struct update_turn, sync);
    const struct update_turn *holder = turn_of_key(turn->client, turn->key);
    if (holder && thread_same(&holder->thread, &turn->thread)) {
        error_set(&turn->error, OS_ERR_ARGUMENT,
                  "os_update of %.300s was called within its own transform and would wait for itself; nothing was "
                  "written.",
                  turn->key);
        sync_finish(sync);
        return;
    }
    turn_append(turn);
    if (holder)
        turn_wait(turn);
    else
        turn_grant(turn);
}

os_code update_turn_take(struct update_turn *turn, os_error *err)
{
    if (!monitor_init(&turn->departed)) /* now: who has the turn must be able to leave */
        return error_no_memory(err);
    thread_self(&turn->thread);
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

static void turn_hand_on(struct update_turn *turn, struct update_turn *next)
{
    const struct update_version *offer = turn->offer;
    if (offer && offer->length <= HANDED_MOST)
        (void)update_version_set(&next->handed, offer->etag, offer->data, offer->length); /* else it reads */
    turn_is_due(&next->op);
}

static void turn_depart(struct loop_job *job)
{
    struct update_turn *turn = container_of(job, struct update_turn, departure);
    turn_unlink(turn);
    update_habit_keep(turn->client, &turn->habit);
    struct update_turn *next = turn_of_key(turn->client, turn->key);
    if (next)
        turn_hand_on(turn, next);
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
