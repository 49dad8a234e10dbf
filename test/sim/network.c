/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/network.h"

#include "sim/books.h"
#include "sim/canned.h"
#include "sim/contention.h"
#include "sim/effect.h"

#include <stdlib.h>
#include <string.h>

enum { MS = 1000, SECOND = 1000000 };
enum {
    PURPOSE_WAY = 1,
    PURPOSE_LATE,
    PURPOSE_REPLAY,
    PURPOSE_LOSS,
    PURPOSE_BUSY,
    PURPOSE_BACK,
    PURPOSE_CUT,
    PURPOSE_HALF = 10, /* those between are strike.c's */
    PURPOSE_BODY,
    PURPOSE_TAIL,
    PURPOSE_FOREIGN,
    PURPOSE_CONTENTION,
    PURPOSE_CUT_OFF,
    PURPOSE_ADRIFT = 40
};

struct parcel { /* one copy of a request, or its answer */
    struct world *world;
    struct process *process;
    struct http_engine *engine;
    uint64_t transfer;
    uint64_t occasion;
    uint64_t call;
    enum network_request kind;
    bool to_s3;
    size_t upload; /* its number, from 1, where the request began one; 0: none */
    bool whole;    /* the answer is the service's own, all of it */
    bool copy;     /* a second copy: nobody waits for its answer */
    enum network_body body;
    uint64_t moved_us;   /* when the last byte of its body arrived */
    struct parcel *next; /* in world->waiting */
    enum engine_delivery delivery;
    uint64_t admitted_ms;
    struct buf bytes;
};

static uint64_t draw(const struct parcel *parcel, uint64_t purpose, uint64_t least, uint64_t most)
{
    return fault_number(&parcel->world->faults, purpose + (parcel->copy ? 50 : 0), parcel->occasion, least, most);
}

static bool strikes(const struct parcel *parcel, enum fault_kind kind)
{
    return fault_strikes(&parcel->world->faults, kind, parcel->occasion);
}

static bool is_attempt(const struct parcel *parcel)
{
    return parcel->kind == NETWORK_ATTEMPT || parcel->kind == NETWORK_ROWS;
}

/* Attempts are few among all the requests, and the protocol is about them: they have kinds of faults of their own. */
static bool either_strikes(const struct parcel *parcel, enum fault_kind any, enum fault_kind of_attempt)
{
    return (is_attempt(parcel) && strikes(parcel, of_attempt)) || strikes(parcel, any);
}

static bool is_cut_off(const struct parcel *parcel)
{
    return parcel->process->cut_off_until_us > parcel->world->schedule.now_us;
}

uint64_t network_occasion(const struct process *process)
{
    return fault_occasion(process->lane, process->world->requests[process->lane] + 1);
}

static void free_parcel(struct parcel *parcel)
{
    parcel->world->in_flight--;
    buf_free(&parcel->bytes);
    free(parcel);
}

static struct parcel *copy_parcel(const struct parcel *from)
{
    struct parcel *parcel = calloc(1, sizeof(*parcel));
    if (parcel == NULL)
        abort();
    *parcel = *from;
    buf_init(&parcel->bytes, 16 << 20);
    if (!buf_add(&parcel->bytes, buf_str(&from->bytes), from->bytes.len))
        abort();
    parcel->world->in_flight++;
    return parcel;
}

/* ------------------------------------------------------------------------------------------------ the answer */

static void deliver(void *context, uint64_t unused)
{
    struct parcel *parcel = context;
    (void)unused;
    bool taken =
        engine_receive(parcel->engine, parcel->transfer, parcel->delivery, buf_str(&parcel->bytes), parcel->bytes.len);
    if (taken && parcel->whole && parcel->upload > 0)
        parcel->world->uploads[parcel->upload - 1].told = true;
    free_parcel(parcel);
}

static void deliver_after(struct parcel *parcel, enum engine_delivery delivery, uint64_t us)
{
    struct schedule *schedule = &parcel->world->schedule;
    parcel->delivery = delivery;
    if (delivery != ENGINE_ANSWER) {
        parcel->whole = false;
        buf_reset(&parcel->bytes);
    }
    schedule_at(schedule, schedule->now_us + us, deliver, parcel, 0);
}

/* The other side hears of a loss by a reset, or never. */
static void lose(struct parcel *parcel)
{
    parcel->process->lost_us = parcel->world->schedule.now_us;
    if (draw(parcel, PURPOSE_LOSS, 0, 1) == 0)
        free_parcel(parcel);
    else
        deliver_after(parcel, ENGINE_RESET, draw(parcel, PURPOSE_LOSS, 1, 3000) * MS);
}

static void send_back(struct parcel *parcel)
{
    if (parcel->copy) {
        free_parcel(parcel);
        return;
    }
    if (is_cut_off(parcel) || either_strikes(parcel, FAULT_LOSE_AFTER, FAULT_ATTEMPT_AFTER)) {
        lose(parcel);
        return;
    }
    if (!parcel->to_s3 && parcel->bytes.len > 0 && strikes(parcel, FAULT_BAD_CRC))
        parcel->bytes.data[parcel->bytes.len - 1] = ' ';
    if (strikes(parcel, FAULT_TRUNCATE)) {
        parcel->bytes.len = (size_t)draw(parcel, PURPOSE_CUT, 0, parcel->bytes.len - 1);
        parcel->bytes.data[parcel->bytes.len] = '\0';
        parcel->whole = false;
    }
    deliver_after(parcel, ENGINE_ANSWER, draw(parcel, PURPOSE_BACK, 300, 20000));
}

/* ------------------------------------------------------------------------------------------------ the service */

static void arrive(void *context, uint64_t unused);

static void must(bool done)
{
    if (!done)
        abort();
}

/* By what stands in front of a service that marks its answers; outside the bounds, of one that does not (E9). */
static bool foreign_answer(const struct parcel *parcel, bool before, uint64_t now_ms, bool head, struct buf *ret)
{
    const struct world *world = parcel->world;
    bool may = !world->unmarked || !parcel->to_s3 || world->defect == WORLD_UNMARKED_STORE;
    if (!may || draw(parcel, PURPOSE_FOREIGN + 1000, 0, 1) != (before ? 0 : 1) || !strikes(parcel, FAULT_FOREIGN))
        return false;
    buf_reset(ret);
    must(canned_foreign((uint32_t)draw(parcel, PURPOSE_FOREIGN, 0, 7), parcel->to_s3, head, now_ms, ret));
    return true;
}

/* It goes on by itself for a while, and its sender is told no more than that. */
static bool is_in_progress(struct parcel *parcel, uint64_t now_ms, struct buf *answer)
{
    if (!contention_may_be_in_progress(&parcel->bytes) || !strikes(parcel, FAULT_IN_PROGRESS))
        return false;
    struct parcel *goes_on = copy_parcel(parcel);
    goes_on->copy = true;
    uint64_t after_us = draw(goes_on, PURPOSE_CONTENTION, 1, 5000) * MS;
    schedule_at(&parcel->world->schedule, parcel->world->schedule.now_us + after_us, arrive, goes_on, 0);
    must(contention_in_progress(now_ms, answer));
    return true;
}

/* Others have the rows under way. */
static bool is_contended(struct parcel *parcel, uint64_t now_ms, struct buf *answer)
{
    if (parcel->to_s3 || parcel->world->books == NULL)
        return false;
    uint64_t lost_us = parcel->process->lost_us;
    bool follows_loss = lost_us > 0 && lost_us + UINT64_C(30) * SECOND > parcel->world->schedule.now_us;
    if (parcel->kind == NETWORK_ROWS && follows_loss && strikes(parcel, FAULT_DENIED)) {
        must(contention_denied(now_ms, answer));
        return true;
    }
    if (is_in_progress(parcel, now_ms, answer))
        return true;
    if (!contention_may_be(&parcel->bytes) || !strikes(parcel, FAULT_CONTENTION))
        return false;
    must(contention_answer(&parcel->bytes, draw(parcel, PURPOSE_CONTENTION, 0, 1000), now_ms, answer));
    return true;
}

/* Answered by what stands in front of the service, which never sees it. */
static bool refused_before(struct parcel *parcel, uint64_t now_ms, bool head, struct buf *answer)
{
    bool half = draw(parcel, PURPOSE_HALF, 0, 1) == 0;
    if (foreign_answer(parcel, true, now_ms, head, answer))
        return true;
    if (strikes(parcel, FAULT_BEFORE_5XX)) {
        must(parcel->to_s3 ? canned_s3(half ? CANNED_SLOW_DOWN : CANNED_INTERNAL_ERROR, head, now_ms, answer)
                           : canned_dynamo(CANNED_SERVER_ERROR, now_ms, answer));
        return true;
    }
    if (!parcel->to_s3 && strikes(parcel, FAULT_THROTTLE)) {
        must(canned_dynamo(half ? CANNED_THROTTLED : CANNED_REQUEST_LIMIT, now_ms, answer));
        return true;
    }
    if (strikes(parcel, FAULT_SKEWED)) {
        must(parcel->to_s3 ? canned_s3(CANNED_SKEWED, head, now_ms, answer)
                           : canned_dynamo(CANNED_DYNAMO_SKEWED, now_ms, answer));
        return true;
    }
    return is_contended(parcel, now_ms, answer);
}

/* A copy, a part's copy or a completion: the status goes out before the store knows how it ends. */
static bool may_fail_in_200(const struct parcel *parcel)
{
    const char *bytes = buf_str(&parcel->bytes);
    bool completes = parcel->kind == NETWORK_ATTEMPT && strncmp(bytes, "POST ", 5) == 0;
    return completes || (parcel->to_s3 && strstr(bytes, "\r\nx-amz-copy-source: ") != NULL);
}

static void replace_after(struct parcel *parcel, uint64_t now_ms, bool head, struct buf *answer)
{
    bool foreign = foreign_answer(parcel, false, now_ms, head, answer);
    bool error_200 = !foreign && may_fail_in_200(parcel) && strikes(parcel, FAULT_ERROR_200);
    if (!foreign && !error_200 && !strikes(parcel, FAULT_AFTER_5XX))
        return;
    parcel->whole = false;
    if (!foreign) {
        buf_reset(answer);
        must(parcel->to_s3 ? canned_s3(error_200 ? CANNED_ERROR_200 : CANNED_INTERNAL_ERROR, head, now_ms, answer)
                           : canned_dynamo(CANNED_SERVER_ERROR, now_ms, answer));
    }
}

static void note_upload(struct parcel *parcel)
{
    struct world *world = parcel->world;
    if (fake_s3_upload_count(world->s3) == world->upload_count)
        return;
    struct upload_note *grown = realloc(world->uploads, (world->upload_count + 1) * sizeof(*grown));
    must(grown != NULL);
    world->uploads = grown;
    grown[world->upload_count++] = (struct upload_note){.call = parcel->call, .process = parcel->process};
    parcel->upload = world->upload_count;
}

static void dress(const struct parcel *parcel, uint64_t now_ms, struct buf *answer)
{
    if (parcel->to_s3 && strikes(parcel, FAULT_FOREIGN_DATE)) /* no two in a row agree */
        canned_redate(answer, now_ms / 1000 + 1800 + parcel->occasion % 50 * 100);
    if (parcel->to_s3 && parcel->world->unmarked)
        canned_unmark(answer);
}

static void handle(void *context, uint64_t unused)
{
    struct parcel *parcel = context;
    struct world *world = parcel->world;
    const char *bytes = buf_str(&parcel->bytes);
    bool head = strncmp(bytes, "HEAD ", 5) == 0;
    struct buf answer;
    (void)unused;
    buf_init(&answer, 16 << 20);
    uint64_t now_ms = parcel->to_s3 ? world_s3_ms(world, parcel->occasion) : world_table_ms(world);
    world->handled++;
    world_digest(world, bytes, parcel->bytes.len);
    if (parcel->copy || !refused_before(parcel, now_ms, head, &answer)) {
        if (!parcel->copy && either_strikes(parcel, FAULT_EXPIRED_TOKEN, FAULT_ATTEMPT_TOKEN))
            must(world_rotate(world));
        struct effect effect;
        effect_begin(world, parcel->to_s3 ? bytes : "", &effect);
        bool contended = !parcel->copy && parcel->to_s3 && strikes(parcel, FAULT_CONFLICT_409);
        must(parcel->to_s3
                 ? fake_s3_handle(world->s3, bytes, parcel->bytes.len, parcel->admitted_ms, now_ms, contended, &answer)
                 : world_ask_ledger(world, parcel->process, &parcel->bytes, parcel->copy, &answer));
        effect_end(world, parcel->call, &effect);
        parcel->whole = true;
        note_upload(parcel);
        if (!parcel->copy)
            replace_after(parcel, now_ms, head, &answer);
    }
    dress(parcel, now_ms, &answer);
    world_trace(world, "%s%.*s -> %.*s", parcel->copy ? "(again) " : "", (int)strcspn(bytes, "?\r"), bytes,
                (int)strcspn(buf_str(&answer), "\r"), buf_str(&answer));
    world_digest(world, buf_str(&answer), answer.len);
    buf_free(&parcel->bytes);
    parcel->bytes = answer;
    send_back(parcel);
}

/* The service has all of it; a slow one takes effect later, within the time that is allowed for (docs/rules.md,
 * F2). */
static void begin_work(struct parcel *parcel)
{
    struct world *world = parcel->world;
    uint64_t busy_us = draw(parcel, PURPOSE_BUSY, 50, 3000);
    if (!parcel->copy && strikes(parcel, FAULT_SLOW)) {
        bool outside = world->defect == WORLD_SLOW_STORE && parcel->to_s3;
        uint64_t most_ms = outside ? 60000 : world->fleet.allowance_s * UINT64_C(1000) - 300;
        busy_us = draw(parcel, PURPOSE_BUSY, 10, most_ms) * MS;
    }
    schedule_at(&world->schedule, world->schedule.now_us + busy_us, handle, parcel, 0);
}

/* ------------------------------------------------------------------------------------------------ a body's way */

static struct parcel *take_waiting(struct world *world, const struct http_engine *engine, uint64_t transfer)
{
    struct parcel **at = &world->waiting;
    while (*at != NULL && ((*at)->engine != engine || (*at)->transfer != transfer))
        at = &(*at)->next;
    struct parcel *found = *at;
    if (found != NULL)
        *at = found->next;
    return found;
}

static void tail_arrives(void *context, uint64_t unused)
{
    struct parcel *parcel = context;
    struct world *world = parcel->world;
    (void)unused;
    uint64_t stalled_us = world->schedule.now_us - parcel->moved_us;
    bool waits = stalled_us <= (uint64_t)world->fleet.stalled_body_s * SECOND || world->defect == WORLD_STALLED_BODIES;
    if (waits)
        begin_work(parcel);
    else
        deliver_after(parcel, ENGINE_RESET, 0);
}

void network_tail(struct world *world, const struct http_engine *engine, uint64_t transfer, bool leaves)
{
    struct parcel *parcel = take_waiting(world, engine, transfer);
    if (parcel != NULL && leaves) {
        uint64_t way_us = draw(parcel, PURPOSE_TAIL, 300, 900000);
        schedule_at(&world->schedule, world->schedule.now_us + way_us, tail_arrives, parcel, 0);
    } else if (parcel != NULL) {
        free_parcel(parcel); /* reset: it is never whole */
    }
}

void network_forget(const struct process *process)
{
    struct parcel **at = &process->world->waiting;
    while (*at != NULL) {
        struct parcel *parcel = *at;
        if (parcel->process == process) {
            *at = parcel->next;
            free_parcel(parcel);
        } else {
            at = &parcel->next;
        }
    }
}

/* All before the tail has arrived. What is held back waits for its sender, if that still lives. */
static void body_came(void *context, uint64_t unused)
{
    struct parcel *parcel = context;
    struct world *world = parcel->world;
    (void)unused;
    parcel->moved_us = world->schedule.now_us;
    if (parcel->body != NETWORK_BODY_HELD_BACK || world->defect == WORLD_DRAINING_LINK) {
        begin_work(parcel);
        return;
    }
    parcel->next = world->waiting;
    world->waiting = parcel;
    if (!engine_tail_is_due(parcel->engine, parcel->transfer))
        network_tail(world, parcel->engine, parcel->transfer, false);
}

/* Admitted now. */
static void arrive(void *context, uint64_t unused)
{
    struct parcel *parcel = context;
    struct world *world = parcel->world;
    (void)unused;
    parcel->admitted_ms = parcel->to_s3 ? world_s3_ms(world, parcel->occasion) : 0;
    if (parcel->body == NETWORK_BODY_AT_ONCE) {
        begin_work(parcel);
        return;
    }
    uint64_t body_us = draw(parcel, PURPOSE_BODY, 500, 30000);
    if (strikes(parcel, FAULT_SLOW_LINK)) {
        bool very = draw(parcel, PURPOSE_BODY + 1000, 0, 3) == 0;
        body_us = draw(parcel, PURPOSE_BODY, 1, very ? 60000 : 8000) * MS;
    }
    schedule_at(&world->schedule, world->schedule.now_us + body_us, body_came, parcel, 0);
}

/* ------------------------------------------------------------------------------------------------ the way there */

/* As late as it likes, where the store refuses what has expired. Where it does not, nothing of ours bounds an attempt
 * but the connection's own end (R6's TCP_USER_TIMEOUT), and E7 leaves the rest to the timeout of the record. */
static uint64_t lateness_us(const struct parcel *parcel)
{
    bool bounded = parcel->kind == NETWORK_ATTEMPT && !parcel->world->store_expires;
    parcel->process->lost_us = parcel->world->schedule.now_us;
    bool is_short = draw(parcel, PURPOSE_LATE, 0, 3) != 0 && !is_cut_off(parcel);
    uint64_t most_ms = is_short ? 15000 : parcel->kind == NETWORK_ROWS ? 400000 : 150000;
    return draw(parcel, PURPOSE_LATE, 1000, bounded ? 12000 : most_ms) * MS;
}

/* An attempt is never delivered twice: no layer sends it again (R6), nothing stores and forwards it (E5). */
static void send_again(const struct parcel *parcel, uint64_t way_us)
{
    bool may = !is_attempt(parcel) || (parcel->kind == NETWORK_ROWS && parcel->world->defect == WORLD_ROWS_TWICE);
    if (!may || !strikes(parcel, FAULT_REPLAY))
        return;
    struct parcel *again = copy_parcel(parcel);
    again->copy = true;
    uint64_t most_ms = draw(parcel, PURPOSE_REPLAY, 0, 2) == 0 ? 60000 : 200;
    uint64_t after_us = draw(again, PURPOSE_REPLAY, 1, most_ms) * MS;
    schedule_at(&parcel->world->schedule, parcel->world->schedule.now_us + way_us + after_us, arrive, again, 0);
}

/* Its sender is told at once that the connection is gone, and may look and send another copy before this one lands. */
static bool goes_adrift(struct parcel *parcel, uint64_t way_us)
{
    if (!is_attempt(parcel) || parcel->body != NETWORK_BODY_AT_ONCE || !strikes(parcel, FAULT_ATTEMPT_ADRIFT))
        return false;
    struct parcel *adrift = copy_parcel(parcel);
    parcel->process->lost_us = parcel->world->schedule.now_us;
    adrift->copy = true;
    uint64_t longest_ms = parcel->kind == NETWORK_ROWS ? 400000 : 12000;
    uint64_t most_ms = draw(parcel, PURPOSE_ADRIFT, 0, 3) == 0 ? longest_ms : 1000;
    uint64_t after_us = draw(adrift, PURPOSE_ADRIFT, 1, most_ms) * MS;
    schedule_at(&parcel->world->schedule, parcel->world->schedule.now_us + way_us + after_us, arrive, adrift, 0);
    deliver_after(parcel, ENGINE_RESET, way_us);
    return true;
}

/* Most of what is sent meanwhile is lost. Some of it comes late, if it still counts. */
static bool is_lost_there(struct parcel *parcel)
{
    struct process *process = parcel->process;
    uint64_t now_us = parcel->world->schedule.now_us;
    if (is_cut_off(parcel))
        return draw(parcel, PURPOSE_CUT_OFF, 0, 7) != 0;
    if (parcel->kind == NETWORK_ROWS && strikes(parcel, FAULT_CUT_OFF))
        process->cut_off_until_us =
            now_us + draw(parcel, PURPOSE_CUT_OFF, parcel->world->books->is_long ? 400000 : 10000, 720000) * MS;
    return false;
}

void network_send(struct process *process, struct http_engine *engine, uint64_t transfer, enum network_request kind,
                  enum network_body body, const struct buf *bytes)
{
    struct world *world = process->world;
    struct parcel first = {.world = world, .process = process, .engine = engine, .transfer = transfer};
    first.occasion = fault_occasion(process->lane, ++world->requests[process->lane]);
    first.call = process->call;
    first.kind = kind;
    first.to_s3 = kind != NETWORK_LEDGER && kind != NETWORK_ROWS;
    first.body = body;
    buf_init(&first.bytes, 16 << 20);
    must(buf_add(&first.bytes, buf_str(bytes), bytes->len));
    struct parcel *parcel = copy_parcel(&first);
    buf_free(&first.bytes);
    uint64_t way_us = draw(parcel, PURPOSE_WAY, 300, 20000);
    if (strikes(parcel, FAULT_REFUSED)) {
        deliver_after(parcel, ENGINE_REFUSED, way_us);
        return;
    }
    bool was_cut_off = is_cut_off(parcel);
    if (is_lost_there(parcel)) {
        lose(parcel);
        return;
    }
    if (goes_adrift(parcel, way_us))
        return;
    if (was_cut_off || either_strikes(parcel, FAULT_LATE, FAULT_ATTEMPT_LATE))
        way_us += lateness_us(parcel);
    send_again(parcel, way_us);
    if (either_strikes(parcel, FAULT_LOSE_BEFORE, FAULT_ATTEMPT_BEFORE)) {
        lose(parcel);
        return;
    }
    schedule_at(&world->schedule, world->schedule.now_us + way_us, arrive, parcel, 0);
}
