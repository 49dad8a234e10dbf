/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "client/plan.h"
#include "client/store_call.h"
#include "commit/words.h"
#include "guarded/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct multipart {
    struct guarded *guarded;
    const struct multipart_params *params;
    os_result sums;              /* of the rounds before: guards, attempts, requests, waited_ms */
    bool again;                  /* the upload of the last round was of no more use */
    uint32_t length_s;           /* E6 */
    bool other_parts;            /* the store has once found other parts than it had answered */
    struct guard_ticket written; /* by the Completes of the rounds before. All of the call have its nonce (V4) */
    char lost_upload[RECORD_UPLOAD_SIZE]; /* of the one that it describes; "": none was lost */
};

static bool multipart_is_over(const struct guarded *guarded)
{
    return clock_left_ms(guarded_deadline(guarded)) == 0;
}

/* ------------------------------------------------------------------------------------------------ one round */

static void multipart_not_executed(struct multipart *multipart, const os_error *error)
{
    struct driver_outcome *outcome = &multipart->guarded->outcome;
    driver_outcome_clear(outcome);
    outcome->verdict = OS_NOT_EXECUTED;
    outcome->error = *error;
}

/* No attempt was lost, so no ticket could settle it. */
static void multipart_contradicts(struct multipart *multipart)
{
    struct driver_outcome *outcome = &multipart->guarded->outcome;
    outcome->result.ask_again_ms = 0;
    outcome->result.final = 1;
    memcpy(outcome->result.rule, "V4", sizeof("V4"));
    error_set(
        &outcome->error, OS_ERR_UNDECIDED,
        "The store refused the write of %.300s, and shows something of it all the same. Compare the object with what "
        "was written.",
        multipart->guarded->params.key);
}

/* Without an ETag nothing tells: the driver asks on. */
static bool multipart_is_broken(const struct driver_params *params, const struct object_version *found)
{
    if (!params->etag)
        return found->exists;
    if (found->exists && driver_etag_is_missing(found->etag))
        return false;
    return strcmp(found->etag, params->etag) != 0 || version_is_fenced(found, params->fencing);
}

/* A HEAD before any part is sent: gigabytes need not be sent to find out that the race is lost. */
static os_code multipart_head_first(struct multipart *multipart, bool *ret_decided, os_error *err)
{
    const struct driver_params *params = &multipart->guarded->params;
    struct driver_outcome *outcome = &multipart->guarded->outcome;
    struct guarded_seen seen;
    const struct object_version *found = &seen.version;
    os_code code = guarded_head(multipart->guarded, guarded_time_left(multipart->guarded), 0, &seen, err);
    multipart->sums.requests += seen.requests;
    if (code != OS_OK)
        return code;
    bool ours = guarded_judge_seen(multipart->guarded, &multipart->written, &seen); /* it was thought to be lost */
    if (ours && multipart->lost_upload[0])
        guarded_add_ticket(multipart->guarded, &multipart->written, multipart->lost_upload);
    else if (ours && outcome->verdict == OS_UNKNOWN)
        multipart_contradicts(multipart);
    *ret_decided = ours || multipart_is_broken(params, found);
    if (ours || !*ret_decided)
        return OS_OK;
    driver_outcome_clear(outcome);
    outcome->verdict = OS_CONFLICT;
    memcpy(outcome->result.rule, "R1", sizeof("R1"));
    const struct driver_expected expected = {
        .key = params->key, .etag = params->etag ? params->etag : "", .fencing = params->fencing};
    driver_describe_conflict(outcome, &expected, found);
    return OS_OK;
}

static os_code multipart_upload(struct multipart *multipart, struct uploaded *ret, os_error *err)
{
    const struct driver_params *params = &multipart->guarded->params;
    const struct upload_params parts = {
        .name = params->name,
        .key = params->key,
        .creation = multipart->params->creation,
        .nonce = multipart->written.record.nonce,
        .source = multipart->params->source,
        .body = multipart->params->body,
        .deadline_monotonic_ms = guarded_deadline(multipart->guarded),
        .cancel = params->cancel,
        .progress = params->progress,
        .progress_context = params->progress_context,
    };
    memset(ret, 0, sizeof(*ret));
    return upload_parts(multipart->guarded->client, &parts, ret, err);
}

/* R15.8: some stores ignore the pin of a part. What is named by its version id needs none. */
static os_code multipart_check_source(struct multipart *multipart, os_error *err)
{
    const struct upload_source *source = multipart->params->source;
    const os_call call = guarded_rest_of_call(multipart->guarded);
    if (source == NULL || version_is_own_id(source->version_id))
        return OS_OK;
    struct store_call store_call = {
        .request = {.verb = STORE_HEAD, .key = source->key, .version_id = source->version_id}, .may_repeat = true};
    const struct s3_object *found = &store_call.object;
    os_code code = store_call_run(&store_call, multipart->guarded->client, &call, err);
    multipart->sums.requests += store_call.requests;
    bool same = strcmp(found->etag, source->etag) == 0 && (!found->has_length || found->length == source->length) &&
                found->last_modified_s == multipart->params->source_modified_s;
    if (code != OS_ERR_NOT_FOUND && (code != OS_OK || same))
        return code;
    return upload_refuse_source(source, multipart->guarded->params.key, code != OS_OK, err);
}

/* Each round expects the same and sends the same bytes. What was lost is settled by its own fence. */
static void multipart_note_written(struct multipart *multipart, const struct driver_upload *upload)
{
    const struct driver_attempted *attempted = multipart->guarded->outcome.attempted;
    if (attempted && attempted->ticket.record.nonce[0]) {
        multipart->written = attempted->ticket;
        fixed_str_copy(multipart->lost_upload, upload->id, sizeof(multipart->lost_upload));
    }
    multipart->written.has_length = true;
    multipart->written.length = upload->length;
}

static os_code multipart_complete(struct multipart *multipart, const struct uploaded *uploaded, os_error *err)
{
    struct guarded *guarded = multipart->guarded;
    assert(uploaded->upload_id[0] && uploaded->part_count > 0);
    const struct driver_upload upload = {
        .id = uploaded->upload_id,
        .nonce = multipart->written.record.nonce,
        .parts = uploaded->parts,
        .part_count = uploaded->part_count,
        .completion = &uploaded->completion,
        .length = multipart->params->source ? multipart->params->source->length : uploaded->completion.length,
        .parts_in_doubt = uploaded->parts_in_doubt,
    };
    struct driver_params params = guarded->params;
    guarded->params.operation = GUARD_COMPLETE;
    guarded->params.upload = &upload;
    guarded->params.deadline_ms = guarded_time_left(guarded);
    guarded->params.length_s = multipart->length_s;
    guarded->params.progress = NULL;
    os_code code = guarded_once(guarded, err);
    guarded->params = params;
    multipart->length_s = guarded->outcome.length_s;
    multipart_note_written(multipart, &upload);
    return code;
}

static void multipart_add_sums(struct multipart *multipart)
{
    const os_result *round = &multipart->guarded->outcome.result;
    multipart->sums.guards += round->guards;
    multipart->sums.attempts += round->attempts;
    multipart->sums.requests += round->requests;
    multipart->sums.waited_ms += round->waited_ms;
}

/*
 * The Complete was refused, and so not applied (R8), as a part is not what the store called it when it was sent: a copy
 * of an UploadPart that came late gives a part another ETag where ETags are not of the bytes alone. Counts once: a
 * store that never knows its own parts again would be sent them until the deadline.
 */
static bool has_other_parts(struct multipart *multipart)
{
    const struct driver_outcome *outcome = &multipart->guarded->outcome;
    if (multipart->other_parts || outcome->verdict != OS_NOT_EXECUTED)
        return false;
    multipart->other_parts = strcmp(outcome->error.service_code, "InvalidPart") == 0;
    return multipart->other_parts;
}

/* Leaves the round's outcome in guarded->outcome. */
static void multipart_round(struct multipart *multipart)
{
    struct guarded *guarded = multipart->guarded;
    struct uploaded uploaded;
    os_error error;
    os_code code = multipart_upload(multipart, &uploaded, &error);
    multipart->again = code == OS_ERR_EXPIRED;
    multipart->sums.requests += uploaded.requests;
    if (code == OS_OK)
        code = multipart_check_source(multipart, &error);
    if (code == OS_OK)
        code = multipart_complete(multipart, &uploaded, &error);
    if (code == OS_OK)
        multipart->again = guarded->outcome.upload_again || has_other_parts(multipart);
    else
        multipart_not_executed(multipart, &error);
    if (uploaded.upload_id[0] && multipart->sums.attempts > 0)
        guarded_drop_upload(guarded, uploaded.upload_id, uploaded.parts_in_doubt);
    if (uploaded.upload_id[0])
        guarded_end_upload(guarded, uploaded.upload_id, uploaded.parts_in_doubt);
    multipart->again = multipart->again && guarded->outcome.verdict == OS_NOT_EXECUTED;
    multipart_add_sums(multipart);
    uploaded_free(&uploaded);
}

/* ------------------------------------------------------------------------------------------------ the call */

static void multipart_attempt(struct multipart *multipart)
{
    bool can_read_again = multipart->params->source != NULL || !multipart->params->body->goes_on;
    bool decided = false;
    os_error error;
    const char *etag = multipart->guarded->params.etag;
    struct backoff backoff = {.random = multipart->guarded->begun.realtime_ms};
    fixed_str_copy(multipart->written.expected_etag, etag ? etag : RECORD_ETAG_CREATE,
                   sizeof(multipart->written.expected_etag));
    if (!driver_new_nonce(multipart->written.record.nonce)) {
        error_set(&error, OS_ERR_IO, "The system gave no random bytes, so no nonce could be made for %.300s.",
                  multipart->guarded->params.key);
        multipart_not_executed(multipart, &error);
        return;
    }
    do {
        if (multipart->again)
            (void)guarded_pause(multipart->guarded, backoff_next_ms(&backoff)); /* cut short: the round says why */
        multipart->again = false;
        if (multipart_head_first(multipart, &decided, &error) != OS_OK)
            multipart_not_executed(multipart, &error);
        else if (!decided)
            multipart_round(multipart);
    } while (multipart->again && can_read_again && !multipart_is_over(multipart->guarded));
}

void multipart_put(struct guarded *guarded, const struct multipart_params *params)
{
    assert((params->source == NULL) != (params->body == NULL));
    struct multipart multipart = {.guarded = guarded, .params = params, .sums = {.requests = params->requests}};
    struct clock_reading now;
    guarded->reports_late = true;
    multipart_attempt(&multipart);
    os_result *result = &guarded->outcome.result;
    clock_read(&now);
    const struct write_plan *plan = &guarded->params.plan;
    const char *request = write_plan_request_name(plan->request);
    result->size = sizeof(*result);
    result->guard = plan->guard;
    memcpy(result->request, request, strlen(request) + 1);
    result->guards = multipart.sums.guards;
    result->attempts = multipart.sums.attempts;
    result->requests = multipart.sums.requests;
    result->waited_ms = multipart.sums.waited_ms;
    result->duration_ms = clock_elapsed_max(&guarded->begun, &now);
    guarded_report_metric(guarded);
}
