/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/txn_ticket.h"

#include "base/error.h"
#include "client/table_ticket.h"
#include "model/model_key.h"

#include <stdio.h>
#include <string.h>

/* 100 rows, whose keys have 3 KB each, of which JSON may write every byte as six. */
static const struct table_ticket transaction_ticket = {
    .kind = "transaction", .of = "of a transaction", .version = 1, .size_max = 2 * 1024 * 1024};

static const char *const part_names[] = {
    [TRANSACTION_CREATE] = "create",
    [TRANSACTION_WRITE] = "write",
    [TRANSACTION_BARE] = "bare",
    [TRANSACTION_BLIND] = "blind",
};

/* ------------------------------------------------------------------------------------------------ writing */

/* Without memory for an optional string json_pack leaves it out. */
static json_t *row_to_json(const struct row_mark *mark)
{
    json_t *row =
        json_pack("{s:s, s:O, s:s}", "table", mark->table->name, "key", mark->key, "part", part_names[mark->part]);
    if (mark->read_token == NULL || json_object_set_new(row, "read", json_string(mark->read_token)) == 0)
        return row;
    json_decref(row);
    return NULL;
}

char *txn_ticket_write(const os_client *client, const struct txn_ticket *ticket)
{
    json_t *root = table_ticket_begin(client, &transaction_ticket, "");
    json_t *rows = json_array();
    bool is_whole = rows != NULL && json_object_set_new(root, "token", json_string(ticket->tokens.own)) == 0 &&
                    json_object_set(root, "rows", rows) == 0;
    for (size_t i = 0; i < ticket->count && is_whole; i++)
        is_whole = json_array_append_new(rows, row_to_json(&ticket->marks[i])) == 0;
    json_decref(rows);
    if (is_whole)
        return table_ticket_end(&transaction_ticket, root);
    json_decref(root);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ reading */

static bool is_key(const json_t *key)
{
    size_t count = json_object_size(key);
    return json_object_get(key, MODEL_PARTITION) != NULL &&
           (count == 1 || (count == 2 && json_object_get(key, MODEL_SORT) != NULL));
}

/* 0: it is none. */
static enum transaction_part part_of(const char *name)
{
    for (size_t i = TRANSACTION_CREATE; i < sizeof(part_names) / sizeof(part_names[0]); i++)
        if (name != NULL && strcmp(part_names[i], name) == 0)
            return (enum transaction_part)i;
    return 0;
}

/* The key itself is checked with the request for it. */
static bool read_row(const json_t *json, struct row_mark *ret, struct rows_table *ret_table)
{
    const char *table = json_member_string(json, "table");
    const json_t *key = json_object_get(json, "key");
    ret->part = part_of(json_member_string(json, "part"));
    ret->read_token = json_member_string(json, "read");
    bool fits = ret->part == TRANSACTION_WRITE ? row_token_is(ret->read_token) : ret->read_token == NULL;
    if (table == NULL || !is_key(key) || ret->part == 0 || !fits)
        return false;
    *ret_table =
        (struct rows_table){.name = table, .keys = {MODEL_PARTITION, json_object_size(key) == 2 ? MODEL_SORT : NULL}};
    ret->table = ret_table;
    ret->key = key;
    return true;
}

static bool read_rows(struct txn_ticket *ret)
{
    const json_t *rows = json_object_get(ret->root, "rows");
    size_t count = json_array_size(rows);
    if (count < 1 || count > ROWS_AT_ONCE_MAX)
        return false;
    for (; ret->count < count; ret->count++)
        if (!read_row(json_array_get(rows, ret->count), &ret->marks[ret->count], &ret->tables[ret->count]))
            return false;
    return true;
}

os_code txn_ticket_read(const os_client *client, const char *text, struct txn_ticket *ret, os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    os_code code = table_ticket_read(client, &transaction_ticket, "", text, &ret->root, err);
    if (code != OS_OK)
        return code;
    const char *token = json_member_string(ret->root, "token");
    if (!row_token_is(token) || !read_rows(ret))
        return table_ticket_refuse(&transaction_ticket, "its token or its rows are none of a transaction", err);
    snprintf(ret->tokens.own, sizeof(ret->tokens.own), "%s", token);
    return row_token_fence(token, ret->tokens.fence) ? OS_OK : error_no_memory(err);
}

void txn_ticket_free(struct txn_ticket *ticket)
{
    json_decref(ticket->root);
}
