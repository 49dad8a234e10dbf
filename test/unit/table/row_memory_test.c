/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at DynamoDB when memory runs out: a request does not begin, or is put off with a sentence. */
#include "unit/table/row_dynamo_state.h"

/* after all of the above */
#include "support/failing_alloc.h"

/* clang-format off */
#include "table/row_service.c"
#include "table/dynamo_call.c"
#include "table/row_dynamo.c"
/* clang-format on */

static const struct rows_definition things = {.keys = {.partition = {"id", VALUE_S}}};

struct trying {
    struct row_asking asking;
    size_t number; /* of the allocation that fails */
    bool was_begun;
};

static void try_to_start(void *context)
{
    struct trying *trying = context;
    struct row_asking *asking = &trying->asking;
    asking->request.deadline_monotonic_ms = now_ms() + ROW_PATIENCE_MS;
    alloc_fail_at(trying->number);
    asking->op = asking->service->vtable->start(asking->service, &asking->request, row_asking_note, asking);
    trying->was_begun = asking->op != NULL;
}

/* False: no allocation failed. */
static bool fails_with(struct dynamo_rows *rows, const struct row_request *request, size_t number,
                       enum table_outcome otherwise)
{
    struct trying trying = {.number = number};
    trying.asking =
        (struct row_asking){.on = &rows->on, .service = rows->service, .request = *request, .done = EVENT_INIT};
    on_loop_call(&rows->on, try_to_start, &trying);
    if (!trying.was_begun) {
        assert_true(alloc_failed);
        return true;
    }
    row_asking_end(&trying.asking);
    CHECK_ANSWER(&trying.asking.answer, alloc_failed ? TABLE_THROTTLED : otherwise);
    if (alloc_failed)
        assert_int_equal(trying.asking.answer.error.code, OS_ERR_NO_MEMORY);
    row_asking_free(&trying.asking);
    return alloc_failed;
}

TEST_WITH(dynamo_rows, a_request_without_memory_does_not_begin_or_is_put_off)
{
    const struct rows_write write = {
        .kind = ROWS_PUT, .table = &users, .item = tree(&dynamo_rows->trees, "{'id':{'S':'u0'}}")};
    const struct rows_transaction transaction = {&write, 1, "token"};
    const struct rows_transaction none = {&write, 0, "token"};
    const struct requested {
        struct row_request request;
        const char *answer;
        enum table_outcome outcome;
    } list[] = {{{.verb = ROW_TRANSACT, .transaction = &transaction}, "{}", TABLE_OK},
                {{.verb = ROW_TRANSACT, .transaction = &none}, NULL, TABLE_REFUSED},
                {{.verb = ROW_CHECK, .table = "no", .definition = &things}, NULL, TABLE_REFUSED}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        size_t number = 0;
        if (list[i].answer != NULL)
            push(dynamo_rows, list[i].answer);
        while (fails_with(dynamo_rows, &list[i].request, number, list[i].outcome))
            number++;
        assert_true(number > 0);
    }
    alloc_fail_none();
}

TEST_WITH(dynamo_rows, a_service_without_memory_is_not_made)
{
    struct row_service *service = NULL;
    const struct table_config config = {
        .loop = dynamo_rows->on.loop, .endpoint = &dynamo_rows->endpoint, .credentials = dynamo_rows->credentials};
    alloc_fail_at(0);
    assert_int_equal(row_dynamo_new(&config, &service, NULL), OS_ERR_NO_MEMORY);
    alloc_fail_none();
    assert_int_equal(row_dynamo_new(&config, &service, NULL), OS_OK);
    service->vtable->free(service);
}
