/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of events, good, bad and impossible ones, against what must hold in all of them (guard_watch.h).
 * The sequences follow from their numbers alone. OSCOMMIT_TEST_SEQUENCES sets how many are played.
 */
#include "support/guard_trace.h"
#include "support/guard_trace_text.h"
#include "support/guard_watch.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 200000, STEPS_MAX = 60 };

struct play {
    uint64_t random;
    struct guard guard;
    struct guard_watch watch;
    struct guard_settings settings;
    struct clock_reading now;
    uint64_t s3_ms;
    char expected[8]; /* "" absent */
    bool loud;
};

static uint64_t below(struct play *play, uint64_t limit)
{
    return random_next(&play->random) % limit;
}

static bool one_in(struct play *play, uint64_t n)
{
    return below(play, n) == 0;
}

static const char *one_of(struct play *play, const char *const *words, size_t count)
{
    return words[below(play, count)];
}

static void pass_time(struct play *play)
{
    uint64_t ms = one_in(play, 12) ? below(play, 70000) : below(play, 60);
    play->s3_ms += ms;
    play->now.monotonic_ms += one_in(play, 20) ? 0 : ms; /* suspended */
    play->now.boottime_ms += ms;
    play->now.realtime_ms += ms;
    if (one_in(play, 40))
        play->now.realtime_ms += below(play, 40000) - 20000;
}

/* ------------------------------------------------------------------------------------------------ answers */

static void random_version(struct play *play, struct object_version *ret)
{
    static const char *const nonces[] = {"", "", "a", "b", GUARD_TRACE_WHOLE, GUARD_TRACE_WHOLE};
    const char *etag = play->expected[0] ? play->expected : "\"X\"";
    bool as_expected = !one_in(play, 8);
    memset(ret, 0, sizeof(*ret));
    ret->exists = (play->expected[0] != '\0') == as_expected;
    if (!ret->exists)
        return;
    memcpy(ret->etag, one_in(play, 10) ? "\"Y\"" : etag, 4);
    if (one_in(play, 8))
        strcpy(ret->etag, "\"00112233445566778899aabbccddeeff\"");
    if (one_in(play, 8))
        strcpy(ret->version_id, one_in(play, 2) ? "v1" : "null");
    strcpy(ret->nonce, one_in(play, 60) ? GUARD_TRACE_NONCE : one_of(play, nonces, 6));
    strcpy(ret->replaced, one_in(play, 60) ? GUARD_TRACE_NONCE : one_of(play, nonces, 6));
    ret->last_modified_s = (int64_t)(one_in(play, 8) ? play->s3_ms / 1000 - 280 - below(play, 60) : below(play, 2));
}

static void random_record(struct play *play, struct record *ret)
{
    static const char *const nonces[] = {"", "a", "a", "b", GUARD_TRACE_NONCE, GUARD_TRACE_WHOLE, GUARD_TRACE_WHOLE};
    static const uint64_t generations[] = {0, 7, 7, 7, 8, 100, 101, UINT64_MAX - 1, UINT64_MAX};
    static const uint64_t timeouts[] = {0, 5000, 20000, 20000, 4000000, UINT64_MAX};
    memset(ret, 0, sizeof(*ret));
    if (one_in(play, 5)) {
        record_copy(ret, &play->watch.own.put);
        return;
    }
    if (one_in(play, 2)) { /* the same as before */
        record_copy(ret, &play->watch.holder.seen);
        return;
    }
    strcpy(ret->nonce, one_of(play, nonces, 7));
    ret->generation = generations[below(play, 9)];
    ret->timeout_ms = timeouts[below(play, 6)];
    ret->ttl_s = below(play, 3);
    ret->has_fence = one_in(play, 2);
    if (ret->has_fence)
        ret->fence_s = one_in(play, 50) ? UINT64_MAX : play->s3_ms / 1000 + below(play, 30) - 15;
    if (one_in(play, 12))
        strcpy(ret->saw, GUARD_TRACE_NONCE);
    if (one_in(play, 2))
        ret->upload = one_in(play, 8) ? GUARD_TRACE_UPLOAD : 5;
}

static void random_ledger(struct play *play, struct guard_event *event)
{
    static const enum ledger_outcome bad[] = {LEDGER_CONFLICT_BLIND, LEDGER_THROTTLED, LEDGER_AMBIGUOUS,
                                              LEDGER_THROTTLED,      LEDGER_AMBIGUOUS, LEDGER_CONFLICT_BLIND,
                                              LEDGER_REFUSED,        LEDGER_UNREADABLE};
    uint64_t draw = below(play, 10);
    event->ledger = draw < 5 ? LEDGER_OK : draw < 8 ? LEDGER_CONFLICT : bad[below(play, 8)];
    bool put = event->kind == GUARD_EVENT_RECORD_PUT;
    if (!put && event->ledger == LEDGER_CONFLICT)
        event->ledger = LEDGER_OK;
    event->found = event->kind == GUARD_EVENT_RECORD_GET && !one_in(play, 4);
    if (event->found || event->ledger == LEDGER_CONFLICT)
        random_record(play, &event->record);
    for (int i = 0; event->kind == GUARD_EVENT_RECORD_QUERY && i < 2; i++) {
        struct record row;
        random_record(play, &row);
        guard_classify_record(&play->guard, i == 0 ? "\"X\"" : "*", &row, &event->evidence);
    }
}

static void random_source(struct play *play, struct guard_event *event)
{
    uint64_t most = one_in(play, 2) ? GUARD_COPY_EXPECTED_BYTES + 2 : GUARD_COPY_MAX_BYTES;
    event->source_bytes = one_in(play, 30) ? GUARD_COPY_MAX_BYTES + 1 : below(play, most);
    if (one_in(play, 20))
        memcpy(event->version.etag, "\"E\"", sizeof("\"E\""));
}

static void random_head(struct play *play, struct guard_event *event)
{
    event->part_seen = event->head != HEAD_ANSWERED && one_in(play, 2);
    if (one_in(play, 3))
        guard_classify_pair(&play->guard, one_in(play, 20) ? GUARD_TRACE_NONCE : GUARD_TRACE_WHOLE, one_in(play, 2),
                            &event->history);
}

static void random_answer(struct play *play, struct guard_event *event)
{
    event->has_date = !one_in(play, 20);
    event->date_s = play->s3_ms / 1000 - (one_in(play, 5) ? below(play, 4) : 0);
    event->head = one_in(play, 10) ? HEAD_FAILED : one_in(play, 80) ? HEAD_REFUSED : HEAD_ANSWERED;
    if (event->kind == GUARD_EVENT_SOURCE)
        random_source(play, event);
    event->signed_ok = !one_in(play, 50);
    event->at_once = one_in(play, 2);
    event->wire_bytes = below(play, 9000);
    event->attempt = (enum attempt_answer)(ATTEMPT_OK + below(play, ATTEMPT_AMBIGUOUS));
    if (one_in(play, 2))
        event->attempt = ATTEMPT_AMBIGUOUS;
    event->upload = (enum upload_outcome)(UPLOAD_OPEN + below(play, UPLOAD_REFUSED));
    event->versions = (enum versions_outcome)(VERSIONS_OURS + below(play, VERSIONS_HIDDEN));
    if (event->kind == GUARD_EVENT_HEAD || event->kind == GUARD_EVENT_VERSIONS)
        random_version(play, &event->version);
    if (event->kind == GUARD_EVENT_HEAD)
        random_head(play, event);
    event->versioned = event->version.exists ? version_is_own_id(event->version.version_id) : one_in(play, 8);
    if (event->kind >= GUARD_EVENT_RECORD_PUT && event->kind <= GUARD_EVENT_RECORD_QUERY)
        random_ledger(play, event);
}

/* Mostly an answer that is waited for, or the timer; now and then what nobody asked for. */
static enum guard_event_kind random_kind(struct play *play)
{
    static const unsigned requests[] = {GUARD_DO_HEAD,       GUARD_DO_SOURCE,       GUARD_DO_SIGN, GUARD_DO_RECORD_PUT,
                                        GUARD_DO_RECORD_GET, GUARD_DO_RECORD_QUERY, GUARD_DO_SEND, GUARD_DO_PARTS,
                                        GUARD_DO_ABORT,      GUARD_DO_VERSIONS};
    if (one_in(play, 150))
        return GUARD_EVENT_STOP;
    if (one_in(play, 40))
        return (enum guard_event_kind)(GUARD_EVENT_HEAD + below(play, GUARD_EVENT_TIMER - GUARD_EVENT_HEAD + 1));
    if (play->watch.timer && (play->watch.under_way == 0 || one_in(play, 3)))
        return GUARD_EVENT_TIMER;
    for (;;) {
        size_t i = below(play, sizeof(requests) / sizeof(requests[0]));
        if (play->watch.under_way & requests[i])
            return (enum guard_event_kind)(GUARD_EVENT_HEAD + i);
    }
}

/* ------------------------------------------------------------------------------------------------ a sequence */

static void random_settings(struct play *play)
{
    static const uint32_t lengths[] = {1, 5, 5, 30};
    static const char *const ours[] = {"\"X\"", "\"E\"", "*"};
    static const char *const known[] = {"", "a", GUARD_TRACE_WHOLE, GUARD_TRACE_WHOLE};
    play->settings = guard_trace_settings();
    play->settings.length_s = lengths[below(play, 4)];
    play->settings.fences = !one_in(play, 4);
    play->settings.release_always = one_in(play, 4);
    play->settings.answer_409 = (uint32_t)below(play, 3);
    play->settings.etag_known = one_in(play, 2);
    play->settings.work_s = one_in(play, 4) ? 9 : 0;
    play->settings.complete_s = one_in(play, 4) ? 30 : 0;
    play->settings.stalled_body_s = one_in(play, 4) ? GUARD_STALLED_BODY_FOR_EVER : GUARD_STALLED_BODY_S;
    play->settings.source_unpinned = one_in(play, 4);
    play->settings.native = one_in(play, 4);
    play->settings.modified_tells = one_in(play, 2);
    play->settings.versioned = one_in(play, 6);
    play->settings.versions_likely = one_in(play, 6);
    play->settings.recheck_after_ms = one_in(play, 4) ? 20 : 5000;
    struct guard_start start = {
        .operation = (enum guard_operation)(GUARD_PUT + below(play, 4)),
        .our_etag = ours[below(play, 3)],
        .nonce = GUARD_TRACE_NONCE,
        .generation = one_in(play, 2) ? 100 : random_next(&play->random),
        .seed = random_next(&play->random),
        .known_nonce = one_in(play, 2) ? one_of(play, known, 4) : NULL,
        .has_recent_date = one_in(play, 2),
        .recent_date_s = play->s3_ms / 1000,
        .recent_clock = play->now,
    };
    play->settings.forward_only = start.operation != GUARD_DELETE && one_in(play, 3);
    if (start.operation == GUARD_COMPLETE) {
        start.upload = GUARD_TRACE_UPLOAD;
        start.part_count = (uint32_t)below(play, 10001);
    }
    if (start.operation == GUARD_DELETE || one_in(play, 2))
        strcpy(play->expected, "\"E\"");
    start.expected_etag = play->expected[0] ? play->expected : NULL;
    struct record released;
    random_record(play, &released);
    released.timeout_ms = 0;
    if (!play->settings.native && one_in(play, 3))
        start.released = &released;
    guard_init(&play->guard, &play->settings, &start);
    guard_watch_start(&play->watch, &play->settings, &start);
}

static void tell(const struct play *play, const struct guard_event *event, const struct guard_actions *todo)
{
    struct trace_text text;
    memset(&text, 0, sizeof(text));
    trace_text_add(&text, "kind %d @%d head %d ledger %d attempt %d ->", (int)event->kind, (int)event->date_s,
                   (int)event->head, (int)event->ledger, (int)event->attempt);
    trace_text_step(&text, &play->guard, todo);
    print_error("%s\n", text.text);
}

/* One event, twice: the guard is plain data, and its step a function of state and event. */
static const char *step(struct play *play, enum guard_event_kind kind)
{
    struct guard copy;
    struct guard_actions todo;
    struct guard_event event;
    memset(&event, 0, sizeof(event));
    memcpy(&copy, &play->guard, sizeof(copy));
    pass_time(play);
    event.kind = kind;
    event.now = play->now;
    if (kind != GUARD_EVENT_START && kind != GUARD_EVENT_TIMER && kind != GUARD_EVENT_STOP)
        random_answer(play, &event);
    guard_step(&copy, &event, &todo);
    guard_step(&play->guard, &event, &todo);
    if (play->loud)
        tell(play, &event, &todo);
    if (memcmp(&copy, &play->guard, sizeof(copy)) != 0)
        return "equal states and events lead to equal states";
    return guard_watch_step(&play->watch, &play->guard, &event, &todo);
}

static const char *run(struct play *play)
{
    const char *wrong = step(play, GUARD_EVENT_START);
    for (int i = 0; i < STEPS_MAX && wrong == NULL && !guard_finished(&play->guard); i++)
        wrong = step(play, random_kind(play));
    if (wrong == NULL && !guard_finished(&play->guard))
        wrong = step(play, GUARD_EVENT_STOP);
    if (wrong == NULL && !guard_finished(&play->guard)) /* V3: an orphaned PutItem, or T3.10's GetItem, can be left */
        wrong =
            step(play, play->watch.under_way & GUARD_DO_RECORD_GET ? GUARD_EVENT_RECORD_GET : GUARD_EVENT_RECORD_PUT);
    if (wrong == NULL && !guard_finished(&play->guard))
        wrong = "a stop, and the answer of a PutItem, end every guard";
    return wrong;
}

/* Now and then the ticket of an `unknown` is resolved. */
static const char *play_sequence(struct play *play, uint64_t number, bool loud, enum verdict *ret_verdict)
{
    memset(play, 0, sizeof(*play));
    play->random = number;
    play->loud = loud;
    play->s3_ms = 1000000;
    play->now = (struct clock_reading){.monotonic_ms = 1000000, .boottime_ms = 2000000, .realtime_ms = 3000000};
    random_settings(play);
    const char *wrong = run(play);
    *ret_verdict = guard_verdict(&play->guard);
    if (wrong == NULL && *ret_verdict == VERDICT_UNKNOWN) {
        struct guard_ticket ticket;
        guard_ticket_of(&play->guard, &ticket);
        guard_init_resolve(&play->guard, &play->settings, &ticket, number);
        guard_watch_resolve(&play->watch, &play->settings, &ticket);
        wrong = run(play);
        if (wrong == NULL && guard_try_again(&play->guard))
            wrong = "a resolution is not tried again";
    }
    return wrong;
}

TEST(what_must_hold_holds_in_every_sequence)
{
    static struct play play;
    const char *set = getenv("OSCOMMIT_TEST_SEQUENCES");
    uint64_t count = set ? strtoull(set, NULL, 10) : SEQUENCES;
    uint64_t verdicts[VERDICT_UNKNOWN + 1] = {0};
    for (uint64_t number = 1; number <= count; number++) {
        enum verdict verdict;
        const char *wrong = play_sequence(&play, number, false, &verdict);
        if (wrong) {
            play_sequence(&play, number, true, &verdict);
            fail_msg("sequence %llu: %s", (unsigned long long)number, wrong);
        }
        verdicts[verdict]++;
    }
    print_message("committed %llu, conflict %llu, not executed %llu, unknown %llu\n", (unsigned long long)verdicts[1],
                  (unsigned long long)verdicts[2], (unsigned long long)verdicts[3], (unsigned long long)verdicts[4]);
    for (size_t i = VERDICT_COMMITTED; i <= VERDICT_UNKNOWN; i++)
        assert_true(verdicts[i] > count / 100); /* each is reached, or nothing was shown */
}
