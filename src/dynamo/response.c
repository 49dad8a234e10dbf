/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about one item. */
#include "dynamo/response.h"

#include "base/error.h"
#include "dynamo/answer.h"
#include "dynamo/item.h"
#include "syntax/json.h"

#include <stdio.h>
#include <string.h>

void dynamo_reading_free(struct dynamo_reading *reading)
{
    json_decref(reading->document);
    reading->document = NULL;
}

/* T1. The item that stands in the way of a write, or that was to be read, or that was made. `outcome` is that of one that
 * fits. */
static enum table_outcome read_item(const struct http_response *response, const struct answer_of *of,
                                    const struct item_schema *schema, const json_t *item, enum table_outcome outcome,
                                    struct dynamo_reading *ret, os_error *err)
{
    os_error fault;
    os_code code = dynamo_item_read(schema, item, &ret->item, &fault);
    ret->found = code == OS_OK;
    if (code == OS_OK)
        return outcome;
    char finding[512];
    snprintf(finding, sizeof(finding), "found an item there that is not a %s. %.160s %.300s", schema->words.what,
             fault.message, schema->words.mend);
    return answer_finding(response, of, TABLE_UNREADABLE, code, finding, &ret->detail, err);
}

/* R4: an answer without the item, from a server that does not know ReturnValuesOnConditionCheckFailure or because there
 * is none (the record went away before a takeover), is followed by a GetItem. */
static enum table_outcome read_conflict(const struct http_response *response, const struct answer_of *of,
                                        const struct item_schema *schema, struct dynamo_reading *ret, os_error *err)
{
    const json_t *item = json_object_get(ret->document, "Item");
    return answer_is_empty(item) ? TABLE_CONFLICT_BLIND
                                 : read_item(response, of, schema, item, TABLE_CONFLICT, ret, err);
}

/* What an update has made: one that cannot be read was applied all the same. */
static enum table_outcome read_updated(const struct http_response *response, const struct answer_of *of,
                                       const struct item_schema *schema, struct dynamo_reading *ret, os_error *err)
{
    const json_t *item = json_object_get(ret->document, "Attributes");
    os_error fault;
    ret->found = dynamo_item_read(schema, item, &ret->item, &fault) == OS_OK;
    return ret->found ? TABLE_OK
                      : answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, ANSWER_DONE_UNREADABLE,
                                       &ret->detail, err);
}

enum table_outcome dynamo_read_write(const struct http_response *response, const struct dynamo_about *about,
                                     enum dynamo_write_kind kind, struct dynamo_reading *ret, os_error *err)
{
    static const char *const operations[] = {
        [DYNAMO_PUT] = "PutItem", [DYNAMO_UPDATE] = "UpdateItem", [DYNAMO_DELETE] = "DeleteItem"};
    const struct answer_of of = answer_about(operations[kind], about, true);
    json_t *root = NULL;
    memset(ret, 0, sizeof(*ret));
    enum table_outcome outcome = answer_open(response, &of, &root, &ret->detail, err);
    ret->document = root;
    if (outcome == TABLE_CONFLICT)
        return read_conflict(response, &of, about->schema, ret, err);
    if (outcome == TABLE_OK)
        outcome = answer_check_members(response, &of, root, "Attributes", &ret->detail, err);
    return outcome == TABLE_OK && kind == DYNAMO_UPDATE ? read_updated(response, &of, about->schema, ret, err)
                                                        : outcome;
}

enum table_outcome dynamo_read_get(const struct http_response *response, const struct dynamo_about *about,
                                   struct dynamo_reading *ret, os_error *err)
{
    const struct answer_of of = answer_about("GetItem", about, false);
    json_t *root = NULL;
    memset(ret, 0, sizeof(*ret));
    enum table_outcome outcome = answer_open_unconditional(response, &of, &root, &ret->detail, err);
    ret->document = root;
    if (ret->detail.too_large) {
        char finding[512];
        snprintf(finding, sizeof(finding), "found an item there that is too large to be a %s. %.300s",
                 about->schema->words.what, about->schema->words.mend);
        return answer_finding(response, &of, TABLE_UNREADABLE, OS_ERR_PROTOCOL, finding, &ret->detail, err);
    }
    if (outcome == TABLE_OK)
        outcome = answer_check_members(response, &of, root, "Item", &ret->detail, err);
    const json_t *item = outcome == TABLE_OK ? json_object_get(root, "Item") : NULL;
    return item != NULL ? read_item(response, &of, about->schema, item, TABLE_OK, ret, err) : outcome;
}

enum table_outcome dynamo_read_unreadable(const struct http_response *response, const struct dynamo_about *about,
                                          struct dynamo_reading *ret, char **ret_seen, os_error *err)
{
    enum table_outcome outcome = dynamo_read_get(response, about, ret, err);
    *ret_seen = NULL;
    if (outcome != TABLE_UNREADABLE || ret->detail.too_large)
        return outcome;
    struct buf out;
    buf_init(&out, DYNAMO_ANSWER_MAX);
    if (json_write(&out, json_object_get(ret->document, "Item"))) /* unreadable is only what is there */
        *ret_seen = buf_take(&out);
    buf_free(&out);
    if (*ret_seen == NULL) {
        error_no_memory(err);
        return TABLE_AMBIGUOUS;
    }
    return outcome;
}
