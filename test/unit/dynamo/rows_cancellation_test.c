/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came of a transaction. Nothing that may have been written is said not to be, and nothing that was cancelled may
 * have been.
 */
#include "dynamo/rows_response.h"

#include "rows.h"

#undef WHERE
#define WHERE     "tables orders and users in us-east-1"
#define CANCELLED "{'__type':'" SPACE "TransactionCanceledException','Message':'Transaction cancelled'"
#define REASONS   CANCELLED ",'CancellationReasons':["
#define FAILED    "'Code':'ConditionalCheckFailed','Message':'The conditional request failed'"
#define NONE      "{'Code':'None'}"
#define ITEM_A    "{'sk':{'N':'1'},'n':{'S':'old'},'pk':{'S':'a'}}"
#define ITEM_U    "{'id':{'S':'u'}}"

static const struct condition_term is_absent = {.path = PATH({.name = "pk"}), .test = CONDITION_IS_ABSENT};
static const struct condition_term is_there = {.path = PATH({.name = "v"}), .test = CONDITION_EXISTS};

/* A put and a check on conditions, and a delete without one. */
struct transacting {
    struct trees trees;
    struct http_response response;
    struct rows_write writes[3];
    struct rows_transaction transaction;
    struct rows_answer answers[3];
    struct dynamo_error detail;
    os_error err;
};

static void transacting_set_up(struct transacting *transacting)
{
    struct trees *trees = &transacting->trees;
    transacting->writes[0] = (struct rows_write){.kind = ROWS_PUT,
                                                 .table = &orders,
                                                 .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'n':{'S':'new'}}"),
                                                 .condition = {&is_absent, 1}};
    transacting->writes[1] = (struct rows_write){
        .kind = ROWS_CHECK, .table = &users, .item = tree(trees, ITEM_U), .condition = {&is_there, 1}};
    transacting->writes[2] = (struct rows_write){
        .kind = ROWS_DELETE, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'2'}}")};
    transacting->transaction = (struct rows_transaction){transacting->writes, 3, "token"};
}

static void forget(struct transacting *transacting)
{
    http_response_free(&transacting->response);
    rows_answers_free(transacting->answers, 3);
}

static void transacting_tear_down(struct transacting *transacting)
{
    forget(transacting);
    trees_tear_down(&transacting->trees);
}

static enum table_outcome outcome_of(struct transacting *transacting, int status, const char *body)
{
    forget(transacting);
    answer(&transacting->response, status, quoted(&transacting->trees, body));
    return rows_read_transact_write(&transacting->response, WHERE, &transacting->transaction, transacting->answers,
                                    &transacting->detail, &transacting->err);
}

static void assert_answers(const struct transacting *transacting, enum rows_verdict verdict)
{
    for (size_t i = 0; i < 3; i++) {
        const struct rows_answer *answer = &transacting->answers[i];
        assert_int_equal(answer->verdict, verdict);
        assert_true(answer->item == NULL && answer->code == OS_OK && answer->why == NULL);
    }
}

TEST_WITH(transacting, all_is_written)
{
    assert_int_equal(outcome_of(transacting, 200, "{}"), TABLE_OK);
    assert_answers(transacting, ROWS_NOT_IN_THE_WAY);
    assert_int_equal(outcome_of(transacting, 200, "{'ConsumedCapacity':[{'TableName':'orders'}]}"), TABLE_OK);
}

TEST_WITH(transacting, an_answer_to_another_request_does_not_say_that_all_is_written)
{
    static const char *const bodies[] = {"{'Responses':[{},{},{}]}", "{'Attributes':" ITEM_A "}", "{'message':'x'}",
                                         "{'CancellationReasons':[" NONE "," NONE "," NONE "]}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        assert_int_equal(outcome_of(transacting, 200, bodies[i]), TABLE_AMBIGUOUS);
        assert_says(transacting->err, "which is none to this request. This one may have been applied");
        assert_answers(transacting, ROWS_NOT_JUDGED);
    }
}

/* As DynamoDB Local 2.6.1 says it. */
TEST_WITH(transacting, the_items_in_the_way_are_given)
{
    assert_int_equal(outcome_of(transacting, 400,
                                "{'__type':'" SPACE
                                "TransactionCanceledException','CancellationReasons':[{'Item':" ITEM_A
                                ",'Code':'ConditionalCheckFailed','Message':'The conditional request failed'},{'Code':"
                                "'None'},{'Code':'None'}],'Message':'Transaction cancelled, please refer cancellation "
                                "reasons for specific reasons [ConditionalCheckFailed, None, None]'}"),
                     TABLE_CONFLICT);
    const struct rows_answer *answers = transacting->answers;
    assert_int_equal(answers[0].verdict, ROWS_CONDITION_FAILED);
    assert_true(json_equal(answers[0].item, tree(&transacting->trees, ITEM_A)));
    assert_null(answers[0].why);
    assert_int_equal(answers[1].verdict, ROWS_NOT_IN_THE_WAY);
    assert_null(answers[1].item);
}

static const struct conflict_row {
    const char *name;
    enum table_outcome outcome;
    const char *reasons;
} conflict_rows[] = {
    {"both with their items", TABLE_CONFLICT, "{" FAILED ",'Item':" ITEM_A "},{" FAILED ",'Item':" ITEM_U "}," NONE},
    {"both, and one without", TABLE_CONFLICT_BLIND, "{" FAILED ",'Item':" ITEM_A "},{" FAILED "}," NONE},
    {"there is none", TABLE_CONFLICT_BLIND, NONE ",{" FAILED "}," NONE},
    {"an empty one", TABLE_CONFLICT_BLIND, NONE ",{" FAILED ",'Item':{}}," NONE},
    {"what is no item", TABLE_CONFLICT_BLIND, NONE ",{" FAILED ",'Item':'x'}," NONE},
    {"a value that is none", TABLE_CONFLICT_BLIND, NONE ",{" FAILED ",'Item':{'id':{'S':'u'},'v':{'N':'x'}}}," NONE},
    {"beside another that was under way", TABLE_CONFLICT,
     "{" FAILED ",'Item':" ITEM_A "},{'Code':'TransactionConflict'}," NONE},
    {"beside one that is refused", TABLE_CONFLICT,
     "{" FAILED ",'Item':" ITEM_A "}," NONE ",{'Code':'ValidationError','Message':'x'}"},
    {"codes of nothing", TABLE_CONFLICT, "{" FAILED ",'Item':" ITEM_A "},{},{'Code':null,'Message':null}"},
    {"a message of nothing", TABLE_CONFLICT,
     "{'Code':'ConditionalCheckFailed','Message':null,'Item':" ITEM_A "}," NONE ",{'Code':'None','Message':null}"},
};

TEST_ROWS_WITH(transacting, conflict_rows, conditions_fail)
{
    char body[1024];
    snprintf(body, sizeof(body), REASONS "%s]}", row->reasons);
    assert_int_equal(outcome_of(transacting, 400, body), row->outcome);
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal(transacting->answers[i].verdict, ROWS_NOT_JUDGED);
}

static const struct other_row {
    const char *name;
    enum table_outcome outcome;
    os_code code;
    const char *reasons;
    const char *says;
    enum rows_verdict verdicts[3];
} other_rows[] = {
    {"another was under way",
     TABLE_THROTTLED,
     OS_ERR_THROTTLED,
     NONE ",{'Code':'TransactionConflict','Message':'Transaction is ongoing for the item'}," NONE,
     "TransactWriteItems of " WHERE
     " was put off, and nothing was written, for the item id \"u\" in table users (request id REQ1): "
     "TransactionConflict: Transaction is ongoing for the item. Another transaction or write had this item under way. "
     "Send it again after a pause.",
     {ROWS_NOT_IN_THE_WAY, ROWS_PUT_OFF, ROWS_NOT_IN_THE_WAY}},
    {"too many requests",
     TABLE_THROTTLED,
     OS_ERR_THROTTLED,
     "{'Code':'ThrottlingError','Message':'Throughput exceeds the current capacity.'}," NONE "," NONE,
     "ThrottlingError: Throughput exceeds the current capacity. Send it again",
     {ROWS_PUT_OFF, ROWS_NOT_IN_THE_WAY, ROWS_NOT_IN_THE_WAY}},
    {"too little capacity",
     TABLE_THROTTLED,
     OS_ERR_THROTTLED,
     NONE "," NONE ",{'Code':'ProvisionedThroughputExceeded'}",
     "for the item pk \"a\", sk \"2\" in table orders (request id REQ1): ProvisionedThroughputExceeded. Send it again "
     "after a pause. If "
     "it "
     "goes on, give the table more capacity",
     {ROWS_NOT_IN_THE_WAY, ROWS_NOT_IN_THE_WAY, ROWS_PUT_OFF}},
    {"a wrong value",
     TABLE_REFUSED,
     OS_ERR_REFUSED,
     "{'Code':'TransactionConflict'},{'Code':'ThrottlingError'},{'Code':'ValidationError','Message':'An operand in the "
     "update expression has an incorrect data type'}",
     "was refused, and nothing was written, for the item pk \"a\", sk \"2\" in table orders (request id REQ1): "
     "ValidationError: An "
     "operand in "
     "the update expression has an incorrect data type. Compare the request with the item",
     {ROWS_PUT_OFF, ROWS_PUT_OFF, ROWS_REFUSED}},
    {"a full partition",
     TABLE_REFUSED,
     OS_ERR_TABLE,
     NONE "," NONE ",{'Code':'ItemCollectionSizeLimitExceeded','Message':'Collection size exceeded.'}",
     "Collection size exceeded. The items of this partition value have 10 GB",
     {ROWS_NOT_IN_THE_WAY, ROWS_NOT_IN_THE_WAY, ROWS_REFUSED}},
    {"a code that is not known",
     TABLE_REFUSED,
     OS_ERR_SERVICE,
     NONE ",{'Code':'MoonIsFull','Message':'Wait.'}," NONE,
     "nothing was written, for the item id \"u\" in table users (request id REQ1): MoonIsFull: Wait. Look up this code",
     {ROWS_NOT_IN_THE_WAY, ROWS_REFUSED, ROWS_NOT_IN_THE_WAY}},
};

TEST_ROWS_WITH(transacting, other_rows, it_is_cancelled_for_another_reason)
{
    char body[1024];
    snprintf(body, sizeof(body), REASONS "%s]}", row->reasons);
    assert_int_equal(outcome_of(transacting, 400, body), row->outcome);
    assert_int_equal(transacting->err.code, row->code);
    assert_says(transacting->err, row->says);
    assert_string_equal(transacting->err.service_code, "TransactionCanceledException");
    for (size_t i = 0; i < 3; i++) {
        assert_null(transacting->answers[i].item);
        assert_int_equal(transacting->answers[i].verdict, row->verdicts[i]);
        assert_int_equal(transacting->answers[i].why != NULL, row->verdicts[i] != ROWS_NOT_IN_THE_WAY);
        assert_int_equal(transacting->answers[i].code != OS_OK, row->verdicts[i] != ROWS_NOT_IN_THE_WAY);
    }
}

TEST_WITH(transacting, an_answer_without_a_request_id_names_none)
{
    const char *body = REASONS "{'Code':'TransactionConflict'}," NONE "," NONE "]}";
    forget(transacting);
    answer(&transacting->response, 400, quoted(&transacting->trees, body));
    http_headers_free(&transacting->response.headers);
    assert_int_equal(rows_read_transact_write(&transacting->response, WHERE, &transacting->transaction,
                                              transacting->answers, &transacting->detail, &transacting->err),
                     TABLE_THROTTLED);
    assert_says(transacting->err, " in table orders: TransactionConflict. Another transaction or write had this item");
    assert_null(strstr(transacting->err.message, "request id"));
}

TEST_WITH(transacting, each_write_has_its_sentence)
{
    const char *body = REASONS "{'Code':'TransactionConflict'}," NONE ",{'Code':'ValidationError','Message':'Bad.'}]}";
    assert_int_equal(outcome_of(transacting, 400, body), TABLE_REFUSED);
    assert_string_equal(transacting->answers[0].why, "TransactionConflict. Another transaction or write had this item "
                                                     "under way. Send it again after a pause.");
    assert_int_equal(transacting->answers[0].code, OS_ERR_THROTTLED);
    assert_string_equal(transacting->answers[2].why,
                        "ValidationError: Bad. Compare the request with the item: the types of its values, its size, "
                        "and whether it has a place for the change.");
    assert_int_equal(transacting->answers[2].code, OS_ERR_REFUSED);
}

static const struct misfit_row {
    const char *name;
    int status;
    const char *body;
} misfit_rows[] = {
    {"no reasons", 400, CANCELLED "}"},
    {"reasons that are no list", 400, CANCELLED ",'CancellationReasons':{'Code':'None'}}"},
    {"none of them says why", 400, REASONS NONE "," NONE "," NONE "]}"},
    {"one too few", 400, REASONS "{'Code':'TransactionConflict'}," NONE "]}"},
    {"one too many", 400, REASONS "{'Code':'TransactionConflict'}," NONE "," NONE "," NONE "]}"},
    {"one without a code", 400, REASONS "{'Code':'TransactionConflict'},{'Message':'x'}," NONE "]}"},
    {"one without a code, with an item", 400, REASONS "{'Code':'TransactionConflict'},{'Item':" ITEM_U "}," NONE "]}"},
    {"none with a code", 400, REASONS "{},{'Code':null},{}]}"},
    {"a condition that holds of the item", 400,
     REASONS NONE ",{" FAILED ",'Item':{'id':{'S':'u'},'v':{'N':'1'}}}," NONE "]}"},
    {"one with a code that is none", 400, REASONS "{'Code':'TransactionConflict'},{'Code':1}," NONE "]}"},
    {"one with an empty code", 400, REASONS "{'Code':'TransactionConflict'},{'Code':''}," NONE "]}"},
    {"one that is no object", 400, REASONS "{'Code':'TransactionConflict'},7," NONE "]}"},
    {"a condition of a write that has none", 400, REASONS NONE "," NONE ",{" FAILED "}]}"},
    {"a condition of a write that has none, with its item", 400,
     REASONS NONE "," NONE ",{" FAILED ",'Item':{'pk':{'S':'a'},'sk':{'N':'2'}}}]}"},
    {"an item of another key", 400, REASONS "{" FAILED ",'Item':{'pk':{'S':'b'},'sk':{'N':'1'}}}," NONE "," NONE "]}"},
    {"reasons of another error", 400,
     "{'__type':'" SPACE "ConditionalCheckFailedException','CancellationReasons':[{'Code':'TransactionConflict'}," NONE
     "," NONE "]}"},
    {"a failed condition of a single write", 400,
     "{'__type':'" SPACE "ConditionalCheckFailedException','Item':" ITEM_A "}"},
};

/* It says that nothing was written; but perhaps not of this transaction. */
TEST_ROWS_WITH(transacting, misfit_rows, a_cancellation_that_does_not_fit_leaves_it_open)
{
    assert_int_equal(outcome_of(transacting, row->status, row->body), TABLE_AMBIGUOUS);
    assert_int_equal(transacting->err.code, OS_ERR_PROTOCOL);
    assert_says(transacting->err, "It may have been applied: send it again under its token, or read what is there.");
    assert_answers(transacting, ROWS_NOT_JUDGED);
}

static const struct code_row {
    const char *name;
    enum table_outcome outcome;
    int status;
    const char *body;
    const char *says;
} code_rows[] = {
    {"the same token is under way", TABLE_AMBIGUOUS, 400,
     "{'__type':'" SPACE "TransactionInProgressException','Message':'The transaction with the given request token is "
     "already in progress.'}",
     "was left open: TransactionInProgressException: The transaction with the given request token is already in "
     "progress "
     "(request id REQ1). The transaction is under way, from an earlier request: send it again under its token after a "
     "pause."},
    {"another had the token", TABLE_REFUSED, 400,
     "{'__type':'" SPACE "IdempotentParameterMismatchException','Message':''}",
     "was refused: IdempotentParameterMismatchException (request id REQ1). It was not applied: another transaction had "
     "this token within ten minutes."},
    {"it is throttled", TABLE_THROTTLED, 400, "{'__type':'" SPACE "ProvisionedThroughputExceededException'}",
     "put off"},
    {"it is refused", TABLE_REFUSED, 400, "{'__type':'x#ValidationException','message':'m'}", "refused: Val"},
    {"a server failed", TABLE_AMBIGUOUS, 500, "{'__type':'x#InternalServerError'}", "It may have been applied"},
    {"it is cut off", TABLE_AMBIGUOUS, 400, REASONS "{'Code':'Tra", "is not a JSON object"},
    {"at another status", TABLE_AMBIGUOUS, 409, REASONS "{'Code':'TransactionConflict'}," NONE "," NONE "]}",
     "which decides nothing"},
    {"at 200", TABLE_AMBIGUOUS, 200, REASONS "{'Code':'TransactionConflict'}," NONE "," NONE "]}", "with HTTP 200"},
};

TEST_ROWS_WITH(transacting, code_rows, a_code_says_whether_it_was_applied)
{
    assert_int_equal(outcome_of(transacting, row->status, row->body), row->outcome);
    assert_says(transacting->err, row->says);
    assert_answers(transacting, ROWS_NOT_JUDGED);
}

/* Which of a single write would be a failed condition. */
TEST_WITH(transacting, a_cancellation_that_is_too_large_leaves_it_open)
{
    struct buf body;
    buf_init(&body, DYNAMO_ANSWER_MAX);
    buf_add_str(&body, "{\"__type\":\"TransactionCanceledException\",\"CancellationReasons\":[{}");
    for (size_t i = 0; i < JSON_VALUES_MAX; i++)
        buf_add_str(&body, ",{}");
    assert_true(buf_add_str(&body, "]}"));
    answer_bytes(&transacting->response, 400, body.data, body.len);
    assert_int_equal(rows_read_transact_write(&transacting->response, WHERE, &transacting->transaction,
                                              transacting->answers, &transacting->detail, &transacting->err),
                     TABLE_AMBIGUOUS);
    assert_answers(transacting, ROWS_NOT_JUDGED);
    buf_free(&body);
}
