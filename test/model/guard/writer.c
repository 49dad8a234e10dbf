/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include "forger.h"
#include "link.h"
#include "oracle.h"

#include <string.h>

static void step(struct world *world, unsigned w, struct guard_event *event, const struct flight *answered);

/* ------------------------------------------------------------------------------------------------ what comes out */

static unsigned request_of(enum flight_kind kind)
{
    switch (kind) {
    case FLIGHT_HEAD: return GUARD_DO_HEAD;
    case FLIGHT_SOURCE: return GUARD_DO_SOURCE;
    case FLIGHT_SIGN: return GUARD_DO_SIGN;
    case FLIGHT_GET: return GUARD_DO_RECORD_GET;
    case FLIGHT_QUERY: return GUARD_DO_RECORD_QUERY;
    case FLIGHT_PUT: return GUARD_DO_RECORD_PUT;
    case FLIGHT_PARTS: return GUARD_DO_PARTS;
    case FLIGHT_ABORT: return GUARD_DO_ABORT;
    case FLIGHT_VERSIONS: return GUARD_DO_VERSIONS;
    default: return GUARD_DO_SEND;
    }
}

/* What the guard waits for no longer. A write that has not been served yet may still be. */
static void forget_answers(struct world *world, unsigned w, unsigned awaiting)
{
    for (unsigned i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &world->flights[i];
        if (flight->kind == FLIGHT_NONE || flight->writer != w || !flight->awaited)
            continue;
        if (awaiting & request_of((enum flight_kind)flight->kind))
            continue;
        if (flight_writes(flight) && !flight->served)
            flight->awaited = 0;
        else
            memset(flight, 0, sizeof(*flight));
    }
}

static void ask_for_put(struct world *world, unsigned w, uint8_t row, const struct record *record,
                        const struct record_condition *condition, bool release)
{
    struct flight *flight = world_new_flight(world, FLIGHT_PUT, w);
    flight->awaited = !release;
    flight->is_release = release;
    flight->row = row;
    record_copy(&flight->record, record);
    flight->condition.kind = condition->kind;
    record_copy(&flight->condition.seen, &condition->seen);
}

static void ask_for_send(struct world *world, unsigned w, const struct guard_actions *todo)
{
    struct flight *flight = world_new_flight(world, FLIGHT_SEND, w);
    flight->awaited = 1;
    flight->date_s = world->writers[w].book.sign_date_s;
    flight->length_s = world->writers[w].book.sign_length_s;
    flight->sent_s = world_date(world);
    flight->replaced = world->writers[w].book.sign_replaced;
    if (!todo->send_at_once) {
        flight->phase = SEND_HEADERS;
        flight->sent = todo->send_clock;
        flight->tail_ms = (uint32_t)todo->send_tail_ms;
    }
}

static void ask_about_upload(struct world *world, enum flight_kind kind, unsigned w, const struct guard_actions *todo)
{
    struct flight *flight = world_new_flight(world, kind, w);
    flight->awaited = 1;
    flight->row = (uint8_t)(todo->upload - 1);
}

static void ask(struct world *world, unsigned w, const struct guard_event *event, const struct guard_actions *todo)
{
    uint8_t row = config->calls[w].expected;
    if (todo->what & GUARD_DO_HEAD) {
        struct flight *flight = world_new_flight(world, FLIGHT_HEAD, w);
        flight->awaited = 1;
        flight->sent = event->now;
        flight->sent_s = world->writers[w].book.largest_date_s;
        flight->after_seen = world->writers[w].book.has_seen;
        flight->after_put = world->writers[w].book.put.nonce[0] != '\0';
        flight->after_abort = world->writers[w].book.aborted;
    }
    if (todo->what & GUARD_DO_SOURCE)
        world_new_flight(world, FLIGHT_SOURCE, w)->awaited = 1;
    if (todo->what & GUARD_DO_RECORD_GET) {
        struct flight *flight = world_new_flight(world, FLIGHT_GET, w);
        flight->awaited = 1;
        bool own = !todo->get_our_etag;
        flight->row = own ? config->calls[w].expected : etag_number(world->writers[w].guard.write.our_etag);
    }
    if (todo->what & GUARD_DO_RECORD_QUERY)
        world_new_flight(world, FLIGHT_QUERY, w)->awaited = 1;
    if (todo->what & GUARD_DO_RECORD_PUT)
        ask_for_put(world, w, row, &todo->record, &todo->condition, false);
    if (todo->what & GUARD_DO_SEND)
        ask_for_send(world, w, todo);
    if (todo->what & GUARD_DO_PARTS)
        ask_about_upload(world, FLIGHT_PARTS, w, todo);
    if (todo->what & GUARD_DO_ABORT)
        ask_about_upload(world, FLIGHT_ABORT, w, todo);
    if (todo->what & GUARD_DO_VERSIONS)
        world_new_flight(world, FLIGHT_VERSIONS, w)->awaited = 1;
    if (todo->what & GUARD_DO_RELEASE)
        ask_for_put(world, w, row, &todo->release, &todo->release_condition, true);
    if (todo->what & GUARD_DO_RELEASE_CREATION)
        ask_for_put(world, w, ETAG_NONE, &todo->creation, &todo->creation_condition, true);
}

static void finish(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    bool again = guard_try_again(&writer->guard) && writer->number + 1 < config->calls[w].guards;
    writer->resolving = 0;
    memset(&writer->ticket, 0, sizeof(writer->ticket));
    if (config->calls[w].kind == CALL_FORGER) {
        forger_finish(world, w);
        return;
    }
    if (guard_verdict(&writer->guard) == VERDICT_UNKNOWN && world->budget[BUDGET_RESOLVE] > 0) {
        world->budget[BUDGET_RESOLVE]--;
        guard_ticket_of(&writer->guard, &writer->ticket);
        writer->resolving = 1;
        writer->state = WRITER_IDLE;
    } else if (again) {
        writer->number++;
        writer->state = WRITER_IDLE;
    } else {
        writer->state = WRITER_DONE;
    }
}

/* ------------------------------------------------------------------------------------------------ what goes in */

/* A look is rare, as its second is long. */
static bool has_timer(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    const struct writer *writer = &world->writers[w];
    if (todo->what & GUARD_DO_VERDICT)
        return false;
    if (writer->guard.state == GUARD_SENDING)
        return todo->has_timer && world->budget[BUDGET_LOOK] > 0;
    return writer->timer || todo->has_timer;
}

static void drop(struct world *world, unsigned w, unsigned what)
{
    for (unsigned i = 0; i < FLIGHTS; i++)
        if (what & request_of((enum flight_kind)world->flights[i].kind) && world->flights[i].writer == w)
            memset(&world->flights[i], 0, sizeof(world->flights[i]));
}

/* What is not waited for any more is taken back, or another GetItem meets it. A verdict takes back all. */
static void check_dropped(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    unsigned awaiting = world->writers[w].guard.awaiting;
    for (unsigned i = 0; i < FLIGHTS && !(todo->what & GUARD_DO_VERDICT); i++) {
        const struct flight *flight = &world->flights[i];
        if (flight->kind == FLIGHT_GET && flight->writer == w && flight->awaited && !(awaiting & GUARD_DO_RECORD_GET))
            violated(STUCK, "T3.10: a GetItem of %c goes on, and nobody waits for it", 'A' + (int)w);
    }
}

static void step(struct world *world, unsigned w, struct guard_event *event, const struct flight *answered)
{
    struct writer *writer = &world->writers[w];
    struct guard_actions todo;
    enum guard_state was = writer->guard.state;
    event->now = world_clocks(world, w);
    oracle_before(world, w, event, answered);
    guard_step(&writer->guard, event, &todo);
    oracle_after(world, w, event, &todo, was);
    writer->timer = has_timer(world, w, &todo);
    drop(world, w, todo.drop);
    check_dropped(world, w, &todo);
    forget_answers(world, w, writer->guard.awaiting);
    ask(world, w, event, &todo);
    if (guard_finished(&writer->guard)) {
        finish(world, w);
    } else if (todo.what & GUARD_DO_SIGN) { /* a computation on the spot: nothing comes between */
        struct guard_event done = {.kind = GUARD_EVENT_SIGNED, .signed_ok = true};
        done.at_once = config->body_s == 0;
        done.wire_bytes = config->body_s; /* at one byte a second */
        step(world, w, &done, NULL);
    }
}

/* R3.6: of the base, or of the last guard of another call that has made something by now; false: of nothing. */
static bool knows_nonce(const struct world *world, const struct call_plan *plan, char ret[RECORD_NONCE_SIZE])
{
    nonce_of_code(config->base_nonce ? nonce_code("f1") : 0, ret);
    if (plan->knows_of == 0)
        return plan->knows;
    const struct writer *other = &world->writers[plan->knows_of - 1];
    bool knows = false;
    for (unsigned guard = 0; guard < GUARDS; guard++) {
        if (other->applied[guard])
            nonce_text(plan->knows_of, guard, ret);
        knows = knows || other->applied[guard];
    }
    return knows;
}

static void remember_pairs(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    bool sees = config->calls[w].expected != ETAG_NONE && world_holds(config->calls[w].expected, &world->object);
    if (!config->stale_pairs || !sees)
        return;
    memcpy(writer->known_pair_nonce, world->object.pair_nonce, sizeof(writer->known_pair_nonce));
    memcpy(writer->known_pair_over, world->object.pair_over, sizeof(writer->known_pair_over));
}

/* A new guard of the call. */
static void begin_guard(struct world *world, unsigned w, const struct guard_settings *settings)
{
    struct writer *writer = &world->writers[w];
    const struct call_plan *plan = &config->calls[w];
    char nonce[RECORD_NONCE_SIZE];
    char known[RECORD_NONCE_SIZE];
    own_nonce(world, w, nonce);
    bool knows = knows_nonce(world, plan, known);
    bool told = plan->told && world->released_row == plan->expected + 1;
    struct guard_start start = {
        .operation = plan->operation,
        .expected_etag = plan->expected == ETAG_NONE ? NULL : etag_text(plan->expected),
        .our_etag = etag_text(config->etag_wrong ? ETAG_D : plan->ours),
        .nonce = nonce,
        .generation = 1000 * (1 + (uint64_t)w * GUARDS + writer->number),
        .upload = plan->operation == GUARD_COMPLETE ? w + 1 : 0,
        .part_count = 1,
        .released = told ? &world->released : NULL,
        .known_nonce = knows ? known : NULL,
        .has_recent_date = plan->recent && writer->number == 0 && (knows || plan->knows_of == 0),
        .recent_date_s = world_date(world),
        .recent_clock = world_clocks(world, w),
    };
    guard_init(&writer->guard, settings, &start);
    if (told)
        oracle_told(world, w, &world->released);
    bool beside = writer->guard.check.stage == GUARD_CHECK_BESIDE;
    writer->book.largest_date_s = beside ? world_date(world) : 0;
    if (beside && plan->operation == GUARD_COPY && !call_is_native(w)) /* R3.7 */
        oracle_copy_is_signed_later(world, w);
}

void writer_start(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    struct guard_settings settings;
    settings_of(w, &settings);
    if (!writer->started) {
        writer->started = 1;
        remember_pairs(world, w);
        writer->broken = !world_holds(config->calls[w].expected, &world->object);
    }
    writer->state = WRITER_RUNNING;
    if (writer->resolving)
        guard_init_resolve(&writer->guard, &settings, &writer->ticket, 0);
    else
        begin_guard(world, w, &settings);
    struct guard_event event = {.kind = GUARD_EVENT_START};
    step(world, w, &event, NULL);
}

void writer_resolve(struct world *world, unsigned w, const struct guard_ticket *ticket)
{
    struct writer *writer = &world->writers[w];
    struct guard_settings settings;
    struct guard_event event = {.kind = GUARD_EVENT_START};
    settings_of(w, &settings);
    writer->state = WRITER_RUNNING;
    writer->resolving = 1;
    guard_init_resolve(&writer->guard, &settings, ticket, 0);
    step(world, w, &event, NULL);
}

void writer_timer(struct world *world, unsigned w)
{
    world->writers[w].timer = 0;
    if (world->writers[w].guard.state == GUARD_SENDING)
        world->budget[BUDGET_LOOK]--;
    struct guard_event event = {.kind = GUARD_EVENT_TIMER};
    step(world, w, &event, NULL);
}

void writer_stop(struct world *world, unsigned w)
{
    struct guard_event event = {.kind = GUARD_EVENT_STOP};
    step(world, w, &event, NULL);
}

void writer_crash(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    forget_answers(world, w, 0);
    writer->state = WRITER_DONE;
    writer->resolving = 0;
    memset(&writer->ticket, 0, sizeof(writer->ticket));
}

/* N4.1, N4.2. */
static void look_at_pairs(const struct world *world, const struct flight *head, struct guard_history *ret)
{
    for (unsigned i = 0; i < PAIRS && head->object.pair_nonce[i]; i++) {
        char nonce[RECORD_NONCE_SIZE];
        nonce_of_code(head->object.pair_nonce[i], nonce);
        guard_classify_pair(&world->writers[head->writer].guard, nonce,
                            head->object.pair_over[i] == config->calls[head->writer].expected, ret);
    }
}

static void answer_of(const struct world *world, const struct flight *flight, struct guard_event *event)
{
    switch ((enum flight_kind)flight->kind) {
    case FLIGHT_HEAD:
        event->kind = GUARD_EVENT_HEAD;
        event->head = (enum head_outcome)flight->outcome;
        event->has_date = event->head == HEAD_ANSWERED;
        event->date_s = flight->date_s;
        object_version_of(&flight->object, &event->version);
        event->versioned = flight->object.version > 0;
        look_at_pairs(world, flight, &event->history);
        return;
    case FLIGHT_SOURCE:
        event->kind = GUARD_EVENT_SOURCE;
        event->head = (enum head_outcome)flight->outcome;
        event->source_bytes = 1;
        strcpy(event->version.etag, etag_text(config->calls[flight->writer].ours));
        return;
    case FLIGHT_PUT:
    case FLIGHT_GET:
        event->kind = flight->kind == FLIGHT_PUT ? GUARD_EVENT_RECORD_PUT : GUARD_EVENT_RECORD_GET;
        event->ledger = (enum ledger_outcome)flight->outcome;
        event->found = flight->found;
        record_copy(&event->record, &flight->record);
        return;
    case FLIGHT_QUERY:
        event->kind = GUARD_EVENT_RECORD_QUERY;
        event->ledger = (enum ledger_outcome)flight->outcome;
        event->evidence = (struct guard_evidence){flight->saw_ours, flight->locked};
        return;
    case FLIGHT_PARTS:
    case FLIGHT_ABORT:
        event->kind = flight->kind == FLIGHT_PARTS ? GUARD_EVENT_PARTS : GUARD_EVENT_ABORTED;
        event->upload = (enum upload_outcome)flight->outcome;
        return;
    case FLIGHT_VERSIONS:
        event->kind = GUARD_EVENT_VERSIONS;
        event->versions = (enum versions_outcome)flight->outcome;
        event->has_date = flight->date_s > 0;
        event->date_s = flight->date_s;
        object_version_of(&flight->object, &event->version);
        return;
    default:
        event->kind = GUARD_EVENT_ATTEMPT;
        event->attempt = (enum attempt_answer)flight->outcome;
        return;
    }
}

void writer_deliver(struct world *world, unsigned f)
{
    struct flight flight = world->flights[f];
    struct guard_event event;
    memset(&event, 0, sizeof(event));
    memset(&world->flights[f], 0, sizeof(flight));
    if (config->late_dates && flight.kind == FLIGHT_HEAD)
        flight.date_s += world_date(world); /* to what a front end that is ahead adds */
    answer_of(world, &flight, &event);
    step(world, flight.writer, &event, &flight);
}

void writer_deliver_loss(struct world *world, unsigned f, bool stays)
{
    struct flight flight = world->flights[f];
    struct guard_event event;
    memset(&event, 0, sizeof(event));
    if (flight.kind == FLIGHT_HEAD || flight.kind == FLIGHT_SOURCE)
        flight.outcome = HEAD_FAILED;
    else if (flight.kind == FLIGHT_SEND)
        flight.outcome = ATTEMPT_AMBIGUOUS;
    else if (flight.kind == FLIGHT_PARTS || flight.kind == FLIGHT_ABORT)
        flight.outcome = UPLOAD_UNCLEAR;
    else if (flight.kind == FLIGHT_VERSIONS)
        flight.outcome = VERSIONS_UNCLEAR;
    else
        flight.outcome = LEDGER_AMBIGUOUS;
    if (stays)
        world->flights[f].awaited = 0;
    else
        memset(&world->flights[f], 0, sizeof(flight));
    answer_of(world, &flight, &event);
    step(world, flight.writer, &event, &flight);
}
