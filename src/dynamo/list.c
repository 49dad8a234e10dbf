/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of lists. */
#include "base/error.h"
#include "dynamo/answer.h"
#include "dynamo/item.h"
#include "dynamo/response.h"
#include "syntax/json.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    KEY_JSON_MAX = 32768 /* both parts of a key at their longest, every byte escaped as six */
};

static const char broken_page[] = "got a page without a list of items, or whose last key is none. Ask again.";

static char *write_whole(const json_t *value, size_t max)
{
    struct buf out;
    buf_init(&out, max);
    if (!json_write(&out, value)) {
        buf_free(&out);
        return NULL;
    }
    return buf_take(&out);
}

enum row_result { ROW_GO_ON = 1, ROW_STOP, ROW_NO_MEMORY };

static enum row_result give_row(const struct item_schema *schema, json_t *item, dynamo_row_fn each, void *context)
{
    os_error fault;
    struct dynamo_row row = {.fault = ""};
    row.readable = dynamo_item_read(schema, item, &row.item, &fault) == OS_OK;
    if (!row.readable) {
        dynamo_item_read_key(schema, item, &row.item);
        row.fault = fault.message;
    }
    char *other = row.readable ? dynamo_item_others(schema, item, &row.item) : write_whole(item, DYNAMO_ANSWER_MAX);
    if (other == NULL)
        return ROW_NO_MEMORY;
    row.other = other;
    bool go_on = each(context, &row);
    free(other);
    return go_on ? ROW_GO_ON : ROW_STOP;
}

static enum row_result give_rows(const struct item_schema *schema, const json_t *items, dynamo_row_fn each,
                                 void *context)
{
    enum row_result result = ROW_GO_ON;
    for (size_t i = 0; i < json_array_size(items) && result == ROW_GO_ON; i++)
        result = give_row(schema, json_array_get(items, i), each, context);
    return result;
}

/* Before anything is given to the caller, so that a broken page is no half of one. */
static bool page_in_order(const json_t *root)
{
    const json_t *items = json_object_get(root, "Items");
    const json_t *last_key = json_object_get(root, "LastEvaluatedKey");
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!json_is_object(json_array_get(items, i)))
            return false;
    return json_is_array(items) && (last_key == NULL || json_is_object(last_key));
}

/* DynamoDB keeps no item without the table's keys. */
static bool has_our_keys(const struct item_schema *schema, const json_t *items)
{
    for (size_t i = 0; i < json_array_size(items); i++)
        for (size_t k = 0; k < schema->keys; k++)
            if (json_object_get(json_array_get(items, i), schema->attributes[k].name) == NULL)
                return false;
    return true;
}

static enum table_outcome give_page(const struct item_schema *schema, const json_t *root, dynamo_row_fn each,
                                    void *context, char **ret_last_key, os_error *err)
{
    const json_t *items = json_object_get(root, "Items");
    const json_t *last_key = json_object_get(root, "LastEvaluatedKey");
    bool is_last = answer_is_empty(last_key);
    char *next = is_last ? NULL : write_whole(last_key, KEY_JSON_MAX);
    enum row_result result = !is_last && next == NULL ? ROW_NO_MEMORY : give_rows(schema, items, each, context);
    if (result == ROW_NO_MEMORY) {
        free(next);
        error_no_memory(err);
        return TABLE_AMBIGUOUS;
    }
    if (result == ROW_STOP) {
        free(next);
        next = NULL;
    }
    *ret_last_key = next;
    return TABLE_OK;
}

enum table_outcome dynamo_read_list(const struct http_response *response, const struct dynamo_about *about,
                                    dynamo_row_fn each, void *context, char **ret_last_key,
                                    struct dynamo_error *ret_detail, os_error *err)
{
    char operation[64];
    snprintf(operation, sizeof(operation), "A page of the list of %s", about->schema->words.plural);
    const struct answer_of of = answer_about(operation, about, false);
    struct dynamo_error detail;
    json_t *root = NULL;
    enum table_outcome outcome = answer_open_unconditional(response, &of, &root, &detail, err);
    if (outcome == TABLE_OK && !page_in_order(root))
        outcome = answer_finding(response, &of, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, broken_page, &detail, err);
    else if (outcome == TABLE_OK && !has_our_keys(about->schema, json_object_get(root, "Items")))
        outcome = answer_other_keys(response, &of, &detail, err);
    else if (outcome == TABLE_OK)
        outcome = give_page(about->schema, root, each, context, ret_last_key, err);
    json_decref(root);
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}
