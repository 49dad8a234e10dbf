/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a row_service, made on a loop's thread, and what comes of it. */
#ifndef OSCOMMIT_TEST_UNIT_TABLE_ROW_ASKING_H
#define OSCOMMIT_TEST_UNIT_TABLE_ROW_ASKING_H

#include "table/row_service.h"
#include "unit/loop/on_loop.h"

enum { ROW_PATIENCE_MS = 60000 };

struct row_asking {
    struct on_loop *on;
    struct row_service *service;
    struct row_request request; /* a deadline of 0 is made one that is far away */
    struct row_op *op;
    struct row_answer answer; /* its own */
    int told;
    bool is_untouched; /* as cancel has said, and `why` */
    os_error why;
    struct event done;
};

static inline void row_asking_note(void *context, struct row_answer *answer)
{
    struct row_asking *asking = context;
    asking->answer = *answer;
    *answer = (struct row_answer){.outcome = answer->outcome};
    asking->told++;
    event_set(&asking->done);
}

static inline void row_asking_start(void *context)
{
    struct row_asking *asking = context;
    if (asking->request.deadline_monotonic_ms == 0)
        asking->request.deadline_monotonic_ms = now_ms() + ROW_PATIENCE_MS;
    asking->op = asking->service->vtable->start(asking->service, &asking->request, row_asking_note, asking);
    assert_non_null(asking->op);
}

/* What was borrowed is not looked at any more. */
static inline void row_asking_cancel(void *context)
{
    struct row_asking *asking = context;
    error_clear(&asking->why);
    asking->is_untouched = asking->service->vtable->cancel(asking->service, asking->op, &asking->why);
    if (asking->request.transaction != NULL)
        memset((void *)asking->request.transaction, 0xff, sizeof(*asking->request.transaction));
}

static inline void row_asking_start_and_cancel(void *context)
{
    row_asking_start(context);
    row_asking_cancel(context);
}

static inline void row_asking_begin(struct row_asking *ret, struct on_loop *on, struct row_service *service,
                                    const struct row_request *request)
{
    *ret = (struct row_asking){.on = on, .service = service, .request = *request, .done = EVENT_INIT};
    on_loop_call(on, row_asking_start, ret);
}

static inline void row_asking_end(struct row_asking *asking)
{
    event_wait(&asking->done);
    assert_int_equal(asking->told, 1);
}

static inline void row_asking_free(struct row_asking *asking)
{
    row_answer_free(&asking->answer);
}

/* For row_answer_free. */
static inline struct row_answer row_ask(struct on_loop *on, struct row_service *service,
                                        const struct row_request *request)
{
    struct row_asking asking;
    row_asking_begin(&asking, on, service, request);
    row_asking_end(&asking);
    return asking.answer;
}

/* Of what asks again and again: its deadline, so far away, passes in one of its pauses. Mostly so at once, but on a busy
 * machine it may pass while a request is under way, or before the second. */
static inline struct row_answer row_ask_until_a_pause(struct on_loop *on, struct row_service *service,
                                                      const struct row_request *request, uint64_t deadline_ms)
{
    struct row_answer answer = {.requests = 0};
    for (int tries = 0; tries < 20; tries++) {
        struct row_request timed = *request;
        timed.deadline_monotonic_ms = now_ms() + deadline_ms;
        row_answer_free(&answer);
        answer = row_ask(on, service, &timed);
        if (strstr(answer.error.message, "could not be asked") == NULL && answer.requests > 1)
            return answer;
    }
    return answer;
}

#define CHECK_ANSWER(answer, wanted) check_answer((answer), (wanted), __LINE__)
static inline void check_answer(const struct row_answer *answer, enum table_outcome wanted, int line)
{
    bool has_sentence = wanted != TABLE_OK && wanted != TABLE_CONFLICT && wanted != TABLE_CONFLICT_BLIND;
    if (answer->outcome != wanted)
        fail_msg("line %d: outcome %d instead of %d: %s", line, (int)answer->outcome, (int)wanted,
                 answer->error.message);
    if (has_sentence && (answer->error.code == OS_OK || answer->error.message[0] == '\0'))
        fail_msg("line %d: outcome %d without a sentence", line, (int)wanted);
}

#define CHECK_SAYS(answer, words) check_says((answer), (words), __LINE__)
static inline void check_says(const struct row_answer *answer, const char *words, int line)
{
    if (strstr(answer->error.message, words) == NULL)
        fail_msg("line %d: \"%s\" is not in: %s", line, words, answer->error.message);
}

#endif
