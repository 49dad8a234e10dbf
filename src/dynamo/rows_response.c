/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about one item, and what all others share with them. */
#include "attribute/check.h"
#include "base/error.h"
#include "base/text.h"
#include "dynamo/rows_request.h"
#include "dynamo/rows_response_parts.h"
#include "rows/check.h"

#include <stdio.h>
#include <string.h>

static const struct item_words words = {.what = "item", .plural = "items", .subject = "item"};

#define MEND_REQUEST                                                                                              \
    "Compare the request with the table, its keys and its indexes, and a write with the item: the types of its "  \
    "values, whether it has a place for the change, and its size, which is at most 400 KB. Keep large values in " \
    "objects."

/* Beside, or instead of, what these codes mean for the items of a protocol. At the end those of transactions alone. */
static const struct answer_meaning meanings[] = {
    {"TransactionConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " A transaction on the same item was in progress."},
    {"ReplicatedWriteConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " Another region was writing the same item."},
    {"ItemCollectionSizeLimitExceededException", TABLE_REFUSED, OS_ERR_TABLE, false, false,
     "The table has a local secondary index, so the items of one partition value may have 10 GB, and they have: remove "
     "some of them, or use more partition values."},
    {"ValidationException", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_REQUEST},
    {"ValidationError", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_REQUEST},

    {ROWS_CANCELED, TABLE_CONFLICT, OS_ERR_CONFLICT, false, false, ""},
    {"TransactionInProgressException", TABLE_AMBIGUOUS, OS_ERR_SERVICE, false, false,
     "The transaction is under way, from an earlier request: send it again under its token after a pause."},
    {"IdempotentParameterMismatchException", TABLE_REFUSED, OS_ERR_REFUSED, false, false,
     "It was not applied: another transaction had this token within ten minutes. Give each transaction a token of its "
     "own."},
};
enum { MEANINGS = sizeof(meanings) / sizeof(meanings[0]), MEANINGS_OF_TRANSACTIONS = 3 };

struct answer_of rows_answer_of_transaction(const char *operation, const char *where, bool writes)
{
    return (struct answer_of){.operation = operation,
                              .writes = writes,
                              .where = where,
                              .command = {.words = &words},
                              .meanings = meanings,
                              .meanings_count = MEANINGS};
}

struct answer_of rows_answer_of(const char *operation, const char *where)
{
    struct answer_of of = rows_answer_of_transaction(operation, where, false);
    of.meanings_count = MEANINGS - MEANINGS_OF_TRANSACTIONS;
    return of;
}

struct answer_of rows_answer_of_item(const char *operation, const char *where, bool writes,
                                     const struct rows_table *table, const json_t *item)
{
    char text[ROWS_KEY_TEXT_SIZE];
    struct answer_of of = rows_answer_of(operation, where);
    of.writes = writes;
    snprintf(of.item, sizeof(of.item), "item %s", rows_key_text(&table->keys, item, text));
    return of;
}

enum table_outcome rows_finding(const struct rows_reply *reply, enum table_outcome outcome, os_code code,
                                const char *finding)
{
    return answer_finding(reply->response, &reply->of, outcome, code, finding, reply->detail, reply->err);
}

enum table_outcome rows_check_members(const struct rows_reply *reply, const char *own)
{
    return answer_check_members(reply->response, &reply->of, reply->root, own, reply->detail, reply->err);
}

/* --------------------------------------------------------------------------------------------------------- items */

/* What the service keeps is not too large, whatever the bytes that are counted here. */
enum rows_found rows_judge_item(const json_t *item, os_error *ret_fault)
{
    os_code code = item_check(item, ret_fault);
    if (code == OS_OK || code == OS_ERR_TOO_LARGE)
        return ROWS_FOUND_ITEM;
    return code == OS_ERR_NO_MEMORY ? ROWS_FOUND_NO_MEMORY : ROWS_FOUND_FAULT;
}

static bool fits(const json_t *item, const char *name, const json_t *key, bool is_part)
{
    const json_t *value = json_object_get(item, name);
    return name == NULL || (value == NULL ? is_part : value_equal(value, json_object_get(key, name)));
}

enum rows_found rows_judge_item_of(const json_t *item, const struct rows_keys *keys, const json_t *key, bool is_part,
                                   os_error *ret_fault)
{
    if (item == NULL)
        return ROWS_FOUND_NONE;
    enum rows_found found = rows_judge_item(item, ret_fault);
    if (found != ROWS_FOUND_ITEM)
        return found;
    bool is_its = fits(item, keys->partition, key, is_part) && fits(item, keys->sort, key, is_part);
    return is_its ? ROWS_FOUND_ITEM : ROWS_FOUND_OTHER_KEY;
}

static enum table_outcome other_key(const struct rows_reply *reply)
{
    char finding[256];
    snprintf(finding, sizeof(finding),
             "was answered with an item of another key: that is an answer to another request. %s",
             reply->of.writes ? "This one may have been applied: read what is there." : "Ask again.");
    return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, finding);
}

static enum table_outcome unreadable(const struct rows_reply *reply, const os_error *fault)
{
    char finding[512];
    snprintf(finding, sizeof(finding), "found an item there that is none of DynamoDB's. %.250s Check the endpoint.",
             fault->message);
    return rows_finding(reply, TABLE_UNREADABLE, OS_ERR_PROTOCOL, finding);
}

enum table_outcome rows_settle_read(const struct rows_reply *reply, enum rows_found found, const os_error *fault)
{
    switch (found) {
    case ROWS_FOUND_FAULT: return unreadable(reply, fault);
    case ROWS_FOUND_OTHER_KEY: return other_key(reply);
    case ROWS_FOUND_NO_MEMORY: error_no_memory(reply->err); return TABLE_AMBIGUOUS;
    case ROWS_FOUND_NONE:
    case ROWS_FOUND_ITEM: break;
    }
    return TABLE_OK;
}

/* -------------------------------------------------------------------------------------------------------- writes */

/* The condition has failed, whether what is in the way can be read or not; without memory for that it can be read again.
 * That it is another item, or that the condition holds of it, says that the answer is not to this request. */
static enum table_outcome read_conflict(const struct rows_reply *reply, const struct rows_write *write,
                                        json_t **ret_item)
{
    static const char holds[] = "was answered with a failed condition, and with an item of which the condition holds: "
                                "that is an answer to another request. This one may have been applied: read what is "
                                "there.";
    os_error fault;
    json_t *item = json_object_get(reply->root, "Item");
    if (answer_is_empty(item))
        return TABLE_CONFLICT_BLIND;
    enum rows_found found = rows_judge_item_of(item, &write->table->keys, write->item, false, &fault);
    if (found == ROWS_FOUND_NO_MEMORY)
        return TABLE_CONFLICT_BLIND;
    if (found != ROWS_FOUND_ITEM)
        return rows_settle_read(reply, found, &fault);
    if (condition_holds(&write->condition, item))
        return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, holds);
    *ret_item = json_incref(item);
    return TABLE_CONFLICT;
}

/* What an update has made is there; what was deleted or replaced may not have been. One that cannot be read was written,
 * or deleted, all the same. */
static enum table_outcome read_attributes(const struct rows_reply *reply, const struct rows_write *write,
                                          json_t **ret_item)
{
    os_error fault;
    json_t *item = json_object_get(reply->root, "Attributes");
    if (answer_is_empty(item) && write->kind != ROWS_UPDATE)
        return TABLE_OK;
    enum rows_found found = answer_is_empty(item)
                                ? ROWS_FOUND_NONE
                                : rows_judge_item_of(item, &write->table->keys, write->item, false, &fault);
    if (found == ROWS_FOUND_OTHER_KEY || found == ROWS_FOUND_NO_MEMORY)
        return rows_settle_read(reply, found, &fault);
    if (found != ROWS_FOUND_ITEM)
        return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, ANSWER_DONE_UNREADABLE);
    *ret_item = json_incref(item);
    return TABLE_OK;
}

enum table_outcome rows_read_write(const struct http_response *response, const char *where,
                                   const struct rows_write *write, json_t **ret_item, struct dynamo_error *ret_detail,
                                   os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    reply.of = rows_answer_of_item(rows_operation(write->kind), where, true, write->table, write->item);
    *ret_item = NULL;
    enum table_outcome outcome = write->condition.count > 0
                                     ? answer_open(response, &reply.of, &reply.root, ret_detail, err)
                                     : answer_open_unconditional(response, &reply.of, &reply.root, ret_detail, err);
    if (outcome == TABLE_CONFLICT)
        outcome = read_conflict(&reply, write, ret_item);
    else if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, write->returns_item ? "Attributes" : NULL);
    if (outcome == TABLE_OK && write->returns_item)
        outcome = read_attributes(&reply, write, ret_item);
    json_decref(reply.root);
    return outcome;
}

/* --------------------------------------------------------------------------------------------------------- reads */

/* To ask again for the same would give the same. */
static enum table_outcome settle_too_large(const struct rows_reply *reply, enum table_outcome outcome,
                                           const char *advice)
{
    char finding[256];
    const struct http_response *response = reply->response;
    bool is_too_long = !buf_ok(&response->body) || response->body.len > DYNAMO_ANSWER_MAX;
    if (outcome != TABLE_AMBIGUOUS || response->status != 200 || !(reply->detail->too_large || is_too_long))
        return outcome;
    snprintf(finding, sizeof(finding), "got more than is read of one answer. %s", advice);
    return rows_finding(reply, TABLE_UNREADABLE, OS_ERR_TOO_LARGE, finding);
}

enum table_outcome rows_open_transact_read(struct rows_reply *reply, const char *advice)
{
    enum table_outcome outcome = answer_open(reply->response, &reply->of, &reply->root, reply->detail, reply->err);
    return settle_too_large(reply, outcome, advice);
}

enum table_outcome rows_open_read(struct rows_reply *reply, const char *advice)
{
    enum table_outcome outcome =
        answer_open_unconditional(reply->response, &reply->of, &reply->root, reply->detail, reply->err);
    return settle_too_large(reply, outcome, advice);
}

static enum table_outcome read_item(const struct rows_reply *reply, const struct rows_get *get, json_t **ret_item)
{
    os_error fault;
    json_t *item = json_object_get(reply->root, "Item");
    enum rows_found found = rows_judge_item_of(item, &get->of.table->keys, get->of.key, get->path_count > 0, &fault);
    *ret_item = found == ROWS_FOUND_ITEM ? json_incref(item) : NULL;
    return rows_settle_read(reply, found, &fault);
}

enum table_outcome rows_read_get(const struct http_response *response, const char *where, const struct rows_get *get,
                                 json_t **ret_item, struct dynamo_error *ret_detail, os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    reply.of = rows_answer_of_item("GetItem", where, false, get->of.table, get->of.key);
    *ret_item = NULL;
    enum table_outcome outcome = rows_open_read(&reply, "Ask for a part of the item.");
    if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, "Item");
    if (outcome == TABLE_OK)
        outcome = read_item(&reply, get, ret_item);
    json_decref(reply.root);
    return outcome;
}

/* --------------------------------------------------------------------------------------------------------- pages */

static bool has_key(const struct rows_keys *keys, const json_t *item)
{
    return json_object_get(item, keys->partition) != NULL &&
           (keys->sort == NULL || json_object_get(item, keys->sort) != NULL);
}

/* Parts of items may lack their keys. */
static bool is_of_list(const struct rows_list *list, const json_t *item)
{
    bool has_keys = has_key(&list->table->keys, item) && has_key(rows_list_keys(list), item);
    return (has_keys || list->path_count > 0) && rows_list_asks_for(list, item);
}

static enum rows_found judge_items(const struct rows_list *list, const json_t *items, os_error *ret_fault)
{
    size_t index;
    json_t *item;
    json_array_foreach(items, index, item)
    {
        enum rows_found found = rows_judge_item(item, ret_fault);
        if (found == ROWS_FOUND_ITEM && !is_of_list(list, item))
            found = ROWS_FOUND_OTHER_KEY;
        if (found != ROWS_FOUND_ITEM)
            return found;
    }
    return ROWS_FOUND_NONE;
}

/* With the key at which a page began, the list would never end; with one that it does not ask for it would leave out
 * what is between. */
static os_code check_last_key(const struct rows_list *list, const json_t *last_key)
{
    struct rows_list next = *list;
    next.start_key = last_key;
    if (list->start_key != NULL && json_equal(list->start_key, last_key))
        return OS_ERR_PROTOCOL;
    os_code code = rows_check_start_key(&next, NULL);
    return code == OS_OK && !rows_list_asks_for(list, last_key) ? OS_ERR_PROTOCOL : code;
}

/* Nothing goes by it: where the service does not say it, those are counted that came. */
static size_t scanned_of(const json_t *root, const json_t *items)
{
    json_int_t scanned = json_integer_value(json_object_get(root, "ScannedCount"));
    size_t count = json_array_size(items);
    return scanned > 0 && (size_t)scanned > count ? (size_t)scanned : count;
}

static enum table_outcome read_page(const struct rows_reply *reply, const struct rows_list *list, struct rows_page *ret)
{
    static const char broken[] = "got a page without a list of items, or with more of them than it may have, or whose "
                                 "last key is none of the list. Ask again.";
    os_error fault;
    json_t *items = json_object_get(reply->root, "Items");
    json_t *last_key = json_object_get(reply->root, "LastEvaluatedKey");
    bool is_last = answer_is_empty(last_key);
    os_code code = is_last ? OS_OK : check_last_key(list, last_key);
    if (code == OS_ERR_NO_MEMORY) {
        error_no_memory(reply->err);
        return TABLE_AMBIGUOUS;
    }
    bool is_over = list->limit > 0 && json_array_size(items) > list->limit;
    if (!json_is_array(items) || is_over || code != OS_OK)
        return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, broken);
    enum table_outcome outcome = rows_settle_read(reply, judge_items(list, items, &fault), &fault);
    if (outcome == TABLE_OK)
        *ret = (struct rows_page){.items = json_incref(items),
                                  .last_key = is_last ? NULL : json_incref(last_key),
                                  .scanned = scanned_of(reply->root, items)};
    return outcome;
}

enum table_outcome rows_read_page(const struct http_response *response, const char *where, const struct rows_list *list,
                                  struct rows_page *ret, struct dynamo_error *ret_detail, os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    reply.of = rows_answer_of(rows_list_operation(list), where);
    *ret = (struct rows_page){.items = NULL};
    enum table_outcome outcome = rows_open_read(&reply, "Ask for fewer items in a page, or for parts of them.");
    if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, "Items");
    if (outcome == TABLE_OK)
        outcome = read_page(&reply, list, ret);
    json_decref(reply.root);
    return outcome;
}
