/* SPDX-License-Identifier: Apache-2.0 */
/* What transactions send to DynamoDB, and what each answer makes of them. */
#include "unit/api/model_wire.h"

#include <pthread.h>
#include <string.h>

#define A_READ     WIRE_ITEM("a", 10, WIRE_TOKEN(WIRE_READ))
#define B_READ     WIRE_ITEM("b", 20, WIRE_TOKEN(WIRE_READ))
#define A_OURS     WIRE_ITEM("a", 15, WIRE_TOKEN("$OWN") WIRE_BEFORE(WIRE_READ))
#define A_ANOTHERS WIRE_ITEM("a", 11, WIRE_TOKEN(WIRE_OTHER) WIRE_BEFORE(WIRE_READ))
#define B_MOVED    WIRE_ITEM("b", 11, WIRE_TOKEN(WIRE_OTHER))
#define B_ANOTHERS WIRE_ITEM("b", 11, WIRE_TOKEN(WIRE_OTHER) WIRE_BEFORE(WIRE_READ))
#define A_MOVED    WIRE_ITEM("a", 11, WIRE_TOKEN(WIRE_OTHER))
#define A_FENCED   WIRE_ITEM("a", 10, WIRE_TOKEN("$FENCE") WIRE_BEFORE(WIRE_READ))
#define A_ADDED_TO WIRE_ITEM("a", 12, WIRE_TOKEN(WIRE_READ))
#define LOST           \
    {                  \
        NULL, 0, false \
    }
#define OK(json)       \
    {                  \
        json, 0, false \
    }
#define BAD(json)        \
    {                    \
        json, 400, false \
    }
#define DONE OK("{}")

static os_code deposit(void *context, os_txn *txn, os_error *err)
{
    struct plan plan = {.bank = context, .id = "a", .balance = 5};
    return bank_deposit(&plan, txn, err);
}

static os_code transfer(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    os_row *rows[2];
    const os_row_key keys[] = {{bank->account, bank_key_of("a")}, {bank->account, bank_key_of("b")}};
    os_code code = os_txn_get_many(txn, keys, 2, NULL, rows, err);
    if (code == OS_OK)
        code = os_row_set_int(rows[0], "balance", 9, err);
    return code == OS_OK ? os_row_set_int(rows[1], "balance", 21, err) : code;
}

static os_code create(void *context, os_txn *txn, os_error *err)
{
    struct plan plan = {.bank = context, .id = "a", .balance = 5};
    return bank_create(&plan, txn, err);
}

static os_code visit(void *context, os_txn *txn, os_error *err)
{
    struct plan plan = {.bank = context, .id = "a"};
    return bank_visit(&plan, txn, err);
}

static void check_verdict(struct wire *wire, os_txn_fn function, os_verdict verdict, os_code code, uint32_t requests)
{
    struct bank *bank = &wire->bank;
    if (bank_transact(bank, function, bank) != verdict)
        fail_msg("%s: %s", os_verdict_name(bank->result.verdict), bank->error.message);
    CHECK_CODE(bank->error.code, code, &bank->error);
    assert_int_equal(bank->result.requests, requests);
    assert_int_equal(bank->result.ticket != NULL, verdict == OS_UNKNOWN);
    wire_check_all_came(wire);
}

/* ------------------------------------------------------------------------------------------------ what is sent */

static const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* Whether a map of placeholders has this name, or this value. */
static bool has(const json_t *map, const char *wanted)
{
    const char *placeholder;
    json_t *value;
    json_object_foreach((json_t *)map, placeholder, value)
    {
        const char *kind;
        json_t *inside;
        if (json_is_string(value) && strcmp(json_string_value(value), wanted) == 0)
            return true;
        json_object_foreach(value, kind, inside) if (strcmp(json_string_value(inside), wanted) == 0) return true;
    }
    return false;
}

static void check_names_and_values(const json_t *update, const char *const *names, const char *const *values)
{
    const json_t *map = json_object_get(update, "ExpressionAttributeNames");
    for (; *names != NULL; names++) {
        assert_true(has(map, *names));
        assert_null(strstr(text_at(update, "ConditionExpression"), *names));
        assert_null(strstr(text_at(update, "UpdateExpression"), *names));
    }
    map = json_object_get(update, "ExpressionAttributeValues");
    for (; *values != NULL; values++)
        assert_true(has(map, *values));
}

TEST_WITH(wire, one_row_goes_as_one_plain_write_on_the_condition_of_what_was_read)
{
    static const char *const names[] = {"_id", "balance", "_txn", "_txn_before", NULL};
    const char *values[] = {"10", "15", WIRE_READ, NULL, NULL};
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), DONE);
    check_verdict(wire, deposit, OS_COMMITTED, OS_OK, 1);
    json_t *read = wire_request(wire, 0, "GetItem");
    assert_true(json_is_true(json_object_get(read, "ConsistentRead")));
    json_t *update = wire_request(wire, 1, "UpdateItem");
    values[3] = wire->own;
    const char *all[] = {values[0], values[1], values[2], values[3], NULL};
    check_names_and_values(update, names, all);
    assert_string_equal(text_at(update, "ReturnValuesOnConditionCheckFailure"), "ALL_OLD");
    assert_null(json_object_get(update, "ClientRequestToken"));
    json_decref(read);
    json_decref(update);
}

TEST_WITH(wire, several_rows_go_as_one_transaction_under_the_token_of_the_attempt)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)), DONE);
    check_verdict(wire, transfer, OS_COMMITTED, OS_OK, 1);
    json_t *read = wire_request(wire, 0, "TransactGetItems");
    json_t *write = wire_request(wire, 1, "TransactWriteItems");
    assert_int_equal(json_array_size(json_object_get(write, "TransactItems")), 2);
    assert_string_equal(text_at(write, "ClientRequestToken"), wire->own);
    json_decref(read);
    json_decref(write);
}

TEST_WITH(wire, a_row_that_is_only_read_needs_no_more)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)));
    assert_int_equal(bank_balance_of(&wire->bank, "a"), 10);
    assert_int_equal(wire->bank.result.requests, 0);
    wire_check_all_came(wire);
}

/* ------------------------------------------------------------------------------------------------ nothing is lost */

TEST_WITH(wire, a_condition_that_fails_is_a_conflict)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), BAD(WIRE_FAILED(A_MOVED)));
    check_verdict(wire, deposit, OS_CONFLICT, OS_ERR_CONFLICT, 1);
}

TEST_WITH(wire, a_row_that_is_there_is_told_and_not_tried_again)
{
    WIRE_SCRIPT(wire, BAD(WIRE_FAILED(A_MOVED)));
    check_verdict(wire, create, OS_CONFLICT, OS_ERR_BUSY, 1);
}

TEST_WITH(wire, throttling_is_waited_out)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), BAD(WIRE_FAULT("ProvisionedThroughputExceededException", "")),
                BAD(WIRE_FAULT("ThrottlingException", "")), DONE);
    check_verdict(wire, deposit, OS_COMMITTED, OS_OK, 3);
}

TEST_WITH(wire, a_transaction_that_meets_another_is_sent_again)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)),
                BAD(WIRE_REASONS(WIRE_REASON("TransactionConflict"), WIRE_NO_REASON)), DONE);
    check_verdict(wire, transfer, OS_COMMITTED, OS_OK, 2);
}

TEST_WITH(wire, a_reason_that_is_a_condition_is_a_conflict_whatever_the_others_are)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)),
                BAD(WIRE_REASONS(WIRE_REASON("TransactionConflict"), WIRE_REASON("ConditionalCheckFailed"))));
    check_verdict(wire, transfer, OS_CONFLICT, OS_ERR_CONFLICT, 1);
    CHECK_SAYS(&wire->bank.error, "Account \"b\"");
}

static os_code look_and_create(void *context, os_txn *txn, os_error *err)
{
    struct plan plan = {.bank = context, .id = "b"};
    os_code code = bank_look(&plan, txn, err);
    return code == OS_OK ? create(context, txn, err) : code;
}

/* The other transaction has written one of its rows, and not yet the other. */
TEST_WITH(wire, a_row_that_is_there_beside_one_that_is_under_way_is_contention)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(B_READ)),
                BAD(WIRE_REASONS(WIRE_REASON("TransactionConflict"), WIRE_REASON("ConditionalCheckFailed"))));
    check_verdict(wire, look_and_create, OS_CONFLICT, OS_ERR_CONFLICT, 1);
}

TEST_WITH(wire, what_is_refused_is_not_executed)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), BAD(WIRE_FAULT("ValidationException", "")));
    check_verdict(wire, deposit, OS_NOT_EXECUTED, OS_ERR_REFUSED, 1);
}

/* ------------------------------------------------------------------------------------------------ lost answers */

TEST_WITH(wire, a_lost_answer_of_what_was_applied_is_a_commit)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, BAD(WIRE_FAILED(A_OURS)));
    check_verdict(wire, deposit, OS_COMMITTED, OS_OK, 2);
}

TEST_WITH(wire, a_lost_answer_and_a_row_that_another_has_written_is_a_conflict)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, BAD(WIRE_FAILED(A_ANOTHERS)));
    check_verdict(wire, deposit, OS_CONFLICT, OS_ERR_CONFLICT, 2);
}

TEST_WITH(wire, a_lost_answer_and_a_row_that_has_moved_is_unknown)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, BAD(WIRE_FAILED(A_MOVED)));
    check_verdict(wire, deposit, OS_UNKNOWN, OS_ERR_UNDECIDED, 2);
}

TEST_WITH(wire, a_lost_answer_and_a_row_that_was_added_to_is_fenced)
{
    static const char *const names[] = {"_txn", "_txn_before", NULL};
    static const char *const values[] = {WIRE_READ, NULL};
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, BAD(WIRE_FAILED(A_ADDED_TO)), DONE);
    check_verdict(wire, deposit, OS_CONFLICT, OS_ERR_CONFLICT, 3);
    json_t *fence = wire_request(wire, 3, "UpdateItem");
    check_names_and_values(fence, names, values);
    assert_int_equal(json_object_size(json_object_get(fence, "ExpressionAttributeNames")), 2);
    assert_non_null(strstr(text_at(fence, "ConditionExpression"), "="));
    assert_false(has(json_object_get(fence, "ExpressionAttributeValues"), wire->own));
    json_decref(fence);
}

TEST_WITH(wire, a_transaction_that_is_under_way_is_sent_again_as_it_is)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)), BAD(WIRE_FAULT("TransactionInProgressException", "")), LOST,
                BAD(WIRE_FAULT("IdempotentParameterMismatchException", "")), DONE);
    check_verdict(wire, transfer, OS_COMMITTED, OS_OK, 4);
    for (size_t i = 2; i < 5; i++)
        assert_string_equal(http_server_record(wire->server, i)->body, http_server_record(wire->server, 1)->body);
}

/* Sent again it could be applied to a row that was deleted meanwhile. */
TEST_WITH(wire, a_lost_create_is_looked_for)
{
    WIRE_SCRIPT(wire, LOST, OK("{}"), OK(WIRE_FOUND(A_OURS)));
    check_verdict(wire, create, OS_COMMITTED, OS_OK, 3);
}

TEST_WITH(wire, a_lost_sum_is_not_sent_again)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, OK(WIRE_FOUND(A_READ)),
                OK(WIRE_FOUND(WIRE_ITEM("a", 10, WIRE_TOKEN("$OWN")))));
    check_verdict(wire, visit, OS_COMMITTED, OS_OK, 3);
    json_decref(wire_request(wire, 1, "UpdateItem"));
    json_decref(wire_request(wire, 2, "GetItem"));
}

static void check_look(struct wire *wire, size_t index)
{
    json_t *look = wire_request(wire, index, "BatchGetItem");
    const json_t *table = json_object_get(json_object_get(look, "RequestItems"), "Account");
    assert_int_equal(json_array_size(json_object_get(table, "Keys")), 2);
    assert_true(json_is_true(json_object_get(table, "ConsistentRead")));
    json_decref(look);
}

/* Of one instant are at most 4 MB of items: the rows that a transaction changes may have more. */
TEST_WITH(wire, several_rows_are_looked_at_each_at_its_own_instant)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)), LOST,
                BAD(WIRE_REASONS(WIRE_REASON("ConditionalCheckFailed"), WIRE_NO_REASON)),
                OK(WIRE_LISTED(A_MOVED, B_ANOTHERS)));
    check_verdict(wire, transfer, OS_CONFLICT, OS_ERR_CONFLICT, 3);
    check_look(wire, 3);
}

/* ------------------------------------------------------------------------------------------------ tickets */

struct given_up {
    struct wire *wire;
    os_cancel *cancel;
    os_verdict verdict;
};

static void *give_up(void *context)
{
    struct given_up *given_up = context;
    struct bank *bank = &given_up->wire->bank;
    os_call call = OS_CALL_INIT;
    call.cancel = given_up->cancel;
    call.deadline_ms = BANK_PATIENT_MS;
    given_up->verdict = os_transact(bank->client, &bank->options, deposit, bank, &call, &bank->result, &bank->error);
    return NULL;
}

/* A transaction that its caller gives up, or whose client is closed, while the last request of a script is under way. */
static os_verdict end_during(struct wire *wire, const struct wire_answer *script, size_t count, bool closes)
{
    struct given_up given_up = {.wire = wire};
    pthread_t thread;
    assert_int_equal(os_cancel_new(&given_up.cancel), OS_OK);
    wire_say(wire, script, count);
    assert_int_equal(pthread_create(&thread, NULL, give_up, &given_up), 0);
    assert_true(http_server_wait_held(wire->server, 1));
    if (closes)
        os_client_close(wire->bank.client);
    else
        os_cancel_trigger(given_up.cancel);
    pthread_join(thread, NULL);
    os_cancel_free(given_up.cancel);
    if (closes)
        wire->bank.client = NULL;
    wire_check_all_came(wire);
    return given_up.verdict;
}

static const struct wire_answer held_read[] = {{WIRE_FOUND(A_READ), 0, true}};
static const struct wire_answer held_write[] = {OK(WIRE_FOUND(A_READ)), {"{}", 0, true}};

static void become_unknown(struct wire *wire)
{
    assert_int_equal(end_during(wire, held_write, 2, false), OS_UNKNOWN);
    assert_int_equal(wire->bank.error.code, OS_ERR_UNDECIDED);
    CHECK_SAYS(&wire->bank.error, "was cancelled");
    assert_non_null(wire->bank.result.ticket);
}

TEST_WITH(wire, a_read_that_is_given_up_ends_the_transaction)
{
    assert_int_equal(end_during(wire, held_read, 1, false), OS_NOT_EXECUTED);
    assert_int_equal(wire->bank.error.code, OS_ERR_CANCELLED);
}

TEST_WITH(wire, a_client_that_is_closed_ends_the_read)
{
    assert_int_equal(end_during(wire, held_read, 1, true), OS_NOT_EXECUTED);
    assert_int_equal(wire->bank.error.code, OS_ERR_CANCELLED);
}

TEST_WITH(wire, a_client_that_is_closed_during_the_commit_leaves_a_ticket)
{
    assert_int_equal(end_during(wire, held_write, 2, true), OS_UNKNOWN);
    assert_non_null(wire->bank.result.ticket);
}

static void check_resolved(struct wire *wire, os_verdict verdict, os_code code)
{
    struct bank *bank = &wire->bank;
    os_verdict resolved = os_txn_resolve(bank->client, bank->result.ticket, NULL, &bank->error);
    if (resolved != verdict)
        fail_msg("%s: %s", os_verdict_name(resolved), bank->error.message);
    CHECK_CODE(bank->error.code, code, &bank->error);
    wire_check_all_came(wire);
}

TEST_WITH(wire, a_ticket_of_what_was_applied_is_a_commit)
{
    become_unknown(wire);
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_OURS)));
    check_resolved(wire, OS_COMMITTED, OS_OK);
}

TEST_WITH(wire, a_ticket_of_what_may_be_applied_yet_is_fenced)
{
    static const char *const names[] = {"_txn", "_txn_before", NULL};
    static const char *const values[] = {WIRE_READ, NULL};
    become_unknown(wire);
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), DONE);
    check_resolved(wire, OS_NOT_EXECUTED, OS_ERR_CONFLICT);
    json_t *fence = wire_request(wire, 3, "UpdateItem");
    check_names_and_values(fence, names, values);
    assert_int_equal(json_object_size(json_object_get(fence, "ExpressionAttributeNames")), 2);
    assert_non_null(strstr(text_at(fence, "ConditionExpression"), "="));
    json_decref(fence);
}

TEST_WITH(wire, a_fence_whose_answer_is_lost_is_found)
{
    become_unknown(wire);
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), LOST, BAD(WIRE_FAILED(A_FENCED)), OK(WIRE_FOUND(A_FENCED)));
    check_resolved(wire, OS_NOT_EXECUTED, OS_ERR_CONFLICT);
}

TEST_WITH(wire, a_fence_that_comes_too_late_finds_the_write)
{
    become_unknown(wire);
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), BAD(WIRE_FAILED(A_OURS)), OK(WIRE_FOUND(A_OURS)));
    check_resolved(wire, OS_COMMITTED, OS_OK);
}

TEST_WITH(wire, a_ticket_whose_row_has_moved_stays_unknown)
{
    become_unknown(wire);
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_MOVED)));
    check_resolved(wire, OS_UNKNOWN, OS_ERR_UNDECIDED);
}

TEST_WITH(wire, a_ticket_of_several_rows_looks_at_each_at_its_own_instant)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)), LOST,
                BAD(WIRE_REASONS(WIRE_REASON("ConditionalCheckFailed"), WIRE_NO_REASON)),
                OK(WIRE_LISTED(A_MOVED, B_MOVED)), OK(WIRE_LISTED(A_MOVED, B_MOVED)));
    wire->count--;
    check_verdict(wire, transfer, OS_UNKNOWN, OS_ERR_UNDECIDED, 3);
    wire->count++;
    check_resolved(wire, OS_UNKNOWN, OS_ERR_UNDECIDED);
    check_look(wire, 4);
}

static const struct bad_ticket {
    const char *name;
    const char *from; /* what stands in a good one ... */
    const char *to;   /* ... and here; NULL: nothing does */
    const char *says;
} bad_tickets[] = {
    {"no JSON", "{", "[", "no JSON object"},
    {"another kind", "\"transaction\"", "\"document\"", "another text"},
    {"another release", "\"v\":1", "\"v\":2", "another release"},
    {"another place", "us-east-1", "us-east-2", "region"},
    {"no token", "\"token\":\"", "\"token\":\"x", "none of a transaction"},
    {"a write without what was read", "\"read\"", "\"raed\"", "none of a transaction"},
    {"another part", "\"part\":\"write\"", "\"part\":\"bare\"", "none of a transaction"},
    {"a strange token of what was not read", "\"part\":\"write\",\"read\":\"", "\"part\":\"bare\",\"read\":\"x",
     "none of a transaction"},
    {"no such part", "\"part\":\"write\"", "\"part\":\"check\"", "none of a transaction"},
    {"another key", "\"_id\"", "\"id\"", "none of a transaction"},
    {"a key of another type", "{\"S\":\"a\"}", "{\"BOOL\":true}", ""},
};

TEST_ROWS_WITH(wire, bad_tickets, a_ticket_that_is_none_sends_nothing)
{
    struct bank *bank = &wire->bank;
    struct buf bad;
    become_unknown(wire);
    const char *good = bank->result.ticket;
    const char *at = strstr(good, row->from);
    assert_non_null(at);
    buf_init(&bad, 64 * 1024);
    assert_true(buf_add(&bad, good, (size_t)(at - good)) && buf_add_strs(&bad, row->to, at + strlen(row->from), NULL));
    size_t before = http_server_count(wire->server);
    assert_int_equal(os_txn_resolve(bank->client, buf_str(&bad), NULL, &bank->error), OS_UNKNOWN);
    CHECK_CODE(bank->error.code, OS_ERR_ARGUMENT, &bank->error);
    CHECK_SAYS(&bank->error, row->says);
    assert_int_equal(http_server_count(wire->server), before);
    buf_free(&bad);
}
