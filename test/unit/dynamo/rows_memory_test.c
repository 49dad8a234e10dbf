/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out: a request is whole or not there, an answer says what it says with memory, or decides nothing. */
#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "rows.h"

/* In this order: their allocations are counted, and those of the JSON with them. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
#include "attribute/scalar.c"
/* clang-format on */

static void run_out(size_t number, size_t failures)
{
    alloc_fail_from(number, failures);
    json_set_alloc_funcs(failing_malloc, free);
}

static void have_enough(void)
{
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
}

/* ------------------------------------------------------------------------------------------------------ requests */

struct building {
    struct trees trees;
    struct condition_term term;
    struct path_step step;
    struct change change;
    struct rows_write write;
    struct rows_transaction transaction;
    struct rows_get get;
    struct rows_list list;
};

static void building_set_up(struct building *building)
{
    struct trees *trees = &building->trees;
    const json_t *key = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}");
    building->step = (struct path_step){.name = "x"};
    const struct path path = {&building->step, 1};
    building->term = (struct condition_term){
        .path = path, .test = CONDITION_EQUALS, .value = tree(trees, "{'L':[{'M':{'x':{'SS':['y','z']}}}]}")};
    building->change = (struct change){.path = path, .kind = CHANGE_SET, .value = tree(trees, "{'L':[{'N':'1'}]}")};
    building->write = (struct rows_write){.kind = ROWS_UPDATE,
                                          .table = &orders,
                                          .item = key,
                                          .changes = &building->change,
                                          .change_count = 1,
                                          .condition = {&building->term, 1}};
    building->transaction = (struct rows_transaction){&building->write, 1, "token"};
    building->get = (struct rows_get){.of = {&orders, key}, .paths = &building->term.path, .path_count = 1};
    building->list = (struct rows_list){.table = &orders,
                                        .partition = json_object_get(key, "pk"),
                                        .filter = {&building->term, 1},
                                        .paths = &building->change.path,
                                        .path_count = 1,
                                        .start_key = key};
}

static void building_tear_down(struct building *building)
{
    trees_tear_down(&building->trees);
}

typedef os_code build_fn(const struct building *building, struct http_request *ret, struct buf *ret_body);

static os_code build_write(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_write(&endpoint, &building->write, ret, ret_body, NULL);
}

static os_code build_transact_write(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_transact_write(&endpoint, &building->transaction, ret, ret_body, NULL);
}

static os_code build_get(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_get(&endpoint, &building->get, ret, ret_body, NULL);
}

static os_code build_transact_get(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_transact_get(&endpoint, &building->get, 1, ret, ret_body, NULL);
}

static os_code build_batch(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_batch(&endpoint, &building->get.of, 1, false, ret, ret_body, NULL);
}

static os_code build_list(const struct building *building, struct http_request *ret, struct buf *ret_body)
{
    return rows_build_list(&endpoint, &building->list, ret, ret_body, NULL);
}

static const struct build_row {
    const char *name;
    build_fn *build;
} build_rows[] = {
    {"a write", build_write}, {"a transaction of writes", build_transact_write},
    {"a read", build_get},    {"a transaction of reads", build_transact_get},
    {"a batch", build_batch}, {"a page", build_list},
};

TEST_ROWS_WITH(building, build_rows, a_request_is_whole_or_not_there)
{
    struct http_request whole;
    struct buf whole_body;
    size_t failed = 0;
    assert_int_equal(row->build(building, &whole, &whole_body), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            struct http_request request;
            struct buf body;
            run_out(number, failures);
            os_code code = row->build(building, &request, &body);
            have_enough();
            assert_true(code == OS_ERR_NO_MEMORY || (code == OS_OK && strcmp(body.data, whole_body.data) == 0));
            assert_true(code == OS_OK || (body.data == NULL && request.host == NULL));
            failed += code != OS_OK;
            http_request_free(&request);
            buf_free(&body);
        }
    assert_true(failed > 2);
    http_request_free(&whole);
    buf_free(&whole_body);
}

/* ------------------------------------------------------------------------------------------------------- answers */

struct answering {
    struct building building;
    struct http_response response;
    struct dynamo_error detail;
    os_error err;
};

static void answering_set_up(struct answering *answering)
{
    building_set_up(&answering->building);
}

static void answering_tear_down(struct answering *answering)
{
    http_response_free(&answering->response);
    building_tear_down(&answering->building);
}

typedef enum table_outcome read_fn(struct answering *answering);

static enum table_outcome read_write(struct answering *answering)
{
    json_t *item = NULL;
    enum table_outcome outcome = rows_read_write(&answering->response, WHERE, &answering->building.write, &item,
                                                 &answering->detail, &answering->err);
    assert_int_equal(item != NULL, outcome == TABLE_CONFLICT);
    json_decref(item);
    return outcome;
}

static enum table_outcome read_get(struct answering *answering)
{
    json_t *item = NULL;
    enum table_outcome outcome = rows_read_get(&answering->response, WHERE, &answering->building.get, &item,
                                               &answering->detail, &answering->err);
    assert_int_equal(item != NULL, outcome == TABLE_OK);
    json_decref(item);
    return outcome;
}

static enum table_outcome read_batch(struct answering *answering)
{
    struct rows_items batch;
    enum table_outcome outcome = rows_read_batch(&answering->response, WHERE, &answering->building.get.of, 1, &batch,
                                                 &answering->detail, &answering->err);
    assert_int_equal(batch.items[0] != NULL, outcome == TABLE_OK);
    rows_items_free(&batch);
    return outcome;
}

static enum table_outcome read_transact_get(struct answering *answering)
{
    struct rows_items batch;
    enum table_outcome outcome = rows_read_transact_get(&answering->response, WHERE, &answering->building.get, 1,
                                                        &batch, &answering->detail, &answering->err);
    assert_int_equal(batch.items[0] != NULL, outcome == TABLE_OK);
    rows_items_free(&batch);
    return outcome;
}

static enum table_outcome read_transact_write(struct answering *answering)
{
    struct rows_answer answer;
    enum table_outcome outcome = rows_read_transact_write(&answering->response, WHERE, &answering->building.transaction,
                                                          &answer, &answering->detail, &answering->err);
    rows_answers_free(&answer, 1);
    return outcome;
}

static enum table_outcome read_page(struct answering *answering)
{
    struct rows_page page;
    enum table_outcome outcome = rows_read_page(&answering->response, WHERE, &answering->building.list, &page,
                                                &answering->detail, &answering->err);
    assert_int_equal(page.items != NULL, outcome == TABLE_OK);
    assert_int_equal(page.last_key != NULL, outcome == TABLE_OK);
    rows_page_free(&page);
    return outcome;
}

#define A1 "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'NS':['1','2']}}"

static const struct read_row {
    const char *name;
    read_fn *read;
    enum table_outcome outcome; /* with memory */
    enum table_outcome poorer;  /* and without what the item takes: that the condition failed is known by then */
    int status;
    const char *body;
} read_rows[] = {
    {"a conflict", read_write, TABLE_CONFLICT, TABLE_CONFLICT_BLIND, 400,
     "{'__type':'x#ConditionalCheckFailedException','Item':" A1 "}"},
    {"a write", read_write, TABLE_OK, TABLE_OK, 200, "{}"},
    {"a read", read_get, TABLE_OK, TABLE_OK, 200, "{'Item':" A1 "}"},
    {"a batch", read_batch, TABLE_OK, TABLE_OK, 200, "{'Responses':{'orders':[" A1 "]},'UnprocessedKeys':{}}"},
    {"a transaction of reads", read_transact_get, TABLE_OK, TABLE_OK, 200, "{'Responses':[{'Item':" A1 "}]}"},
    {"a cancelled transaction", read_transact_write, TABLE_CONFLICT, TABLE_CONFLICT_BLIND, 400,
     "{'__type':'x#TransactionCanceledException','CancellationReasons':[{'Code':'ConditionalCheckFailed','Item':" A1
     "}]}"},
    {"a transaction that is put off", read_transact_write, TABLE_THROTTLED, TABLE_THROTTLED, 400,
     "{'__type':'x#TransactionCanceledException','CancellationReasons':[{'Code':'TransactionConflict'}]}"},
    {"a page", read_page, TABLE_OK, TABLE_OK, 200,
     "{'Items':[" A1 "],'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':'2'}}}"},
};

/* Once one allocation fails, all later ones do: the lexer of jansson 2.14, which goes on without a byte for which there
 * was no memory, writes past the end of a string that has lost its quote. */
TEST_ROWS_WITH(answering, read_rows, an_answer_that_finds_no_memory_decides_nothing)
{
    size_t undecided = 0;
    bool was_poorer = row->poorer == row->outcome;
    answer(&answering->response, row->status, quoted(&answering->building.trees, row->body));
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++) {
        run_out(number, SIZE_MAX);
        enum table_outcome outcome = row->read(answering);
        have_enough();
        bool is_undecided = outcome == TABLE_AMBIGUOUS && answering->err.code != OS_OK;
        assert_true(outcome == row->outcome || outcome == row->poorer || is_undecided);
        was_poorer = was_poorer || outcome == row->poorer;
        undecided += is_undecided;
    }
    assert_true(undecided > 2 && was_poorer);
}
