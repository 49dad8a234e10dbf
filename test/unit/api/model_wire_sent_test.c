/* SPDX-License-Identifier: Apache-2.0 */
/* What a transaction sends to DynamoDB: each field that it has read or set as a condition, each that it has set as a change. */
#include "unit/api/model_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A_READ WIRE_ITEM("a", 10, WIRE_TOKEN(WIRE_READ))
#define B_READ WIRE_ITEM("b", 20, ",\"owner\":{\"S\":\"Bo\"}" WIRE_TOKEN(WIRE_READ))
#define OK(json)       \
    {                  \
        json, 0, false \
    }
#define DONE OK("{}")

static void check_committed(struct wire *wire, os_txn_fn function, uint32_t requests)
{
    CHECK_COMMITTED(&wire->bank, function, &wire->bank);
    assert_int_equal(wire->bank.result.requests, requests);
    wire_check_all_came(wire);
}

/* ------------------------------------------------------------------------------------------------ expressions */

/* What a placeholder stands for: the name of an attribute, or the text in a value. */
static const char *meaning_of(const json_t *write, const char *placeholder)
{
    const json_t *map =
        json_object_get(write, placeholder[0] == '#' ? "ExpressionAttributeNames" : "ExpressionAttributeValues");
    const json_t *meaning = json_object_get(map, placeholder);
    if (json_is_object(meaning))
        meaning = json_object_iter_value(json_object_iter((json_t *)meaning));
    assert_true(json_is_string(meaning));
    return json_string_value(meaning);
}

/* An expression with what its placeholders stand for, and $OWN for the token of the attempt. */
static void check_expression(const struct wire *wire, const json_t *write, const char *kind, const char *wanted)
{
    struct buf said;
    const char *at = json_string_value(json_object_get(write, kind));
    buf_init(&said, 4096);
    while (at != NULL && *at != '\0') {
        char placeholder[16];
        size_t plain = strcspn(at, "#:");
        assert_true(buf_add(&said, at, plain));
        at += plain;
        size_t len = *at == '\0' ? 0 : 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (len == 0)
            break;
        snprintf(placeholder, sizeof(placeholder), "%.*s", (int)len, at);
        const char *meaning = meaning_of(write, placeholder);
        assert_true(buf_add_str(&said, strcmp(meaning, wire->own) == 0 ? "$OWN" : meaning));
        at += len;
    }
    assert_string_equal(buf_str(&said), wanted);
    buf_free(&said);
}

static const json_t *part_of(const json_t *body, size_t index, const char *kind)
{
    return json_object_get(json_array_get(json_object_get(body, "TransactItems"), index), kind);
}

#define READ_STILL    "_txn = " WIRE_READ
#define TOKEN_CHANGES "_txn = $OWN, _txn_before = " WIRE_READ

static os_code set_and_remove(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, bank->account, bank_key_of("b"), NULL, &row, err);
    if (code == OS_OK)
        code = os_row_set_int(row, "balance", 21, err);
    return code == OS_OK ? os_row_set(row, "owner", NULL, err) : code;
}

TEST_WITH(wire, a_field_that_is_set_goes_as_set_and_one_without_a_value_as_remove)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(B_READ)), DONE);
    check_committed(wire, set_and_remove, 1);
    json_t *update = wire_request(wire, 1, "UpdateItem");
    check_expression(wire, update, "ConditionExpression",
                     "attribute_exists(_id) AND balance = 20 AND owner = Bo AND " READ_STILL);
    check_expression(wire, update, "UpdateExpression", "SET balance = 21, " TOKEN_CHANGES " REMOVE owner");
    json_decref(update);
}

static os_code read_one_and_set_another(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    int64_t balance = 0;
    const char *owner = NULL;
    os_row *rows[2];
    const os_row_key keys[] = {{bank->account, bank_key_of("a")}, {bank->account, bank_key_of("b")}};
    os_code code = os_txn_get_many(txn, keys, 2, NULL, rows, err);
    if (code == OS_OK)
        code = os_row_get_int(rows[0], "balance", &balance, err);
    if (code == OS_OK)
        code = os_row_get(rows[0], "owner", &owner, err);
    return code == OS_OK ? os_row_set_int(rows[1], "balance", balance, err) : code;
}

TEST_WITH(wire, a_row_that_is_only_read_goes_along_as_a_condition)
{
    WIRE_SCRIPT(wire, OK(WIRE_BOTH(A_READ, B_READ)), DONE);
    check_committed(wire, read_one_and_set_another, 1);
    json_t *body = wire_request(wire, 1, "TransactWriteItems");
    check_expression(wire, part_of(body, 0, "ConditionCheck"), "ConditionExpression",
                     "attribute_exists(_id) AND balance = 10 AND attribute_not_exists(owner)");
    check_expression(wire, part_of(body, 1, "Update"), "ConditionExpression",
                     "attribute_exists(_id) AND balance = 20 AND " READ_STILL);
    check_expression(wire, part_of(body, 1, "Update"), "UpdateExpression", "SET balance = 10, " TOKEN_CHANGES);
    json_decref(body);
}

static os_code create(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    return os_txn_create(txn, bank->account, "{\"id\":\"a\",\"balance\":5}", NULL, err);
}

TEST_WITH(wire, a_row_that_is_made_must_not_be_there)
{
    WIRE_SCRIPT(wire, DONE);
    check_committed(wire, create, 1);
    json_t *put = wire_request(wire, 0, "PutItem");
    check_expression(wire, put, "ConditionExpression", "attribute_not_exists(_id)");
    json_decref(put);
}

static os_code visit(void *context, os_txn *txn, os_error *err)
{
    struct plan plan = {.bank = context, .id = "a"};
    return bank_visit(&plan, txn, err);
}

TEST_WITH(wire, what_is_only_added_to_must_be_there_and_stay_within_its_type)
{
    WIRE_SCRIPT(wire, OK(WIRE_FOUND(A_READ)), DONE);
    check_committed(wire, visit, 1);
    json_t *update = wire_request(wire, 1, "UpdateItem");
    check_expression(wire, update, "ConditionExpression",
                     "attribute_exists(_id) AND visits BETWEEN -9007199254740992 AND 9007199254740990");
    check_expression(wire, update, "UpdateExpression", "SET visits = visits + 1, _txn = $OWN REMOVE _txn_before");
    json_decref(update);
}

/* ------------------------------------------------------------------------------------------------ reads */

static os_code look_inconsistently(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options inconsistent = {.size = sizeof(inconsistent), .inconsistent = 1};
    const struct bank *bank = context;
    os_row *row = NULL;
    os_row *rows[2];
    const os_row_key keys[] = {{bank->account, bank_key_of("a")}, {bank->account, bank_key_of("b")}};
    os_code code = os_txn_get(txn, bank->account, bank_key_of("c"), &inconsistent, &row, err);
    return code == OS_OK ? os_txn_get_many(txn, keys, 2, &inconsistent, rows, err) : code;
}

static bool is_consistent(const json_t *request)
{
    return json_is_true(json_object_get(request, "ConsistentRead"));
}

/* Nothing is written, and yet the rows are looked at: they may be of different instants. */
TEST_WITH(wire, rows_may_be_read_inconsistently_and_many_at_once)
{
    WIRE_SCRIPT(wire, DONE, OK("{\"Responses\":{\"Account\":[" A_READ "," B_READ "]},\"UnprocessedKeys\":{}}"), DONE);
    check_committed(wire, look_inconsistently, 1);
    json_t *one = wire_request(wire, 0, "GetItem");
    json_t *many = wire_request(wire, 1, "BatchGetItem");
    json_t *look = wire_request(wire, 2, "TransactWriteItems");
    assert_false(is_consistent(one));
    assert_false(is_consistent(json_object_get(json_object_get(many, "RequestItems"), "Account")));
    for (size_t i = 0; i < 3; i++)
        assert_non_null(part_of(look, i, "ConditionCheck"));
    json_decref(one);
    json_decref(many);
    json_decref(look);
}

/* ------------------------------------------------------------------------------------------------ many */

enum { ROWS = 100 };

static os_code create_many(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    os_code code = OS_OK;
    for (int i = 0; i < ROWS && code == OS_OK; i++) {
        char fields[64];
        snprintf(fields, sizeof(fields), "{\"id\":\"%d\",\"balance\":%d}", i, i);
        code = os_txn_create(txn, bank->account, fields, NULL, err);
    }
    return code;
}

TEST_WITH(wire, a_hundred_rows_go_as_one_request)
{
    WIRE_SCRIPT(wire, DONE);
    check_committed(wire, create_many, 1);
    json_t *body = wire_request(wire, 0, "TransactWriteItems");
    assert_int_equal(json_array_size(json_object_get(body, "TransactItems")), ROWS);
    json_decref(body);
}

/* ------------------------------------------------------------------------------------------------ pages */

enum { PAGE = 100, PAGE_TEXT = 64 * PAGE };

/* So many accounts from a number on; *ret is for free. */
static char *page_of(int from, int count, bool is_last)
{
    char *ret = malloc(PAGE_TEXT);
    assert_non_null(ret);
    size_t len = (size_t)snprintf(ret, PAGE_TEXT, "{\"Count\":%d,\"ScannedCount\":%d,\"Items\":[", count, count);
    for (int i = from; i < from + count; i++)
        len += (size_t)snprintf(ret + len, PAGE_TEXT - len, "%s{\"_id\":{\"S\":\"%d\"},\"balance\":{\"N\":\"1\"}}",
                                i == from ? "" : ",", i);
    snprintf(ret + len, PAGE_TEXT - len, is_last ? "]}" : "],\"LastEvaluatedKey\":{\"_id\":{\"S\":\"%d\"}}}",
             from + count - 1);
    return ret;
}

static os_code count_one(void *context, os_row *row, os_error *err)
{
    size_t *count = context;
    (void)row;
    (void)err;
    ++*count;
    return OS_OK;
}

static os_code run_all(void *context, os_txn *txn, os_error *err)
{
    const struct bank *bank = context;
    size_t count = 0;
    os_query *scan = NULL;
    os_code code = os_txn_scan(txn, bank->account, NULL, &scan, err);
    if (code == OS_OK)
        code = os_query_run(scan, SIZE_MAX, count_one, &count, err);
    assert_int_equal(count, 3 * PAGE + 1);
    return code;
}

/* What was given is not asked for again. */
TEST_WITH(wire, a_run_asks_for_a_hundred_rows_each_time)
{
    enum { PAGES = 4 };
    char *pages[PAGES];
    struct wire_answer answers[PAGES] = {{.json = NULL}};
    for (int i = 0; i < PAGES; i++) {
        pages[i] = page_of(i * PAGE, i + 1 < PAGES ? PAGE : 1, i + 1 == PAGES);
        answers[i].json = pages[i];
    }
    wire_say(wire, answers, PAGES);
    check_committed(wire, run_all, 0);
    for (int i = 0; i < PAGES; i++) {
        json_t *body = wire_request(wire, (size_t)i, "Scan");
        assert_int_equal(json_integer_value(json_object_get(body, "Limit")), PAGE);
        json_decref(body);
        free(pages[i]);
    }
}
