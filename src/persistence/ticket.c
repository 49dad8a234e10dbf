/* SPDX-License-Identifier: Apache-2.0 */
/* What a later look needs of a write, as one line of JSON. */
#include "base/error.h"
#include "client/ticket_place.h"
#include "persistence/writing.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

#define TICKET_KIND "document"

enum { TICKET_VERSION = 1, TICKET_SIZE_MAX = 64 * 1024 };

/* Where the table is; the store has no part in it. */
static struct ticket_place place_of(const struct persistence *call)
{
    struct ticket_place place;
    ticket_place_of(&call->client->settings, &place);
    place.part[TICKET_STORE] = place.part[TICKET_ENDPOINT] = place.part[TICKET_BUCKET] = "";
    place.part[TICKET_PREFIX] = place.part[TICKET_RECORD_PREFIX] = "";
    place.part[TICKET_TABLE] = call->store.table.name;
    return place;
}

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
    const struct ticket_place place = place_of(call);
    json_t *items = json_array();
    for (size_t i = 0; i < written->count; i++) {
        if (items == NULL || json_array_append_new(items, item_to_json(&written->items[i])) != 0) {
            json_decref(items);
            return NULL;
        }
    }
    return json_pack("{s:s, s:i, s:o, s:s, s:o}", "ticket", TICKET_KIND, "v", TICKET_VERSION, "place",
                     ticket_place_write(&place), "spelling", spelling_name(call), "items", items);
}

void writing_add_ticket(const struct persistence *call, const struct written *written, os_document_result *ret)
{
    struct buf out;
    if (written->is_deletion)
        return;
    json_t *root = ticket_to_json(call, written);
    buf_init(&out, TICKET_SIZE_MAX);
    if (root != NULL && json_write(&out, root))
        ret->ticket = strdup(buf_str(&out));
    buf_free(&out);
    json_decref(root);
    if (ret->ticket == NULL)
        error_add(&ret->error, "There was no memory for a ticket: read the document before you write again.");
}

/* ------------------------------------------------------------------------------------------------ reading */

static os_code bad_ticket(const char *why, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "This is no ticket of a document: %s.", why);
}

static bool read_item(const json_t *json, enum document_spelling spelling, struct written_item *ret)
{
    struct document_key key;
    const char *kind = json_member_string(json, "kind");
    const char *token = json_member_string(json, "token");
    json_t *attributes = json_object_get(json, "key");
    json_int_t version = json_integer_value(json_object_get(json, "version"));
    if (kind == NULL || token == NULL || version < 1 || json_object_size(attributes) != 2 ||
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

static os_code check_head(const struct persistence *call, const json_t *root, os_error *err)
{
    const struct ticket_place place = place_of(call);
    const char *kind = json_member_string(root, "ticket");
    const char *spelling = json_member_string(root, "spelling");
    if (kind == NULL || strcmp(kind, TICKET_KIND) != 0 || spelling == NULL)
        return bad_ticket("it is another text", err);
    if (json_integer_value(json_object_get(root, "v")) != TICKET_VERSION)
        return bad_ticket("it is of another release", err);
    if (strcmp(spelling, spelling_name(call)) != 0)
        return bad_ticket("it is of a table whose items are spelled in the other way", err);
    return ticket_place_check(json_object_get(root, "place"), &place, false, err);
}

os_code writing_read_ticket(const struct persistence *call, const char *ticket, struct written *ret, json_t **ret_root,
                            os_error *err)
{
    size_t len = strnlen(ticket, TICKET_SIZE_MAX + 1);
    *ret = (struct written){.count = 0};
    *ret_root = len <= TICKET_SIZE_MAX ? json_read(ticket, len) : NULL;
    if (*ret_root == NULL)
        return bad_ticket("it is no JSON object, or too long", err);
    os_code code = check_head(call, *ret_root, err);
    if (code != OS_OK)
        return code;
    return read_items(json_object_get(*ret_root, "items"), &call->store, ret)
               ? OS_OK
               : bad_ticket("its items are none of a document", err);
}

void written_free(struct written *written)
{
    for (size_t i = 0; i < written->count; i++)
        json_decref(written->items[i].key);
    written->count = 0;
}
