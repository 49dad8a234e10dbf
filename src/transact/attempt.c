/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/attempt.h"

#include "base/container.h"
#include "base/error.h"

#include <string.h>

static void take_actions(struct attempt *attempt, const struct transaction_actions *actions);

static void step(struct attempt *attempt, struct transaction_event *event)
{
    struct transaction_actions actions;
    clock_read(&event->now);
    transaction_step(&attempt->machine, event, &actions);
    take_actions(attempt, &actions);
}

static void attempt_over(struct attempt *attempt)
{
    loop_timer_clear(attempt->client->loop, &attempt->timer);
    op_end(&attempt->op);
    sync_finish(&attempt->sync);
}

/* ------------------------------------------------------------------------------------------------ answers */

/* No item beside a condition that failed: there is none, or the service does not tell. */
static void see_failed(struct attempt *attempt, size_t part, const json_t *item, struct transaction_row *ret)
{
    size_t before = attempt->in_the_way;
    ret->failed = true;
    if (item != NULL)
        row_see(&attempt->parts[part].mark, &attempt->tokens, item, ret);
    if (before == attempt->count || (!attempt->rows[before]->was_read && attempt->rows[part]->was_read))
        attempt->in_the_way = part;
}

/* Another had this row under way, perhaps the one who has made the row that is in the way: its condition may not hold. */
static void see_put_off(struct attempt *attempt, size_t part, struct transaction_row *ret)
{
    ret->failed = true;
    if (attempt->rows[part]->was_read)
        attempt->in_the_way = part;
}

static void see_answers(struct attempt *attempt, const struct row_answer *answer, struct transaction_row *rows)
{
    for (size_t i = 0; i < attempt->count && answer->answers != NULL; i++)
        if (answer->answers[i].verdict == ROWS_CONDITION_FAILED)
            see_failed(attempt, i, answer->answers[i].item, &rows[i]);
        else if (answer->answers[i].verdict == ROWS_PUT_OFF)
            see_put_off(attempt, i, &rows[i]);
}

static void see_look(const struct attempt *attempt, const struct row_answer *answer, struct transaction_row *rows)
{
    for (size_t i = 0; i < attempt->request.get_count; i++) {
        size_t part = attempt->looked[i];
        row_see(&attempt->parts[part].mark, &attempt->tokens, answer->items.items[i], &rows[part]);
    }
}

static void see(struct attempt *attempt, const struct row_answer *answer, struct transaction_row *rows)
{
    attempt->in_the_way = attempt->count;
    switch (attempt->asked.kind) {
    case TRANSACTION_PLAIN: see_failed(attempt, 0, answer->item, &rows[0]); break;
    case TRANSACTION_TOGETHER: see_answers(attempt, answer, rows); break;
    case TRANSACTION_LOOK: see_look(attempt, answer, rows); break;
    case TRANSACTION_SEND_FENCE:
        see_failed(attempt, attempt->asked.part, answer->item, &rows[attempt->asked.part]);
        break;
    }
}

static enum transaction_outcome outcome_of(const struct row_answer *answer)
{
    switch (answer->outcome) {
    case TABLE_OK: return TRANSACTION_OK;
    case TABLE_CONFLICT:
    case TABLE_CONFLICT_BLIND: return TRANSACTION_FAILED;
    case TABLE_THROTTLED: return TRANSACTION_THROTTLED;
    case TABLE_REFUSED: return row_call_is_mismatch(answer) ? TRANSACTION_AMBIGUOUS : TRANSACTION_REFUSED;
    case TABLE_UNREADABLE: return TRANSACTION_REFUSED; /* nothing was written over what is damaged */
    case TABLE_AMBIGUOUS: break;
    }
    return TRANSACTION_AMBIGUOUS;
}

static void note_answer(struct attempt *attempt, const struct row_answer *answer)
{
    const struct table_answer seen = {
        .outcome = answer->outcome, .foreign = answer->foreign, .requests = answer->requests, .error = answer->error};
    attempt->error = answer->error;
    client_note_request(attempt->client, row_request_name(&attempt->request), "", &attempt->sent,
                        answer->error.http_status, answer->error.code);
    absence_note_answer(&attempt->absence, &attempt->sent, &seen);
    if (answer->outcome == TABLE_REFUSED && absence_is_elsewhere(answer->foreign, &attempt->error))
        table_add_hint(attempt->client->ledger, &attempt->error);
}

/* A service that is not there is not waited for until the deadline. The answer counts, what would follow it does not. */
static bool gives_up(struct attempt *attempt, const struct transaction_event *event)
{
    struct transaction_actions dropped;
    if ((event->outcome != TRANSACTION_THROTTLED && event->outcome != TRANSACTION_AMBIGUOUS) ||
        !absence_gives_up(&attempt->absence, attempt->client))
        return false;
    transaction_step(&attempt->machine, event, &dropped);
    (void)absence_refuse(&attempt->absence, attempt->client, "The commit was given up", &attempt->error,
                         &attempt->error);
    return true;
}

static void was_answered(void *context, struct row_answer *answer)
{
    struct attempt *attempt = context;
    struct transaction_row rows[ROWS_AT_ONCE_MAX];
    struct transaction_event event = {.kind = TRANSACTION_EVENT_ANSWER, .outcome = outcome_of(answer), .rows = rows};
    memset(rows, 0, sizeof(rows));
    clock_read(&event.now);
    attempt->under_way = NULL;
    note_answer(attempt, answer);
    if (event.outcome == TRANSACTION_FAILED ||
        (event.outcome == TRANSACTION_OK && attempt->asked.kind == TRANSACTION_LOOK))
        see(attempt, answer, rows);
    if (gives_up(attempt, &event))
        event = (struct transaction_event){.kind = TRANSACTION_EVENT_STOP};
    step(attempt, &event);
}

/* ------------------------------------------------------------------------------------------------ requests */

/* Not of one instant, which only 4 MB of items can be: so much is written, of rows that may have more. */
static void make_look(struct attempt *attempt)
{
    size_t count = 0;
    for (size_t i = 0; i < attempt->count; i++) {
        const struct row_mark *mark = &attempt->parts[i].mark;
        if (mark->part == TRANSACTION_CHECK)
            continue;
        attempt->gets[count] = (struct rows_get){.of = {.table = mark->table, .key = mark->key}};
        attempt->looked[count++] = i;
    }
    attempt->request = (struct row_request){.verb = ROW_READ, .gets = attempt->gets, .get_count = count};
}

static bool make_fence(struct attempt *attempt)
{
    uint32_t part = attempt->asked.part;
    row_write_free(&attempt->fence_write);
    if (row_write_fence(&attempt->parts[part].mark, attempt->tokens.fence, &attempt->fence_write, &attempt->error) !=
        OS_OK)
        return false;
    attempt->request = (struct row_request){.verb = ROW_WRITE, .write = &attempt->fence_write.write};
    return true;
}

static bool make_request(struct attempt *attempt)
{
    switch (attempt->asked.kind) {
    case TRANSACTION_PLAIN:
        attempt->request = (struct row_request){.verb = ROW_WRITE, .write = &attempt->parts[0].write};
        return true;
    case TRANSACTION_LOOK: make_look(attempt); return true;
    case TRANSACTION_SEND_FENCE: return make_fence(attempt);
    case TRANSACTION_TOGETHER: break;
    }
    for (size_t i = 0; i < attempt->count; i++)
        attempt->writes[i] = attempt->parts[i].write;
    attempt->transaction =
        (struct rows_transaction){.writes = attempt->writes, .count = attempt->count, .token = attempt->tokens.own};
    attempt->request = (struct row_request){.verb = ROW_TRANSACT, .transaction = &attempt->transaction};
    return true;
}

static void send_request(struct attempt *attempt, const struct transaction_request *request)
{
    struct row_service *rows = attempt->client->rows;
    struct transaction_event nothing_sent = {.kind = TRANSACTION_EVENT_ANSWER, .outcome = TRANSACTION_THROTTLED};
    attempt->asked = *request;
    clock_read(&attempt->sent);
    if (make_request(attempt)) {
        attempt->request.once = true; /* X5 */
        attempt->request.deadline_monotonic_ms = attempt->op.deadline_monotonic_ms;
        attempt->under_way = rows->vtable->start(rows, &attempt->request, was_answered, attempt);
    }
    if (attempt->under_way != NULL) {
        attempt->requests++;
        return;
    }
    (void)error_no_memory(&attempt->error);
    step(attempt, &nothing_sent);
}

static void take_actions(struct attempt *attempt, const struct transaction_actions *actions)
{
    attempt->verdict = transaction_verdict(&attempt->machine);
    if (attempt->verdict != 0) {
        attempt_over(attempt);
        return;
    }
    if (actions->has_timer)
        loop_timer_set(attempt->client->loop, &attempt->timer, actions->timer_ms);
    else
        loop_timer_clear(attempt->client->loop, &attempt->timer);
    if (actions->send)
        send_request(attempt, &actions->request);
}

/* ------------------------------------------------------------------------------------------------ the attempt */

static void on_timer(struct loop_timer *timer)
{
    struct transaction_event event = {.kind = TRANSACTION_EVENT_TIMER};
    step(container_of(timer, struct attempt, timer), &event);
}

static void no_attempt(struct op *op)
{
    (void)op; /* the machine says when to send */
}

/* X9: what has changed nothing was put off; anything else is as good as lost. */
static void drop_request(struct attempt *attempt)
{
    struct row_service *rows = attempt->client->rows;
    struct transaction_event put_off = {.kind = TRANSACTION_EVENT_ANSWER, .outcome = TRANSACTION_THROTTLED};
    struct transaction_actions dropped;
    bool is_untouched = rows->vtable->cancel(rows, attempt->under_way, &attempt->error);
    attempt->under_way = NULL;
    clock_read(&put_off.now);
    if (is_untouched)
        transaction_step(&attempt->machine, &put_off, &dropped);
}

static void was_interrupted(struct op *op, enum op_reason reason)
{
    struct attempt *attempt = container_of(op, struct attempt, op);
    struct transaction_event event = {.kind = TRANSACTION_EVENT_STOP};
    if (attempt->under_way != NULL)
        drop_request(attempt);
    os_error last = attempt->error;
    (void)error_set(&attempt->error, op_reason_code(reason), "The commit was ended: %s.%s%.500s",
                    op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "", last.message);
    step(attempt, &event);
}

static void begin_attempt(struct sync *sync)
{
    struct attempt *attempt = container_of(sync, struct attempt, sync);
    struct op_limits limits = client_limits(attempt->client, &attempt->limits);
    struct transaction_event event = {.kind = TRANSACTION_EVENT_START};
    enum op_reason reason = row_call_why_not(attempt->client, &attempt->limits);
    if (reason == 0 && op_begin(&attempt->op, &limits, no_attempt, was_interrupted)) {
        step(attempt, &event);
        return;
    }
    attempt->verdict = TRANSACTION_NOT_EXECUTED;
    if (reason != 0)
        (void)error_set(&attempt->error, op_reason_code(reason), "The commit was not begun, and nothing was sent: %s.",
                        op_reason_clause(reason));
    else
        (void)error_no_memory(&attempt->error);
    sync_finish(sync);
}

static void begin_machine(struct attempt *attempt)
{
    struct transaction_settings settings;
    memset(&settings, 0, sizeof(settings));
    settings.count = (uint32_t)attempt->count;
    for (size_t i = 0; i < attempt->count; i++)
        settings.parts[i] = (uint8_t)attempt->parts[i].mark.part;
    settings.remembers = row_call_remembers(attempt->client);
    /* X5: alone, what no token of its row holds back is sent again only where the service remembers it. */
    settings.together = settings.remembers && settings.count == 1 && settings.parts[0] == TRANSACTION_BLIND;
    transaction_init(&attempt->machine, &settings);
}

os_code attempt_prepare(struct attempt *attempt, os_error *err)
{
    if (!row_token_make(attempt->tokens.own) || !row_token_fence(attempt->tokens.own, attempt->tokens.fence))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes, which a commit needs: nothing was sent.");
    for (size_t i = 0; i < attempt->count; i++) {
        os_code code = row_write_make(attempt->rows[i], attempt->tokens.own, row_now_s(), &attempt->parts[i], err);
        if (code != OS_OK)
            return code;
    }
    begin_machine(attempt);
    attempt->in_the_way = attempt->count;
    attempt->timer.fire = on_timer;
    attempt->sync.start = begin_attempt;
    return OS_OK;
}

void attempt_free(struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->count; i++)
        row_write_free(&attempt->parts[i]);
    row_write_free(&attempt->fence_write);
}
