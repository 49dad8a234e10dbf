/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lease among surroundings that the bytes make: settings, and then one event after another, with any answer that a
 * table could give, on clocks that jump. A judge beside it keeps its own book of what was sent and answered, and says
 * after each step what must hold. Everything is played twice, on memory that was filled differently, as for the guard.
 */
#include "fuzz.h"

#include "lease/lease.h"

#include <stdlib.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"
enum { STEPS_MAX = 400, START_MS = 1000000, MS_PER_S = 1000 };

/* What the judge has seen. */
struct watch {
    struct lease_request asked; /* kind 0: nothing is under way */
    struct clock_reading sent;
    struct clock_reading given; /* L4: the send of the last request that gave time */
    bool has_time;
    uint64_t ttl_s;         /* L11.1: of one that adopts, the longest that it was shown before it held */
    struct lease_item seen; /* L2: what an answer showed last, and since when */
    struct clock_reading since;
    char last_version[LEASE_VERSION_SIZE];
    enum lease_status status;
    uint64_t token;
};

struct run {
    struct lease lease;
    struct lease_settings settings;
    struct clock_reading now;
    struct lease_actions todo;
    struct watch watch;
};

#define ADOPTED NONCE "-77"
#define OLDER   NONCE "-9"

static const char *const versions[] = {"other", "another", "ffffffffffffffffffffffffffffffff-1", NONCE, ADOPTED,
                                       "",      OLDER};
enum { VERSIONS = sizeof(versions) / sizeof(versions[0]) };

/* ------------------------------------------------------------------------------------------------ the judge */

static bool is_held(enum lease_status status)
{
    return status == LEASE_HELD || status == LEASE_AT_RISK;
}

/* L4, L6: between two steps, too, when only time has passed. */
static void check_time(struct run *run)
{
    enum lease_status status = lease_status(&run->lease, &run->now);
    uint64_t remaining_ms = lease_remaining_ms(&run->lease, &run->now);
    uint64_t passed_ms = clock_elapsed_max(&run->watch.given, &run->now);

    FUZZ_CHECK(is_held(status) == (remaining_ms > 0));
    FUZZ_CHECK(!is_held(status) || run->watch.has_time);
    FUZZ_CHECK(!is_held(status) || passed_ms + remaining_ms + LEASE_MARGIN_MIN_MS <= run->watch.ttl_s * MS_PER_S);
}

/* L6, L8: what is lost stays lost, and a token that is announced stays what it is. */
static void check_status(struct run *run)
{
    enum lease_status status = lease_status(&run->lease, &run->now);
    uint64_t token = lease_token(&run->lease);

    FUZZ_CHECK(run->watch.status != LEASE_LOST || !is_held(status));
    FUZZ_CHECK(!run->settings.fencing || !is_held(status) || token != 0);
    FUZZ_CHECK(run->settings.fencing || token == 0);
    FUZZ_CHECK(run->watch.token == 0 || token == run->watch.token);
    FUZZ_CHECK(!lease_finished(&run->lease) || !is_held(status));
    run->watch.status = status;
    run->watch.token = token;
}

static bool is_own(const char *version)
{
    return strncmp(version, NONCE "-", LEASE_NONCE_SIZE) == 0;
}

/* L2: what another holds was seen unchanged for as long as it may live. */
static void check_take(const struct run *run, const struct lease_request *request)
{
    const struct lease_item *seen = &run->watch.seen;
    if (request->on_version[0] == '\0' || is_own(request->on_version))
        return;
    FUZZ_CHECK(seen->held && strcmp(seen->version, request->on_version) == 0);
    FUZZ_CHECK(seen->ttl_ms > 0 && clock_elapsed_min(&run->watch.since, &run->now) >= seen->ttl_ms);
}

/* L11: nothing is taken, and what is not held yet is extended on no version before that of the handle. */
static void check_adopted(const struct run *run, const struct lease_request *request)
{
    bool extends = request->kind == LEASE_EXTEND;
    FUZZ_CHECK(request->kind != LEASE_TAKE && request->kind != LEASE_EPOCH && request->kind != LEASE_TOKEN);
    FUZZ_CHECK(!extends || run->watch.has_time || strcmp(request->on_version, OLDER) != 0);
}

/* L1, L7, L9. */
static void check_request(struct run *run, const struct lease_request *request)
{
    bool writes = request->kind == LEASE_TAKE || request->kind == LEASE_EXTEND;
    bool on_own = request->kind == LEASE_EXTEND || request->kind == LEASE_DROP || request->kind == LEASE_TOKEN;

    FUZZ_CHECK(run->watch.asked.kind == 0);
    FUZZ_CHECK(request->try_ms > 0 && request->try_ms <= LEASE_TRY_MAX_MS);
    FUZZ_CHECK(!writes || (is_own(request->version) && strcmp(request->version, run->watch.last_version) != 0));
    FUZZ_CHECK(!on_own || is_own(request->on_version));
    FUZZ_CHECK(request->kind != LEASE_TOKEN || request->token >> 32 != 0);
    FUZZ_CHECK(run->settings.fencing || (request->kind != LEASE_TOKEN && request->kind != LEASE_EPOCH));
    if (request->kind == LEASE_TAKE)
        check_take(run, request);
    if (run->settings.adopted[0] != '\0')
        check_adopted(run, request);
    if (writes)
        memcpy(run->watch.last_version, request->version, LEASE_VERSION_SIZE);
    run->watch.asked = *request;
    run->watch.sent = run->now;
}

static void note_ttl(struct watch *watch, uint64_t ttl_ms)
{
    uint64_t ttl_s = (ttl_ms + MS_PER_S - 1) / MS_PER_S;
    if (ttl_s > LEASE_TTL_MOST_S)
        ttl_s = LEASE_TTL_MOST_S;
    if (ttl_s > watch->ttl_s)
        watch->ttl_s = ttl_s;
}

static void note_answer(struct run *run, const struct lease_event *event)
{
    struct watch *watch = &run->watch;
    enum lease_request_kind kind = watch->asked.kind;
    bool shows = event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && kind == LEASE_READ);
    bool held = event->item.found && event->item.held;

    if (event->outcome == LEASE_OK && (kind == LEASE_TAKE || kind == LEASE_EXTEND)) {
        watch->given = watch->sent;
        watch->has_time = true;
    }
    if (shows && (!held || !watch->seen.held || strcmp(watch->seen.version, event->item.version) != 0))
        watch->since = run->now;
    if (shows) {
        watch->seen = event->item;
        watch->seen.held = held;
    }
    if (shows && run->settings.adopted[0] != '\0' && watch->status == LEASE_ACQUIRING)
        note_ttl(watch, event->item.ttl_ms);
    watch->asked.kind = 0;
}

/* ------------------------------------------------------------------------------------------------ surroundings */

static void pass_time(struct fuzz_bytes *bytes, struct clock_reading *now)
{
    unsigned pick = fuzz_next(bytes);
    uint64_t ms = pick < 128 ? pick * 8 : pick < 254 ? (pick - 127) * 250 : fuzz_next_u32(bytes) % 10000000;

    now->monotonic_ms += ms;
    now->boottime_ms += pick >= 224 && pick < 240 ? ms + 600000 : ms; /* suspended */
    now->realtime_ms += ms;
    if (pick >= 240 && pick < 247)
        now->realtime_ms += 3600000; /* set */
    else if (pick >= 247 && pick < 254 && now->realtime_ms > 3600000)
        now->realtime_ms -= 3600000;
}

static void fill_item(struct fuzz_bytes *bytes, const struct run *run, struct lease_item *ret)
{
    unsigned pick = fuzz_next(bytes);

    memset(ret, 0, sizeof(*ret));
    ret->found = pick != 0;
    if (!ret->found)
        return;
    if (pick >= 128)
        strcpy(ret->version, run->watch.last_version);
    else
        strcpy(ret->version, versions[pick % VERSIONS]);
    ret->held = ret->version[0] != '\0';
    ret->ttl_ms = pick & 8 ? fuzz_next_number(bytes) * 100 : 0;
    ret->expiry_s = pick & 16 ? fuzz_next_number(bytes) : run->now.realtime_ms / MS_PER_S + (pick & 7);
    ret->token = pick & 32 ? (uint64_t)(pick & 3) << 32 | fuzz_next_number(bytes) : 0;
}

static void fill_answer(struct fuzz_bytes *bytes, const struct run *run, struct lease_event *ret)
{
    unsigned pick = fuzz_next(bytes);

    ret->kind = LEASE_EVENT_ANSWER;
    ret->outcome = pick < 100 ? LEASE_OK : (enum lease_outcome)(1 + pick % 6);
    fill_item(bytes, run, &ret->item);
    ret->epoch = 1 + fuzz_next(bytes);
    ret->has_date = (pick & 1) != 0;
    ret->date_s = pick & 64 ? (int64_t)fuzz_next_number(bytes) : (int64_t)(run->now.realtime_ms / MS_PER_S);
}

/* False: there is nothing left that could happen. */
static bool next_event(struct fuzz_bytes *bytes, struct run *run, struct lease_event *ret)
{
    unsigned pick = fuzz_next(bytes);

    memset(ret, 0, sizeof(*ret));
    pass_time(bytes, &run->now);
    check_time(run);
    ret->now = run->now;
    if (pick >= 250)
        ret->kind = pick & 1 ? LEASE_EVENT_RELEASE : LEASE_EVENT_STOP;
    else if (run->watch.asked.kind != 0 && pick < 200)
        fill_answer(bytes, run, ret);
    else
        ret->kind = LEASE_EVENT_TIMER;
    return run->watch.asked.kind != 0 || run->todo.has_timer;
}

static void play(const uint8_t *data, size_t size, int fill, struct run *run)
{
    struct fuzz_bytes bytes = {data, size};
    struct lease_event event = {.kind = LEASE_EVENT_START};
    unsigned pick = fuzz_next(&bytes);

    memset(run, 0, sizeof(*run));
    memset(&run->lease, fill, sizeof(run->lease));
    run->now = (struct clock_reading){START_MS, START_MS, START_MS};
    run->settings =
        (struct lease_settings){.ttl_s = 2 + (pick >> 2 & 31), .poll_ms = 1000, .once = pick & 1, .fencing = pick & 2};
    memcpy(run->settings.nonce, NONCE, sizeof(NONCE));
    if (pick & 128) {
        memcpy(run->settings.adopted, ADOPTED, sizeof(ADOPTED));
        run->settings.version_count = 1000;
    }
    run->watch.ttl_s = run->settings.ttl_s;
    lease_init(&run->lease, &run->settings);
    event.now = run->now;
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        if (event.kind == LEASE_EVENT_ANSWER)
            note_answer(run, &event);
        memset(&run->todo, ~fill, sizeof(run->todo));
        lease_step(&run->lease, &event, &run->todo);
        if (run->todo.send)
            check_request(run, &run->todo.request);
        check_time(run);
        check_status(run);
        if (lease_finished(&run->lease) || bytes.left == 0 || !next_event(&bytes, run, &event))
            break;
        FUZZ_CHECK(run->watch.asked.kind != 0 || run->todo.has_timer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct run first;
    static struct run second;

    play(data, size, 0, &first);
    play(data, size, 0x55, &second);
    FUZZ_CHECK(memcmp(&first.lease, &second.lease, sizeof(first.lease)) == 0);
    return 0;
}
