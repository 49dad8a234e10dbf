/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include "forger.h"
#include "link.h"
#include "peer.h"

enum { TABLE_CLOCK_SKEW_S = 30 /* E5 */ };

static bool left(const struct world *world, enum budget budget)
{
    return world->budget[budget] > 0;
}

/* ------------------------------------------------------------------------------------------------ requests */

static void reads(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *flight = &world->flights[f];
    if (flight->served) {
        choices_add(ret, CHOICE_DELIVER, f, 0, 0);
        return;
    }
    choices_add(ret, CHOICE_SERVE, f, 0, 0);
    if (flight->kind == FLIGHT_HEAD && left(world, BUDGET_FAST))
        choices_add(ret, CHOICE_SERVE, f, 1, 0);
    if (left(world, BUDGET_LOSE))
        choices_add(ret, CHOICE_LOSE, f, 0, 0);
}

static void record_writes(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *flight = &world->flights[f];
    if (!flight->awaited) {
        if (ledger_condition_holds(world, flight))
            choices_add(ret, CHOICE_LAND, f, 0, 0);
        return;
    }
    if (left(world, BUDGET_LOSE))
        choices_add(ret, CHOICE_LOSE, f, 0, 0);
    if (flight->served) {
        choices_add(ret, CHOICE_DELIVER, f, 0, 0);
        if (flight->outcome == LEDGER_CONFLICT && left(world, BUDGET_BLIND))
            choices_add(ret, CHOICE_BLIND, f, 0, 0);
        return;
    }
    choices_add(ret, CHOICE_SERVE, f, 0, 0);
    if (left(world, BUDGET_DUP))
        choices_add(ret, CHOICE_COPY, f, 0, 0);
    if (left(world, BUDGET_THROTTLE))
        choices_add(ret, CHOICE_THROTTLE, f, 0, 0);
}

static void answer(const struct world *world, unsigned f, enum budget budget, enum attempt_answer attempt,
                   struct choices *ret)
{
    if (left(world, budget))
        choices_add(ret, CHOICE_ANSWER, f, attempt, budget);
}

static void answers_of_409(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *flight = &world->flights[f];
    bool holds = world_holds(config->calls[flight->writer].expected, &world->object);
    if (!left(world, BUDGET_409) || (config->answer_409 == GUARD_409_FINAL && holds))
        return;
    choices_add(ret, CHOICE_ANSWER, f, ATTEMPT_409, BUDGET_409);
    if (config->answer_409 == GUARD_409_AMBIGUOUS)
        choices_add(ret, CHOICE_409_LATER, f, 0, 0);
}

static void attempts(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *flight = &world->flights[f];
    bool takes = store_takes(world, flight);
    link_choices(world, f, ret);
    bool holds = world_holds(config->calls[flight->writer].expected, &world->object);
    bool applies = takes && (holds || !call_has_condition(flight->writer));
    if (!flight->awaited) {
        if (applies)
            choices_add(ret, CHOICE_LAND, f, 0, 0);
        return;
    }
    if (left(world, BUDGET_LOSE))
        choices_add(ret, CHOICE_LOSE, f, 0, 0);
    if (flight->served) {
        choices_add(ret, CHOICE_DELIVER, f, 0, 0);
        return;
    }
    if (takes)
        choices_add(ret, CHOICE_SERVE, f, 0, 0);
    if (left(world, BUDGET_DUP_SEND))
        choices_add(ret, CHOICE_COPY, f, 0, 0);
    /* A front end that is `margin` ahead refuses it this early. */
    uint32_t margin_s = config->margin_s ? config->margin_s : 1;
    if (!config->never_expires && world_date(world) + margin_s > flight->date_s + flight->length_s) {
        choices_add(ret, CHOICE_ANSWER, f, ATTEMPT_EXPIRED, BUDGETS);
        choices_add(ret, CHOICE_ANSWER, f, ATTEMPT_DENIED, BUDGETS);
    }
    if (!takes && config->calls[flight->writer].operation == GUARD_COMPLETE &&
        world->uploads[flight->writer].state != UPLOAD_IS_OPEN)
        choices_add(ret, CHOICE_ANSWER, f, ATTEMPT_AMBIGUOUS, BUDGETS); /* NoSuchUpload */
    answers_of_409(world, f, ret);
    answer(world, f, BUDGET_REFUSE, ATTEMPT_REFUSED, ret);
    answer(world, f, BUDGET_DENY, ATTEMPT_DENIED, ret);
    answer(world, f, BUDGET_TOKEN, ATTEMPT_TOKEN_EXPIRED, ret);
    answer(world, f, BUDGET_SKEWED, ATTEMPT_SKEWED, ret);
    answer(world, f, BUDGET_NOT_SENT, ATTEMPT_NOT_SENT, ret);
}

static void aborts(const struct world *world, unsigned f, struct choices *ret)
{
    if (world->flights[f].awaited)
        reads(world, f, ret);
    else
        choices_add(ret, CHOICE_LAND, f, 0, 0);
}

static void requests(const struct world *world, struct choices *ret)
{
    for (unsigned f = 0; f < FLIGHTS; f++) {
        switch ((enum flight_kind)world->flights[f].kind) {
        case FLIGHT_NONE: return; /* sorted: the rest is empty */
        case FLIGHT_PUT: record_writes(world, f, ret); break;
        case FLIGHT_SEND: attempts(world, f, ret); break;
        case FLIGHT_ABORT: aborts(world, f, ret); break;
        default: reads(world, f, ret); break;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ writers */

static void writers(const struct world *world, struct choices *ret)
{
    for (unsigned w = 0; w < WRITERS; w++) {
        const struct writer *writer = &world->writers[w];
        const struct call_plan *plan = &config->calls[w];
        if (writer->state == WRITER_DONE)
            continue;
        if (plan->kind == CALL_PEER) {
            choices_add(ret, CHOICE_PEER, w, 0, 0);
            continue;
        }
        if (plan->kind == CALL_FORGER && writer->state == WRITER_IDLE) {
            for (unsigned lie = 0; lie < FORGERIES && world->rows[plan->expected].present; lie++)
                choices_add(ret, CHOICE_FORGE, w, lie, 0);
            continue;
        }
        if (writer->state == WRITER_IDLE) {
            choices_add(ret, CHOICE_START, w, 0, 0);
            continue;
        }
        bool looks = writer->guard.state == GUARD_SENDING;
        if (writer->timer && (!looks || left(world, BUDGET_LOOK)))
            choices_add(ret, CHOICE_TIMER, w, 0, 0);
        bool judged = guard_verdict(&writer->guard) != VERDICT_NONE;
        if (left(world, BUDGET_STOP) && !judged)
            choices_add(ret, CHOICE_STOP, w, 0, 0);
        if (left(world, BUDGET_CRASH))
            choices_add(ret, CHOICE_CRASH, w, 0, 0);
    }
}

/* ------------------------------------------------------------------------------------------------ time, others */

static bool running(const struct world *world, unsigned w)
{
    return config->calls[w].kind == CALL_GUARD && world->writers[w].state == WRITER_RUNNING;
}

/* Time decides nothing any more once everybody is done and nothing is on its way. */
static bool time_matters(const struct world *world)
{
    bool matters = world->flights[0].kind != FLIGHT_NONE;
    for (unsigned w = 0; w < WRITERS; w++)
        matters = matters || world->writers[w].state != WRITER_DONE;
    return matters && !peer_is_urgent(world);
}

static void time_steps(const struct world *world, struct choices *ret)
{
    if (!time_matters(world))
        return;
    for (unsigned step = BUDGET_TICK; step <= BUDGET_EON; step++) {
        if (!left(world, (enum budget)step))
            continue;
        choices_add(ret, CHOICE_TIME, step, CLOCKS_RUN, 0);
        for (unsigned w = 0; w < WRITERS; w++) {
            if (running(world, w) && left(world, BUDGET_SUSPEND))
                choices_add(ret, CHOICE_TIME, step, CLOCKS_SUSPENDED, w);
            if (running(world, w) && left(world, BUDGET_FREEZE))
                choices_add(ret, CHOICE_TIME, step, CLOCKS_FROZEN, w);
        }
    }
}

static void lifecycle(const struct world *world, struct choices *ret)
{
    for (unsigned w = 0; w < WRITERS && left(world, BUDGET_GC); w++)
        if (config->calls[w].operation == GUARD_COMPLETE && world->uploads[w].state == UPLOAD_IS_OPEN)
            choices_add(ret, CHOICE_GC, w, 0, 0);
}

static void surroundings(const struct world *world, struct choices *ret)
{
    for (unsigned row = 0; row < ETAG_COUNT; row++) {
        const struct row *item = &world->rows[row];
        if (item->present && left(world, BUDGET_TTL) && world_date(world) + TABLE_CLOCK_SKEW_S > item->record.ttl_s)
            choices_add(ret, CHOICE_TTL, row, 0, 0);
    }
    if (left(world, BUDGET_OUTSIDER)) {
        choices_add(ret, CHOICE_OUTSIDER, 0, 0, 0);
        if (world->object.exists)
            choices_add(ret, CHOICE_OUTSIDER, 1, 0, 0);
        if (config->outsider_same && !world_holds(config->base, &world->object))
            choices_add(ret, CHOICE_OUTSIDER, 2, 0, 0);
    }
    if (config->versioned_late && !world->keeps_versions)
        choices_add(ret, CHOICE_VERSIONING, 0, 0, 0);
    for (unsigned w = 0; w < WRITERS && left(world, BUDGET_SET); w++) {
        if (!running(world, w))
            continue;
        choices_add(ret, CHOICE_SET, w, 0, 0);
        choices_add(ret, CHOICE_SET, w, 1, 0);
    }
}

void choices_of(const struct world *world, struct choices *ret)
{
    ret->count = 0;
    writers(world, ret);
    requests(world, ret);
    lifecycle(world, ret);
    surroundings(world, ret);
    time_steps(world, ret);
}
