/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DynamoDB answers about items of any attributes: alone, in batches, transactions and pages. Every outcome is one of
 * the list, what is given is an item of the key that was asked for, and nothing is given but with an outcome that says so.
 */
#include "fuzz.h"

#include "attribute/check.h"
#include "dynamo/rows_response.h"
#include "rows/check.h"

#include <jansson.h>
#include <string.h>

#define WHERE "tables orders and users in us-east-1"

static const struct rows_table orders = {"orders", {"pk", "sk"}};
static const struct rows_table users = {"users", {"id", NULL}};
static json_t *order;
static json_t *user;

static void make_keys(void)
{
    if (order != NULL)
        return;
    order = json_pack("{s:{s:s},s:{s:s}}", "pk", "S", "a", "sk", "N", "1");
    user = json_pack("{s:{s:s}}", "id", "S", "u");
    FUZZ_CHECK(order != NULL && user != NULL);
}

static void check_outcome(enum table_outcome outcome, const struct http_response *response,
                          const struct dynamo_error *detail, const os_error *err)
{
    FUZZ_CHECK(outcome >= TABLE_OK && outcome <= TABLE_UNREADABLE);
    FUZZ_CHECK_ARRAY(detail->code);
    FUZZ_CHECK_ARRAY(detail->message);
    FUZZ_CHECK_ARRAY(detail->request_id);
    FUZZ_CHECK(outcome != TABLE_OK || response->status == 200);
    if (outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND) {
        FUZZ_CHECK(response->status == 400);
    } else if (outcome != TABLE_OK) {
        FUZZ_CHECK(err->code != OS_OK);
        fuzz_check_error(err->code, err);
    }
    FUZZ_CHECK(!detail->crc_wrong || outcome == TABLE_AMBIGUOUS);
}

static void check_item(const json_t *item, const struct rows_table *table, const json_t *key, bool is_part)
{
    os_code code = item_check(item, NULL);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_TOO_LARGE);
    FUZZ_CHECK(is_part || rows_same_key(&table->keys, item, key));
}

/* -------------------------------------------------------------------------------------------------------- one item */

static void read_write(const struct http_response *response, enum rows_write_kind kind, bool returns_item)
{
    static const struct path_step step = {.name = "pk"};
    static const struct condition_term term = {.path = {&step, 1}, .test = CONDITION_IS_ABSENT};
    const struct rows_write write = {
        .kind = kind, .table = &orders, .item = order, .condition = {&term, 1}, .returns_item = returns_item};
    json_t *item = NULL;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_write(response, WHERE, &write, &item, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    FUZZ_CHECK(item == NULL || outcome == TABLE_CONFLICT || (outcome == TABLE_OK && returns_item));
    FUZZ_CHECK(outcome != TABLE_CONFLICT || item != NULL);
    FUZZ_CHECK(outcome != TABLE_OK || kind != ROWS_UPDATE || !returns_item || item != NULL);
    FUZZ_CHECK(outcome != TABLE_CONFLICT || !condition_holds(&write.condition, item));
    if (item != NULL)
        check_item(item, &orders, order, false);
    json_decref(item);
}

static void read_unconditional(const struct http_response *response)
{
    const struct rows_write write = {.kind = ROWS_DELETE, .table = &users, .item = user};
    json_t *item = NULL;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_write(response, WHERE, &write, &item, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    FUZZ_CHECK(outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND && item == NULL);
    json_decref(item);
}

static void read_get(const struct http_response *response, size_t paths)
{
    static const struct path_step step = {.name = "v"};
    static const struct path path = {&step, 1};
    const struct rows_get get = {.of = {&orders, order}, .paths = &path, .path_count = paths};
    json_t *item = NULL;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_get(response, WHERE, &get, &item, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    FUZZ_CHECK(outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND);
    FUZZ_CHECK(item == NULL || outcome == TABLE_OK);
    if (item != NULL)
        check_item(item, &orders, order, paths > 0);
    json_decref(item);
}

/* --------------------------------------------------------------------------------------------------- several items */

static void check_batch(enum table_outcome outcome, const struct rows_items *batch, const struct rows_key *keys,
                        size_t count)
{
    size_t left = 0;
    FUZZ_CHECK(outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND);
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++) {
        FUZZ_CHECK((i < count && outcome == TABLE_OK) || (batch->items[i] == NULL && !batch->left[i]));
        FUZZ_CHECK(batch->items[i] == NULL || !batch->left[i]);
        left += batch->left[i] ? 1 : 0;
        if (batch->items[i] != NULL)
            check_item(batch->items[i], keys[i].table, keys[i].key, false);
    }
    FUZZ_CHECK(batch->left_count == left);
}

static void read_batches(const struct http_response *response)
{
    const struct rows_key keys[] = {{&orders, order}, {&users, user}};
    const struct rows_get gets[] = {{.of = keys[0]}, {.of = keys[1]}};
    struct rows_items batch;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_batch(response, WHERE, keys, 2, &batch, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    check_batch(outcome, &batch, keys, 2);
    rows_items_free(&batch);
    err.code = OS_OK;
    outcome = rows_read_transact_get(response, WHERE, gets, 2, &batch, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    check_batch(outcome, &batch, keys, 2);
    FUZZ_CHECK(batch.left_count == 0);
    rows_items_free(&batch);
}

static void check_answer(enum table_outcome outcome, const struct rows_answer *answer, const struct rows_write *write)
{
    bool is_told = answer->verdict == ROWS_PUT_OFF || answer->verdict == ROWS_REFUSED;
    FUZZ_CHECK(answer->verdict >= ROWS_NOT_JUDGED && answer->verdict <= ROWS_REFUSED);
    FUZZ_CHECK((answer->code != OS_OK) == is_told && (answer->why != NULL) == is_told);
    FUZZ_CHECK(answer->item == NULL || answer->verdict == ROWS_CONDITION_FAILED);
    FUZZ_CHECK(outcome != TABLE_OK || answer->verdict == ROWS_NOT_IN_THE_WAY);
    FUZZ_CHECK(outcome != TABLE_AMBIGUOUS || answer->verdict == ROWS_NOT_JUDGED);
    if (answer->verdict == ROWS_CONDITION_FAILED) {
        FUZZ_CHECK(write->condition.count > 0);
        FUZZ_CHECK(outcome == TABLE_CONFLICT_BLIND || (outcome == TABLE_CONFLICT && answer->item != NULL));
    }
    FUZZ_CHECK(answer->verdict != ROWS_REFUSED || outcome != TABLE_THROTTLED);
    if (answer->item != NULL)
        check_item(answer->item, write->table, write->item, false);
}

static void read_transaction(const struct http_response *response)
{
    static const struct path_step step = {.name = "pk"};
    static const struct condition_term term = {.path = {&step, 1}, .test = CONDITION_IS_ABSENT};
    const struct rows_write writes[] = {{.kind = ROWS_PUT, .table = &orders, .item = order, .condition = {&term, 1}},
                                        {.kind = ROWS_DELETE, .table = &users, .item = user}};
    const struct rows_transaction transaction = {writes, 2, "token"};
    struct rows_answer answers[2];
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_transact_write(response, WHERE, &transaction, answers, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    FUZZ_CHECK((answers[0].verdict == ROWS_NOT_JUDGED) == (answers[1].verdict == ROWS_NOT_JUDGED));
    FUZZ_CHECK(answers[0].verdict != ROWS_NOT_JUDGED || (outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND));
    for (size_t i = 0; i < 2; i++)
        check_answer(outcome, &answers[i], &writes[i]);
    rows_answers_free(answers, 2);
}

/* ----------------------------------------------------------------------------------------------------------- pages */

static void check_items(const struct rows_list *list, const json_t *items)
{
    FUZZ_CHECK(list->limit == 0 || json_array_size(items) <= list->limit);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        check_item(item, NULL, NULL, true);
        FUZZ_CHECK(json_object_get(item, "pk") != NULL && json_object_get(item, "sk") != NULL);
        FUZZ_CHECK(list->partition == NULL || value_equal(json_object_get(item, "pk"), list->partition));
    }
}

static void read_page(const struct http_response *response, struct rows_list list)
{
    struct rows_page page;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    enum table_outcome outcome = rows_read_page(response, WHERE, &list, &page, &detail, &err);
    check_outcome(outcome, response, &detail, &err);
    FUZZ_CHECK(outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND);
    FUZZ_CHECK((page.items != NULL) == (outcome == TABLE_OK));
    FUZZ_CHECK(page.last_key == NULL || outcome == TABLE_OK);
    FUZZ_CHECK(page.scanned >= json_array_size(page.items));
    check_items(&list, page.items);
    list.start_key = page.last_key;
    FUZZ_CHECK(page.last_key == NULL || rows_check_start_key(&list, NULL) == OS_OK);
    rows_page_free(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;

    make_keys();
    fuzz_response(data, size, &response);
    read_write(&response, ROWS_PUT, false);
    read_write(&response, ROWS_UPDATE, true);
    read_write(&response, ROWS_DELETE, true);
    read_unconditional(&response);
    read_get(&response, 0);
    read_get(&response, 1);
    read_batches(&response);
    read_transaction(&response);
    read_page(&response, (struct rows_list){.table = &orders, .start_key = order});
    read_page(&response, (struct rows_list){.table = &orders, .partition = json_object_get(order, "pk"), .limit = 2});
    http_response_free(&response);
    return 0;
}
