/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stub's ledger: PutItem, GetItem and Query on tables with the keys path and etag. Conditions are comparisons for
 * equality and attribute_exists, attribute_not_exists, joined by AND; any other is refused, never guessed.
 */
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char type[] = "Content-Type: application/x-amz-json-1.0\r\n";

static const char *key_part(const json_t *key, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(key, name), "S"));
    return text != NULL ? text : "";
}

/* All records of a path have one name, so they stand in one chain. */
static struct slice name_of(const json_t *body, const char *path)
{
    static char name[4096];
    const char *table = json_string_value(json_object_get(body, "TableName"));
    int len = snprintf(name, sizeof(name), "%s:%s", table != NULL ? table : "", path);
    return (struct slice){name, (size_t)len};
}

static struct stub_entry *find_item(const json_t *body, const json_t *key)
{
    struct slice name = name_of(body, key_part(key, "path"));
    for (struct stub_entry *entry = stub_chain(name); entry != NULL; entry = entry->next)
        if (slice_equal(name, (struct slice){entry->name, entry->name_len}) && entry->item != NULL &&
            strcmp(key_part(entry->item, "etag"), key_part(key, "etag")) == 0)
            return entry;
    return NULL;
}

/* ----------------------------------------------------------------------------------------------------- conditions */

enum holds { HOLDS_NOT, HOLDS, HOLDS_UNREADABLE };

/* The attribute that "#name", or "name", stands for. */
static const json_t *attribute(const json_t *body, const json_t *item, const char *word)
{
    const char *name = word;
    if (word[0] == '#')
        name = json_string_value(json_object_get(json_object_get(body, "ExpressionAttributeNames"), word));
    return name != NULL ? json_object_get(item, name) : NULL;
}

static enum holds term_holds(const json_t *body, const json_t *item, const char *term)
{
    char left[64];
    char right[64];
    if (sscanf(term, " attribute_not_exists ( %63[^) ] )", left) == 1)
        return attribute(body, item, left) == NULL ? HOLDS : HOLDS_NOT;
    if (sscanf(term, " attribute_exists ( %63[^) ] )", left) == 1)
        return attribute(body, item, left) != NULL ? HOLDS : HOLDS_NOT;
    if (sscanf(term, " %63[^ =] = %63s", left, right) == 2 && right[0] == ':') {
        const json_t *value = json_object_get(json_object_get(body, "ExpressionAttributeValues"), right);
        const json_t *found = attribute(body, item, left);
        return found != NULL && json_equal(found, value) ? HOLDS : HOLDS_NOT;
    }
    return HOLDS_UNREADABLE;
}

static enum holds condition_holds(const json_t *body, const json_t *item)
{
    const char *expression = json_string_value(json_object_get(body, "ConditionExpression"));
    while (expression != NULL) {
        char term[256];
        const char *end = strstr(expression, " AND ");
        size_t len = end != NULL ? (size_t)(end - expression) : strlen(expression);
        if (len >= sizeof(term) || strncmp(expression, "(", 1) == 0)
            return HOLDS_UNREADABLE;
        memcpy(term, expression, len);
        term[len] = '\0';
        enum holds holds = term_holds(body, item, term);
        if (holds != HOLDS)
            return holds;
        expression = end != NULL ? end + strlen(" AND ") : NULL;
    }
    return HOLDS;
}

/* -------------------------------------------------------------------------------------------------------- actions */

static void answer_json(struct bytes *out, const char *status, json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    if (text == NULL)
        abort();
    stub_answer(out, status, type, slice_of(text));
    free(text);
    json_decref(document);
}

static void refuse(struct bytes *out, const char *name, const json_t *item)
{
    char code[128];
    snprintf(code, sizeof(code), "com.amazonaws.dynamodb.v20120810#%s", name);
    json_t *document = json_pack("{s:s, s:s}", "__type", code, "message", "The conditional request failed");
    if (item != NULL)
        json_object_set(document, "Item", (json_t *)item);
    answer_json(out, "400 Bad Request", document);
}

static void put_item(const json_t *body, struct bytes *out)
{
    json_t *item = json_object_get(body, "Item");
    struct stub_entry *entry = find_item(body, item);
    switch (condition_holds(body, entry != NULL ? entry->item : NULL)) {
    case HOLDS_UNREADABLE: refuse(out, "ValidationException", NULL); return;
    case HOLDS_NOT: refuse(out, "ConditionalCheckFailedException", entry != NULL ? entry->item : NULL); return;
    case HOLDS: break;
    }
    if (entry == NULL)
        entry = stub_add(name_of(body, key_part(item, "path")));
    json_decref(entry->item);
    entry->item = json_incref(item);
    stub_answer(out, "200 OK", "Content-Type: application/x-amz-json-1.0\r\nx-amz-crc32: 2745614147\r\n",
                slice_of("{}"));
}

static void get_item(const json_t *body, struct bytes *out)
{
    const struct stub_entry *entry = find_item(body, json_object_get(body, "Key"));
    answer_json(out, "200 OK", entry != NULL ? json_pack("{s:O}", "Item", entry->item) : json_object());
}

/* Of one path, whatever its placeholder is called. */
static void query(const json_t *body, struct bytes *out)
{
    void *first = json_object_iter(json_object_get(body, "ExpressionAttributeValues"));
    const char *path = json_string_value(json_object_get(json_object_iter_value(first), "S"));
    struct slice name = name_of(body, path != NULL ? path : "");
    json_t *items = json_array();
    for (struct stub_entry *entry = stub_chain(name); entry != NULL; entry = entry->next)
        if (entry->item != NULL && slice_equal(name, (struct slice){entry->name, entry->name_len}))
            json_array_append(items, entry->item);
    answer_json(out, "200 OK",
                json_pack("{s:o, s:i, s:i}", "Items", items, "Count", (int)json_array_size(items), "ScannedCount",
                          (int)json_array_size(items)));
}

void stub_dynamo(const struct stub_request *request, struct slice action, struct bytes *out)
{
    json_t *body = json_loadb(request->body.p, request->body.len, 0, NULL);
    if (slice_is(action, "PutItem"))
        put_item(body, out);
    else if (slice_is(action, "GetItem"))
        get_item(body, out);
    else if (slice_is(action, "Query"))
        query(body, out);
    else
        refuse(out, "ValidationException", NULL);
    json_decref(body);
}
