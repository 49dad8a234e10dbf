/* SPDX-License-Identifier: Apache-2.0 */
/* A step machine with a table and time: what it asks for is sent, what is answered is given to it. Loop's thread. */
#include "holding/hold.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "client/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What an acquisition that was stopped may have taken is given back for as long; then it is left to end by itself. */
enum { PARTING_MS = 1000 };

static void step(os_lease *hold, struct lease_event *event);

/* ------------------------------------------------------------------------------------------------------ requests */

/* Who holds it, as far as the item says. */
static void note_other(os_lease *hold, const struct item *item)
{
    const char *owner = item != NULL ? item_text_of(item, LEASE_AT_OWNER) : "";
    bool held = item != NULL && item->values[LEASE_AT_VERSION].type != ITEM_NONE;
    hold->other[0] = '\0';
    if (!held || lease_has_nonce(&hold->lease, item_text_of(item, LEASE_AT_VERSION)))
        return; /* nobody, or whoever has this handle */
    snprintf(hold->other, sizeof(hold->other), "%s", owner[0] != '\0' ? owner : "another (it does not say who)");
}

/* What a release finds: an item that is not ours, or none. Somebody broke the lease, or a clock was wrong. */
static void note_release(os_lease *hold, const struct lease_event *event)
{
    const struct lease *lease = &hold->lease;
    enum lease_request_kind kind = hold->wire.request.kind;
    bool releases = lease->phase == LEASE_PHASE_LEAVING && lease->end == LEASE_RELEASED;
    bool shows = event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && kind == LEASE_READ);
    bool own = event->item.held && lease_wrote(lease, event->item.version);
    if (releases && kind == LEASE_DROP && event->outcome == LEASE_AMBIGUOUS)
        hold->drop_is_unclear = true;
    if (releases && shows && !own && !hold->drop_is_unclear)
        hold->was_gone = true;
}

/* Who has the item under his version, and is shown one that does not fit, has it no more: somebody wrote over it. */
static void judge_unreadable(const os_lease *hold, struct lease_event *event)
{
    bool seeks = hold->lease.phase == LEASE_PHASE_SEEKING || hold->wire.request.kind == LEASE_TAKE;
    if (seeks || hold->wire.request.kind == LEASE_EPOCH)
        return;
    event->outcome = LEASE_CONFLICT;
    event->item.found = true;
    event->item.held = true;
    memcpy(event->item.version, "?", 1);
}

/* An answer that says nothing may be another's, and so may its Date. */
static bool is_clear(enum table_outcome outcome)
{
    return outcome == TABLE_OK || outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND;
}

/* What was wrong is told as long as nothing else has come; the end of it, too. */
static void note_error(os_lease *hold, const struct table_answer *answer)
{
    if (hold->absence.gave_up != NULL)
        return; /* the sentence is about what led to that */
    if (answer->error.code != OS_OK)
        hold->error = answer->error;
    else if (is_clear(answer->outcome) && hold->lease.phase != LEASE_PHASE_LEAVING)
        error_clear(&hold->error);
}

/* As it would be at the deadline; but what was asked last is heard first. Who was answered once waits until then. */
static void note_absence(os_lease *hold, const struct table_answer *answer)
{
    absence_note_answer(&hold->absence, &hold->sent, answer);
    if (hold->waiting == NULL || hold->was_interrupted || hold->absence.gave_up != NULL)
        return;
    if (absence_gives_up(&hold->absence, hold->client))
        loop_timer_set(hold->client->loop, &hold->parting, 0);
}

static void answered(void *context, const struct table_answer *answer)
{
    os_lease *hold = context;
    struct lease_event event = {.kind = LEASE_EVENT_ANSWER,
                                .outcome = lease_outcome_of(answer->outcome),
                                .has_date = answer->has_date && is_clear(answer->outcome)};
    hold->table_op = NULL;
    event.date_s = answer->date_s;
    clock_read(&event.now);
    lease_item_of(answer->found ? answer->item : NULL, &event.item);
    event.epoch = event.item.token;
    if (event.outcome == LEASE_CONFLICT || (event.outcome == LEASE_OK && hold->wire.request.kind == LEASE_READ))
        note_other(hold, answer->item);
    if (answer->outcome == TABLE_UNREADABLE)
        judge_unreadable(hold, &event);
    note_error(hold, answer);
    client_note_request(hold->client, table_verb_name(hold->wire.table.verb), hold->name, &hold->sent,
                        answer->error.http_status, answer->error.code);
    note_release(hold, &event);
    note_absence(hold, answer);
    step(hold, &event);
}

static void request_not_begun(struct loop_timer *timer)
{
    os_lease *hold = container_of(timer, os_lease, not_begun);
    struct lease_event event = {.kind = LEASE_EVENT_ANSWER, .outcome = LEASE_THROTTLED};
    clock_read(&event.now);
    error_no_memory(&hold->error);
    step(hold, &event);
}

/* One that was never there is not asked for longer than it is waited for. */
static uint64_t try_ms(const os_lease *hold, const struct lease_request *request)
{
    uint64_t left_ms = hold->absence.was_there ? UINT64_MAX : absence_left_ms(&hold->absence, hold->client);
    return left_ms > 0 && left_ms < request->try_ms ? left_ms : request->try_ms;
}

static void hold_send(os_lease *hold, const struct lease_request *request)
{
    struct table *table = hold->client->ledger;
    lease_wire_fill(request, &hold->holder, &hold->wire);
    clock_read(&hold->sent);
    hold->wire.table.deadline_monotonic_ms = hold->sent.monotonic_ms + try_ms(hold, request);
    hold->table_op = table->vtable->start(table, &hold->wire.table, answered, hold);
    if (hold->table_op == NULL)
        loop_timer_set(hold->client->loop, &hold->not_begun, 0);
}

/* --------------------------------------------------------------------------------------------------------- steps */

static void step_and_publish(os_lease *hold, const struct lease_event *event, struct lease_actions *ret_actions)
{
    monitor_enter(&hold->monitor);
    if (hold->was_told_lost) {
        struct lease_event told = {.kind = LEASE_EVENT_TIMER, .now = hold->told};
        lease_step(&hold->lease, &told, ret_actions); /* which asks for nothing */
        hold->was_told_lost = false;
    }
    lease_step(&hold->lease, event, ret_actions);
    hold->shown = hold->lease;
    monitor_leave(&hold->monitor);
}

static bool is_told(enum lease_status status)
{
    return status == LEASE_HELD || status == LEASE_AT_RISK || status == LEASE_LOST;
}

static void log_status(const os_lease *hold, enum lease_status status)
{
    struct log *log = &hold->client->log;
    if (status == LEASE_AT_RISK)
        log_line(log, OS_LOG_WARN, "The lease \"%.200s\" was not extended for half of its time to live.%s%.400s",
                 hold->name, hold->error.code != OS_OK ? " Last trouble: " : "", hold->error.message);
    else if (status == LEASE_LOST)
        log_line(log, OS_LOG_WARN, "The lease \"%.200s\" is lost: it %s.%s%.400s", hold->name,
                 hold->error.code != OS_OK ? "could not be extended in time"
                                           : "was not extended in time, or taken by another",
                 hold->error.code != OS_OK ? " Last trouble: " : "", hold->error.message);
}

bool hold_has_settled(const os_lease *hold)
{
    enum lease_status status = hold->lease.shown;
    if (hold->waiting == NULL)
        return false;
    return lease_finished(&hold->lease) || (is_told(status) && hold->lease.end != LEASE_RELEASED);
}

/* The sync may be gone when this returns, and with it the lease. */
static void finish_waiting(os_lease *hold)
{
    struct sync *sync = hold->waiting;
    hold->waiting = NULL;
    op_end(&hold->op);
    if (lease_finished(&hold->lease)) {
        hold_quiet(hold);
        hold_unlist(hold);
    }
    sync_finish(sync);
}

static void set_telling(os_lease *hold, bool is_telling)
{
    monitor_enter(&hold->monitor);
    hold->is_telling = is_telling && hold->let_go == HOLD_WANTED;
    monitor_wake(&hold->monitor);
    monitor_leave(&hold->monitor);
}

/* Who lets it go waits for the end of this. */
static void tell(os_lease *hold, os_lease_status status)
{
    set_telling(hold, true);
    if (hold->is_telling)
        client_report_lease(hold->client, hold->changed, hold->context, hold, status);
    set_telling(hold, false);
}

static void step(os_lease *hold, struct lease_event *event)
{
    struct lease_actions actions;
    enum lease_status before = hold->lease.shown;
    step_and_publish(hold, event, &actions);
    if (actions.has_timer)
        loop_timer_set(hold->client->loop, &hold->timer, actions.timer_ms);
    else
        loop_timer_clear(hold->client->loop, &hold->timer);
    if (actions.send)
        hold_send(hold, &actions.request);
    enum lease_status status = hold->lease.shown;
    if (status != before && is_told(before))
        log_status(hold, status);
    if (status != before && is_told(before) && is_told(status) && hold->changed != NULL)
        tell(hold, (os_lease_status)(status - LEASE_HELD + 1));
    if (hold_has_settled(hold))
        finish_waiting(hold);
}

void hold_step(os_lease *hold, enum lease_event_kind kind)
{
    struct lease_event event = {.kind = kind};
    clock_read(&event.now);
    step(hold, &event);
}

static void on_timer(struct loop_timer *timer)
{
    hold_step(container_of(timer, os_lease, timer), LEASE_EVENT_TIMER);
}

/* ------------------------------------------------------------------------------------------------------- waiting */

static void begin_parting(os_lease *hold)
{
    loop_timer_set(hold->client->loop, &hold->parting, PARTING_MS);
    hold_step(hold, LEASE_EVENT_STOP);
}

static void interrupted(struct op *op, enum op_reason reason)
{
    os_lease *hold = container_of(op, os_lease, op);
    hold->interrupted = reason;
    hold->was_interrupted = true;
    begin_parting(hold);
}

static void on_parting(struct loop_timer *timer)
{
    os_lease *hold = container_of(timer, os_lease, parting);
    bool is_parting = hold->lease.phase == LEASE_PHASE_LEAVING;
    if (is_parting || hold->absence.gave_up == NULL)
        hold_step(hold, LEASE_EVENT_STOP);
    else
        begin_parting(hold);
}

static void no_attempt(struct op *op)
{
    (void)op; /* it has only an end */
}

static bool await_within(os_lease *hold, struct sync *sync, const struct op_limits *limits)
{
    memset(&hold->op, 0, sizeof(hold->op));
    hold->was_interrupted = false;
    if (!op_begin(&hold->op, limits, no_attempt, interrupted))
        return false;
    hold->waiting = sync;
    return true;
}

bool hold_await(os_lease *hold, struct sync *sync, const os_call *call)
{
    struct op_limits limits = client_limits(hold->client, call);
    return await_within(hold, sync, &limits);
}

bool hold_await_in_background(os_lease *hold, struct sync *sync)
{
    const os_call call = {.deadline_ms = SETTINGS_DEADLINE_MS};
    struct op_limits limits = client_limits(hold->client, &call);
    limits.grace_ms = PARTING_MS;
    return await_within(hold, sync, &limits);
}

/* --------------------------------------------------------------------------------------------------------- lists */

void hold_list(os_lease *hold)
{
    os_client *client = hold->client;
    hold->timer.fire = on_timer;
    hold->not_begun.fire = request_not_begun;
    hold->parting.fire = on_parting;
    hold->is_listed = true;
    hold->next = client->leases;
    if (client->leases)
        client->leases->previous = hold;
    client->leases = hold;
}

void hold_unlist(os_lease *hold)
{
    if (!hold->is_listed)
        return;
    if (hold->previous)
        hold->previous->next = hold->next;
    else
        hold->client->leases = hold->next;
    if (hold->next)
        hold->next->previous = hold->previous;
    hold->is_listed = false;
}

void hold_quiet(os_lease *hold)
{
    struct table *table = hold->client->ledger;
    loop_timer_clear(hold->client->loop, &hold->timer);
    loop_timer_clear(hold->client->loop, &hold->not_begun);
    loop_timer_clear(hold->client->loop, &hold->parting);
    if (hold->table_op != NULL)
        table->vtable->cancel(table, hold->table_op);
    hold->table_op = NULL;
}

/* Loop's thread: nothing happens to it any more. */
static void part_from_client(os_lease *hold)
{
    hold_quiet(hold);
    hold_unlist(hold);
    monitor_enter(&hold->monitor);
    enum hold_let_go let_go = hold->let_go;
    hold->client = NULL;
    monitor_wake(&hold->monitor); /* inside: the waiter frees it right after */
    monitor_leave(&hold->monitor);
    if (let_go == HOLD_RELEASING)
        op_end(&hold->op);
    if (let_go == HOLD_RELEASING || let_go == HOLD_LEFT)
        hold_free(hold);
}

void holding_detach_all(os_client *client)
{
    while (client->leases != NULL)
        part_from_client(client->leases);
}

/* --------------------------------------------------------------------------------------------------------- memory */

bool hold_is_of_parent(const os_lease *lease)
{
    return lease->process != getpid();
}

void hold_free(os_lease *hold)
{
    monitor_destroy(&hold->monitor);
    free(hold);
}
