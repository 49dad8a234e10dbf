/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/attempt.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"

#include <stdio.h>
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

static uint8_t whose(const struct attempt *attempt, size_t part, const char *token)
{
    const char *read = attempt->parts[part].read_token;
    if (token == NULL || token[0] == '\0')
        return TRANSACTION_NONE;
    if (strcmp(token, attempt->token) == 0)
        return TRANSACTION_OURS;
    if (strcmp(token, attempt->fence) == 0)
        return TRANSACTION_FENCE;
    return read != NULL && strcmp(token, read) == 0 ? TRANSACTION_READ : TRANSACTION_OTHER;
}

static void see_row(const struct attempt *attempt, size_t part, const json_t *item, struct transaction_row *ret)
{
    ret->seen = TRANSACTION_THERE;
    ret->token = whose(attempt, part, row_token_of(item, ROW_TOKEN));
    ret->before = whose(attempt, part, row_token_of(item, ROW_BEFORE));
}

/* No item beside a condition that failed: there is none, or the service does not tell. */
static void see_failed(struct attempt *attempt, size_t part, const json_t *item, struct transaction_row *ret)
{
    ret->failed = true;
    if (item != NULL)
        see_row(attempt, part, item, ret);
    if (attempt->in_the_way == attempt->count)
        attempt->in_the_way = part;
}

static void see_answers(struct attempt *attempt, const struct row_answer *answer, struct transaction_row *rows)
{
    for (size_t i = 0; i < attempt->count && answer->answers != NULL; i++)
        if (answer->answers[i].verdict == ROWS_CONDITION_FAILED)
            see_failed(attempt, i, answer->answers[i].item, &rows[i]);
}

static void see_look(const struct attempt *attempt, const struct row_answer *answer, struct transaction_row *rows)
{
    for (size_t i = 0; i < attempt->request.get_count; i++) {
        size_t part = attempt->looked[i];
        rows[part].seen = TRANSACTION_ABSENT;
        if (answer->items.items[i] != NULL)
            see_row(attempt, part, answer->items.items[i], &rows[part]);
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

static enum transaction_outcome outcome_of(const struct attempt *attempt, const struct row_answer *answer)
{
    switch (answer->outcome) {
    case TABLE_OK: return TRANSACTION_OK;
    case TABLE_CONFLICT:
    case TABLE_CONFLICT_BLIND: return TRANSACTION_FAILED;
    case TABLE_THROTTLED: return TRANSACTION_THROTTLED;
    case TABLE_REFUSED: return TRANSACTION_REFUSED;
    case TABLE_UNREADABLE: return attempt->asked.kind == TRANSACTION_LOOK ? TRANSACTION_REFUSED : TRANSACTION_AMBIGUOUS;
    case TABLE_AMBIGUOUS: break;
    }
    return TRANSACTION_AMBIGUOUS;
}

static void was_answered(void *context, struct row_answer *answer)
{
    struct attempt *attempt = context;
    struct transaction_row rows[ROWS_AT_ONCE_MAX];
    struct transaction_event event = {
        .kind = TRANSACTION_EVENT_ANSWER, .outcome = outcome_of(attempt, answer), .rows = rows};
    memset(rows, 0, sizeof(rows));
    attempt->under_way = NULL;
    attempt->error = answer->error;
    client_note_request(attempt->client, row_request_name(&attempt->request), "", &attempt->sent,
                        answer->error.http_status, answer->error.code);
    if (event.outcome == TRANSACTION_FAILED ||
        (event.outcome == TRANSACTION_OK && attempt->asked.kind == TRANSACTION_LOOK))
        see(attempt, answer, rows);
    step(attempt, &event);
}

/* ------------------------------------------------------------------------------------------------ requests */

static void make_look(struct attempt *attempt)
{
    size_t count = 0;
    for (size_t i = 0; i < attempt->count; i++) {
        if (attempt->parts[i].part == TRANSACTION_CHECK)
            continue;
        attempt->gets[count] =
            (struct rows_get){.of = {.table = &attempt->rows[i]->model->table, .key = attempt->rows[i]->key}};
        attempt->looked[count++] = i;
    }
    attempt->request =
        (struct row_request){.verb = ROW_READ, .gets = attempt->gets, .get_count = count, .is_snapshot = true};
}

static bool make_fence(struct attempt *attempt)
{
    uint32_t part = attempt->asked.part;
    row_write_free(&attempt->fence_write);
    if (row_write_fence(&attempt->parts[part], attempt->rows[part], attempt->fence, &attempt->fence_write,
                        &attempt->error) != OS_OK)
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
        (struct rows_transaction){.writes = attempt->writes, .count = attempt->count, .token = attempt->token};
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

static void was_interrupted(struct op *op, enum op_reason reason)
{
    struct attempt *attempt = container_of(op, struct attempt, op);
    struct row_service *rows = attempt->client->rows;
    struct transaction_event event = {.kind = TRANSACTION_EVENT_STOP};
    os_error last = attempt->error;
    if (attempt->under_way != NULL)
        rows->vtable->cancel(rows, attempt->under_way);
    attempt->under_way = NULL;
    (void)error_set(&attempt->error, op_reason_code(reason), "The commit was ended: %s.%s%.500s",
                    op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "", last.message);
    step(attempt, &event);
}

static void begin_attempt(struct sync *sync)
{
    struct attempt *attempt = container_of(sync, struct attempt, sync);
    struct op_limits limits = client_limits(attempt->client, &attempt->limits);
    struct transaction_event event = {.kind = TRANSACTION_EVENT_START};
    if (op_begin(&attempt->op, &limits, no_attempt, was_interrupted)) {
        step(attempt, &event);
        return;
    }
    attempt->verdict = TRANSACTION_NOT_EXECUTED;
    (void)error_no_memory(&attempt->error);
    sync_finish(sync);
}

static bool make_token(char ret[ROW_TOKEN_SIZE])
{
    unsigned char bits[(ROW_TOKEN_SIZE - 1) / 2];
    if (!random_bytes(bits, sizeof(bits)))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++)
        snprintf(ret + 2 * i, 3, "%02x", bits[i]);
    return true;
}

os_code attempt_prepare(struct attempt *attempt, os_error *err)
{
    struct transaction_settings settings;
    struct clock_reading now;
    clock_read(&now);
    memset(&settings, 0, sizeof(settings));
    if (!make_token(attempt->token) || !make_token(attempt->fence))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes, which a commit needs: nothing was sent.");
    for (size_t i = 0; i < attempt->count; i++) {
        os_code code = row_write_make(attempt->rows[i], attempt->token, (int64_t)(now.realtime_ms / 1000),
                                      &attempt->parts[i], err);
        if (code != OS_OK)
            return code;
        settings.parts[i] = (uint8_t)attempt->parts[i].part;
    }
    settings.count = (uint32_t)attempt->count;
    settings.remembers = true;
    /* X5: alone, what no token of its row holds back is sent again only where the service remembers it. */
    settings.together = settings.count == 1 && settings.parts[0] == TRANSACTION_BLIND;
    transaction_init(&attempt->machine, &settings);
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
