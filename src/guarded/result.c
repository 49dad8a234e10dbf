/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished guard means for the caller: verdict, result, and a sentence. */
#include "guarded/driver.h"

#include "base/error.h"
#include "base/human.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What has not happened to the object. */
static const char *deed(bool deletes)
{
    return deletes ? "deleted" : "written";
}

static const char *deed_of(const struct driver *driver)
{
    return deed(driver->params.operation == GUARD_DELETE);
}

/* L10 is told before what else is different: who has an old token is not to try again with another ETag. */
void driver_describe_conflict(struct driver_outcome *outcome, const struct driver_expected *expected,
                              const struct object_version *found)
{
    os_result *result = &outcome->result;
    TEXT_COPY_STR_CUT(found->etag, result->found_etag);
    TEXT_COPY_STR_CUT(found->version_id, result->found_version_id);
    result->found_fencing = found->fencing;
    char words[VERSION_ETAG_SIZE + 32] = "nothing there";
    if (expected->etag[0])
        snprintf(words, sizeof(words), "the ETag %s", expected->etag);
    if (version_is_fenced(found, expected->fencing))
        error_set(
            &outcome->error, OS_ERR_CONFLICT,
            "%.300s was written with the fencing token %llu, which is newer than %llu of this call: another holds the "
            "lease since then. Nothing was %s.",
            expected->key, (unsigned long long)found->fencing, (unsigned long long)expected->fencing,
            deed(expected->deletes));
    else if (found->exists)
        error_set(&outcome->error, OS_ERR_CONFLICT, "%s has the ETag %s; the call expected %s. Nothing was %s.",
                  expected->key, found->etag, words, deed(expected->deletes));
    else
        error_set(&outcome->error, OS_ERR_CONFLICT, "%s does not exist; the call expected %s. Nothing was %s.",
                  expected->key, words, deed(expected->deletes));
}

static void describe_conflict(struct driver *driver)
{
    const struct guard *guard = &driver->guard;
    const struct driver_expected expected = {driver->key, guard->write.expected_etag, guard->write.fencing,
                                             driver->params.operation == GUARD_DELETE};
    driver_describe_conflict(driver->outcome, &expected, &guard->outcome.found);
}

/* The service's own error, under a code that is never a success. */
static void use_last_error(struct driver *driver, os_code otherwise, const char *sentence)
{
    if (driver_last_code(driver) != OS_OK)
        driver->outcome->error = *driver->io.last_error;
    else
        error_set(&driver->outcome->error, otherwise, "%s: %s", driver->key, sentence);
}

static void describe_source(struct driver *driver)
{
    driver->outcome->error = driver->io.source->error;
    if (driver->outcome->error.code == OS_ERR_NOT_FOUND || driver->outcome->error.code == OS_ERR_DENIED)
        driver->outcome->error.code = OS_ERR_SOURCE;
}

static bool goes_with_condition(const struct write_plan *plan)
{
    return plan->conditional || plan->vendor != S3_VENDOR_NONE;
}

/* The store refused a copy's precondition though the target is as expected: it is given one on the source, and one on
 * the target only where R7 says so. */
static void describe_unmet(struct driver *driver)
{
    if (driver->params.plan.guard == OS_GUARD_NATIVE)
        error_set(&driver->outcome->error, OS_ERR_REFUSED,
                  "The store refused the condition on %s although the expected version is there. Check the copy's "
                  "source, probe the store again, or use guard=record. %.400s",
                  driver->key, driver_last_words(driver));
    else if (driver->params.ticket) /* which says neither what was copied nor which conditions went along */
        error_set(&driver->outcome->error, OS_ERR_REFUSED,
                  "The store refused the write of %.300s although the expected version is there; nothing was written. "
                  "Read the object again and decide anew.",
                  driver->key);
    else if (driver->params.operation == GUARD_COPY && !goes_with_condition(&driver->params.plan))
        error_set(&driver->outcome->error, OS_ERR_SOURCE,
                  "The source %.300s was changed while it was being copied to %.300s; nothing was written. Call again.",
                  driver->params.source_key, driver->key);
    else
        error_set(&driver->outcome->error, OS_ERR_REFUSED,
                  "The store refused the condition on %s although the expected version is there. Use guard=record with "
                  "condition_headers=off for this store, or check the copy's source. %.400s",
                  driver->key, driver_last_words(driver));
}

/* What the last words do not name, which are the ledger's. */
static void add_hint(struct driver *driver)
{
    if (driver->io.records.absence.away)
        table_add_hint(driver->client->ledger, &driver->outcome->error);
}

static void describe_stop(struct driver *driver, const char *meanwhile)
{
    const char *colon = driver_last_code(driver) != OS_OK ? " Last trouble: " : "";
    if (driver->cancelled)
        error_set(&driver->outcome->error, OS_ERR_CANCELLED, "%s of %s was cancelled%s; nothing was %s.%s%.500s",
                  driver->params.name, driver->key, meanwhile, deed_of(driver), colon, driver_last_words(driver));
    else
        error_set(&driver->outcome->error,
                  driver_last_code(driver) == OS_ERR_THROTTLED ? OS_ERR_THROTTLED : OS_ERR_DEADLINE,
                  "The deadline of %s of %s passed%s; nothing was %s.%s%.500s", driver->params.name, driver->key,
                  meanwhile, deed_of(driver), colon, driver_last_words(driver));
    add_hint(driver);
}

/* How long a holder that is dead is in the way, as a clause. */
static void describe_wait(const struct driver *driver, char *ret, size_t ret_size)
{
    const struct record *seen = &driver->guard.holder.record;
    const struct guard_settings *settings = &driver->guard.settings;
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

static void describe_busy(struct driver *driver)
{
    const struct record *seen = &driver->guard.holder.record;
    const char *other = driver->io.records.other_bucket;
    char wait[HUMAN_SIZE + 64];
    describe_wait(driver, wait, sizeof(wait));
    error_set(
        &driver->outcome->error, driver->cancelled ? OS_ERR_CANCELLED : OS_ERR_BUSY,
        "A record of %.300s is in the way (etag %.100s, generation %llu, %s), and the %s; nothing was %s. It "
        "is of a writer that is at it or is dead, or an earlier write left it, which may be your own.%s Call again; "
        "where its writer is dead, look at it with `oscommit table show`, and hand it over with `oscommit table "
        "release`.%s%s%s",
        driver->key, guard_record_etag(&driver->guard), (unsigned long long)seen->generation, wait,
        driver->cancelled ? "call was cancelled" : "deadline passed first", deed_of(driver),
        driver->guard.settings.release_always ? "" : " A write with release=always leaves none.",
        other ? " It was written for another bucket, " : "", other ? other : "",
        other ? ", which has the same table: see records_by_bucket." : "");
}

/* The sentence of one that cannot be read is the ledger's. */
static void describe_impassable(struct driver *driver)
{
    if (driver->guard.holder.record.generation != UINT64_MAX && driver_last_code(driver) != OS_OK)
        driver->outcome->error = *driver->io.last_error;
    else
        error_set(&driver->outcome->error, OS_ERR_TABLE,
                  "The record of %.300s (etag %.100s) has the last generation, so nobody can take it over; nothing was "
                  "written. " RECORD_MEND,
                  driver->key, guard_record_etag(&driver->guard));
}

static void describe_again(struct driver *driver)
{
    if (driver->params.ticket) {
        error_set(&driver->outcome->error, OS_ERR_EXPIRED,
                  "The write of %s that the ticket describes was not applied and never will be; call again.",
                  driver->key);
        return;
    }
    os_code code = OS_ERR_EXPIRED;
    const char *why = "each attempt was too late for its own signature or lease";
    if (driver->guard.outcome.reason == GUARD_REASON_RECORD_GONE) {
        code = OS_ERR_BUSY;
        why = "its record was removed while it was waited for";
    } else if (driver->guard.outcome.reason == GUARD_REASON_NOT_SENT) {
        code = OS_ERR_NETWORK;
        why = "the store could not be reached";
    } else if (driver->guard.outcome.reason == GUARD_REASON_MISTAKEN) {
        code = OS_ERR_BUSY;
        why = "the object, or the source of the copy, was another than was known";
    } else if (driver->guard.outcome.reason == GUARD_REASON_SKEWED) {
        code = OS_ERR_SERVICE;
        why = "the store refused the time of the signature";
    }
    const char *colon = driver_last_code(driver) != OS_OK ? " Last trouble: " : "";
    error_set(&driver->outcome->error, driver->cancelled ? OS_ERR_CANCELLED : code,
              "%s of %s failed until it was ended: %s; nothing was %s.%s%.500s", driver->params.name, driver->key, why,
              deed_of(driver), colon, driver_last_words(driver));
}

/* The caller of the driver may upload the parts again: this is said where it cannot. */
static void describe_upload_again(struct driver *driver)
{
    driver->outcome->upload_again = true;
    error_set(&driver->outcome->error, OS_ERR_EXPIRED,
              "The parts of %.300s must be uploaded again, because %s; nothing was written. Call again.", driver->key,
              driver->guard.attempt.answered_409 > 0 ? "the store was busy with another write of it"
                                                     : "a writer that took over aborted their upload");
}

/* The last error names the service, and what to look at. */
static void describe_given_up(struct driver *driver)
{
    const char *words = driver_last_words(driver);
    os_error *error = &driver->outcome->error;
    error_clear(error);
    if (driver->io.last_error)
        *error = *driver->io.last_error;
    else
        error->code = OS_ERR_NO_MEMORY; /* for what was said last */
    if (error->code == OS_ERR_DEADLINE && driver->tally.away)
        error->code = OS_ERR_NETWORK; /* the caller's own deadline has not come */
    if (driver->outcome->verdict == OS_UNKNOWN && driver->tally.away)
        driver->outcome->result.ask_again_ms = driver_ask_again_ms(driver);
    if (driver->outcome->verdict == OS_UNKNOWN)
        error_set(error, OS_ERR_UNDECIDED,
                  "The outcome of the write of %.300s is still unknown, because %s. Resolve its ticket again when that "
                  "is corrected. %.600s",
                  driver->key, driver->io.gave_up, words);
    else
        error_set(error, error->code, "%s of %.300s was given up before anything was written, because %s. %.600s",
                  driver->params.name, driver->key, driver->io.gave_up, words);
}

static void describe_not_executed(struct driver *driver)
{
    os_error *error = &driver->outcome->error;
    if (driver->io.gave_up) {
        describe_given_up(driver);
        return;
    }
    switch (driver->guard.outcome.reason) {
    case GUARD_REASON_SOURCE: describe_source(driver); return;
    case GUARD_REASON_SOURCE_TOO_LARGE:
        error_set(error, OS_ERR_TOO_LARGE,
                  "The source %s is over 5 GiB, which one CopyObject cannot copy; nothing was written.",
                  driver->params.source_key);
        return;
    case GUARD_REASON_UNREADABLE_RECORD: describe_impassable(driver); return;
    case GUARD_REASON_UNMET: describe_unmet(driver); return;
    case GUARD_REASON_SAME_ETAG:
        error_set(error, OS_ERR_ARGUMENT,
                  "%s of %.300s would write the bytes that are there; nothing was written. A forward-only key never "
                  "takes earlier bytes again (N4): its ETag would name two versions.",
                  driver->params.name, driver->key);
        return;
    case GUARD_REASON_BUSY: describe_busy(driver); return;
    case GUARD_REASON_UPLOAD_AGAIN: describe_upload_again(driver); return;
    case GUARD_REASON_ABORT_REFUSED:
        error_set(error, OS_ERR_DENIED,
                  "Another writer has left the record of %.300s (etag %.100s) and an upload, and this client cannot "
                  "abort that upload; nothing was %s. Allow s3:AbortMultipartUpload; or, when no writer of this "
                  "key is running, release the record with `oscommit table release --force`. %.300s",
                  driver->key, guard_record_etag(&driver->guard), deed_of(driver), driver_last_words(driver));
        return;
    case GUARD_REASON_STOPPED: describe_stop(driver, " before its attempt could be applied"); return;
    case GUARD_REASON_RECORD_GONE:
    case GUARD_REASON_TOO_LATE:
    case GUARD_REASON_EXPIRED:
    case GUARD_REASON_NOT_SENT:
    case GUARD_REASON_MISTAKEN:
    case GUARD_REASON_SKEWED: describe_again(driver); return;
    default:
        use_last_error(driver, OS_ERR_REFUSED, "the service refused the request.");
        if (error->code == OS_ERR_CONFLICT)
            error->code = OS_ERR_REFUSED;
        if (error->code == OS_ERR_NOT_FOUND && driver->params.operation == GUARD_COPY)
            error->code = OS_ERR_SOURCE; /* it was there at its HEAD */
        return;
    }
}

static const char *why_no_evidence(const struct guard *guard)
{
    if (guard->round.part)
        return "the store has shown only a part of it, and nothing since then tells whether the rest followed";
    if (!guard->settings.native)
        return "the object has changed since then, or is too young to be distinguished from the write, or the "
               "evidence is too old or is a record of object_store, which has no nonce";
    return guard->settings.forward_only
               ? "the object does not show the write now, and does not say what led to it"
               : "the object does not show the write now, which may have been replaced or deleted since, and without "
                 "a record no evidence was kept (forward_only keeps some, for keys that are never deleted)";
}

/* Waiting brings none; a right might. */
static void describe_no_evidence(struct driver *driver)
{
    const char *what = driver->params.ticket ? "the write" : driver->params.name;
    const char *colon = driver_last_code(driver) != OS_OK ? " Last trouble: " : "";
    const char *hope = "Asking again does not help";
    if (driver->io.versions_denied)
        hope = "The bucket's versions may decide it: allow s3:ListBucketVersions, s3:GetObjectVersion and "
               "s3:GetBucketVersioning and resolve the ticket within 20 hours, or else";
    else if (driver->io.versions_await)
        hope = "The bucket's versions can decide it once the key has been written again: resolve the ticket then, "
               "within 20 hours";
    driver->outcome->result.final = !driver->io.versions_denied && !driver->io.versions_await;
    error_set(&driver->outcome->error, OS_ERR_UNDECIDED,
              "It is not known whether %s of %s was applied: %s. %s; compare the object with what was written.%s%.400s",
              what, driver->key, why_no_evidence(&driver->guard), hope, colon, driver_last_words(driver));
}

static void describe_undecided(struct driver *driver)
{
    const char *colon = driver_last_code(driver) != OS_OK ? " Last trouble: " : "";
    driver->outcome->result.ask_again_ms = driver_ask_again_ms(driver);
    error_set(&driver->outcome->error, OS_ERR_UNDECIDED,
              "%s of %s may have been applied, or may still be: the %s before it was certain. Resolve its ticket, and "
              "delete nothing that it could refer to until then.%s%.400s",
              driver->params.ticket ? "The write" : driver->params.name, driver->key,
              driver->cancelled ? "call was cancelled" : "deadline passed", colon, driver_last_words(driver));
    add_hint(driver);
}

static void describe_unknown(struct driver *driver)
{
    if (driver->outcome->attempted == NULL)
        driver->outcome->attempted = calloc(1, sizeof(*driver->outcome->attempted));
    if (driver->outcome->attempted)
        driver_ticket_of(driver, &driver->outcome->attempted->ticket);
    if (driver->io.gave_up) {
        describe_given_up(driver);
        return;
    }
    switch (driver->guard.outcome.reason) {
    case GUARD_REASON_NO_EVIDENCE: describe_no_evidence(driver); return;
    case GUARD_REASON_FALSE_TICKET:
        memset(&driver->outcome->attempted->ticket, 0, sizeof(driver->outcome->attempted->ticket));
        error_set(
            &driver->outcome->error, OS_ERR_ARGUMENT,
            "The ticket contradicts the record of %.300s: nonce and generation are the same, but other attributes "
            "differ. Somebody has changed the ticket. Nothing was released; use the ticket as the call gave it.",
            driver->key);
        return;
    default: describe_undecided(driver); return;
    }
}

/* A ticket says no more than whether there was a record. */
static enum write_plan_request request_of(enum guard_operation operation)
{
    switch (operation) {
    case GUARD_PUT: return PLAN_PUT_OBJECT;
    case GUARD_COPY: return PLAN_COPY_OBJECT;
    case GUARD_DELETE: return PLAN_DELETE_OBJECT;
    case GUARD_COMPLETE: break;
    }
    return PLAN_COMPLETE_UPLOAD;
}

static void describe_plan(const struct driver *driver, os_result *result)
{
    const struct write_plan *plan = &driver->params.plan;
    result->guard = plan->guard;
    if (driver->params.ticket)
        result->guard = driver->params.ticket->native ? OS_GUARD_NATIVE : OS_GUARD_RECORD;
    enum write_plan_request request = driver->params.ticket ? request_of(driver->params.operation) : plan->request;
    TEXT_COPY_STR_CUT(write_plan_request_name(request), result->request);
}

void driver_describe(struct driver *driver)
{
    assert(guard_verdict(&driver->guard) != VERDICT_NONE && !driver->answered);
    const struct guard *guard = &driver->guard;
    os_result *result = &driver->outcome->result;
    driver->outcome->verdict = public_verdict(guard_verdict(guard));
    result->generation = guard->own.record.generation;
    result->took_over = guard->own.took_over;
    result->fenced = guard->own.record.has_fence;
    TEXT_COPY_STR_CUT(guard_rule_name(guard), result->rule);
    describe_plan(driver, result);
    switch (driver->outcome->verdict) {
    case OS_COMMITTED:
        TEXT_COPY_STR_CUT(guard->outcome.found.etag, result->etag);
        TEXT_COPY_STR_CUT(guard->outcome.found.exists ? guard->outcome.found.version_id
                                                      : driver->io.attempt.marker_version_id,
                          result->version_id);
        error_clear(&driver->outcome->error);
        break;
    case OS_CONFLICT: describe_conflict(driver); break;
    case OS_NOT_EXECUTED: describe_not_executed(driver); break;
    case OS_UNKNOWN: describe_unknown(driver); break;
    }
}
