/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "client/plan.h"
#include "guarded/call.h"

#include <stdlib.h>
#include <string.h>

struct staging {
    struct guarded *guarded;
    const struct staged_wish *wish;
    os_result sums;                /* of the rounds before: guards, attempts, requests, waited_ms */
    bool again;                    /* the upload of the last round was of no more use */
    uint32_t length_s;             /* E6 */
    bool other_parts;              /* the store has once found other parts than it had answered */
    char nonce[RECORD_NONCE_SIZE]; /* of every upload of the call: V4 knows each of its Completes again */
};

uint64_t client_stage_above(const os_client *client, bool create)
{
    struct way_rules rules;
    client_way_rules(client, &rules);
    return way_stage_above(&rules, WAY_PUT, create);
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
static os_code look_first(struct staging *staging, bool *ret_decided, os_error *err)
{
    const struct run_wish *wish = &staging->guarded->wish;
    struct run_outcome *outcome = &staging->guarded->outcome;
    struct object_version found;
    staging->sums.requests++;
    os_code code = guarded_look(staging->guarded, guarded_time_left(staging->guarded), 0, &found, err);
    if (code != OS_OK)
        return code;
    bool ours = strcmp(found.nonce, staging->nonce) == 0; /* an earlier round's, thought to be lost */
    bool tells = !wish->etag || !found.exists || !run_etag_is_missing(found.etag); /* else the run asks on */
    *ret_decided = ours || (tells && (wish->etag ? strcmp(found.etag, wish->etag) != 0 : found.exists));
    if (!*ret_decided)
        return OS_OK;
    memset(outcome, 0, sizeof(*outcome));
    if (ours) {
        guarded_prove(outcome, &found);
        return OS_OK;
    }
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
        .parts_in_doubt = staged->parts_in_doubt,
    };
    struct run_wish wish = guarded->wish;
    guarded->wish.operation = GUARD_COMPLETE;
    guarded->wish.upload = &upload;
    guarded->wish.deadline_ms = guarded_time_left(guarded);
    guarded->wish.length_s = staging->length_s;
    guarded->wish.progress = NULL;
    os_code code = guarded_once(guarded, err);
    guarded->wish = wish;
    staging->length_s = guarded->outcome.length_s;
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
    if (code == OS_OK)
        staging->again = guarded->outcome.stage_again || has_other_parts(staging);
    else
        not_executed(staging, &error);
    if (staged.upload_id[0])
        guarded_end_upload(guarded, staged.upload_id, staged.parts_in_doubt);
    staging->again = staging->again && guarded->outcome.verdict == OS_NOT_EXECUTED;
    add_sums(staging);
    staged_free(&staged);
}

/* ------------------------------------------------------------------------------------------------ the call */

static void play(struct staging *staging)
{
    bool can_read_again = staging->wish->source != NULL || !staging->wish->body->goes_on;
    bool decided = false;
    os_error error;
    if (!run_new_nonce(staging->nonce)) {
        error_set(&error, OS_ERR_IO, "The system gave no random bytes, so no nonce could be made for %.300s.",
                  staging->guarded->wish.key);
        not_executed(staging, &error);
        return;
    }
    do {
        staging->again = false;
        if (look_first(staging, &decided, &error) != OS_OK)
            not_executed(staging, &error);
        else if (!decided)
            play_round(staging);
    } while (staging->again && can_read_again && !is_over(staging->guarded));
}

os_verdict staged_run(struct guarded *guarded, const struct staged_wish *wish, os_result *ret, os_error *err)
{
    struct staging staging = {.guarded = guarded, .wish = wish, .sums = {.requests = wish->requests}};
    struct clock_reading now;
    guarded->tells_late = true;
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
    guarded_tell_metric(guarded);
    return guarded_give(guarded, ret, err);
}
