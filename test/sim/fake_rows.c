/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about one row. */
#include "sim/fake_rows.h"

#include "attribute/canonical.h"
#include "attribute/projection.h"
#include "rows/check.h"

#include <stdlib.h>
#include <string.h>

#define DYNAMO "com.amazonaws.dynamodb.v20120810#"

const char *fake_rows_check_members(const json_t *request, const char *const *allowed)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)request, name, value)
    {
        const char *const *at = allowed;
        while (*at != NULL && strcmp(*at, name) != 0)
            at++;
        if (*at == NULL)
            return "A member of the request is none that the library sends";
    }
    return NULL;
}

struct fake_rows_table *fake_rows_table_of(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "TableName"));
    struct fake_rows_table *table = fake_rows_table_named(dynamo->rows, name);
    if (table == NULL)
        fake_dynamo_fail(dynamo, DYNAMO "ResourceNotFoundException", "Requested resource not found", NULL);
    return table;
}

/* -------------------------------------------------------------------------------------------------------- writes */

void fake_rows_write_free(struct fake_rows_write *write)
{
    json_decref(write->after);
    fake_rows_parts_free(write->parts);
}

static const char *read_expressions(struct fake_rows_write *write)
{
    const char *fault = NULL;
    if (write->write.kind == ROWS_UPDATE)
        fault = fake_rows_read_changes(write->parts, &write->write.changes, &write->write.change_count);
    if (fault == NULL)
        fault = fake_rows_read_condition(write->parts, "ConditionExpression", &write->write.condition);
    return fault != NULL ? fault : fake_rows_parts_end(write->parts);
}

/* What would be refused whatever is in the table, no client may send. */
static const char *read_request(enum rows_write_kind kind, const json_t *request, bool is_alone,
                                struct fake_rows_write *ret)
{
    static const char *const allowed[] = {"TableName",
                                          "Item",
                                          "Key",
                                          "UpdateExpression",
                                          "ConditionExpression",
                                          "ExpressionAttributeNames",
                                          "ExpressionAttributeValues",
                                          "ReturnValuesOnConditionCheckFailure",
                                          "ReturnValues",
                                          NULL};
    const char *old = json_string_value(json_object_get(request, "ReturnValuesOnConditionCheckFailure"));
    const char *fault = fake_rows_check_members(request, allowed);
    ret->write.kind = kind;
    ret->write.table = &ret->table->of;
    ret->write.item = json_object_get(request, kind == ROWS_PUT ? "Item" : "Key");
    ret->write.returns_item = json_object_get(request, "ReturnValues") != NULL;
    ret->gives_item = old != NULL && strcmp(old, "ALL_OLD") == 0;
    ret->parts = fake_rows_parts_new(request);
    if (ret->parts == NULL)
        return "There is no memory";
    if (fault == NULL)
        fault = read_expressions(ret);
    if (fault != NULL)
        return fault;
    os_code code = is_alone ? rows_check_write_alone(&ret->write, NULL) : rows_check_write(&ret->write, NULL);
    return code == OS_OK ? NULL : "The write is none that DynamoDB takes";
}

bool fake_rows_read_write(struct fake_dynamo *dynamo, enum rows_write_kind kind, const json_t *request, bool is_alone,
                          struct fake_rows_write *ret)
{
    *ret = (struct fake_rows_write){.table = fake_rows_table_of(dynamo, request)};
    if (ret->table == NULL)
        return false;
    const char *fault = read_request(kind, request, is_alone, ret);
    if (fault != NULL)
        fake_dynamo_violate(dynamo, fault);
    return fault == NULL;
}

void fake_rows_try(struct fake_rows_write *write)
{
    const struct rows_write *asked = &write->write;
    os_code code = OS_OK;
    write->before = fake_rows_find(write->table, asked->item);
    write->end = FAKE_ROWS_CONDITION_FAILED;
    if (!condition_holds(&asked->condition, write->before))
        return;
    if (asked->kind == ROWS_PUT)
        write->after = item_canonical(asked->item);
    if (asked->kind == ROWS_CHECK)
        write->after = json_incref(write->before);
    if (asked->kind == ROWS_UPDATE)
        code = change_apply(write->before != NULL ? write->before : asked->item, asked->changes, asked->change_count,
                            &write->after, NULL);
    write->end = code == OS_OK ? FAKE_ROWS_DONE : FAKE_ROWS_REFUSED;
}

/* Whether a row differs in more than the two attributes by which it tells who wrote it. */
static bool is_changed(const json_t *before, const json_t *after)
{
    static const char *const tokens[] = {"_txn", "_txn_before"};
    if (before == NULL || after == NULL)
        return before != after;
    json_t *copies[] = {json_copy((json_t *)before), json_copy((json_t *)after)};
    for (size_t i = 0; i < 4; i++)
        (void)json_object_del(copies[i / 2], tokens[i % 2]);
    bool differs = json_equal(copies[0], copies[1]) == 0;
    json_decref(copies[0]);
    json_decref(copies[1]);
    return differs;
}

void fake_rows_keep(struct fake_dynamo *dynamo, const struct fake_rows_write *write)
{
    struct fake_rows *rows = dynamo->rows;
    json_t *kept = write->after != NULL ? item_canonical(write->after) : NULL;
    if (write->write.kind == ROWS_CHECK) {
        json_decref(kept);
        return;
    }
    if (write->write.kind != ROWS_UPDATE || is_changed(write->before, kept))
        rows->effect = FAKE_DYNAMO_APPLIED;
    else if (rows->effect == FAKE_DYNAMO_NOTHING)
        rows->effect = FAKE_DYNAMO_FENCED;
    if ((write->after != NULL && kept == NULL) || !fake_rows_store(write->table, write->write.item, kept))
        dynamo->no_memory = true;
    json_decref(kept);
}

static void answer_done(struct fake_dynamo *dynamo, const struct fake_rows_write *write)
{
    json_t *given = write->write.kind == ROWS_UPDATE ? write->after : write->before;
    json_t *body = write->write.returns_item && given != NULL ? json_pack("{s:O}", "Attributes", given) : json_object();
    fake_rows_keep(dynamo, write); /* `before` is gone */
    fake_dynamo_answer(dynamo, body);
}

static void write_alone(struct fake_dynamo *dynamo, enum rows_write_kind kind, const json_t *request)
{
    struct fake_rows_write write;
    if (fake_rows_read_write(dynamo, kind, request, true, &write)) {
        fake_rows_try(&write);
        switch (write.end) {
        case FAKE_ROWS_DONE: answer_done(dynamo, &write); break;
        case FAKE_ROWS_CONDITION_FAILED: fake_dynamo_check_failed(dynamo, request, write.before); break;
        case FAKE_ROWS_REFUSED:
            fake_dynamo_invalid(dynamo, "The document path provided in the update expression is invalid for update");
            break;
        }
    }
    fake_rows_write_free(&write);
}

static void put_item(struct fake_dynamo *dynamo, const json_t *request)
{
    write_alone(dynamo, ROWS_PUT, request);
}

static void update_item(struct fake_dynamo *dynamo, const json_t *request)
{
    write_alone(dynamo, ROWS_UPDATE, request);
}

static void delete_item(struct fake_dynamo *dynamo, const json_t *request)
{
    write_alone(dynamo, ROWS_DELETE, request);
}

/* --------------------------------------------------------------------------------------------------------- reads */

static const char *read_get(const struct fake_rows_table *table, const json_t *request, struct fake_rows_parts *parts,
                            json_t **ret_item)
{
    static const char *const allowed[] = {"TableName",      "Key", "ProjectionExpression", "ExpressionAttributeNames",
                                          "ConsistentRead", NULL};
    struct rows_get get = {.of = {&table->of, json_object_get(request, "Key")}};
    const char *fault = fake_rows_check_members(request, allowed);
    if (fault == NULL)
        fault = fake_rows_read_paths(parts, &get.paths, &get.path_count);
    if (fault == NULL)
        fault = fake_rows_parts_end(parts);
    if (fault == NULL && rows_check_get(&get, NULL) != OS_OK)
        fault = "The read is none that DynamoDB takes";
    const json_t *item = fault == NULL ? fake_rows_find(table, get.of.key) : NULL;
    *ret_item = item != NULL ? projection_of(item, get.paths, get.path_count) : NULL;
    return item != NULL && *ret_item == NULL ? "There is no memory" : fault;
}

bool fake_rows_read_item(struct fake_dynamo *dynamo, const json_t *request, json_t **ret_item)
{
    const struct fake_rows_table *table = fake_rows_table_of(dynamo, request);
    struct fake_rows_parts *parts = table != NULL ? fake_rows_parts_new(request) : NULL;
    *ret_item = NULL;
    if (table == NULL)
        return false;
    const char *fault = parts != NULL ? read_get(table, request, parts, ret_item) : "There is no memory";
    fake_rows_parts_free(parts);
    if (fault != NULL)
        fake_dynamo_violate(dynamo, fault);
    return fault == NULL;
}

static void get_item(struct fake_dynamo *dynamo, const json_t *request)
{
    json_t *item = NULL;
    if (fake_rows_read_item(dynamo, request, &item))
        fake_dynamo_answer(dynamo, item != NULL ? json_pack("{s:O}", "Item", item) : json_object());
    json_decref(item);
}

/* ------------------------------------------------------------------------------------------------------- routing */

bool fake_rows_route(struct fake_dynamo *dynamo, const char *operation, const json_t *request)
{
    static const struct {
        const char *name;
        void (*answer)(struct fake_dynamo *, const json_t *);
    } operations[] = {
        {"PutItem", put_item},
        {"UpdateItem", update_item},
        {"DeleteItem", delete_item},
        {"GetItem", get_item},
        {"TransactWriteItems", fake_rows_transact_write},
        {"TransactGetItems", fake_rows_transact_get},
        {"BatchGetItem", fake_rows_batch_get},
    };
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i].name, operation) == 0) {
            operations[i].answer(dynamo, request);
            return true;
        }
    }
    return false;
}
