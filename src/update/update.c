/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of read, transform, write, until one is not lost to another writer. Only a conflict begins another round: it
 * is the one verdict that says both that nothing was written and that there is something new to read (V6).
 */
#include "update/update.h"

#include "base/error.h"
#include "client/arguments.h"
#include "client/pause.h"
#include "guarded/guarded.h"
#include "update/habit.h"
#include "update/read.h"
#include "update/turn.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPDATE_LENGTH_MOST (UINT64_C(64) << 20)

enum {
    BACKOFF_ROUNDS_MOST = 32, /* so many rounds' time, where so many conflicts came in a row */
    BACKOFF_LONGEST_MS = 5000
};

struct update {
    os_client *client;
    const struct update_arguments *arguments;
    os_update_options options;
    char *key;            /* whole; own */
    os_call call;         /* as taken; its deadline is that of the whole */
    uint64_t deadline_ms; /* on the monotonic clock */
    struct update_turn turn;

    struct update_version current; /* data NULL, and exists: not read yet */
    bool is_known;                 /* `current` is, without a read of this round's own */
    os_body body;                  /* of the transform */
    uint64_t round_began_ms;
    uint64_t waited_ms;         /* of the last round, for records of others */
    uint64_t shortest_round_ms; /* of those that were lost */
    uint64_t random;

    os_verdict verdict;
    os_result result; /* of the last write; its counts are of all */
    os_error error;
};

static os_call update_rest_of_call(const struct update *update)
{
    os_call rest = update->call;
    rest.deadline_ms = clock_left_for_call_ms(update->deadline_ms);
    return rest;
}

/* False: there is no other round. */
static bool update_end(struct update *update, os_verdict verdict)
{
    update->verdict = verdict;
    return false;
}

/* What the last write says stays true: nothing was written after it. */
static bool update_lost(struct update *update)
{
    char sentence[96];
    (void)snprintf(sentence, sizeof(sentence), "The deadline of update passed after %u conflicts.",
                   update->result.conflicts);
    error_add(&update->error, sentence);
    return update_end(update, OS_CONFLICT);
}

static bool update_refuse(struct update *update, os_code code)
{
    assert(code != OS_OK);
    update->error.code = code;
    return update_end(update, OS_NOT_EXECUTED);
}

/* ------------------------------------------------------------------------------------------------ read */

static os_code read_object(struct update *update, os_error *err)
{
    struct update_reading reading = {
        .client = update->client,
        .key = update->arguments->key,
        .max_length = update->options.max_length,
        .cancel = update->call.cancel,
        .deadline_ms = update->deadline_ms,
        .etags_are_md5 = update->turn.etags != CLIENT_ETAGS_OTHER,
        .random = random_next(&update->random),
    };
    update_version_clear(&update->current);
    os_code code = update_read_version(&reading, &update->current, err);
    update->result.requests += reading.requests;
    if (code == OS_OK)
        update_habit_note_read(&update->turn.habit, update->current.etag);
    return code;
}

/* The reason of a read that failed because no time was left is the writer that won. */
static bool update_read(struct update *update)
{
    os_error error = {0};
    update->round_began_ms = clock_monotonic_ms();
    if (update->is_known)
        return true;
    os_code code = read_object(update, &error);
    if (code == OS_OK || code == OS_ERR_NOT_FOUND)
        return true;
    if (update->result.conflicts > 0 && code != OS_ERR_CANCELLED && clock_left_ms(update->deadline_ms) == 0)
        return update_lost(update);
    update->error = error;
    if (code == OS_ERR_TOO_LARGE)
        error_add(&update->error, "Allow more by max_length (--max-length).");
    return update_refuse(update, code);
}

/* ------------------------------------------------------------------------------------------------ transform */

static bool check_body(struct update *update)
{
    const os_body *body = &update->body;
    const char *key = update->arguments->key;
    if (body->file || body->read || (body->data == NULL && body->length > 0))
        return update_refuse(update, error_set(&update->error, OS_ERR_ARGUMENT,
                                               "The transform of %.300s must give its bytes in memory; nothing was "
                                               "written.",
                                               key));
    if (body->length > update->options.max_length)
        return update_refuse(update, error_set(&update->error, OS_ERR_TOO_LARGE,
                                               "The transform made %llu bytes of %.300s, and max_length allows %llu; "
                                               "nothing was written.",
                                               (unsigned long long)body->length, key,
                                               (unsigned long long)update->options.max_length));
    return true;
}

static bool is_same(const struct update *update)
{
    const struct update_version *current = &update->current;
    const os_body *body = &update->body;
    return current->exists && current->length == body->length &&
           (body->length == 0 || (body->data && memcmp(current->data, body->data, (size_t)body->length) == 0));
}

static bool update_unchanged(struct update *update)
{
    os_result *result = &update->result;
    result->unchanged = 1;
    result->guard = OS_GUARD_AUTO;
    TEXT_COPY_STR_CUT("", result->request);
    TEXT_COPY_STR_CUT("", result->rule);
    TEXT_COPY_STR_CUT("", result->found_etag);
    TEXT_COPY_STR_CUT("", result->found_version_id);
    TEXT_COPY_STR_CUT(update->current.etag, result->etag);
    error_clear(&update->error);
    return update_end(update, OS_COMMITTED);
}

static int run_transform(struct update *update)
{
    const struct update_version *found = &update->current;
    const os_current current = {
        .size = sizeof(current),
        .key = update->arguments->key,
        .exists = found->exists,
        .data = found->data ? found->data : "",
        .length = found->length,
        .etag = found->etag,
        .round = update->result.conflicts + 1,
    };
    update->body = (os_body){.size = sizeof(update->body)};
    return update->arguments->transform(update->arguments->context, &current, &update->body);
}

/* V6.2: what is known without a read of this call's own may be of a time before it. */
static bool update_transform(struct update *update)
{
    int stops = run_transform(update);
    bool same = is_same(update) && !update->options.always_write;
    bool ends = stops != 0 || same || update->body.length > update->options.max_length;
    if (ends && update->is_known) {
        update->is_known = false;
        return update_read(update) && update_transform(update);
    }
    if (stops != 0)
        return update_refuse(update, error_set(&update->error, OS_ERR_STOPPED,
                                               "The transform of %.300s ended the update (%d); nothing was written.",
                                               update->arguments->key, stops));
    if (!check_body(update))
        return false;
    return !same || update_unchanged(update);
}

/* ------------------------------------------------------------------------------------------------ write */

static os_verdict write_once(struct update *update, os_result *ret)
{
    const os_call call = update_rest_of_call(update);
    const struct guarded_arguments put = {
        .name = "update",
        .key = update->arguments->key,
        .replaces = update->current.exists,
        .etag = update->current.etag,
        .body = &update->body,
        .put_options = update->options.put,
        .call = &call,
    };
    return guarded_call(update->client, &put, guarded_put, ret, &update->error);
}

static void add_write(os_result *sum, os_result *write)
{
    write->guards += sum->guards;
    write->attempts += sum->attempts;
    write->requests += sum->requests;
    write->waited_ms += sum->waited_ms;
    write->took_over |= sum->took_over;
    write->conflicts = sum->conflicts;
    *sum = *write;
}

/* So many contenders there seem to be as conflicts came in a row, and a round of each takes so long. */
static uint64_t backoff_ms(struct update *update)
{
    uint64_t rounds = update->result.conflicts < BACKOFF_ROUNDS_MOST ? update->result.conflicts : BACKOFF_ROUNDS_MOST;
    uint64_t most_ms = rounds * update->shortest_round_ms;
    if (most_ms > BACKOFF_LONGEST_MS)
        most_ms = BACKOFF_LONGEST_MS;
    return random_next(&update->random) % (most_ms + 1);
}

/* Without the records of others. */
static uint64_t update_round_ms(const struct update *update)
{
    uint64_t took_ms = clock_monotonic_ms() - update->round_began_ms;
    return took_ms > update->waited_ms ? took_ms - update->waited_ms : 1;
}

/* A round that could not be finished any more is not begun: its write might end unknown. */
static bool update_wait(struct update *update)
{
    uint64_t took_ms = update_round_ms(update);
    if (took_ms < update->shortest_round_ms || update->result.conflicts == 1)
        update->shortest_round_ms = took_ms;
    uint64_t left_ms = clock_left_ms(update->deadline_ms);
    if (left_ms <= update->shortest_round_ms)
        return update_lost(update);
    uint64_t wait_ms = backoff_ms(update);
    uint64_t most_ms = left_ms - update->shortest_round_ms - 1;
    if (client_pause(update->client, update->call.cancel, wait_ms < most_ms ? wait_ms : most_ms))
        return true;
    error_set(&update->error, OS_ERR_CANCELLED, "update of %.300s was cancelled; nothing was written.",
              update->arguments->key);
    return update_refuse(update, OS_ERR_CANCELLED);
}

/* Of what is there instead, the conflict says only the ETag. So an absent object need not be read. */
static void note_conflict(struct update *update)
{
    bool was_there = update->current.exists;
    update->result.conflicts++;
    update->is_known = was_there && update->result.found_etag[0] == '\0';
    update_version_clear(&update->current);
}

/* L10: another round would find the same. */
static bool is_fenced(const struct update *update, const os_result *write)
{
    uint64_t token = arguments_fencing(update->options.put);
    return token != 0 && write->found_fencing > token;
}

static bool update_write(struct update *update)
{
    os_result write = OS_RESULT_INIT;
    os_verdict verdict = write_once(update, &write);
    update->waited_ms = write.waited_ms;
    add_write(&update->result, &write);
    if (verdict != OS_CONFLICT || is_fenced(update, &write))
        return update_end(update, verdict);
    note_conflict(update);
    return update_wait(update);
}

/* ------------------------------------------------------------------------------------------------ all */

/* Before anything is read: without a ledger, neither a creation nor a replacement may be possible. */
static os_code may_write(const os_client *client, os_error *err)
{
    os_code code = client_may_put(client, true, NULL);
    return code == OS_OK ? OS_OK : client_may_put(client, false, err);
}

static os_code update_take(struct update *update)
{
    const struct update_arguments *arguments = update->arguments;
    os_error *err = &update->error;
    os_call call;
    os_code code = arguments_take_call(arguments->call, &call, err);
    if (code == OS_OK)
        code = versioned_copy(arguments->options, &update->options, sizeof(update->options), "os_update_options", err);
    if (code == OS_OK)
        code = client_object_key(update->client, arguments->key, &update->key, err);
    if (code == OS_OK && arguments->transform == NULL)
        code = error_set(err, OS_ERR_ARGUMENT, "os_update of %.300s has no transform.", update->key);
    if (code == OS_OK)
        code = may_write(update->client, err);
    if (code == OS_OK && !random_bytes(&update->random, sizeof(update->random)))
        code = error_set(err, OS_ERR_IO, "The system has no random bytes; nothing was written.");
    if (code != OS_OK)
        return code;
    if (update->options.max_length == 0)
        update->options.max_length = UPDATE_LENGTH_MOST;
    update->call = call;
    update->deadline_ms = clock_monotonic_ms() + call.deadline_ms;
    update->turn = (struct update_turn){
        .client = update->client, .key = update->key, .limits = client_limits(update->client, &call)};
    return OS_OK;
}

/* So that others have their turn. */
static void update_yield(struct update *update)
{
    uint64_t wait_ms = update_habit_wait_ms(&update->turn.habit, &update->random);
    if (wait_ms > 0 && wait_ms < clock_left_ms(update->deadline_ms))
        (void)client_pause(update->client, update->call.cancel, wait_ms); /* of a cancellation the round hears, too */
}

static void update_rounds(struct update *update)
{
    update_yield(update);
    while (update_read(update) && update_transform(update) && update_write(update))
        ;
}

/* Where others compete, what was written is soon not what is there. */
static void leave_turn(struct update *update)
{
    struct update_version written = {.data = (void *)update->body.data, .length = (size_t)update->body.length};
    bool good = update->verdict == OS_COMMITTED && !update->result.unchanged && update->result.conflicts == 0 &&
                update->result.etag[0] != '\0';
    TEXT_COPY_STR_CUT(update->result.etag, written.etag);
    update_habit_note_end(&update->turn.habit, update->result.conflicts, update_round_ms(update),
                          update->verdict == OS_COMMITTED ? update->result.etag : "");
    update_turn_leave(&update->turn, good ? &written : NULL);
}

static void update_in_turn(struct update *update)
{
    os_code code = update_take(update);
    if (code == OS_OK)
        code = update_turn_take(&update->turn, &update->error);
    if (code != OS_OK) {
        update_refuse(update, code);
        return;
    }
    update->current = update->turn.handed;
    update->is_known = update->current.data != NULL;
    update_rounds(update);
    leave_turn(update);
}

static void update_finish(struct update *update, uint64_t began_ms)
{
    update_version_clear(&update->current);
    free(update->key);
    update->result.final = update->result.final || update->verdict != OS_UNKNOWN;
    update->result.duration_ms = clock_monotonic_ms() - began_ms;
}

os_verdict update_run(os_client *client, const struct update_arguments *arguments, os_result *ret, os_error *err)
{
    struct update update = {.client = client, .arguments = arguments, .result = OS_RESULT_INIT};
    struct inside inside;
    uint64_t began_ms = clock_monotonic_ms();
    os_code code = client_enter(client, &inside, &update.error);
    if (code == OS_OK) {
        update_in_turn(&update);
        client_leave(client, &inside);
    } else {
        update_refuse(&update, code);
    }
    update_finish(&update, began_ms);
    if (err)
        *err = update.error;
    guarded_give_result(&update.result, ret);
    return update.verdict;
}
