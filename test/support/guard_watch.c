/* SPDX-License-Identifier: Apache-2.0 */
/* The books of the judge: what went in. */
#include "support/guard_watch.h"

#include "commit/words.h"

#include <string.h>

/* R3.7: the record counts on a Date, a length and a size; the signature follows. */
static void copy_is_signed_later(struct guard_watch *watch, const struct guard_start *start)
{
    watch->signature = (struct guard_watch_signature){.date_s = start->recent_date_s,
                                                      .clock = start->recent_clock,
                                                      .length_s = watch->settings.length_s,
                                                      .at_once = true,
                                                      .later = true};
    watch->amount = GUARD_COPY_EXPECTED_BYTES;
}

/* R12.11: before the first step. */
static void knows_released(struct guard_watch *watch, const struct record *released)
{
    if (released == NULL || guard_watch_is_ours(watch, released))
        return;
    record_copy(&watch->holder.seen, released);
    watch->holder.seen_step = 1;
}

void guard_watch_start(struct guard_watch *watch, const struct guard_settings *settings,
                       const struct guard_start *start)
{
    memset(watch, 0, sizeof(*watch));
    watch->settings = *settings;
    watch->operation = start->operation;
    watch->upload = start->upload;
    watch->amount = start->part_count;
    if (start->expected_etag)
        fixed_str_copy(watch->expected_etag, start->expected_etag, sizeof(watch->expected_etag));
    if (settings->etag_known && start->our_etag)
        fixed_str_copy(watch->our_etag, start->our_etag, sizeof(watch->our_etag));
    watch->same_bytes = start->expected_etag && start->our_etag && strcmp(start->our_etag, start->expected_etag) == 0;
    fixed_str_copy(watch->nonce, start->nonce, sizeof(watch->nonce));
    if (start->known_nonce)
        fixed_str_copy(watch->known_nonce, start->known_nonce, sizeof(watch->known_nonce));
    knows_released(watch, start->released);
    watch->dated_clock = start->recent_clock;
    watch->attempt.versioned = settings->versioned;
    watch->attempt.has_versions = settings->versioned || settings->versions_likely;
    bool beside = start->has_recent_date && (settings->native || !start->expected_etag || start->known_nonce);
    if (beside)
        watch->largest_date_s = start->recent_date_s;
    if (beside && start->operation == GUARD_COPY && !settings->native)
        copy_is_signed_later(watch, start);
}

void guard_watch_resolve(struct guard_watch *watch, const struct guard_settings *settings,
                         const struct guard_ticket *ticket)
{
    memset(watch, 0, sizeof(*watch));
    watch->settings = *settings;
    watch->settings.native = ticket->native;
    watch->settings.forward_only = ticket->forward_only;
    if (ticket->margin_s > settings->margin_s)
        watch->settings.margin_s = ticket->margin_s;
    watch->from_ticket = true;
    watch->operation = ticket->operation;
    watch->upload = ticket->record.upload;
    if (strcmp(ticket->expected_etag, RECORD_ETAG_CREATE) != 0)
        fixed_str_copy(watch->expected_etag, ticket->expected_etag, sizeof(watch->expected_etag));
    fixed_str_copy(watch->nonce, ticket->record.nonce, sizeof(watch->nonce));
    watch->signature.date_s = ticket->d0_s;
    record_copy(&watch->own.put, &ticket->record);
    version_copy(&watch->before, &ticket->base);
    watch->attempt.sent = true;
    watch->attempt.out = !ticket->not_applied;
    watch->attempt.versioned = ticket->versioned;
    watch->attempt.has_versions = ticket->versioned || settings->versioned || settings->versions_likely;
}

/* ------------------------------------------------------------------------------------------------ records */

bool guard_watch_is_ours(const struct guard_watch *watch, const struct record *record)
{
    return strcmp(record->nonce, watch->nonce) == 0;
}

bool guard_watch_past(const struct guard_watch *watch, uint64_t date_s, const struct record *record)
{
    return record->has_fence && record->fence_s < UINT64_MAX - watch->settings.margin_s &&
           date_s > record->fence_s + watch->settings.margin_s;
}

/* Not by version_shows_nonce, which is under test. */
bool guard_watch_shows(const struct object_version *version, const char *nonce)
{
    bool whole = strlen(nonce) == 32 && strspn(nonce, "0123456789abcdef") == 32;
    return version->exists && whole && (!strcmp(version->nonce, nonce) || !strcmp(version->replaced, nonce));
}

/* Not by record_same, which is under test. */
static bool as_written(const struct record *a, const struct record *b)
{
    bool same_fence = a->has_fence == b->has_fence && (!a->has_fence || a->fence_s == b->fence_s);
    return a->generation == b->generation && a->ttl_s == b->ttl_s && strcmp(a->nonce, b->nonce) == 0 &&
           a->timeout_ms == b->timeout_ms && same_fence;
}

static void holds_record(struct guard_watch *watch)
{
    watch->own.held = true;
    watch->own.held_step = watch->step;
    watch->own.held_clock = watch->now;
}

static void met_anothers(struct guard_watch *watch, const struct record *item)
{
    struct guard_watch_holder *holder = &watch->holder;
    watch->own.held = watch->own.locking = watch->own.recorded = false;
    if (holder->seen_step > 0 && as_written(item, &holder->seen) && item->upload == holder->seen.upload)
        return;
    record_copy(&holder->seen, item);
    holder->aborted = false;
    holder->seen_step = watch->step;
    holder->first_seen = watch->now;
}

static void record_came(struct guard_watch *watch, const struct record *item, bool own_read)
{
    struct guard_watch_own *own = &watch->own;
    if (guard_watch_is_ours(watch, item)) {
        bool just_put = as_written(item, &own->put);
        if (own->locking && just_put)
            holds_record(watch);
        else if (own->locking)
            own->held = own->recorded = false; /* R4: an older one, whose continuation is a PutItem of its own */
        return;
    }
    if (strcmp(item->saw, watch->nonce) == 0)
        watch->attempt.proven = true;
    if (!watch->attempt.sent)
        met_anothers(watch, item);
    else if (own_read && item->nonce[0])
        own->held = false; /* R13: it was taken over */
}

/* R17: the record is the ticket's in every attribute, and is dead by what is stored, and by a Date that came before the
 * round began. */
static void ticket_read(struct guard_watch *watch, const struct guard_event *event)
{
    const struct record *stored = &event->record;
    watch->own.held = false;
    watch->owns_upload = false;
    watch->contradicted = false;
    if (event->ledger != LEDGER_OK || !event->found || !guard_watch_is_ours(watch, stored))
        return;
    bool same = memcmp(stored, &watch->own.put, sizeof(*stored)) == 0;
    bool dead = guard_watch_past(watch, watch->checked.date_s, stored);
    watch->contradicted = !same && stored->generation == watch->own.put.generation;
    watch->own.held = same && dead && stored->upload == 0;
    watch->owns_upload = same && dead && stored->upload != 0;
}

/* T3.10. */
static void creation_came(struct guard_watch *watch, const struct guard_event *event)
{
    if (!event->found || !watch->clears || watch->own.reading)
        return;
    watch->creation_found = true;
    record_copy(&watch->creation, &event->record);
}

static void ledger_came(struct guard_watch *watch, const struct guard_event *event)
{
    bool is_get = event->kind == GUARD_EVENT_RECORD_GET;
    bool own_read = is_get && watch->own.reading;
    if (watch->from_ticket && own_read)
        ticket_read(watch, event);
    if (event->ledger == LEDGER_CONFLICT || (event->ledger == LEDGER_OK && is_get && event->found))
        record_came(watch, &event->record, own_read);
    if (event->ledger != LEDGER_OK)
        return;
    if (is_get)
        creation_came(watch, event);
    if (event->kind == GUARD_EVENT_RECORD_PUT)
        holds_record(watch);
    if (event->kind == GUARD_EVENT_RECORD_QUERY && event->evidence.saw_ours)
        watch->attempt.proven = true;
}

/* ------------------------------------------------------------------------------------------------ the store */

/* What an answered HEAD says, also one that shows only a part of our write (V4.8). */
static void note_head(struct guard_watch *watch, const struct guard_event *event)
{
    struct guard_watch_attempt *attempt = &watch->attempt;
    attempt->part = event->part_seen;
    if (event->head != HEAD_ANSWERED && !event->part_seen)
        return;
    attempt->has_versions = attempt->has_versions || event->versioned;
    attempt->versioned = attempt->versioned || (event->versioned && !attempt->sent);
    if (event->head == HEAD_REFUSED)
        return;
    if (event->head == HEAD_ANSWERED || !(watch->under_way & GUARD_DO_SEND))
        watch->checked = watch->asked;
    if (attempt->sent && guard_watch_past(watch, watch->checked.date_s, &watch->own.put))
        attempt->dead = true;
}

static void head_came(struct guard_watch *watch, const struct guard_event *event)
{
    const struct object_version *version = &event->version;
    struct guard_watch_attempt *attempt = &watch->attempt;
    note_head(watch, event);
    if (event->head != HEAD_ANSWERED)
        return;
    watch->holds = watch->expected_etag[0] ? version->exists && strcmp(version->etag, watch->expected_etag) == 0
                                           : !version->exists;
    version_copy(&watch->last, version);
    if (!attempt->sent)
        version_copy(&watch->before, version);
    if (guard_watch_shows(version, watch->nonce) || event->history.shows_ours)
        attempt->proven = true;
    attempt->overtaken = event->history.overtaken;
    if (event->has_date)
        watch->dated_clock = watch->checked.clock;
    if (event->has_date && watch->holds && !attempt->sent)
        version_copy(&watch->dated, version);
    watch->own.held_clock = watch->now; /* R3: this may be the HEAD that went out beside the PutItem */
}

/* R8: a refusal that an expired signature would get as well is definite only while the signature surely lives. */
static bool denied_early(const struct guard_watch *watch)
{
    uint64_t reserve_ms = ((uint64_t)watch->settings.margin_s + 1) * 1000;
    return clock_elapsed_max(&watch->signature.clock, &watch->now) + reserve_ms <
           (uint64_t)watch->signature.length_s * 1000;
}

bool guard_watch_forward(const struct guard_watch *watch)
{
    return watch->settings.native && watch->settings.forward_only;
}

/* R7, R8: which answers leave a copy that may still be applied, and which let the same be sent again. */
static void copy_was_answered(struct guard_watch *watch, enum attempt_answer answer)
{
    struct guard_watch_attempt *attempt = &watch->attempt;
    attempt->again = false;
    switch (answer) {
    case ATTEMPT_OK:
        attempt->proven = true;
        attempt->written = true;
        return;
    case ATTEMPT_PRECONDITION:
    case ATTEMPT_REFUSED:
    case ATTEMPT_SKEWED:
    case ATTEMPT_NOT_SENT: attempt->out = false; return;
    case ATTEMPT_TOKEN_EXPIRED:
        attempt->out = false;
        attempt->again = true;
        return;
    case ATTEMPT_409:
        attempt->out = watch->settings.answer_409 == GUARD_409_AMBIGUOUS;
        attempt->again = watch->settings.answer_409 == GUARD_409_SEND_AGAIN;
        return;
    case ATTEMPT_DENIED: attempt->out = !denied_early(watch); return;
    case ATTEMPT_EXPIRED:
    case ATTEMPT_AMBIGUOUS: return;
    }
}

static void attempt_came(struct guard_watch *watch, enum attempt_answer answer)
{
    struct guard_watch_attempt *attempt = &watch->attempt;
    attempt->step = watch->step;
    copy_was_answered(watch, answer);
    if (attempt->uncertain) { /* N4.3 */
        attempt->out = true;
        attempt->again = false;
    }
    attempt->uncertain = attempt->out;
}

static void upload_came(struct guard_watch *watch, const struct guard_event *event)
{
    if (event->kind == GUARD_EVENT_PARTS) {
        watch->attempt.upload_open = event->upload == UPLOAD_OPEN;
        return;
    }
    watch->holder.aborted = event->upload == UPLOAD_ABORTED || event->upload == UPLOAD_GONE;
    watch->holder.aborted_step = watch->step;
    watch->holder.aborted_clock = watch->now;
}

static void versions_came(struct guard_watch *watch, const struct guard_event *event)
{
    bool in_time = event->has_date && event->date_s <= watch->signature.date_s + 20 * 3600;
    if (event->versions == VERSIONS_OURS)
        watch->attempt.proven = true;
    watch->attempt.not_in_list = event->versions == VERSIONS_OTHERS && in_time && watch->attempt.versioned;
}

/* ------------------------------------------------------------------------------------------------ what was signed */

/* While its end may be handed over: at the rate that is asked for. */
uint64_t guard_watch_delivery_s(const struct guard_watch *watch, uint64_t wire_bytes)
{
    uint64_t rate = watch->settings.minimum_rate;
    return wire_bytes / rate + (wire_bytes % rate > 0);
}

static uint64_t work_s(const struct guard_watch *watch)
{
    bool unpinned = watch->operation == GUARD_COPY && watch->settings.source_unpinned;
    uint64_t by_operation_s = guard_work_s(watch->operation, unpinned ? GUARD_COPY_MAX_BYTES : watch->amount);
    bool complete = watch->operation == GUARD_COMPLETE && watch->settings.complete_s > by_operation_s;
    if (watch->settings.work_s)
        return watch->settings.work_s;
    return complete ? watch->settings.complete_s : by_operation_s;
}

bool guard_watch_stalls_for_ever(const struct guard_watch *watch)
{
    return !watch->signature.at_once && watch->settings.stalled_body_s == GUARD_STALLED_BODY_FOR_EVER;
}

uint64_t guard_watch_allowance_s(const struct guard_watch *watch)
{
    const struct guard_settings *settings = &watch->settings;
    uint64_t stalled_s = guard_watch_stalls_for_ever(watch) ? GUARD_STALLED_BODY_S : settings->stalled_body_s;
    if (watch->signature.at_once)
        return work_s(watch);
    uint64_t delivery_s = guard_watch_delivery_s(watch, watch->signature.wire_bytes);
    return work_s(watch) + delivery_s + settings->late_segment_s + stalled_s;
}

/* The allowance rests on the first one; a second may not need more. Native: nothing is put, but it is dead at the same
 * time. */
static void signature_came(struct guard_watch *watch, const struct guard_event *event)
{
    struct guard_watch_signature *signature = &watch->signature;
    signature->good = event->signed_ok;
    if (signature->renewed || signature->later) {
        uint64_t counted_s = guard_watch_delivery_s(watch, signature->wire_bytes);
        bool slower = !event->at_once && guard_watch_delivery_s(watch, event->wire_bytes) > counted_s;
        signature->takes_longer = signature->at_once ? !event->at_once : slower;
        return;
    }
    signature->at_once = event->at_once;
    signature->wire_bytes = event->wire_bytes;
    watch->own.put.has_fence = watch->settings.fences && !guard_watch_stalls_for_ever(watch);
    watch->own.put.fence_s = signature->date_s + signature->length_s + guard_watch_allowance_s(watch);
}

/* ------------------------------------------------------------------------------------------------ an event */

unsigned guard_watch_request_of(enum guard_event_kind kind)
{
    static const unsigned requests[] = {
        [GUARD_EVENT_HEAD] = GUARD_DO_HEAD,
        [GUARD_EVENT_SOURCE] = GUARD_DO_SOURCE,
        [GUARD_EVENT_SIGNED] = GUARD_DO_SIGN,
        [GUARD_EVENT_RECORD_PUT] = GUARD_DO_RECORD_PUT,
        [GUARD_EVENT_RECORD_GET] = GUARD_DO_RECORD_GET,
        [GUARD_EVENT_RECORD_QUERY] = GUARD_DO_RECORD_QUERY,
        [GUARD_EVENT_ATTEMPT] = GUARD_DO_SEND,
        [GUARD_EVENT_PARTS] = GUARD_DO_PARTS,
        [GUARD_EVENT_ABORTED] = GUARD_DO_ABORT,
        [GUARD_EVENT_VERSIONS] = GUARD_DO_VERSIONS,
        [GUARD_EVENT_STOP] = 0,
    };
    return requests[kind];
}

static void source_came(struct guard_watch *watch, const struct guard_event *event)
{
    watch->own.held_clock = watch->now; /* R3.7: R5 is asked when this has come, too */
    if (event->head == HEAD_ANSWERED && watch->expected_etag[0] && !strcmp(event->version.etag, watch->expected_etag))
        watch->same_bytes = true;
}

void guard_watch_event(struct guard_watch *watch, const struct guard_event *event)
{
    unsigned request = guard_watch_request_of(event->kind) & watch->under_way;
    watch->step++;
    watch->now = event->now;
    if (event->has_date && event->date_s > watch->largest_date_s)
        watch->largest_date_s = event->date_s;
    if (event->kind == GUARD_EVENT_TIMER)
        watch->timer = false;
    watch->answered = request;
    watch->under_way &= ~request;
    if (request == GUARD_DO_HEAD)
        head_came(watch, event);
    if (request == GUARD_DO_SOURCE && event->head == HEAD_ANSWERED && !watch->signature.later)
        watch->amount = event->source_bytes;
    if (request == GUARD_DO_SOURCE)
        source_came(watch, event);
    if (request == GUARD_DO_SIGN)
        signature_came(watch, event);
    if (request & (GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET | GUARD_DO_RECORD_QUERY))
        ledger_came(watch, event);
    if (request == GUARD_DO_SEND)
        attempt_came(watch, event->attempt);
    if (request & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        upload_came(watch, event);
    if (request == GUARD_DO_VERSIONS)
        versions_came(watch, event);
}
