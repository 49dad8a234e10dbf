/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stub's ledger, with the keys path and etag, and its tables of rows, with the key _id: PutItem, UpdateItem, GetItem,
 * transactions of these, and Query of a path. Conditions are comparisons for equality and attribute_exists,
 * attribute_not_exists, joined by AND; updates are SET to a value and REMOVE; any other is refused, never guessed.
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

static const char *partition_of(const json_t *key)
{
    return key_part(key, json_object_get(key, "_id") != NULL ? "_id" : "path");
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
    struct slice name = name_of(body, partition_of(key));
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

static void refuse(struct bytes *out, const char *name, const json_t *more)
{
    char code[128];
    snprintf(code, sizeof(code), "com.amazonaws.dynamodb.v20120810#%s", name);
    json_t *document = json_pack("{s:s, s:s}", "__type", code, "message", "The conditional request failed");
    json_object_update(document, (json_t *)more);
    answer_json(out, "400 Bad Request", document);
}

static void answer_done(struct bytes *out)
{
    stub_answer(out, "200 OK", "Content-Type: application/x-amz-json-1.0\r\nx-amz-crc32: 2745614147\r\n",
                slice_of("{}"));
}

/* -------------------------------------------------------------------------------------------------------- writes */

enum { WRITES_MAX = 100 };

struct write {
    const json_t *body;
    struct stub_entry *entry; /* NULL: it is to be made */
    json_t *item;             /* what is to be there */
};

static const char *next_word(char **rest)
{
    const char *word = strtok_r(NULL, " ,", rest);
    return word != NULL ? word : "";
}

/* "SET a = :b, c = :d REMOVE e". */
static bool change_item(const json_t *body, char *expression, json_t *item)
{
    const json_t *names = json_object_get(body, "ExpressionAttributeNames");
    const json_t *values = json_object_get(body, "ExpressionAttributeValues");
    char *rest = NULL;
    bool sets = true;
    for (const char *word = strtok_r(expression, " ,", &rest); word != NULL; word = strtok_r(NULL, " ,", &rest)) {
        if (strcmp(word, "SET") == 0 || strcmp(word, "REMOVE") == 0) {
            sets = word[0] == 'S';
            continue;
        }
        const char *name = word[0] == '#' ? json_string_value(json_object_get(names, word)) : word;
        bool is_equation = sets && strcmp(next_word(&rest), "=") == 0;
        json_t *value = is_equation ? json_object_get(values, next_word(&rest)) : NULL;
        if (name == NULL || (sets && json_object_set(item, name, value) != 0))
            return false;
        if (!sets)
            json_object_del(item, name);
    }
    return true;
}

static json_t *changed_item(const json_t *body, const json_t *before)
{
    const char *expression = json_string_value(json_object_get(body, "UpdateExpression"));
    json_t *item = json_copy((json_t *)(before != NULL ? before : json_object_get(body, "Key")));
    char *copy = strdup(expression != NULL ? expression : "");
    if (copy == NULL)
        abort();
    if (!change_item(body, copy, item)) {
        json_decref(item);
        item = NULL;
    }
    free(copy);
    return item;
}

/* ret->item is for json_decref. */
static enum holds judge(const json_t *body, struct write *ret)
{
    json_t *whole = json_object_get(body, "Item");
    *ret = (struct write){.body = body};
    ret->entry = find_item(body, whole != NULL ? whole : json_object_get(body, "Key"));
    const json_t *before = ret->entry != NULL ? ret->entry->item : NULL;
    enum holds holds = condition_holds(body, before);
    if (holds == HOLDS)
        ret->item = whole != NULL ? json_incref(whole) : changed_item(body, before);
    return holds == HOLDS && ret->item == NULL ? HOLDS_UNREADABLE : holds;
}

static void apply(struct write *write)
{
    if (write->entry == NULL)
        write->entry = stub_add(name_of(write->body, partition_of(write->item)));
    json_decref(write->entry->item);
    write->entry->item = json_incref(write->item);
}

static void write_item(const json_t *body, struct bytes *out)
{
    struct write write;
    json_t *shown = NULL;
    switch (judge(body, &write)) {
    case HOLDS_UNREADABLE: refuse(out, "ValidationException", NULL); break;
    case HOLDS_NOT:
        shown = write.entry != NULL ? json_pack("{s:O}", "Item", write.entry->item) : NULL;
        refuse(out, "ConditionalCheckFailedException", shown);
        break;
    case HOLDS:
        apply(&write);
        answer_done(out);
        break;
    }
    json_decref(shown);
    json_decref(write.item);
}

static const json_t *only_member(const json_t *object, const char **ret_name)
{
    void *first = json_object_iter((json_t *)object);
    *ret_name = first != NULL ? json_object_iter_key(first) : "";
    return first != NULL ? json_object_iter_value(first) : NULL;
}

/* All or none. */
static void write_together(const json_t *body, struct bytes *out)
{
    const json_t *parts = json_object_get(body, "TransactItems");
    struct write writes[WRITES_MAX];
    json_t *reasons = json_array();
    enum holds all = json_array_size(parts) <= WRITES_MAX ? HOLDS : HOLDS_UNREADABLE;
    size_t count = 0;
    for (; all != HOLDS_UNREADABLE && count < json_array_size(parts); count++) {
        const char *kind;
        const json_t *part = only_member(json_array_get(parts, count), &kind);
        enum holds holds = judge(part, &writes[count]);
        if (strcmp(kind, "Put") != 0 && strcmp(kind, "Update") != 0)
            holds = HOLDS_UNREADABLE;
        json_array_append_new(reasons, json_pack("{s:s}", "Code", holds == HOLDS ? "None" : "ConditionalCheckFailed"));
        all = holds != HOLDS ? holds : all;
    }
    for (size_t i = 0; i < count; i++) {
        if (all == HOLDS)
            apply(&writes[i]);
        json_decref(writes[i].item);
    }
    json_t *more = json_pack("{s:o}", "CancellationReasons", reasons);
    if (all == HOLDS)
        answer_done(out);
    else
        refuse(out, all == HOLDS_NOT ? "TransactionCanceledException" : "ValidationException", more);
    json_decref(more);
}

/* --------------------------------------------------------------------------------------------------------- reads */

static json_t *found_item(const json_t *body)
{
    const struct stub_entry *entry = find_item(body, json_object_get(body, "Key"));
    return entry != NULL ? json_pack("{s:O}", "Item", entry->item) : json_object();
}

static void get_item(const json_t *body, struct bytes *out)
{
    answer_json(out, "200 OK", found_item(body));
}

static void get_together(const json_t *body, struct bytes *out)
{
    json_t *items = json_array();
    const json_t *part;
    size_t i;
    json_array_foreach(json_object_get(body, "TransactItems"), i, part)
        json_array_append_new(items, found_item(json_object_get(part, "Get")));
    answer_json(out, "200 OK", json_pack("{s:o}", "Responses", items));
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
    if (slice_is(action, "PutItem") || slice_is(action, "UpdateItem"))
        write_item(body, out);
    else if (slice_is(action, "TransactWriteItems"))
        write_together(body, out);
    else if (slice_is(action, "TransactGetItems"))
        get_together(body, out);
    else if (slice_is(action, "GetItem"))
        get_item(body, out);
    else if (slice_is(action, "Query"))
        query(body, out);
    else
        refuse(out, "ValidationException", NULL);
    json_decref(body);
}
