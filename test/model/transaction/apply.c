/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice does: the machines step, the service decides, time passes. */
#include "choice.h"
#include "oracle.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ machines */

static struct flight *new_flight(struct world *world, unsigned c, enum transaction_request_kind kind)
{
    unsigned f = 0;
    while (f < FLIGHTS && world->flights[f].kind != 0)
        f++;
    assert(f < FLIGHTS);
    struct flight *flight = &world->flights[f];
    flight->kind = (uint8_t)kind;
    flight->call = (uint8_t)c;
    flight->attempt = world->calls[c].attempt;
    flight->awaited = 1;
    flight->sent = world->tick;
    memcpy(flight->terms, world->calls[c].terms, sizeof(flight->terms));
    return flight;
}

static void forsake(struct world *world, unsigned c)
{
    for (unsigned f = 0; f < FLIGHTS; f++)
        if (world->flights[f].kind && world->flights[f].call == c)
            world->flights[f].awaited = 0;
}

/* After a conflict the function is called again; after unknown there is a ticket. */
static void end(struct world *world, unsigned c, enum transaction_verdict verdict)
{
    struct call *call = &world->calls[c];
    forsake(world, c);
    oracle_verdict(world, c, verdict);
    call->phase = CALL_OVER;
    bool again = verdict == TRANSACTION_COMMITTED && config->again >> c & 1;
    if (verdict == TRANSACTION_CONFLICT || again)
        call->phase = CALL_IDLE;
    else if (verdict == TRANSACTION_UNKNOWN)
        call->phase = CALL_HAS_TICKET;
}

static void step(struct world *world, unsigned c, struct transaction_event *event)
{
    struct call *call = &world->calls[c];
    struct transaction_actions actions;
    event->now = world_clock(world, c);
    transaction_step(&call->machine, event, &actions);
    if (actions.send) {
        struct flight *flight = new_flight(world, c, actions.request.kind);
        if (actions.request.kind == TRANSACTION_SEND_FENCE)
            flight->fenced = (uint8_t)row_of_part(call->terms, actions.request.part);
    }
    call->has_timer = actions.has_timer;
    oracle_step(world, c, &actions);
    enum transaction_verdict verdict = transaction_verdict(&call->machine);
    if (verdict != 0)
        end(world, c, verdict);
}

/* A row that is not there is created, or is checked to be absent. */
static struct term term_of(enum plan plan, const struct row *row)
{
    struct term term = {.plan = (uint8_t)plan, .read = *row};
    switch (plan) {
    case PLAN_NOTHING: memset(&term, 0, sizeof(term)); break;
    case PLAN_CREATE: term.part = TRANSACTION_CREATE; break;
    case PLAN_CHECK: term.part = TRANSACTION_CHECK; break;
    case PLAN_WRITE:
    case PLAN_DELETE:
        term.part = row->token ? TRANSACTION_WRITE : TRANSACTION_BARE;
        if (!row->there)
            term.part = plan == PLAN_WRITE ? TRANSACTION_CREATE : TRANSACTION_CHECK;
        break;
    default: term.part = TRANSACTION_BLIND; break;
    }
    term.read.before = 0;
    if (term.part == TRANSACTION_CREATE || term.part == TRANSACTION_BLIND)
        memset(&term.read, 0, sizeof(term.read));
    return term;
}

static void start(struct world *world, unsigned c)
{
    struct call *call = &world->calls[c];
    struct transaction_settings settings = {.together = config->together, .remembers = config->believes};
    call->phase = CALL_RUNS;
    call->tries++;
    call->attempt = ++world->begun;
    assert(call->attempt <= ATTEMPTS);
    call->is_lost = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        call->terms[r] = term_of((enum plan)config->plans[c][r], &world->rows[r]);
        if (call->terms[r].part)
            settings.parts[settings.count++] = call->terms[r].part;
    }
    transaction_init(&call->machine, &settings);
    step(world, c, &(struct transaction_event){.kind = TRANSACTION_EVENT_START});
}

static void stop(struct world *world, unsigned c)
{
    struct call *call = &world->calls[c];
    world->budget[BUDGET_STOP]--;
    for (unsigned f = 0; f < FLIGHTS; f++)
        if (world->flights[f].kind && world->flights[f].call == c && world->flights[f].awaited)
            call->is_lost = 1;
    step(world, c, &(struct transaction_event){.kind = TRANSACTION_EVENT_STOP});
}

/* ------------------------------------------------------------------------------------------------ the service */

static bool holds(const struct term *term, const struct row *row)
{
    const struct row *read = &term->read;
    bool same_field = row->there && row->value == read->value;
    switch ((enum transaction_part)term->part) {
    case TRANSACTION_CREATE: return !row->there;
    case TRANSACTION_WRITE:
    case TRANSACTION_BARE: return same_field && row->token == read->token;
    case TRANSACTION_CHECK: return read->there ? same_field : !row->there;
    default: return true;
    }
}

/* A write leaves the field as it is: that is the worst for whoever goes by fields. */
static void write_row(const struct term *term, uint8_t token, struct row *row)
{
    struct row old = *row;
    switch ((enum plan)term->plan) {
    case PLAN_DELETE:
    case PLAN_BLIND_DELETE: memset(row, 0, sizeof(*row)); break;
    case PLAN_BLIND_UPDATE: *row = (struct row){1, token, old.token, old.value}; break;
    default: *row = (struct row){1, token, term->read.token, old.value}; break;
    }
}

static uint8_t relation(const struct flight *flight, unsigned r, uint8_t token)
{
    const struct term *term = &flight->terms[r];
    if (token == 0)
        return TRANSACTION_NONE;
    if (token == flight->attempt)
        return TRANSACTION_OURS;
    if (token == (TOKEN_FENCE | flight->attempt))
        return TRANSACTION_FENCE;
    return term->part == TRANSACTION_WRITE && token == term->read.token ? TRANSACTION_READ : TRANSACTION_OTHER;
}

/* With a condition that failed there comes no item where there is none. */
static struct transaction_row show(const struct world *world, const struct flight *flight, unsigned r, bool failed)
{
    const struct row *row = &world->rows[r];
    struct transaction_row shown = {.failed = failed, .seen = failed ? TRANSACTION_UNSEEN : TRANSACTION_ABSENT};
    if (row->there) {
        shown.seen = TRANSACTION_THERE;
        shown.token = relation(flight, r, row->token);
        shown.before = relation(flight, r, row->before);
    }
    return shown;
}

/* Row by row: reads of several rows are of no one instant. */
static void serve_look(const struct world *world, struct flight *flight)
{
    unsigned r = flight->looked++;
    flight->outcome = TRANSACTION_OK;
    if (term_writes(&flight->terms[r]))
        flight->rows[r] = show(world, flight, r, false);
    flight->served = 1;
    for (unsigned later = flight->looked; later < ROWS; later++)
        if (term_writes(&flight->terms[later]))
            flight->served = 0;
}

/* A row without what was read is no part that may be fenced: then this does what an UpdateItem would. */
static void serve_fence(struct world *world, struct flight *flight)
{
    unsigned r = flight->fenced;
    struct row *row = &world->rows[r];
    struct row old = *row;
    flight->outcome = TRANSACTION_FAILED;
    if (row->token != flight->terms[r].read.token) {
        flight->rows[r] = show(world, flight, r, true);
        return;
    }
    flight->outcome = TRANSACTION_OK;
    row->there = 1;
    row->before = flight->terms[r].read.token;
    row->token = TOKEN_FENCE | flight->attempt;
    oracle_fenced(&old, row);
}

static void apply_all(struct world *world, const struct flight *flight)
{
    bool writes = false;
    for (unsigned r = 0; r < ROWS; r++) {
        if (!term_writes(&flight->terms[r]))
            continue;
        write_row(&flight->terms[r], flight->attempt, &world->rows[r]);
        writes = true;
    }
    if (writes)
        oracle_applied(world, flight->attempt);
}

static void decide(struct world *world, struct flight *flight)
{
    flight->outcome = TRANSACTION_OK;
    for (unsigned r = 0; r < ROWS; r++)
        if (flight->terms[r].part && !holds(&flight->terms[r], &world->rows[r])) {
            flight->rows[r] = show(world, flight, r, true);
            flight->outcome = TRANSACTION_FAILED;
        }
    if (flight->outcome == TRANSACTION_OK)
        apply_all(world, flight);
}

static void serve_together(struct world *world, struct flight *flight, bool forgotten)
{
    struct attempt *of = &world->attempts[flight->attempt];
    if (of->memory != 0 && !forgotten) {
        flight->outcome = of->memory;
        memcpy(flight->rows, of->rows, sizeof(flight->rows));
        return;
    }
    decide(world, flight);
    if (!config->remembers || (flight->outcome == TRANSACTION_FAILED && !config->remembers_failure))
        return;
    of->memory = flight->outcome;
    of->completed = world->tick;
    memcpy(of->rows, flight->rows, sizeof(of->rows));
}

static void serve(struct world *world, unsigned f, bool forgotten)
{
    struct flight *flight = &world->flights[f];
    flight->served = flight->kind != TRANSACTION_LOOK;
    switch ((enum transaction_request_kind)flight->kind) {
    case TRANSACTION_LOOK: serve_look(world, flight); break;
    case TRANSACTION_SEND_FENCE: serve_fence(world, flight); break;
    case TRANSACTION_TOGETHER: serve_together(world, flight, forgotten); break;
    default: decide(world, flight); break;
    }
}

/* ------------------------------------------------------------------------------------------------ answers */

/* Of the parts, as the machine counts them. */
static void rows_of_parts(const struct flight *flight, bool blind, struct transaction_row ret[TRANSACTION_PARTS])
{
    unsigned part = 0;
    memset(ret, 0, TRANSACTION_PARTS * sizeof(*ret));
    for (unsigned r = 0; r < ROWS; r++) {
        if (!flight->terms[r].part)
            continue;
        ret[part] = flight->rows[r];
        if (blind)
            ret[part] = (struct transaction_row){.failed = flight->rows[r].failed};
        part++;
    }
}

static void resolved(struct world *world, unsigned c, unsigned attempt, enum transaction_verdict verdict)
{
    world->calls[c].phase = CALL_OVER;
    oracle_resolved(world, attempt, verdict);
}

/* X10 */
static void judge_ticket(struct world *world, const struct flight *look)
{
    unsigned c = look->call;
    struct transaction_settings settings = {.count = 0};
    struct transaction_row rows[TRANSACTION_PARTS];
    uint32_t part = 0;
    rows_of_parts(look, false, rows);
    for (unsigned r = 0; r < ROWS; r++)
        if (look->terms[r].part)
            settings.parts[settings.count++] = look->terms[r].part;
    enum transaction_finding found = transaction_judge(&settings, rows, &part);
    if (found == TRANSACTION_APPLIED)
        resolved(world, c, look->attempt, TRANSACTION_COMMITTED);
    else if (found == TRANSACTION_NEVER)
        resolved(world, c, look->attempt, TRANSACTION_NOT_EXECUTED);
    if (found != TRANSACTION_OPEN)
        return;
    struct flight *fence = new_flight(world, c, TRANSACTION_SEND_FENCE);
    fence->resolves = 1;
    fence->fenced = (uint8_t)row_of_part(look->terms, part);
}

static void resolve(struct world *world, unsigned c)
{
    world->budget[BUDGET_RESOLVE]--;
    struct flight *look = new_flight(world, c, TRANSACTION_LOOK);
    look->resolves = 1;
}

/* A fence that fails is followed by another look. */
static void answer_ticket(struct world *world, const struct flight *flight)
{
    if (flight->kind == TRANSACTION_LOOK)
        judge_ticket(world, flight);
    else if (flight->outcome == TRANSACTION_OK)
        resolved(world, flight->call, flight->attempt, TRANSACTION_NOT_EXECUTED);
}

static void deliver(struct world *world, unsigned f, bool blind)
{
    struct flight flight = world->flights[f];
    struct transaction_row rows[TRANSACTION_PARTS];
    memset(&world->flights[f], 0, sizeof(world->flights[f]));
    world->budget[BUDGET_BLIND] -= blind;
    rows_of_parts(&flight, blind, rows);
    if (flight.resolves) {
        answer_ticket(world, &flight);
        return;
    }
    step(world, flight.call,
         &(struct transaction_event){
             .kind = TRANSACTION_EVENT_ANSWER, .outcome = (enum transaction_outcome)flight.outcome, .rows = rows});
}

static void lose(struct world *world, unsigned f)
{
    struct flight *flight = &world->flights[f];
    world->budget[BUDGET_LOSE]--;
    flight->awaited = 0;
    if (flight->resolves)
        return;
    world->calls[flight->call].is_lost = 1;
    step(world, flight->call,
         &(struct transaction_event){.kind = TRANSACTION_EVENT_ANSWER, .outcome = TRANSACTION_AMBIGUOUS});
}

static void reject(struct world *world, unsigned f, enum transaction_outcome outcome)
{
    struct flight flight = world->flights[f];
    world->budget[outcome == TRANSACTION_THROTTLED ? BUDGET_THROTTLE : BUDGET_REFUSE]--;
    memset(&world->flights[f], 0, sizeof(world->flights[f]));
    if (!flight.resolves)
        step(world, flight.call, &(struct transaction_event){.kind = TRANSACTION_EVENT_ANSWER, .outcome = outcome});
}

/* ------------------------------------------------------------------------------------------------ surroundings */

/* One who writes rows whole keeps no attribute that it does not know. */
static void foreign(struct world *world, unsigned r, enum foreign_step what)
{
    struct row *row = &world->rows[r];
    world->budget[BUDGET_FOREIGN]--;
    switch (what) {
    case FOREIGN_UPDATE: row->value = !row->value; break;
    case FOREIGN_PUT: *row = (struct row){1, 0, 0, row->value}; break;
    case FOREIGN_DELETE: memset(row, 0, sizeof(*row)); break;
    default: *row = (struct row){.there = 1}; break;
    }
}

static void pass_time(struct world *world, enum clock_mode mode, unsigned c)
{
    world->tick++;
    world->budget[BUDGET_TICK]--;
    if (mode == CLOCKS_SUSPENDED) {
        world->calls[c].mono_stood++;
        world->budget[BUDGET_SUSPEND]--;
    } else if (mode == CLOCKS_FROZEN) {
        world->calls[c].all_stood++;
        world->budget[BUDGET_FREEZE]--;
    }
}

/* ------------------------------------------------------------------------------------------------ choices */

void choice_apply(struct world *world, uint32_t choice)
{
    unsigned a = choice_arg(choice, 0);
    unsigned b = choice_arg(choice, 1);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_START: start(world, a); break;
    case CHOICE_TIMER: step(world, a, &(struct transaction_event){.kind = TRANSACTION_EVENT_TIMER}); break;
    case CHOICE_STOP: stop(world, a); break;
    case CHOICE_RESOLVE: resolve(world, a); break;
    case CHOICE_SERVE: serve(world, a, b); break;
    case CHOICE_DELIVER: deliver(world, a, b); break;
    case CHOICE_LOSE: lose(world, a); break;
    case CHOICE_REJECT: reject(world, a, (enum transaction_outcome)b); break;
    case CHOICE_FOREIGN: foreign(world, a, (enum foreign_step)b); break;
    default: pass_time(world, (enum clock_mode)a, b); break;
    }
    world_canonical(world);
}
