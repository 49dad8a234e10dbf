/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about several rows. */
#include "sim/fake_rows.h"

#include "rows/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DYNAMO "com.amazonaws.dynamodb.v20120810#"

/* ----------------------------------------------------------------------------------------------- TransactWriteItems */

struct writing {
    struct fake_dynamo *dynamo;
    struct fake_rows_write writes[ROWS_AT_ONCE_MAX];
    size_t count;
};

static bool read_one(struct writing *writing, const json_t *place)
{
    static const char *const names[] = {
        [ROWS_PUT] = "Put", [ROWS_UPDATE] = "Update", [ROWS_DELETE] = "Delete", [ROWS_CHECK] = "ConditionCheck"};
    enum rows_write_kind kind = ROWS_PUT;
    while (kind <= ROWS_CHECK && json_object_get(place, names[kind]) == NULL)
        kind++;
    if (kind > ROWS_CHECK || json_object_size(place) != 1) {
        fake_dynamo_violate(writing->dynamo, "A place of a transaction is none, or several");
        return false;
    }
    struct fake_rows_write *write = &writing->writes[writing->count++];
    return fake_rows_read_write(writing->dynamo, kind, json_object_get(place, names[kind]), false, write);
}

static bool read_all(struct writing *writing, const json_t *request)
{
    static const char *const allowed[] = {"TransactItems", "ClientRequestToken", NULL};
    const json_t *places = json_object_get(request, "TransactItems");
    struct rows_write writes[ROWS_AT_ONCE_MAX];
    struct rows_transaction all = {writes, json_array_size(places),
                                   json_string_value(json_object_get(request, "ClientRequestToken"))};
    if (fake_rows_check_members(request, allowed) != NULL || all.count == 0 || all.count > ROWS_AT_ONCE_MAX ||
        all.token == NULL) {
        fake_dynamo_violate(writing->dynamo, "A transaction has no writes, or too many, or no token");
        return false;
    }
    for (size_t i = 0; i < all.count; i++) {
        if (!read_one(writing, json_array_get(places, i)))
            return false;
        writes[i] = writing->writes[i].write;
    }
    bool fits = rows_check_transaction(&all, NULL) == OS_OK && rows_check_together(&all, NULL) == OS_OK;
    if (!fits)
        fake_dynamo_violate(writing->dynamo, "Writes of a transaction do not go together");
    return fits;
}

/* One that has failed is not remembered: as DynamoDB Local has it (docs/transactions.md, X-A1). */
static bool is_remembered(const struct fake_dynamo *dynamo, const char *token, const json_t **ret_asked)
{
    const json_t *memory = json_object_get(dynamo->rows->remembered, token);
    *ret_asked = json_object_get(memory, "asked");
    return memory != NULL && !dynamo->options.forgets_tokens &&
           (uint64_t)json_integer_value(json_object_get(memory, "until")) > dynamo->now_ms;
}

static void remember(struct fake_dynamo *dynamo, const char *token, json_t *asked)
{
    json_t *memory =
        json_pack("{s:O, s:I}", "asked", asked, "until", (json_int_t)(dynamo->now_ms + FAKE_ROWS_MEMORY_MS));
    if (memory == NULL || json_object_set_new(dynamo->rows->remembered, token, memory) != 0)
        dynamo->no_memory = true;
}

static json_t *reason_of(const struct fake_dynamo *dynamo, const struct fake_rows_write *write)
{
    static const char *const codes[] = {[FAKE_ROWS_DONE] = "None",
                                        [FAKE_ROWS_CONDITION_FAILED] = "ConditionalCheckFailed",
                                        [FAKE_ROWS_REFUSED] = "ValidationError"};
    static const char *const messages[] = {
        [FAKE_ROWS_CONDITION_FAILED] = "The conditional request failed",
        [FAKE_ROWS_REFUSED] = "The document path provided in the update expression is invalid for update"};
    bool gives = write->end == FAKE_ROWS_CONDITION_FAILED && write->gives_item && write->before != NULL &&
                 !dynamo->options.no_old_on_failure;
    json_t *reason = json_pack("{s:s}", "Code", codes[write->end]);
    if (reason != NULL && write->end != FAKE_ROWS_DONE)
        json_object_set_new(reason, "Message", json_string(messages[write->end]));
    if (reason != NULL && gives)
        json_object_set(reason, "Item", write->before);
    return reason;
}

static void cancel(struct writing *writing)
{
    json_t *reasons = json_array();
    for (size_t i = 0; i < writing->count; i++)
        json_array_append_new(reasons, reason_of(writing->dynamo, &writing->writes[i]));
    fake_dynamo_cancel(writing->dynamo, reasons);
}

static void apply(struct writing *writing, const json_t *request)
{
    bool all = true;
    for (size_t i = 0; i < writing->count; i++) {
        fake_rows_try(&writing->writes[i]);
        all = all && writing->writes[i].end == FAKE_ROWS_DONE;
    }
    if (!all) {
        cancel(writing);
        return;
    }
    for (size_t i = 0; i < writing->count; i++)
        fake_rows_keep(writing->dynamo, &writing->writes[i]);
    remember(writing->dynamo, json_string_value(json_object_get(request, "ClientRequestToken")),
             json_object_get(request, "TransactItems"));
    fake_dynamo_answer(writing->dynamo, json_object());
}

void fake_rows_transact_write(struct fake_dynamo *dynamo, const json_t *request)
{
    const json_t *asked = NULL;
    struct writing *writing = calloc(1, sizeof(*writing));
    dynamo->no_memory = writing == NULL;
    if (writing == NULL)
        return;
    writing->dynamo = dynamo;
    if (read_all(writing, request)) {
        const char *token = json_string_value(json_object_get(request, "ClientRequestToken"));
        if (!is_remembered(dynamo, token, &asked))
            apply(writing, request);
        else if (json_equal(asked, json_object_get(request, "TransactItems")))
            fake_dynamo_answer(dynamo, json_object());
        else
            fake_dynamo_fail(dynamo, DYNAMO "IdempotentParameterMismatchException",
                             "The request uses the same client token as a previous, but non-identical request", NULL);
    }
    for (size_t i = 0; i < writing->count; i++)
        fake_rows_write_free(&writing->writes[i]);
    free(writing);
}

/* ------------------------------------------------------------------------------------------------- TransactGetItems */

static json_t *place_of(json_t *item)
{
    return item != NULL ? json_pack("{s:O}", "Item", item) : json_object();
}

void fake_rows_transact_get(struct fake_dynamo *dynamo, const json_t *request)
{
    static const char *const allowed[] = {"TransactItems", NULL};
    const json_t *places = json_object_get(request, "TransactItems");
    json_t *responses = json_array();
    size_t index;
    json_t *place;
    bool read = fake_rows_check_members(request, allowed) == NULL && json_array_size(places) > 0;
    if (!read)
        fake_dynamo_violate(dynamo, "A transaction of reads has none, or is more than that");
    json_array_foreach(places, index, place)
    {
        json_t *item = NULL;
        read = read && fake_rows_read_item(dynamo, json_object_get(place, "Get"), &item);
        json_array_append_new(responses, place_of(item));
        json_decref(item);
    }
    if (read)
        fake_dynamo_answer(dynamo, json_pack("{s:O}", "Responses", responses));
    json_decref(responses);
}

/* ---------------------------------------------------------------------------------------------------- BatchGetItem */

static const char *read_batch_of(struct fake_dynamo *dynamo, const char *name, const json_t *asked, json_t *ret)
{
    static const char *const allowed[] = {"Keys", "ConsistentRead", NULL};
    struct fake_rows_table *table = fake_rows_table_named(dynamo->rows, name);
    const json_t *keys = json_object_get(asked, "Keys");
    json_t *items = json_array();
    size_t index;
    json_t *key;
    json_object_set_new(ret, name, items);
    if (table == NULL || fake_rows_check_members(asked, allowed) != NULL || json_array_size(keys) == 0 ||
        !json_is_true(json_object_get(asked, "ConsistentRead")))
        return "A batch must be of keys of a table, and read with ConsistentRead";
    json_array_foreach(keys, index, key)
    {
        json_t *item = fake_rows_find(table, key);
        if (rows_check_key(&(struct rows_key){&table->of, key}, NULL) != OS_OK)
            return "A key of a batch is none";
        if (item != NULL)
            json_array_append(items, item);
    }
    return NULL;
}

void fake_rows_batch_get(struct fake_dynamo *dynamo, const json_t *request)
{
    static const char *const allowed[] = {"RequestItems", NULL};
    const json_t *tables = json_object_get(request, "RequestItems");
    json_t *responses = json_object();
    const char *name;
    json_t *asked;
    const char *fault = fake_rows_check_members(request, allowed);
    json_object_foreach((json_t *)tables, name, asked)
    {
        if (fault == NULL)
            fault = read_batch_of(dynamo, name, asked, responses);
    }
    if (fault != NULL)
        fake_dynamo_violate(dynamo, fault);
    else
        fake_dynamo_answer(dynamo, json_pack("{s:O, s:{}}", "Responses", responses, "UnprocessedKeys"));
    json_decref(responses);
}
