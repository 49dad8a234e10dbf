/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "client/guarded.h"
#include "client/plain.h"
#include "client/way.h"

#include <stdlib.h>
#include <string.h>

struct staging {
    struct guarded *guarded;
    const struct staged_wish *wish;
    os_result sums;   /* of the rounds before: guards, attempts, requests, waited_ms */
    bool again;       /* the upload of the last round was of no more use */
    bool other_parts; /* the store has once found other parts than it had answered */
    char nonce[RECORD_NONCE_SIZE];
};

uint64_t client_stage_above(const os_client *client, bool create)
{
    struct way_rules rules;
    client_way_rules(client, &rules);
    return way_stage_above(&rules, WAY_PUT, create);
}

uint64_t guarded_deadline(const struct guarded *guarded)
{
    return guarded->begun.monotonic_ms + guarded->wish.deadline_ms;
}

uint64_t guarded_time_left(const struct guarded *guarded)
{
    struct clock_reading now;
    clock_read(&now);
    uint64_t deadline_ms = guarded_deadline(guarded);
    return deadline_ms > now.monotonic_ms ? deadline_ms - now.monotonic_ms : 1;
}

static bool is_over(const struct guarded *guarded)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms >= guarded_deadline(guarded);
}

/* ------------------------------------------------------------------------------------------------ one round */

static void not_executed(struct staging *staging, const os_error *error)
{
    struct run_outcome *outcome = &staging->guarded->outcome;
    memset(outcome, 0, sizeof(*outcome));
    outcome->verdict = OS_NOT_EXECUTED;
    outcome->error = *error;
}

/* A HEAD before anything is staged: gigabytes need not be sent to find out that the race is lost. */
static os_code look_first(struct staging *staging, bool *ret_conflict, os_error *err)
{
    const struct run_wish *wish = &staging->guarded->wish;
    os_call call = {.size = sizeof(call), .deadline_ms = guarded_time_left(staging->guarded), .cancel = wish->cancel};
    struct plain plain = {.request = {.verb = STORE_HEAD, .key = wish->key}, .may_repeat = true};
    staging->sums.requests++;
    os_code code = plain_run(&plain, staging->guarded->client, &call, err);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return code;
    struct object_version found = {.exists = code == OS_OK && !plain.object.delete_marker};
    if (found.exists) {
        memcpy(found.etag, plain.object.etag, sizeof(plain.object.etag));
        memcpy(found.version_id, plain.object.version_id, sizeof(plain.object.version_id));
    }
    *ret_conflict = wish->etag ? strcmp(found.etag, wish->etag) != 0 : found.exists;
    if (!*ret_conflict)
        return OS_OK;
    struct run_outcome *outcome = &staging->guarded->outcome;
    memset(outcome, 0, sizeof(*outcome));
    outcome->verdict = OS_CONFLICT;
    memcpy(outcome->result.rule, "R1", sizeof("R1"));
    run_describe_conflict(outcome, wish->key, wish->etag ? wish->etag : "", &found);
    return OS_OK;
}

static os_code stage(struct staging *staging, struct staged *ret, os_error *err)
{
    const struct run_wish *wish = &staging->guarded->wish;
    const struct stage_wish parts = {
        .name = wish->name,
        .key = wish->key,
        .creation = staging->wish->creation,
        .nonce = staging->nonce,
        .source = staging->wish->source,
        .body = staging->wish->body,
        .deadline_monotonic_ms = guarded_deadline(staging->guarded),
        .cancel = wish->cancel,
        .progress = wish->progress,
        .progress_context = wish->progress_context,
    };
    memset(ret, 0, sizeof(*ret));
    if (!run_new_nonce(staging->nonce))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes, so no nonce could be made for %.300s.",
                         wish->key);
    return stage_parts(staging->guarded->client, &parts, ret, err);
}

static os_code complete(struct staging *staging, const struct staged *staged, os_error *err)
{
    struct guarded *guarded = staging->guarded;
    const struct run_upload upload = {
        .id = staged->upload_id,
        .nonce = staging->nonce,
        .parts = staged->parts,
        .part_count = staged->part_count,
        .completion = &staged->completion,
    };
    struct run_wish wish = guarded->wish;
    guarded->wish.operation = GUARD_COMPLETE;
    guarded->wish.upload = &upload;
    guarded->wish.deadline_ms = guarded_time_left(guarded);
    guarded->wish.progress = NULL;
    os_code code = guarded_once(guarded, err);
    guarded->wish = wish;
    return code;
}

static void add_sums(struct staging *staging)
{
    const os_result *round = &staging->guarded->outcome.result;
    staging->sums.guards += round->guards;
    staging->sums.attempts += round->attempts;
    staging->sums.requests += round->requests;
    staging->sums.waited_ms += round->waited_ms;
}

/*
 * The Complete was refused, and so not applied (R8), as a part is not what the store called it when it was sent: a copy
 * of an UploadPart that came late gives a part another ETag where ETags are not of the bytes alone. Counts once: a
 * store that never knows its own parts again would be sent them until the deadline.
 */
static bool has_other_parts(struct staging *staging)
{
    const struct run_outcome *outcome = &staging->guarded->outcome;
    if (staging->other_parts || outcome->verdict != OS_NOT_EXECUTED)
        return false;
    staging->other_parts = strcmp(outcome->error.service_code, "InvalidPart") == 0;
    return staging->other_parts;
}

/* Leaves the round's outcome in guarded->outcome. */
static void play_round(struct staging *staging)
{
    struct guarded *guarded = staging->guarded;
    struct staged staged;
    os_error error;
    os_code code = stage(staging, &staged, &error);
    staging->again = code == OS_ERR_EXPIRED;
    staging->sums.requests += staged.requests;
    if (code == OS_OK)
        code = complete(staging, &staged, &error);
    if (code == OS_OK) {
        staging->again = guarded->outcome.stage_again || has_other_parts(staging);
        add_sums(staging);
    } else {
        not_executed(staging, &error);
    }
    os_verdict verdict = guarded->outcome.verdict;
    if (staged.upload_id[0] && verdict != OS_COMMITTED && verdict != OS_UNKNOWN)
        stage_abort(guarded->client, guarded->wish.key, staged.upload_id, staged.parts_in_doubt,
                    guarded_deadline(guarded));
    staged_free(&staged);
}

/* ------------------------------------------------------------------------------------------------ the call */

static void play(struct staging *staging)
{
    bool can_read_again = staging->wish->source != NULL || !staging->wish->body->goes_on;
    bool conflict = false;
    os_error error;
    do {
        staging->again = false;
        if (look_first(staging, &conflict, &error) != OS_OK)
            not_executed(staging, &error);
        else if (!conflict)
            play_round(staging);
    } while (staging->again && can_read_again && !is_over(staging->guarded));
}

static void tell_metric(struct sync *sync)
{
    struct guarded *guarded = (struct guarded *)sync;
    guarded_note_metric(guarded->client, guarded);
    sync_finish(sync);
}

os_verdict staged_run(struct guarded *guarded, const struct staged_wish *wish, os_result *ret, os_error *err)
{
    struct staging staging = {.guarded = guarded, .wish = wish, .sums = {.requests = wish->requests}};
    struct clock_reading now;
    guarded->staged = true;
    play(&staging);
    os_result *result = &guarded->outcome.result;
    clock_read(&now);
    const struct way *way = &guarded->wish.way;
    const char *request = way_request_name(way->request);
    result->size = sizeof(*result);
    result->guard = way->guard;
    memcpy(result->request, request, strlen(request) + 1);
    result->guards = staging.sums.guards;
    result->attempts = staging.sums.attempts;
    result->requests = staging.sums.requests;
    result->waited_ms = staging.sums.waited_ms;
    result->duration_ms = clock_elapsed_max(&guarded->begun, &now);
    guarded->sync.start = tell_metric;
    sync_run(guarded->client, &guarded->sync, NULL);
    return guarded_give(guarded, ret, err);
}
