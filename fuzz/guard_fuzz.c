/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard among surroundings that the bytes make: settings, the operation, and then one event after another, in any
 * order that a driver allows, with any answer that store and ledger could give, on clocks that jump. After each step
 * the judge (test/support/guard_watch.h) says what must hold. Everything is played twice, on memory that was filled
 * differently: two runs of the same bytes end in the same bytes, so the state holds no padding, no pointer and nothing
 * unset.
 */
#include "fuzz.h"

#include "support/guard_watch.h"

#include <stdlib.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"
enum { STEPS_MAX = 400 };

/* Clocks, the store's and ours, and who watches. */
struct surroundings {
    struct clock_reading now;
    uint64_t s3_ms;
    struct guard_watch watch;
};

static const char *const etags[] = {"\"a\"", "\"b\"", "\"00112233445566778899aabbccddeeff\"", ""};
static const char *const nonces[] = {NONCE, "ffffffffffffffffffffffffffffffff", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", ""};

/* ------------------------------------------------------------------------------------------------ its surroundings */

static void pass_time(struct fuzz_bytes *bytes, struct surroundings *around)
{
    unsigned pick = fuzz_next(bytes);
    uint64_t ms = pick < 128 ? pick * 8 : pick < 254 ? (pick - 127) * 500 : fuzz_next_u32(bytes) % 10000000;

    around->now.monotonic_ms += ms;
    around->now.boottime_ms += pick >= 224 && pick < 248 ? ms + 600000 : ms; /* suspended */
    around->now.realtime_ms += pick >= 248 && pick < 252 ? ms - 50000 : ms;  /* set */
    around->s3_ms += pick >= 252 && pick < 254 ? 0 : ms;
}

static void fill_date(struct fuzz_bytes *bytes, struct surroundings *around, struct guard_event *event)
{
    unsigned pick = fuzz_next(bytes);

    event->has_date = pick != 255;
    event->date_s = around->s3_ms / 1000;
    if (pick >= 250 && pick < 255)
        event->date_s += fuzz_next(bytes);
    else if (pick >= 245)
        event->date_s -= fuzz_next(bytes);
}

static void fill_record(struct fuzz_bytes *bytes, const struct surroundings *around, struct record *ret)
{
    unsigned pick = fuzz_next(bytes);

    memset(ret, 0, sizeof(*ret));
    if (pick & 1 && pick & 8 && around->watch.holder.seen_step > 0) { /* the other holder's, still */
        record_copy(ret, &around->watch.holder.seen);
    } else if (pick & 1 && around->watch.own.put.nonce[0]) { /* what was sent last, or nearly */
        record_copy(ret, &around->watch.own.put);
        if (pick & 2)
            ret->generation -= 1;
        if (pick & 4 && ret->has_fence)
            ret->fence_s += 1;
    } else {
        strcpy(ret->nonce, nonces[pick >> 1 & 3]);
        ret->generation = fuzz_next_number(bytes);
        ret->timeout_ms = fuzz_next_number(bytes) * 1000;
        ret->ttl_s = around->s3_ms / 1000 + fuzz_next_number(bytes);
        ret->has_fence = (pick & 16) != 0;
        ret->fence_s = ret->has_fence ? around->s3_ms / 1000 + fuzz_next_number(bytes) - 20 : 0;
    }
    if (pick & 8)
        ret->upload = 1 + (pick >> 4 & 1);
    if (pick & 32)
        strcpy(ret->saw, nonces[pick >> 6 & 3]);
}

static void fill_version(struct fuzz_bytes *bytes, const struct surroundings *around, struct object_version *ret)
{
    unsigned pick = fuzz_next(bytes);

    memset(ret, 0, sizeof(*ret));
    ret->exists = (pick & 1) != 0;
    if (!ret->exists)
        return;
    strcpy(ret->etag, etags[pick >> 1 & 3]);
    strcpy(ret->nonce, pick >= 224 ? nonces[0] : nonces[1 + (pick >> 3) % 3]);
    ret->last_modified_s = pick >> 5 & 1;
    if ((pick & 24) == 24) /* around what N1 calls long ago */
        ret->last_modified_s =
            (int64_t)(around->s3_ms / 1000) - GUARD_NATIVE_SETTLED_S - (int64_t)(fuzz_next(bytes) % 64);
    if (pick & 64)
        strcpy(ret->version_id, pick & 128 ? "null" : "v1");
}

/* What the answer says beyond how it went. */
static void fill_content(struct fuzz_bytes *bytes, struct surroundings *around, unsigned pick,
                         struct guard_event *event)
{
    switch (event->kind) {
    case GUARD_EVENT_HEAD:
        fill_date(bytes, around, event);
        fill_version(bytes, around, &event->version);
        event->versioned = event->version.exists ? version_is_own_id(event->version.version_id) : (pick & 8) != 0;
        if (guard_watch_forward(&around->watch))
            event->history = (struct guard_history){(pick & 112) == 112, (pick & 16) != 0};
        return;
    case GUARD_EVENT_SOURCE:
        fill_date(bytes, around, event);
        event->source_bytes = fuzz_next_number(bytes) << (pick & 31);
        return;
    case GUARD_EVENT_ATTEMPT:
        fill_date(bytes, around, event);
        strcpy(event->attempt_etag, pick & 128 ? "\"d\"" : "");
        return;
    case GUARD_EVENT_PARTS:
    case GUARD_EVENT_ABORTED: fill_date(bytes, around, event); return;
    case GUARD_EVENT_VERSIONS:
        fill_date(bytes, around, event);
        fill_version(bytes, around, &event->version);
        return;
    case GUARD_EVENT_RECORD_PUT:
    case GUARD_EVENT_RECORD_GET:
        event->found = (pick & 64) != 0;
        fill_record(bytes, around, &event->record);
        return;
    case GUARD_EVENT_RECORD_QUERY:
        event->evidence = (struct guard_evidence){.saw_ours = (pick & 96) == 96, .locked = (pick & 16) != 0};
        return;
    default: return;
    }
}

static void fill_answer(struct fuzz_bytes *bytes, struct surroundings *around, struct guard_event *event)
{
    unsigned pick = fuzz_next(bytes);

    event->head = pick < 200 ? HEAD_ANSWERED : pick < 240 ? HEAD_FAILED : HEAD_REFUSED;
    event->signed_ok = pick < 240;
    event->at_once = (pick & 8) != 0;
    event->wire_bytes = (uint64_t)(pick >> 4) * 1000;
    event->ledger = pick < 128 ? LEDGER_OK : (enum ledger_outcome)(1 + pick % 7);
    event->attempt = (enum attempt_answer)(1 + pick % 10);
    event->upload = (enum upload_outcome)(1 + pick % 5);
    event->versions = (enum versions_outcome)(1 + pick % 4);
    bool conflict = event->ledger == LEDGER_CONFLICT || event->ledger == LEDGER_CONFLICT_BLIND;
    if (event->kind == GUARD_EVENT_RECORD_GET && conflict)
        event->ledger = LEDGER_AMBIGUOUS;
    fill_content(bytes, around, pick, event);
}

/* An answer that is awaited, or time, or (rarely) something that nobody asked for. False: nothing can happen. */
static bool next_event(struct fuzz_bytes *bytes, struct surroundings *around, struct guard_event *event)
{
    unsigned pick = fuzz_next(bytes);
    enum guard_event_kind kinds[11];
    unsigned count = 0;

    pass_time(bytes, around);
    event->now = around->now;
    for (unsigned kind = GUARD_EVENT_HEAD; kind <= GUARD_EVENT_VERSIONS; kind++)
        if (around->watch.under_way & guard_watch_request_of((enum guard_event_kind)kind))
            kinds[count++] = (enum guard_event_kind)kind;
    if (around->watch.timer)
        kinds[count++] = GUARD_EVENT_TIMER;
    if (count == 0)
        return false;
    event->kind = kinds[pick % count];
    if (pick >= 250)
        event->kind = GUARD_EVENT_STOP;
    else if (pick >= 246)
        event->kind = (enum guard_event_kind)(GUARD_EVENT_HEAD + pick % 10); /* late, from an earlier request */
    fill_answer(bytes, around, event);
    return true;
}

/* ------------------------------------------------------------------------------------------------ settings, start */

static void make_settings(struct fuzz_bytes *bytes, struct guard_settings *ret)
{
    unsigned pick = fuzz_next(bytes);

    memset(ret, 0, sizeof(*ret));
    ret->max_clock_skew_rate = 2 + (pick & 1);
    ret->timeout_ms = pick & 2 ? 20000 : 500;
    ret->ttl_s = pick & 4 ? 3600 : 600;
    ret->recheck_after_ms = pick & 8 ? 5000 : 100;
    ret->length_s = 1 + (pick >> 4) * 4; /* 1 to 61: one over E6's limit */
    if (ret->length_s > GUARD_LENGTH_MAX_S)
        ret->length_s = GUARD_LENGTH_MAX_S;
    pick = fuzz_next(bytes);
    ret->work_s = pick & 1 ? 0 : 1 + (pick >> 4);
    ret->minimum_rate = 3000;
    ret->late_segment_s = 1;
    ret->stalled_body_s = (pick & 192) == 192 ? GUARD_STALLED_BODY_FOR_EVER : 7;
    ret->margin_s = pick >> 1 & 3;
    ret->source_unpinned = (pick & 32) != 0;
    ret->answer_409 = (pick >> 3 & 3) % 3;
    pick = fuzz_next(bytes);
    ret->fences = (pick & 1) != 0;
    ret->release_always = (pick & 2) != 0;
    ret->etag_known = (pick & 4) != 0;
    ret->native = (pick & 24) == 24;
    ret->modified_tells = (pick & 32) != 0;
    ret->native_writers = (pick & 192) == 192;
    ret->versioned = (pick & 36) == 36;
    ret->versions_likely = (pick & 34) == 34;
    ret->forward_only = (pick & 88) == 88; /* native */
}

static void make_guard(struct fuzz_bytes *bytes, const struct guard_settings *settings, struct surroundings *around,
                       struct guard *ret)
{
    unsigned pick = fuzz_next(bytes);
    struct guard_start start = {
        .operation = (enum guard_operation)(1 + pick % 4),
        .our_etag = pick & 4 ? "\"b\"" : "\"d\"",
        .nonce = NONCE,
        .seed = pick,
        .part_count = pick * 40,
        .has_recent_date = (pick & 16) != 0,
        .recent_date_s = around->s3_ms / 1000,
        .recent_clock = around->now,
    };

    start.expected_etag = start.operation == GUARD_DELETE || pick & 32 ? "\"a\"" : NULL;
    start.upload = start.operation == GUARD_COMPLETE ? 2 : 0;
    start.generation = fuzz_next_number(bytes);
    struct record released;
    if ((pick & 192) == 192 && !settings->native) { /* R12.11 */
        fill_record(bytes, around, &released);
        released.timeout_ms = 0;
        start.released = &released;
    }
    struct guard_settings own = *settings;
    own.forward_only = settings->forward_only && start.operation != GUARD_DELETE;
    guard_init(ret, &own, &start);
    guard_watch_start(&around->watch, &own, &start);
}

static void make_resolution(struct fuzz_bytes *bytes, const struct guard_settings *settings,
                            struct surroundings *around, struct guard *ret)
{
    struct guard_ticket ticket;
    unsigned pick = fuzz_next(bytes);

    memset(&ticket, 0, sizeof(ticket));
    ticket.operation = (enum guard_operation)(1 + pick % 4);
    ticket.native = settings->native;
    ticket.native_writers = settings->native_writers;
    ticket.forward_only = settings->forward_only && ticket.operation != GUARD_DELETE;
    ticket.versioned = settings->versioned;
    ticket.record.upload = ticket.operation == GUARD_COMPLETE ? 2 : 0;
    strcpy(ticket.expected_etag, pick & 4 ? "\"a\"" : RECORD_ETAG_CREATE);
    strcpy(ticket.our_etag, pick & 8 ? "\"b\"" : "");
    ticket.d0_s = around->s3_ms / 1000;
    ticket.margin_s = pick >> 4 & 3;
    ticket.not_applied = pick >= 192;
    ticket.record.generation = fuzz_next_number(bytes);
    ticket.record.timeout_ms = 20000;
    ticket.record.ttl_s = ticket.d0_s + 3600;
    ticket.record.has_fence = (pick & 64) != 0;
    ticket.record.fence_s = ticket.record.has_fence ? ticket.d0_s + 10 : 0;
    strcpy(ticket.record.nonce, NONCE);
    fill_version(bytes, around, &ticket.base);
    guard_init_resolve(ret, settings, &ticket, pick);
    guard_watch_resolve(&around->watch, settings, &ticket);
}

/* ------------------------------------------------------------------------------------------------ the run */

static void begin(struct surroundings *around)
{
    memset(around, 0, sizeof(*around));
    around->s3_ms = UINT64_C(1793496400000);
    around->now.monotonic_ms = 5000000;
    around->now.boottime_ms = 6000000;
    around->now.realtime_ms = around->s3_ms + 300;
}

static void play(const uint8_t *data, size_t size, int fill, struct guard *guard)
{
    static struct guard_event event;
    static struct guard_actions todo;
    struct guard_settings settings;
    struct surroundings around;
    struct fuzz_bytes bytes = {data, size};

    memset(guard, fill, sizeof(*guard));
    begin(&around);
    unsigned mode = fuzz_next(&bytes);
    make_settings(&bytes, &settings);
    if (mode & 1)
        make_resolution(&bytes, &settings, &around, guard);
    else
        make_guard(&bytes, &settings, &around, guard);
    memset(&event, fill, sizeof(event));
    event = (struct guard_event){.kind = GUARD_EVENT_START, .now = around.now};
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        memset(&todo, ~fill, sizeof(todo));
        guard_step(guard, &event, &todo);
        const char *wrong = guard_watch_step(&around.watch, guard, &event, &todo);
        if (wrong)
            fuzz_failed(__FILE__, __LINE__, wrong);
        memset(&event, 0, sizeof(event));
        if (guard_finished(guard) || bytes.left == 0 || !next_event(&bytes, &around, &event))
            break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct guard first;
    static struct guard second;

    play(data, size, 0, &first);
    play(data, size, 0x55, &second);
    FUZZ_CHECK(memcmp(&first, &second, sizeof(first)) == 0);
    return 0;
}
