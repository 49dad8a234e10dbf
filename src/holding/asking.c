/* SPDX-License-Identifier: Apache-2.0 */
#include "holding/asking.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "client/arguments.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ turns */

static void ask_table(struct op *op);

static struct holding_asking *first_of_turn(const struct holding_asking *asking)
{
    struct holding_asking *each = asking->client->ledger->asked_in_turn;
    while (each != NULL && strcmp(each->turn, asking->turn) != 0)
        each = each->next_in_turn;
    return each;
}

/* False: others were first, and the last of them has it asked. */
static bool take_turn(struct holding_asking *asking)
{
    struct holding_asking **at = &asking->client->ledger->asked_in_turn;
    if (asking->turn == NULL)
        return true;
    while (*at != NULL)
        at = &(*at)->next_in_turn;
    *at = asking;
    asking->next_in_turn = NULL;
    return first_of_turn(asking) == asking;
}

static void leave_turn(struct holding_asking *asking)
{
    struct holding_asking **at = &asking->client->ledger->asked_in_turn;
    if (asking->turn == NULL)
        return;
    bool had_it = first_of_turn(asking) == asking;
    while (*at != asking)
        at = &(*at)->next_in_turn;
    *at = asking->next_in_turn;
    struct holding_asking *next = had_it ? first_of_turn(asking) : NULL;
    if (next != NULL)
        ask_table(&next->op);
}

/* ------------------------------------------------------------------------------------------------ asking */

static void asking_over(struct holding_asking *asking)
{
    op_end(&asking->op);
    leave_turn(asking);
    sync_finish(&asking->sync);
}

static bool asks_again(const struct holding_asking *asking, const struct table_answer *answer)
{
    bool put_off = answer->outcome == TABLE_THROTTLED;
    switch (asking->repeats) {
    case ASKING_UNTIL_CLEAR: return put_off || answer->outcome == TABLE_AMBIGUOUS;
    case ASKING_NOT_TWICE: return put_off;
    case ASKING_ONCE_DONE: break;
    }
    return put_off && answer->error.code == OS_ERR_THROTTLED;
}

static void refuse_absent(struct holding_asking *asking)
{
    char what[128];
    (void)text_concat(what, sizeof(what), "The ", asking->name, " was given up", NULL);
    (void)absence_refuse(&asking->absence, asking->client, what, &asking->error, &asking->error);
}

static void note_request(struct holding_asking *asking, const struct table_answer *answer)
{
    const struct item *item = asking->request.item; /* whose first value is its key */
    client_note_request(asking->client, table_verb_name(asking->request.verb),
                        item != NULL ? item_text_of(item, 0) : "", &asking->sent, answer->error.http_status,
                        answer->error.code);
}

static void was_answered(void *context, const struct table_answer *answer)
{
    struct holding_asking *asking = context;
    asking->table_op = NULL;
    asking->error = answer->error;
    asking->outcome = answer->outcome;
    note_request(asking, answer);
    if (answer->found && asking->take != NULL)
        asking->take(asking->context, answer->item);
    absence_note_answer(&asking->absence, &asking->sent, answer);
    bool again = asks_again(asking, answer);
    bool gives_up = again && absence_gives_up(&asking->absence, asking->client);
    if (gives_up)
        refuse_absent(asking);
    else if (absence_is_elsewhere(answer->foreign, &answer->error))
        table_add_hint(asking->client->ledger, &asking->error);
    if (!again || gives_up) {
        asking_over(asking);
        return;
    }
    client_note_retry(asking->client, &asking->error);
    op_pause(&asking->op);
}

static void ask_table(struct op *op)
{
    struct holding_asking *asking = container_of(op, struct holding_asking, op);
    struct table *table = asking->client->ledger;
    if (asking->restart != NULL)
        asking->restart(asking->context);
    asking->request.deadline_monotonic_ms = op->deadline_monotonic_ms;
    clock_read(&asking->sent);
    asking->table_op = table->vtable->start(table, &asking->request, was_answered, asking);
    if (asking->table_op == NULL) {
        (void)error_no_memory(&asking->error);
        asking_over(asking);
    }
}

/* What was sent and not answered may have been done. */
static void asking_interrupted(struct op *op, enum op_reason reason)
{
    struct holding_asking *asking = container_of(op, struct holding_asking, op);
    struct table *table = asking->client->ledger;
    os_error last = asking->error;
    if (asking->table_op != NULL) {
        table->vtable->cancel(table, asking->table_op);
        asking->outcome = TABLE_AMBIGUOUS;
    }
    (void)error_set(&asking->error, op_reason_code(reason), "The %s was ended: %s.%s%.500s", asking->name,
                    op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "", last.message);
    asking_over(asking);
}

static void begin_to_ask(struct sync *sync)
{
    struct holding_asking *asking = container_of(sync, struct holding_asking, sync);
    struct op_limits limits = client_limits(asking->client, &asking->call);
    if (op_begin(&asking->op, &limits, ask_table, asking_interrupted)) {
        error_clear(&asking->error);
        if (take_turn(asking))
            ask_table(&asking->op);
        return;
    }
    sync_finish(sync);
}

void asking_prepare(struct holding_asking *asking, const os_call *call)
{
    asking->sync.start = begin_to_ask;
    asking->call = *call;
    memset(&asking->op, 0, sizeof(asking->op));
    memset(&asking->absence, 0, sizeof(asking->absence));
    (void)error_no_memory(&asking->error); /* which it is where it could not begin */
}

os_code asking_code(const struct holding_asking *asking, os_error *err)
{
    if (asking->error.code != OS_OK)
        *err = asking->error;
    return asking->error.code;
}

os_code asking_run(struct holding_asking *asking, const os_call *call, os_error *err)
{
    os_call own;
    os_code code = arguments_take_call(call, &own, err);
    if (code != OS_OK)
        return code;
    asking_prepare(asking, &own);
    code = sync_run(asking->client, &asking->sync, err);
    return code == OS_OK ? asking_code(asking, err) : code;
}
