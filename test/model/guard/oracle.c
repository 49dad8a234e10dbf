/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <string.h>

#define MUST(holds, ...)                        \
    do {                                        \
        if (!(holds))                           \
            violated(RULE_BROKEN, __VA_ARGS__); \
    } while (false)

static char letter(unsigned w)
{
    return (char)('A' + w);
}

/* ------------------------------------------------------------------------------------------------ the object */

void oracle_object_changed(struct world *world)
{
    for (unsigned w = 0; w < WRITERS; w++) {
        struct writer *writer = &world->writers[w];
        if (writer->started && !world_holds(config->calls[w].expected, &world->object))
            writer->broken = 1;
    }
}

/* Nothing protects an outsider's change without condition headers (E4), so it may be overwritten. */
static bool overwrites_unexpected(const struct world *world, unsigned w)
{
    if (world_holds(config->calls[w].expected, &world->object))
        return false;
    return !world->outsider_last;
}

void oracle_applies(struct world *world, const struct flight *send)
{
    struct writer *writer = &world->writers[send->writer];
    char name = letter(send->writer);
    if (overwrites_unexpected(world, send->writer))
        violated(LOST_UPDATE, "%c%d's write is applied although its expectation does not hold: it overwrites %s", name,
                 send->guard + 1, world->object.exists ? etag_text(world->object.etag) : "a deletion");
    if (writer->applied[send->guard])
        violated(APPLIED_TWICE, "%c%d's write is applied a second time", name, send->guard + 1);
    enum verdict verdict = (enum verdict)writer->verdict[send->guard];
    if (verdict == VERDICT_CONFLICT || verdict == VERDICT_NOT_EXECUTED)
        violated(APPLIED_LATE, "V1: %c%d's write is applied after its verdict was %s", name, send->guard + 1,
                 verdict == VERDICT_CONFLICT ? "conflict" : "not executed");
    writer->applied[send->guard] = 1;
}

void oracle_peer_applies(const struct world *world, unsigned w)
{
    if (overwrites_unexpected(world, w))
        violated(PEER_OVERWROTE, "the peer %c's write is applied although its expectation does not hold", letter(w));
}

/* ------------------------------------------------------------------------------------------------ what went in */

static bool is_ours(const struct world *world, unsigned w, const struct record *record)
{
    char nonce[RECORD_NONCE_SIZE];
    own_nonce(world, w, nonce);
    return strcmp(record->nonce, nonce) == 0;
}

/* Not by record_same_holder, which is under test. */
static bool same_holder(const struct record *a, const struct record *b)
{
    return a->generation == b->generation && a->ttl_s == b->ttl_s && strcmp(a->nonce, b->nonce) == 0;
}

static bool same_record(const struct record *a, const struct record *b)
{
    return same_holder(a, b) && a->timeout_ms == b->timeout_ms && a->has_fence == b->has_fence &&
           a->fence_s == b->fence_s && a->upload == b->upload;
}

/* The HEADs under way were asked for before. */
static void saw_new_record(struct world *world, unsigned w, const struct record *record)
{
    struct book *book = &world->writers[w].book;
    record_copy(&book->seen, record);
    book->has_seen = 1;
    book->polled = 0;
    book->first_seen = world_clocks(world, w);
    book->head_after_seen = 0;
    book->aborted = 0;
    book->head_after_abort = 0;
    for (unsigned i = 0; i < FLIGHTS; i++)
        if (world->flights[i].kind == FLIGHT_HEAD && world->flights[i].writer == w)
            world->flights[i].after_seen = world->flights[i].after_abort = 0;
}

/* R12.11: before it has asked for anything. */
void oracle_told(struct world *world, unsigned w, const struct record *released)
{
    MUST(released->timeout_ms == 0, "R12.11: of a release");
    if (!is_ours(world, w, released))
        saw_new_record(world, w, released);
}

static void copy_answered(struct book *book, enum attempt_answer answer)
{
    switch (answer) {
    case ATTEMPT_OK:
    case ATTEMPT_EXPIRED:
    case ATTEMPT_AMBIGUOUS: return;
    case ATTEMPT_409: book->out = config->answer_409 == GUARD_409_AMBIGUOUS; return;
    default: book->out = 0; return;
    }
}

/* N4.3: what one answer says, it says of one copy. */
static void attempt_answered(struct book *book, enum attempt_answer answer)
{
    copy_answered(book, answer);
    book->out = book->out || book->uncertain;
    book->uncertain = book->out;
}

/* The HEADs under way were asked for before. */
static void put_answered(struct world *world, unsigned w)
{
    struct book *book = &world->writers[w].book;
    book->answered = world_clocks(world, w);
    book->head_after_put = 0;
    for (unsigned i = 0; i < FLIGHTS; i++)
        if (world->flights[i].kind == FLIGHT_HEAD && world->flights[i].writer == w)
            world->flights[i].after_put = 0;
}

static bool shows_record(const struct guard_event *event)
{
    if (event->kind == GUARD_EVENT_RECORD_PUT)
        return event->ledger == LEDGER_CONFLICT;
    return event->kind == GUARD_EVENT_RECORD_GET && event->ledger == LEDGER_OK && event->found;
}

static void head_answered(struct book *book, unsigned w, const struct flight *head)
{
    book->head_after_seen = head->after_seen;
    book->head_after_put = head->after_put;
    book->head_after_abort = head->after_abort;
    book->head_date_s = head->sent_s;
    if (head->date_s > book->largest_date_s)
        book->largest_date_s = head->date_s;
    book->head_sent = head->sent;
    book->head_good = world_holds(config->calls[w].expected, &head->object);
    book->shown = object_nonce_code(&head->object);
    book->shown_replaced = head->object.replaced;
}

/* R13, row A. */
static void look_for_proof(struct world *world, unsigned w, const struct guard_event *event)
{
    struct writer *writer = &world->writers[w];
    char nonce[RECORD_NONCE_SIZE];
    own_nonce(world, w, nonce);
    bool read = event->kind == GUARD_EVENT_RECORD_GET && shows_record(event) && !is_ours(world, w, &event->record);
    if (read && strcmp(event->record.saw, nonce) == 0)
        writer->book.proof = 1;
    if (event->kind == GUARD_EVENT_RECORD_QUERY && event->ledger == LEDGER_OK && event->evidence.saw_ours)
        writer->book.proof = 1;
}

void oracle_before(struct world *world, unsigned w, const struct guard_event *event, const struct flight *answered)
{
    struct book *book = &world->writers[w].book;
    if (shows_record(event) && !book->sent && !is_ours(world, w, &event->record)) {
        if (!book->has_seen || !same_record(&book->seen, &event->record))
            saw_new_record(world, w, &event->record);
        if (world->writers[w].guard.state != GUARD_CONTEND_READING)
            book->polled = 0; /* R11.5 */
    }
    if (event->kind == GUARD_EVENT_HEAD && event->head == HEAD_ANSWERED)
        head_answered(book, w, answered);
    if (event->kind == GUARD_EVENT_RECORD_PUT || (event->kind == GUARD_EVENT_RECORD_GET && !book->sent))
        put_answered(world, w);
    if (event->kind == GUARD_EVENT_ATTEMPT)
        attempt_answered(book, event->attempt);
    if (event->kind == GUARD_EVENT_ABORTED) {
        book->aborted = event->upload == UPLOAD_ABORTED || event->upload == UPLOAD_GONE;
        book->head_after_abort = 0;
        book->aborted_at = world_clocks(world, w);
    }
    look_for_proof(world, w, event);
}

/* ------------------------------------------------------------------------------------------------ what came out */

/* R12's bound, from the books. Without a fence by the clocks at `until`, and from an abort on (R14). */
static bool bound_passed(const struct book *book, const struct guard_settings *settings,
                         const struct clock_reading *until)
{
    if (book->seen.timeout_ms == 0)
        return true;
    if (book->seen.has_fence)
        return book->head_date_s > book->seen.fence_s + settings->margin_s;
    const struct clock_reading *since = book->aborted ? &book->aborted_at : &book->first_seen;
    return clock_elapsed_min(since, until) > record_bound_ms(book->seen.timeout_ms, settings->max_clock_skew_rate);
}

/* R12.9. */
static bool is_spent(const struct book *book)
{
    uint8_t code = nonce_code(book->seen.nonce);
    return code != 0 && book->seen.upload == 0 && (code == book->shown || code == book->shown_replaced);
}

/* R12.10: a HEAD that was not sent before the release was seen is under way, or was answered. */
static bool head_follows(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    bool follows = world->writers[w].book.head_after_seen || todo->what & GUARD_DO_HEAD;
    for (unsigned i = 0; i < FLIGHTS; i++)
        if (world->flights[i].kind == FLIGHT_HEAD && world->flights[i].writer == w)
            follows = follows || world->flights[i].after_seen;
    return follows;
}

static void check_condition(const struct world *world, unsigned w, const struct guard_settings *settings,
                            const struct guard_actions *todo)
{
    const struct book *book = &world->writers[w].book;
    if (todo->condition.kind != RECORD_IF_SEEN) {
        MUST(todo->condition.kind == RECORD_IF_ABSENT, "R3: on the condition that there is no record");
        return;
    }
    const struct record *seen = &todo->condition.seen;
    MUST(todo->record.generation == seen->generation + 1, "R12: generation + 1");
    if (is_ours(world, w, seen))
        return;
    struct clock_reading now = world_clocks(world, w);
    MUST(book->has_seen && same_holder(seen, &book->seen), "R12: on the condition that the record is as seen");
    if (is_spent(book) && book->head_good)
        return;
    bool beside = book->seen.timeout_ms == 0 && head_follows(world, w, todo);
    MUST(beside || (book->head_after_seen && book->head_good),
         "R12: a HEAD that was sent after the record was first shown");
    MUST(bound_passed(book, settings, &now), "R12: after the bound");
    if (book->seen.upload == 0 || book->seen.timeout_ms == 0)
        return;
    MUST(book->aborted && book->head_after_abort, "R14: an abort of the holder's upload, and a HEAD after it");
}

static void check_upload(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    const struct book *book = &world->writers[w].book;
    const struct record *ours = &world->writers[w].guard.own.record;
    struct guard_settings settings;
    settings_of(w, &settings);
    if (todo->what & GUARD_DO_PARTS) {
        MUST(todo->upload == w + 1, "R14: the parts of its own upload");
        MUST(ours->has_fence && book->largest_date_s > ours->fence_s + settings.margin_s,
             "R14: the parts of a Complete that is dead");
        return;
    }
    struct clock_reading now = world_clocks(world, w);
    MUST(book->has_seen && todo->upload == book->seen.upload, "R14: the upload of the record as seen");
    MUST(book->head_after_seen && book->head_good && bound_passed(book, &settings, &now),
         "R14: an abort after R12's bound and a good HEAD");
}

/* F2.2, F2.11: of a source of one byte, and of 5 GiB. */
static uint32_t told_work_s(unsigned w, const struct guard_settings *settings)
{
    if (!config->by_operation)
        return settings->work_s;
    if (config->calls[w].operation == GUARD_COPY)
        return config->source_unpinned ? 133 : 6;
    return 5;
}

static void check_put(struct world *world, unsigned w, const struct guard_actions *todo)
{
    struct book *book = &world->writers[w].book;
    const struct record *record = &todo->record;
    struct guard_settings settings;
    settings_of(w, &settings);
    bool never_dies = config->body_s > 0 && config->stalled_s == STALLED_FOR_EVER;
    uint64_t delivery_s = config->body_s ? (uint64_t)config->body_s + config->stalled_s + config->late_segment_s : 0;
    uint64_t reach_s = (uint64_t)settings.length_s + told_work_s(w, &settings) + (never_dies ? 0 : delivery_s);
    MUST(!book->sent, "R3: what was sent under is not put again");
    MUST(is_ours(world, w, record), "R3: with our nonce");
    MUST(!call_is_native(w), "native: without a record");
    MUST(record->upload == (config->calls[w].operation == GUARD_COMPLETE ? w + 1 : 0), "R14: with its upload");
    MUST(record->has_fence == (settings.fences && !never_dies), "E7: a fence where expiry was seen");
    MUST(!record->has_fence || record->fence_s == book->sign_date_s + reach_s,
         "R2: the fence is the signature's date + length + allowance");
    MUST(record->timeout_ms >= (reach_s + settings.margin_s) * 1000, "T6: length + allowance + margin <= timeout");
    MUST(record->ttl_s >= book->sign_date_s + GUARD_EVIDENCE_S, "T5: ttl");
    check_condition(world, w, &settings, todo);
    struct clock_reading now = world_clocks(world, w);
    if (memcmp(&book->put, record, sizeof(*record)) != 0) {
        const struct row *row = &world->rows[config->calls[w].expected];
        /* A second copy of an earlier PutItem may have written the very same before (R4). */
        book->acquired = row->present && memcmp(&row->record, record, sizeof(*record)) == 0;
        book->lease = now;
    }
    MUST(clock_elapsed_max(&book->lease, &now) < record->timeout_ms, "R4: sent again only within the lease");
    book->continued = todo->condition.kind == RECORD_IF_SEEN && is_ours(world, w, &todo->condition.seen);
    record_copy(&book->put, record);
}

static void check_send(struct world *world, unsigned w, const struct guard_actions *todo)
{
    struct book *book = &world->writers[w].book;
    struct clock_reading now = world_clocks(world, w);
    struct guard_settings settings;
    settings_of(w, &settings);
    MUST(clock_elapsed_max(&book->sign_sent, &now) < (uint64_t)book->sign_length_s * 1000,
         "R6: sent while the signature lives by all clocks");
    bool again =
        settings.forward_only && settings.native && config->calls[w].operation != GUARD_COMPLETE && book->head_good;
    MUST(!book->out || again, "R13, N4.2: no second copy while one may be applied");
    if (settings.native) {
        book->sent = 1;
        book->out = 1;
        return;
    }
    bool old_head = clock_elapsed_max(&book->head_sent, &book->answered) > settings.recheck_after_ms;
    MUST(!(old_head || book->continued) || book->head_after_put, "R5: a HEAD under the record");
    uint64_t lease_ms = clock_elapsed_max(&book->lease, &now);
    MUST(lease_ms < book->put.timeout_ms, "R6: sent within the lease by all clocks");
    MUST(todo->send_deadline_ms <= book->put.timeout_ms - lease_ms, "R3, R6: the deadline is in the lease");
    MUST(book->acquired, "R3, R6: sent under a record of ours that was written");
    MUST(book->head_good, "R1, R5: sent while the expectation held");
    bool took_over = book->has_seen && !book->continued && book->put.generation == book->seen.generation + 1;
    MUST(!took_over || book->head_after_seen || is_spent(book),
         "R12.10: a HEAD that was sent after the release was seen");
    book->sent = 1;
    book->out = 1;
}

static void check_release(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    const struct record *seen = &todo->release_condition.seen;
    enum record_condition_kind kind =
        world->writers[w].guard.write.from_ticket ? RECORD_IF_SAME : RECORD_IF_HELD; /* R17 */
    MUST(todo->release_condition.kind == kind && is_ours(world, w, seen), "T3: only while it is ours");
    MUST(todo->release.generation == seen->generation + 1 && todo->release.timeout_ms == 0, "T3: generation, timeout");
    MUST(todo->release.ttl_s >= seen->ttl_s, "T3, T5: a fresh ttl");
    MUST(is_ours(world, w, &todo->release) && strcmp(todo->release.saw, seen->saw) == 0, "T3: the same nonce and saw");
    MUST(todo->release.has_fence == seen->has_fence && todo->release.fence_s == seen->fence_s, "T3: the same fence");
    MUST(todo->release.upload == 0, "T3: without the upload");
}

/* Every write carries its pair, and those of its base. */
static bool pairs_tell(void)
{
    bool tell = config->forward_only && !config->forgets_pairs && !config->stale_pairs && config->only == NULL;
    for (unsigned w = 0; w < WRITERS; w++)
        tell = tell && (config->calls[w].kind == CALL_NONE ||
                        (config->calls[w].operation != GUARD_COMPLETE && call_is_promised(w)));
    return tell;
}

static void check_unknown(const struct writer *writer, unsigned w, const struct guard *guard)
{
    const char *rule = guard_rule_name(guard);
    bool no_evidence = guard->outcome.reason == GUARD_REASON_NO_EVIDENCE;
    if (!writer->resolving && !writer->book.sent)
        violated(FALSE_UNKNOWN, "V3: %c's verdict is unknown by %s, and it sent nothing", letter(w), rule);
    if (guard->outcome.reason != GUARD_REASON_STOPPED && !no_evidence)
        violated(FALSE_UNKNOWN, "V3: %c's verdict is unknown by %s, without need", letter(w), rule);
    if (no_evidence && guard->attempt.not_applied)
        violated(FALSE_UNKNOWN, "R13.B, C: %c's verdict is unknown by %s after a definite refusal", letter(w), rule);
    if (no_evidence && pairs_tell() && call_is_native(w))
        violated(FALSE_UNKNOWN, "N4.2: %c's verdict is unknown by %s, and every version tells of its base", letter(w),
                 rule);
    if (no_evidence && writer->book.proof)
        violated(FALSE_UNKNOWN, "R13.A: %c's verdict is unknown by %s, and a record saw its nonce", letter(w), rule);
}

static void check_verdict(struct world *world, unsigned w, const struct guard *guard, const struct guard_actions *todo)
{
    struct writer *writer = &world->writers[w];
    enum verdict verdict = guard_verdict(guard);
    const char *rule = guard_rule_name(guard);
    bool applied = writer->applied[writer->number] != 0;
    writer->verdict[writer->number] = (uint8_t)verdict;
    switch (verdict) {
    case VERDICT_COMMITTED:
        if (!applied)
            violated(FALSE_COMMITTED, "V2: %c's verdict is committed by %s, and nothing was applied", letter(w), rule);
        if (guard->outcome.found.exists && guard->outcome.reason != GUARD_REASON_WRITTEN &&
            strcmp(guard->outcome.found.nonce, guard->write.nonce) != 0)
            violated(FALSE_COMMITTED, "V2: %c is told by %s that another's version is its own", letter(w), rule);
        return;
    case VERDICT_CONFLICT:
        if (applied)
            violated(FALSE_CONFLICT, "V1: %c's verdict is conflict by %s, and it was applied", letter(w), rule);
        if (!writer->broken)
            violated(FALSE_CONFLICT, "V1: %c's verdict is conflict by %s, and its expectation always held", letter(w),
                     rule);
        break;
    case VERDICT_NOT_EXECUTED:
        if (applied)
            violated(FALSE_NOT_EXECUTED, "V1: %c's verdict is not executed by %s, and it was applied", letter(w), rule);
        break;
    default: check_unknown(writer, w, guard); return;
    }
    bool owes = writer->book.acquired && !writer->book.sent && !(guard->awaiting & GUARD_DO_RECORD_PUT) &&
                guard->own.hold == GUARD_HOLDS_RECORD;
    MUST(!owes || todo->what & GUARD_DO_RELEASE, "V5: %c releases what it holds", letter(w));
}

/* A HEAD that is after the bound and shows an expectation that holds makes a contender take over: R12. */
static void check_blocked(struct world *world, unsigned w, enum guard_state was)
{
    const struct writer *writer = &world->writers[w];
    struct guard_settings settings;
    settings_of(w, &settings);
    if (was != GUARD_CONTEND_CHECKING || writer->guard.state != GUARD_CONTEND_WAITING)
        return;
    const struct book *book = &writer->book;
    if (book->head_after_seen && book->head_good && bound_passed(book, &settings, &book->head_sent))
        violated(BLOCKED, "R12: %c still waits for a record whose bound has passed", letter(w));
    if (book->head_good && is_spent(book))
        violated(BLOCKED, "R12.9: %c still waits for a record that is spent", letter(w));
}

static void check_sign(struct writer *writer, const struct guard_event *event, const struct guard_actions *todo)
{
    struct book *book = &writer->book;
    book->sign_replaced = nonce_code(todo->sign_replaced);
    if (todo->sign_renewed || (book->later && writer->guard.state == GUARD_SIGNING_AGAIN)) {
        MUST(todo->sign_date_s == book->sign_date_s && todo->sign_length_s == book->sign_length_s,
             "R2, R3.7: the same date and length again");
        return;
    }
    book->later = 0;
    MUST(!book->sent, "R2: a new date needs a new guard");
    MUST(writer->guard.settings.native || todo->sign_length_s == (config->length_s ? config->length_s : 1),
         "R2: the length as set");
    book->sign_date_s = (uint32_t)todo->sign_date_s;
    book->sign_length_s = (uint8_t)todo->sign_length_s;
    book->sign_sent = event->kind == GUARD_EVENT_START ? event->now : book->head_sent;
}

void oracle_copy_is_signed_later(struct world *world, unsigned w)
{
    struct book *book = &world->writers[w].book;
    book->sign_date_s = world_date(world);
    book->sign_length_s = config->length_s ? config->length_s : 1;
    book->sign_sent = world_clocks(world, w);
    book->later = 1;
}

static void check_requests(struct world *world, unsigned w, const struct guard_event *event,
                           const struct guard_actions *todo, enum guard_state was)
{
    bool polls = event->kind == GUARD_EVENT_TIMER && was == GUARD_CONTEND_WAITING;
    polls = polls && !(world->writers[w].book.has_seen && !world->writers[w].book.polled); /* R11.5 */
    world->writers[w].book.polled |= event->kind == GUARD_EVENT_TIMER && was == GUARD_CONTEND_WAITING;
    MUST(!polls || todo->what & GUARD_DO_RECORD_GET, "R11: a poll begins with a consistent GetItem");
    if (todo->what & GUARD_DO_SIGN)
        check_sign(&world->writers[w], event, todo);
    if (todo->what & GUARD_DO_RECORD_PUT)
        check_put(world, w, todo);
    if (todo->what & GUARD_DO_SEND)
        check_send(world, w, todo);
    if (todo->what & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        check_upload(world, w, todo);
}

/* A whole round about a dead attempt gives a verdict, unless a version came and went in it: R13, row F. */
static void check_judged(const struct guard *guard, unsigned w, enum guard_state was)
{
    bool dead = guard->round.life == GUARD_LIFE_OVER || guard->round.life == GUARD_LIFE_OVER_OPEN;
    if (was == GUARD_RESOLVE_AGAIN && guard->state == GUARD_RESOLVE_WAITING && dead)
        violated(BLOCKED, "R13.F: %c's attempt is dead, a round is whole, and there is no verdict", letter(w));
}

void oracle_after(struct world *world, unsigned w, const struct guard_event *event, const struct guard_actions *todo,
                  enum guard_state was)
{
    const struct writer *writer = &world->writers[w];
    const struct guard *guard = &writer->guard;
    if (config->calls[w].kind == CALL_FORGER) { /* whoever believes it may be told anything; others are not harmed */
        MUST(!(todo->what & GUARD_DO_RELEASE) || todo->release_condition.kind == RECORD_IF_SAME, "R17: on all of it");
        return;
    }
    oracle_creation_read(world, w, event, was);
    check_requests(world, w, event, todo, was);
    if (guard->state == GUARD_RESOLVE_HEAD)
        world->writers[w].book.proof = 0; /* a new round */
    if (todo->what & GUARD_DO_VERDICT)
        check_verdict(world, w, guard, todo);
    if (todo->what & GUARD_DO_RELEASE)
        check_release(world, w, todo);
    if (todo->what & GUARD_DO_RELEASE_CREATION)
        oracle_creation_released(world, w, todo);
    if (event->kind == GUARD_EVENT_HEAD && event->head == HEAD_ANSWERED) {
        check_blocked(world, w, was);
        check_judged(guard, w, was);
    }
    if (!guard_finished(guard) && guard->awaiting == 0 && !writer->timer && !todo->has_timer)
        violated(STUCK, "%c has no verdict and waits for nothing", letter(w));
}
