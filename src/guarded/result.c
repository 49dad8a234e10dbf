/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished guard means for the caller: verdict, result, and a sentence. */
#include "guarded/driver.h"

#include "base/error.h"
#include "base/human.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static os_verdict public_verdict(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_COMMITTED: return OS_COMMITTED;
    case VERDICT_CONFLICT: return OS_CONFLICT;
    case VERDICT_NOT_EXECUTED: return OS_NOT_EXECUTED;
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: break;
    }
    return OS_UNKNOWN;
}

static void copy_cut(char *ret, size_t ret_size, const char *from)
{
    size_t len = strnlen(from, ret_size - 1);
    memcpy(ret, from, len);
    ret[len] = '\0';
}

void run_describe_conflict(struct run_outcome *outcome, const char *key, const char *expected_etag,
                           const struct object_version *found)
{
    os_result *result = &outcome->result;
    copy_cut(result->found_etag, sizeof(result->found_etag), found->etag);
    copy_cut(result->found_version_id, sizeof(result->found_version_id), found->version_id);
    char expected[VERSION_ETAG_SIZE + 32] = "nothing there";
    if (expected_etag[0])
        snprintf(expected, sizeof(expected), "the version %s", expected_etag);
    if (found->exists)
        error_set(&outcome->error, OS_ERR_CONFLICT, "%s has the ETag %s; the call expected %s. Nothing was written.",
                  key, found->etag, expected);
    else
        error_set(&outcome->error, OS_ERR_CONFLICT, "%s does not exist; the call expected %s. Nothing was written.",
                  key, expected);
}

/* The service's own error, under a code that is never a success. */
static void use_last_error(struct run *run, os_code otherwise, const char *sentence)
{
    if (run->io.last_error.code != OS_OK)
        run->outcome.error = run->io.last_error;
    else
        error_set(&run->outcome.error, otherwise, "%s: %s", run->key, sentence);
}

static void describe_source(struct run *run)
{
    run->outcome.error = run->io.source.error;
    if (run->outcome.error.code == OS_ERR_NOT_FOUND || run->outcome.error.code == OS_ERR_DENIED)
        run->outcome.error.code = OS_ERR_SOURCE;
}

static const char *last_words(const struct run *run)
{
    return run->io.last_error.code != OS_OK ? run->io.last_error.message : "";
}

static bool goes_with_condition(const struct way *way)
{
    return way->conditional || way->vendor != S3_VENDOR_NONE;
}

/* The store refused a copy's precondition though the target is as expected: it is given one on the source, and one on
 * the target only where R7 says so. */
static void describe_unmet(struct run *run)
{
    if (run->wish.way.guard == OS_GUARD_NATIVE)
        error_set(&run->outcome.error, OS_ERR_REFUSED,
                  "The store refused the condition on %s although the expected version is there. Check the copy's "
                  "source, probe the store again, or use guard=record. %.400s",
                  run->key, last_words(run));
    else if (run->wish.ticket) /* which says neither what was copied nor which conditions went along */
        error_set(&run->outcome.error, OS_ERR_REFUSED,
                  "The store refused the write of %.300s although the expected version is there; nothing was written. "
                  "Read the object again and decide anew.",
                  run->key);
    else if (run->wish.operation == GUARD_COPY && !goes_with_condition(&run->wish.way))
        error_set(&run->outcome.error, OS_ERR_SOURCE,
                  "The source %.300s was changed while it was being copied to %.300s; nothing was written. Call again.",
                  run->wish.source_key, run->key);
    else
        error_set(&run->outcome.error, OS_ERR_REFUSED,
                  "The store refused the condition on %s although the expected version is there. Use guard=record with "
                  "condition_headers=off for this store, or check the copy's source. %.400s",
                  run->key, last_words(run));
}

/* What the last words do not name, which are the ledger's. */
static void add_mend(struct run *run)
{
    if (run->io.records.away)
        ledger_add_mend(run->client->ledger, &run->outcome.error);
}

static void describe_stop(struct run *run, const char *meanwhile)
{
    const char *colon = run->io.last_error.code != OS_OK ? " Last trouble: " : "";
    if (run->cancelled)
        error_set(&run->outcome.error, OS_ERR_CANCELLED, "%s of %s was cancelled%s; nothing was written.%s%.500s",
                  run->wish.name, run->key, meanwhile, colon, last_words(run));
    else
        error_set(&run->outcome.error, run->io.last_error.code == OS_ERR_THROTTLED ? OS_ERR_THROTTLED : OS_ERR_DEADLINE,
                  "The deadline of %s of %s passed%s; nothing was written.%s%.500s", run->wish.name, run->key,
                  meanwhile, colon, last_words(run));
    add_mend(run);
}

/* How long a holder that is dead is in the way, as a clause. */
static void describe_wait(const struct run *run, char *ret, size_t ret_size)
{
    const struct record *seen = &run->guard.seen;
    const struct guard_settings *settings = &run->guard.settings;
    char text[HUMAN_SIZE];
    if (seen->has_fence) {
        uint64_t margin_s = settings->margin_s;
        human_time(seen->fence_s > UINT64_MAX - margin_s ? UINT64_MAX : seen->fence_s + margin_s, text);
        snprintf(ret, ret_size, "held until %s by the store's clock", text);
    } else {
        human_span(record_bound_ms(seen->timeout_ms, settings->max_clock_skew_rate), text);
        snprintf(ret, ret_size, "without a fence, so contenders wait %s", text);
    }
}

static void describe_busy(struct run *run)
{
    const struct record *seen = &run->guard.seen;
    char wait[HUMAN_SIZE + 64];
    describe_wait(run, wait, sizeof(wait));
    error_set(&run->outcome.error, run->cancelled ? OS_ERR_CANCELLED : OS_ERR_BUSY,
              "Another writer holds the record of %.300s (etag %.100s, generation %llu, %s) and the %s; nothing was "
              "written. Call again; where its writer is dead, look at it with `oscommit table show`, and hand it over "
              "with `oscommit table release`.",
              run->key, guard_record_etag(&run->guard), (unsigned long long)seen->generation, wait,
              run->cancelled ? "call was cancelled" : "deadline passed first");
}

/* The sentence of one that cannot be read is the ledger's. */
static void describe_impassable(struct run *run)
{
    if (run->guard.seen.generation != UINT64_MAX && run->io.last_error.code != OS_OK)
        run->outcome.error = run->io.last_error;
    else
        error_set(&run->outcome.error, OS_ERR_TABLE,
                  "The record of %.300s (etag %.100s) has the last generation, so nobody can take it over; nothing was "
                  "written. " RECORD_MEND,
                  run->key, guard_record_etag(&run->guard));
}

static void describe_again(struct run *run)
{
    if (run->wish.ticket) {
        error_set(&run->outcome.error, OS_ERR_EXPIRED,
                  "The write of %s that the ticket describes was not applied and never will be; call again.", run->key);
        return;
    }
    os_code code = OS_ERR_EXPIRED;
    const char *why = "each attempt was too late for its own signature or lease";
    if (run->guard.reason == GUARD_REASON_RECORD_GONE) {
        code = OS_ERR_BUSY;
        why = "its record was removed while it was waited for";
    } else if (run->guard.reason == GUARD_REASON_NOT_SENT) {
        code = OS_ERR_NETWORK;
        why = "the store could not be reached";
    } else if (run->guard.reason == GUARD_REASON_SKEWED) {
        code = OS_ERR_SERVICE;
        why = "the store refused the time of the signature";
    }
    const char *colon = run->io.last_error.code != OS_OK ? " Last trouble: " : "";
    error_set(&run->outcome.error, run->cancelled ? OS_ERR_CANCELLED : code,
              "%s of %s failed until it was ended: %s; nothing was written.%s%.500s", run->wish.name, run->key, why,
              colon, last_words(run));
}

/* The caller of the run may stage the parts again: this is what is told where it cannot. */
static void describe_stage_again(struct run *run)
{
    run->outcome.stage_again = true;
    error_set(&run->outcome.error, OS_ERR_EXPIRED,
              "The parts of %.300s must be uploaded again, because %s; nothing was written. Call again.", run->key,
              run->guard.answered_409 > 0 ? "the store was busy with another write of it"
                                          : "a writer that took over aborted their upload");
}

/* The last error names the service, and what to look at. */
static void describe_given_up(struct run *run)
{
    const char *words = last_words(run);
    os_error *error = &run->outcome.error;
    *error = run->io.last_error;
    if (error->code == OS_ERR_DEADLINE && run->outcome.away)
        error->code = OS_ERR_NETWORK; /* the caller's own deadline has not come */
    if (run->outcome.verdict == OS_UNKNOWN && run->outcome.away)
        run->outcome.result.ask_again_ms = run_ask_again_ms(run);
    if (run->outcome.verdict == OS_UNKNOWN)
        error_set(error, OS_ERR_UNDECIDED,
                  "The outcome of the write of %.300s is still unknown, because %s. Resolve its ticket again when that "
                  "is corrected. %.600s",
                  run->key, run->io.gave_up, words);
    else
        error_set(error, error->code, "%s of %.300s was given up before anything was written, because %s. %.600s",
                  run->wish.name, run->key, run->io.gave_up, words);
}

static void describe_not_executed(struct run *run)
{
    os_error *error = &run->outcome.error;
    if (run->io.gave_up) {
        describe_given_up(run);
        return;
    }
    switch ((enum guard_reason)run->guard.reason) {
    case GUARD_REASON_SOURCE: describe_source(run); return;
    case GUARD_REASON_SOURCE_TOO_LARGE:
        error_set(error, OS_ERR_TOO_LARGE,
                  "The source %s is over 5 GiB, which one CopyObject cannot copy; nothing was written.",
                  run->wish.source_key);
        return;
    case GUARD_REASON_UNREADABLE_RECORD: describe_impassable(run); return;
    case GUARD_REASON_UNMET: describe_unmet(run); return;
    case GUARD_REASON_BUSY: describe_busy(run); return;
    case GUARD_REASON_STAGE_AGAIN: describe_stage_again(run); return;
    case GUARD_REASON_ABORT_REFUSED:
        error_set(error, OS_ERR_DENIED,
                  "Another writer has left the record of %.300s (etag %.100s) and an upload, and this client cannot "
                  "abort that upload; nothing was written. Allow s3:AbortMultipartUpload; or, when no writer of this "
                  "key is running, release the record with `oscommit table release --force`. %.300s",
                  run->key, guard_record_etag(&run->guard), last_words(run));
        return;
    case GUARD_REASON_STOPPED: describe_stop(run, " before its attempt could be applied"); return;
    case GUARD_REASON_RECORD_GONE:
    case GUARD_REASON_TOO_LATE:
    case GUARD_REASON_EXPIRED:
    case GUARD_REASON_NOT_SENT:
    case GUARD_REASON_SKEWED: describe_again(run); return;
    default:
        use_last_error(run, OS_ERR_REFUSED, "the service refused the request.");
        if (error->code == OS_ERR_CONFLICT)
            error->code = OS_ERR_REFUSED;
        if (error->code == OS_ERR_NOT_FOUND && run->wish.operation == GUARD_COPY)
            error->code = OS_ERR_SOURCE; /* it was there at its HEAD */
        return;
    }
}

/* Waiting brings none; a right might. */
static void describe_no_evidence(struct run *run)
{
    const char *what = run->wish.ticket ? "the write" : run->wish.name;
    const char *colon = run->io.last_error.code != OS_OK ? " Last trouble: " : "";
    const char *why = "the object has changed since then, or is too young to be distinguished from the write, or the "
                      "evidence is too old or is a record of object_store, which has no nonce";
    if (run->guard.settings.native)
        why = "the object is neither the old nor the written version, and without a record no evidence was kept";
    const char *hope = "Asking again does not help";
    if (run->io.versions_denied)
        hope = "The bucket's versions may decide it: allow s3:ListBucketVersions, s3:GetObjectVersion and "
               "s3:GetBucketVersioning and resolve the ticket within 20 hours, or else";
    else if (run->io.versions_await)
        hope = "The bucket's versions can decide it once the key has been written again: resolve the ticket then, "
               "within 20 hours";
    run->outcome.result.final = !run->io.versions_denied && !run->io.versions_await;
    error_set(&run->outcome.error, OS_ERR_UNDECIDED,
              "It is not known whether %s of %s was applied: %s. %s; compare the object with what was written.%s%.400s",
              what, run->key, why, hope, colon, last_words(run));
}

static void describe_undecided(struct run *run)
{
    const char *colon = run->io.last_error.code != OS_OK ? " Last trouble: " : "";
    run->outcome.result.ask_again_ms = run_ask_again_ms(run);
    error_set(&run->outcome.error, OS_ERR_UNDECIDED,
              "%s of %s may have been applied, or may still be: the %s before it was certain. Resolve its ticket, and "
              "delete nothing that it could refer to until then.%s%.400s",
              run->wish.ticket ? "The write" : run->wish.name, run->key,
              run->cancelled ? "call was cancelled" : "deadline passed", colon, last_words(run));
    add_mend(run);
}

static void describe_unknown(struct run *run)
{
    guard_ticket_of(&run->guard, &run->outcome.ticket);
    if (run->io.gave_up) {
        describe_given_up(run);
        return;
    }
    switch ((enum guard_reason)run->guard.reason) {
    case GUARD_REASON_NO_EVIDENCE: describe_no_evidence(run); return;
    case GUARD_REASON_FALSE_TICKET:
        memset(&run->outcome.ticket, 0, sizeof(run->outcome.ticket));
        error_set(
            &run->outcome.error, OS_ERR_ARGUMENT,
            "The ticket contradicts the record of %.300s: nonce and generation are the same, but other attributes "
            "differ. Somebody has changed the ticket. Nothing was released; use the ticket as the call gave it.",
            run->key);
        return;
    default: describe_undecided(run); return;
    }
}

/* A ticket says no more than whether there was a record. */
static enum way_request request_of(enum guard_operation operation)
{
    switch (operation) {
    case GUARD_PUT: return WAY_PUT_OBJECT;
    case GUARD_COPY: return WAY_COPY_OBJECT;
    case GUARD_DELETE: return WAY_DELETE_OBJECT;
    case GUARD_COMPLETE: break;
    }
    return WAY_COMPLETE_UPLOAD;
}

static void describe_way(const struct run *run, os_result *result)
{
    const struct way *way = &run->wish.way;
    result->guard = way->guard;
    if (run->wish.ticket)
        result->guard = run->wish.ticket->native ? OS_GUARD_NATIVE : OS_GUARD_RECORD;
    enum way_request request = run->wish.ticket ? request_of(run->wish.operation) : way->request;
    copy_cut(result->request, sizeof(result->request), way_request_name(request));
}

void run_describe(struct run *run)
{
    const struct guard *guard = &run->guard;
    os_result *result = &run->outcome.result;
    run->outcome.verdict = public_verdict(guard_verdict(guard));
    result->generation = guard->ours.generation;
    result->took_over = guard->took_over;
    result->fenced = guard->ours.has_fence;
    copy_cut(result->rule, sizeof(result->rule), guard_rule_name(guard));
    describe_way(run, result);
    switch (run->outcome.verdict) {
    case OS_COMMITTED:
        copy_cut(result->etag, sizeof(result->etag), guard->found.etag);
        copy_cut(result->version_id, sizeof(result->version_id),
                 guard->found.exists ? guard->found.version_id : run->io.attempt.marker_version_id);
        error_clear(&run->outcome.error);
        break;
    case OS_CONFLICT: run_describe_conflict(&run->outcome, run->key, guard->expected_etag, &guard->found); break;
    case OS_NOT_EXECUTED: describe_not_executed(run); break;
    case OS_UNKNOWN: describe_unknown(run); break;
    }
}
