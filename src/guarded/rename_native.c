/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rename by one RenameObject, the first candidate of its write plan: source and target change together, natively. The object
 * keeps its metadata, so it carries no nonce of ours by which a lost answer could be made up for. A client token goes
 * along, against layers that send a request again, but nothing rests on it: SeaweedFS 4.48 answers the second copy with
 * 200, and applies it once more where the source has been made anew. So it is sent once (R6), and what is not answered
 * definitely is unknown.
 */
#include "base/error.h"
#include "client/store_call.h"
#include "commit/verdict.h"
#include "guarded/call.h"

#include <assert.h>
#include <string.h>

static os_code rename_native_ask(struct guarded *guarded, struct store_call *store_call, os_error *err)
{
    const os_call call = guarded_rest_of_call(guarded);
    store_call->may_repeat = store_call->request.verb == STORE_HEAD;
    os_code code = store_call_run(store_call, guarded->client, &call, err);
    guarded->outcome.result.requests += store_call->requests;
    return code;
}

static void rename_native_conclude(struct guarded *guarded, os_verdict verdict, const char *rule)
{
    os_result *result = &guarded->outcome.result;
    guarded->outcome.verdict = verdict;
    memcpy(result->rule, rule, strlen(rule) + 1);
}

static os_code find_source(struct guarded *guarded, struct s3_object *ret, os_error *err)
{
    const struct driver_params *params = &guarded->params;
    struct store_call store_call = {.request = {.verb = STORE_HEAD, .key = params->source_key}};
    os_code code = rename_native_ask(guarded, &store_call, err);
    if (code == OS_ERR_NOT_FOUND) {
        error_set(err, OS_ERR_SOURCE, "The source %.300s of the rename does not exist.", params->source_key);
        error_service(err, 404, NULL, NULL);
        return OS_ERR_SOURCE;
    }
    if (code != OS_OK)
        return code;
    if (params->source_etag && strcmp(params->source_etag, store_call.object.etag) != 0)
        return error_set(err, OS_ERR_SOURCE, "The source %.300s now has the ETag %s, not %s; it was not renamed.",
                         params->source_key, store_call.object.etag, params->source_etag);
    *ret = store_call.object;
    return OS_OK;
}

/* 412 speaks of the target or of the source: a HEAD of the target tells them apart. */
static void rename_native_refused(struct guarded *guarded, const os_error *why)
{
    const struct driver_params *params = &guarded->params;
    struct store_call store_call = {.request = {.verb = STORE_HEAD, .key = params->key}};
    struct object_version found;
    os_error error;
    guarded->outcome.error = *why;
    rename_native_conclude(guarded, OS_NOT_EXECUTED, "R8");
    if (why->http_status == 404)
        guarded->outcome.error.code = OS_ERR_SOURCE;
    if (why->http_status != 412)
        return;
    guarded->outcome.error.code = OS_ERR_SOURCE;
    if (rename_native_ask(guarded, &store_call, &error) != OS_OK || store_call.object.delete_marker)
        return;
    const struct driver_expected expected = {.key = params->key, .etag = ""};
    driver_version_of(&store_call.object, &found);
    rename_native_conclude(guarded, OS_CONFLICT, "R7");
    driver_describe_conflict(&guarded->outcome, &expected, &found);
}

static void rename_native_unknown(struct guarded *guarded, const os_error *why)
{
    rename_native_conclude(guarded, OS_UNKNOWN, "R10");
    guarded->outcome.result.final = 1; /* nothing settles it */
    error_set(&guarded->outcome.error, OS_ERR_UNDECIDED,
              "The rename of %.200s to %.200s may have been applied, or may still be; there is no ticket for it: look "
              "where the object is. %.400s",
              guarded->params.source_key, guarded->params.key, why->message);
}

/* R8. What was answered in part, or with 5xx, client/store_call.c has called undecided; what was never sent has no
 * status. */
static bool is_definite(os_code code, const os_error *error)
{
    struct attempt_reply reply = {.sent = true, .complete = true, .status = error->http_status, .is_copy = true};
    if (code == OS_ERR_UNDECIDED)
        return false;
    if (error->http_status == 0)
        return true;
    reply.code = error->service_code;
    reply.message = error->message;
    enum attempt_answer answer = verdict_classify(&reply);
    return answer != ATTEMPT_AMBIGUOUS && answer != ATTEMPT_409;
}

static void rename_it(struct guarded *guarded, const struct s3_object *source, const char *token)
{
    assert(guarded->outcome.result.attempts == 0); /* sent once */
    const struct driver_params *params = &guarded->params;
    struct store_call store_call = {.request = {.verb = STORE_RENAME,
                                                .key = params->key,
                                                .source_key = params->source_key,
                                                .source_etag = source->etag,
                                                .nonce = token}};
    os_error error;
    write_plan_condition(&params->plan, NULL, &store_call.request.condition);
    guarded->outcome.result.attempts = 1;
    os_code code = rename_native_ask(guarded, &store_call, &error);
    if (code == OS_OK) {
        rename_native_conclude(guarded, OS_COMMITTED, "R9");
        error_clear(&guarded->outcome.error);
        memcpy(guarded->outcome.result.etag, source->etag, sizeof(source->etag)); /* it keeps its bytes */
    } else if (is_definite(code, &error)) {
        rename_native_refused(guarded, &error);
    } else {
        rename_native_unknown(guarded, &error);
    }
}

os_code rename_natively(struct guarded *guarded, bool *ret_keeps_token, os_error *err)
{
    struct s3_object source;
    *ret_keeps_token = false;
    char token[RECORD_NONCE_SIZE];
    struct clock_reading now;
    os_result *result = &guarded->outcome.result;
    const char *request = write_plan_request_name(guarded->params.plan.request);
    os_code code = driver_new_nonce(token) ? find_source(guarded, &source, err)
                                           : error_set(err, OS_ERR_IO, "The system gave no random bytes; try again.");
    if (code != OS_OK)
        return code;
    *ret_keeps_token = source.fencing != 0;
    if (*ret_keeps_token)
        return OS_OK;
    result->size = sizeof(*result);
    result->guard = guarded->params.plan.guard;
    result->guards = 1;
    memcpy(result->request, request, strlen(request) + 1);
    rename_it(guarded, &source, token);
    clock_read(&now);
    result->duration_ms = clock_elapsed_max(&guarded->begun, &now);
    guarded_report_metric(guarded);
    return OS_OK;
}
