/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of a call whose Complete came to nothing: its upload is aborted, and where only the fence says so, the
 * object is looked at once more (R14). */
#include "base/error.h"
#include "client/store_call.h"
#include "client/ticket.h"
#include "guarded/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERIFY_AGAIN_MS = 2000 };

os_code guarded_head(struct guarded *guarded, uint64_t deadline_ms, uint64_t grace_ms, struct guarded_seen *ret,
                     os_error *err)
{
    os_call call = {.size = sizeof(call), .deadline_ms = deadline_ms, .cancel = guarded->params.cancel};
    struct store_call store_call = {
        .request = {.verb = STORE_HEAD, .key = guarded->params.key}, .may_repeat = true, .grace_ms = grace_ms};
    memset(ret, 0, sizeof(*ret));
    os_code code = store_call_run(&store_call, guarded->client, &call, err);
    ret->requests = store_call.requests;
    if (code == OS_OK)
        driver_version_of(&store_call.object, &ret->version);
    ret->has_length = store_call.object.has_length;
    ret->length = store_call.object.length;
    return code == OS_ERR_NOT_FOUND ? OS_OK : code;
}

static void prove(struct driver_outcome *outcome, const struct object_version *version, const char *nonce)
{
    static const struct object_version not_known = {.exists = false};
    const struct object_version *ours = strcmp(version->nonce, nonce) == 0 ? version : &not_known;
    os_result *result = &outcome->result;
    outcome->verdict = OS_COMMITTED;
    memcpy(result->rule, "V4", sizeof("V4"));
    memcpy(result->etag, ours->etag, sizeof(ours->etag));
    memcpy(result->version_id, ours->version_id, sizeof(ours->version_id));
    memset(result->found_etag, 0, sizeof(result->found_etag));
    memset(result->found_version_id, 0, sizeof(result->found_version_id));
    error_clear(&outcome->error);
}

/* `ask_again_ms`: 0 where waiting does not help. Leaves it without a ticket. */
static void make_unknown(struct guarded *guarded, uint64_t ask_again_ms, const char *why, const os_error *trouble)
{
    struct driver_outcome *outcome = &guarded->outcome;
    os_result *result = &outcome->result;
    outcome->verdict = OS_UNKNOWN;
    memset(result->found_etag, 0, sizeof(result->found_etag));
    memset(result->found_version_id, 0, sizeof(result->found_version_id));
    result->ask_again_ms = ask_again_ms;
    error_set(&outcome->error, OS_ERR_UNDECIDED,
              "%s of %.300s was not answered in time, so it may be lost; and %s. Resolve its ticket, and delete "
              "nothing that it could refer to until then. %.300s",
              guarded->params.ticket ? "The write" : guarded->params.name, guarded->params.key, why,
              trouble->code != OS_OK ? trouble->message : "");
}

/* Of an upload that may have been open when its Complete was called lost (ListParts may have been refused), and is gone
 * before our abort: it was aborted by somebody else, or completed after all, and then another may have replaced or
 * deleted what it made. An absent object cannot be told from one that came and went. */
static bool is_as_it_was(const struct driver_outcome *outcome, const struct object_version *found,
                         enum upload_abort_outcome aborted)
{
    bool may_have_gone = aborted == UPLOAD_WAS_GONE && !outcome->upload_gone && !found->exists;
    return !may_have_gone && version_same(found, &outcome->attempted->lost_at);
}

bool guarded_judge_seen(struct guarded *guarded, struct guard_ticket *written, const struct guarded_seen *seen)
{
    static const os_error no_trouble = {.code = OS_OK};
    const struct object_version *version = &seen->version;
    const char *nonce = written->record.nonce;
    if (!version_shows_nonce(version, nonce))
        return false;
    enum version_extent extent = VERSION_WHOLE; /* of what a successor has replaced */
    if (strcmp(version->nonce, nonce) == 0) {   /* V4.7 */
        extent = version_extent_of(seen->has_length, seen->length, written->has_length, written->length);
        bool torn = version_is_torn(version, nonce, &written->base, written->expected_etag);
        written->half = torn || extent == VERSION_CUT || (extent == VERSION_UNSIZED && written->half);
    }
    if (written->half) /* V4.8 */
        make_unknown(guarded, VERIFY_AGAIN_MS, "the store shows only a part of it", &no_trouble);
    else if (extent == VERSION_UNSIZED)
        make_unknown(guarded, VERIFY_AGAIN_MS, "the store does not say how many bytes of it there are", &no_trouble);
    else
        prove(&guarded->outcome, version, nonce);
    return true;
}

/* A store may be at a Complete for longer than its allowance. What an aborted upload has not become by now, it will not
 * become: so the HEAD comes after the abort. A cancellation, or a deadline that has just passed, leaves both
 * UPLOAD_ABORT_MS: the verdict rests on them. */
static void verify_by_head(struct guarded *guarded, enum upload_abort_outcome aborted)
{
    struct driver_outcome *outcome = &guarded->outcome;
    assert(outcome->by_fence && (outcome->verdict == OS_NOT_EXECUTED || outcome->verdict == OS_CONFLICT));
    os_error trouble = {.code = OS_OK};
    struct guarded_seen found;
    uint64_t left_ms = guarded_time_left(guarded);
    if (aborted == UPLOAD_MAY_STAY) {
        make_unknown(guarded, VERIFY_AGAIN_MS, "its upload could not be aborted (s3:AbortMultipartUpload)", &trouble);
        return;
    }
    os_code code =
        guarded_head(guarded, left_ms < UPLOAD_ABORT_MS ? UPLOAD_ABORT_MS : left_ms, UPLOAD_ABORT_MS, &found, &trouble);
    outcome->result.requests += found.requests;
    if (code != OS_OK)
        make_unknown(guarded, VERIFY_AGAIN_MS, "the object could not be read after its upload was aborted", &trouble);
    else if (!guarded_judge_seen(guarded, &outcome->attempted->ticket, &found) &&
             !is_as_it_was(outcome, &found.version, aborted))
        make_unknown(guarded, VERIFY_AGAIN_MS,
                     "since then this write or another one has changed the object or its upload", &trouble);
}

static void verify_and_add_ticket(struct guarded *guarded, const char *upload_id, enum upload_abort_outcome aborted)
{
    verify_by_head(guarded, aborted);
    guarded_add_ticket(guarded, &guarded->outcome.attempted->ticket, upload_id);
}

/* V4.5: what was seen applied may be an earlier upload's of this call. Best effort: the record is still there. */
void guarded_drop_upload(struct guarded *guarded, const char *upload_id, bool parts_in_doubt)
{
    const struct driver_outcome *outcome = &guarded->outcome;
    if (outcome->verdict != OS_COMMITTED || strcmp(outcome->result.rule, "R9") == 0)
        return;
    const struct upload_abort_params params = {.upload_id = upload_id,
                                               .parts_in_doubt = parts_in_doubt,
                                               .deadline_monotonic_ms = guarded_deadline(guarded),
                                               .cancel = guarded->params.cancel};
    (void)upload_abort(guarded->client, guarded->params.key, &params);
}

void guarded_end_upload(struct guarded *guarded, const char *upload_id, bool parts_in_doubt)
{
    const struct driver_outcome *outcome = &guarded->outcome;
    if (outcome->verdict != OS_NOT_EXECUTED && outcome->verdict != OS_CONFLICT)
        return;
    const struct upload_abort_params params = {.upload_id = upload_id,
                                               .parts_in_doubt = parts_in_doubt,
                                               .deadline_monotonic_ms = guarded_deadline(guarded),
                                               .cancel = guarded->params.cancel};
    enum upload_abort_outcome aborted = upload_abort(guarded->client, guarded->params.key, &params);
    if (outcome->by_fence)
        verify_and_add_ticket(guarded, upload_id, aborted);
}

/* R17. What the store has called gone in the round that decided needs no abort. */
void guarded_end_ticket(struct guarded *guarded, const char *upload_id, bool may_abort)
{
    const struct driver_outcome *outcome = &guarded->outcome;
    const os_error trouble = {.code = OS_OK};
    if (may_abort || (outcome->verdict != OS_NOT_EXECUTED && outcome->verdict != OS_CONFLICT))
        guarded_end_upload(guarded, upload_id, guarded->params.ticket->parts_in_doubt);
    else if (outcome->by_fence && outcome->upload_gone)
        verify_and_add_ticket(guarded, upload_id, UPLOAD_WAS_GONE);
    else if (!outcome->by_fence)
        log_line(&guarded->client->log, OS_LOG_WARN,
                 "%s: the upload %s was not aborted, because only the ticket says whose it is; it stays until "
                 "`oscommit gc` or a rule of the bucket removes it",
                 guarded->params.key, upload_id);
    else {
        make_unknown(guarded, 0,
                     "its upload may still be open, and only the ticket says that the upload belongs to this write. If "
                     "the ticket is your own, set abort_upload (--abort-upload)",
                     &trouble);
        guarded_add_ticket(guarded, &outcome->attempted->ticket, upload_id);
    }
}
