/* SPDX-License-Identifier: Apache-2.0 */
/* W9: what a later look needs of a write, as one line of JSON. */
#include "base/error.h"
#include "client/table_ticket.h"
#include "persistence/writing.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static const struct table_ticket document_ticket = {
    .kind = "document", .of = "of a document", .version = 1, .size_max = 64 * 1024};

/* ------------------------------------------------------------------------------------------------ writing */

static json_t *item_to_json(const struct written_item *item)
{
    return json_pack("{s:s, s:I, s:s%, s:O}", "kind", document_kind_name(item->kind), "version",
                     (json_int_t)item->mark.version, "token", item->mark.client_token.p, item->mark.client_token.len,
                     "key", item->key);
}

static const char *spelling_name(const struct persistence *call)
{
    return call->store.spelling == DOCUMENT_FIELDS ? "fields" : "tags";
}

static json_t *ticket_to_json(const struct persistence *call, const struct written *written)
{
    json_t *root = table_ticket_begin(call->client, &document_ticket, call->store.table.name);
    json_t *items = json_array();
    bool is_whole = items != NULL;
    for (size_t i = 0; i < written->count && is_whole; i++)
        is_whole = json_array_append_new(items, item_to_json(&written->items[i])) == 0;
    is_whole = is_whole && json_object_set_new(root, "spelling", json_string(spelling_name(call))) == 0 &&
               json_object_set(root, "items", items) == 0;
    json_decref(items);
    if (is_whole)
        return root;
    json_decref(root);
    return NULL;
}

void writing_add_ticket(const struct persistence *call, const struct written *written, os_document_result *ret)
{
    if (written->is_deletion)
        return;
    ret->ticket = table_ticket_end(&document_ticket, ticket_to_json(call, written));
    if (ret->ticket == NULL)
        error_add(&ret->error, "There was no memory for a ticket: read the document before you write again.");
}

/* ------------------------------------------------------------------------------------------------ reading */

static bool read_item(const json_t *json, enum document_spelling spelling, struct written_item *ret)
{
    struct document_key key;
    const char *kind = json_member_string(json, "kind");
    const char *token = json_member_string(json, "token");
    json_t *attributes = json_object_get(json, "key");
    json_int_t version = json_integer_value(json_object_get(json, "version"));
    if (kind == NULL || token == NULL || token[0] == '\0' || version < 1 || json_object_size(attributes) != 2 ||
        !document_key_read(attributes, &key) || strcmp(kind, document_kind_name(key.kind)) != 0)
        return false;
    *ret = (struct written_item){
        .key = json_incref(attributes),
        .kind = key.kind,
        .mark = {.version = version, .client_token = text_from(token), .spelling = spelling},
    };
    return true;
}

static bool read_items(const json_t *items, const struct persistence_store *store, struct written *ret)
{
    size_t count = json_array_size(items);
    if (count < 1 || count > 2)
        return false;
    for (size_t i = 0; i < count; i++, ret->count++)
        if (!read_item(json_array_get(items, i), store->spelling, &ret->items[i]))
            return false;
    return count == 1 || !rows_same_key(&store->table.keys, ret->items[0].key, ret->items[1].key);
}

static os_code check_spelling(const struct persistence *call, const json_t *root, os_error *err)
{
    const char *spelling = json_member_string(root, "spelling");
    if (spelling == NULL)
        return table_ticket_refuse(&document_ticket, "it is another text", err);
    if (strcmp(spelling, spelling_name(call)) != 0)
        return table_ticket_refuse(&document_ticket, "it is of a table whose items are spelled in the other way", err);
    return OS_OK;
}

os_code writing_read_ticket(const struct persistence *call, const char *ticket, struct written *ret, json_t **ret_root,
                            os_error *err)
{
    *ret = (struct written){.count = 0};
    os_code code = table_ticket_read(call->client, &document_ticket, call->store.table.name, ticket, ret_root, err);
    if (code == OS_OK)
        code = check_spelling(call, *ret_root, err);
    if (code != OS_OK)
        return code;
    return read_items(json_object_get(*ret_root, "items"), &call->store, ret)
               ? OS_OK
               : table_ticket_refuse(&document_ticket, "its items are none of a document", err);
}

void written_free(struct written *written)
{
    for (size_t i = 0; i < written->count; i++)
        json_decref(written->items[i].key);
    written->count = 0;
}
