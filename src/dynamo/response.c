/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/response.h"

#include "base/error.h"
#include "dynamo/answer.h"
#include "dynamo/item.h"
#include "dynamo/json.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    KEY_JSON_MAX = 32768 /* path and etag at their longest, every byte escaped as six */
};

static const char broken_page[] = "got a page without a list of items, or whose last key is none. Ask again.";
static const char too_large[] = "found an item there that is too large to be a record. " RECORD_MEND;

/* T1. The item that stands in the way of a write, or that was to be read. */
static enum ledger_outcome read_item(const struct http_response *response, const struct answer_of *of,
                                     const json_t *item, struct record *ret, char *ret_upload,
                                     const struct dynamo_error *detail, os_error *err)
{
    os_error fault;
    os_code code = item_to_record(item, ret, NULL, NULL, ret_upload, &fault);
    if (code == OS_OK)
        return of->writes ? LEDGER_CONFLICT : LEDGER_OK;
    char finding[512];
    snprintf(finding, sizeof(finding), "found an item there that is not a record. %.160s " RECORD_MEND, fault.message);
    return answer_finding(response, of, LEDGER_UNREADABLE, code, finding, detail, err);
}

/* R4: an answer without the item, from a server that does not know ReturnValuesOnConditionCheckFailure or because there
 * is none (the record went away before a takeover), is followed by a GetItem. */
static enum ledger_outcome read_conflict(const struct http_response *response, const struct answer_of *of,
                                         const json_t *root, struct record *ret, char *ret_upload,
                                         const struct dynamo_error *detail, os_error *err)
{
    const json_t *item = json_object_get(root, "Item");
    if (item == NULL || (json_is_object(item) && json_object_size(item) == 0))
        return LEDGER_CONFLICT_BLIND;
    return read_item(response, of, item, ret, ret_upload, detail, err);
}

/* A write on a condition. */
static enum ledger_outcome read_write(const struct http_response *response, const struct answer_of *of,
                                      struct record *ret_conflict, char *ret_upload, struct dynamo_error *ret_detail,
                                      os_error *err)
{
    struct dynamo_error detail;
    json_t *root = NULL;
    enum ledger_outcome outcome = answer_open(response, of, &root, &detail, err);
    if (outcome == LEDGER_CONFLICT)
        outcome = read_conflict(response, of, root, ret_conflict, ret_upload, &detail, err);
    json_decref(root);
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}

enum ledger_outcome dynamo_read_put(const struct http_response *response, const struct dynamo_about *about,
                                    struct record *ret_conflict, char *ret_upload, struct dynamo_error *ret_detail,
                                    os_error *err)
{
    const struct answer_of of = {"PutItem", about->where, about->path, about->etag, true};
    return read_write(response, &of, ret_conflict, ret_upload, ret_detail, err);
}

enum ledger_outcome dynamo_read_delete(const struct http_response *response, const struct dynamo_about *about,
                                       struct record *ret_conflict, char *ret_upload, struct dynamo_error *ret_detail,
                                       os_error *err)
{
    const struct answer_of of = {"DeleteItem", about->where, about->path, about->etag, true};
    return read_write(response, &of, ret_conflict, ret_upload, ret_detail, err);
}

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

enum ledger_outcome dynamo_read_get(const struct http_response *response, const struct dynamo_about *about,
                                    bool *ret_found, struct record *ret, char *ret_upload,
                                    struct dynamo_error *ret_detail, os_error *err)
{
    const struct answer_of of = {"GetItem", about->where, about->path, about->etag, false};
    struct dynamo_error detail;
    json_t *root = NULL;
    enum ledger_outcome outcome = answer_open_unconditional(response, &of, &root, &detail, err);
    if (detail.too_large) {
        outcome = answer_finding(response, &of, LEDGER_UNREADABLE, OS_ERR_PROTOCOL, too_large, &detail, err);
    } else if (outcome == LEDGER_OK) {
        const json_t *item = json_object_get(root, "Item");
        if (item != NULL)
            outcome = read_item(response, &of, item, ret, ret_upload, &detail, err);
        if (outcome == LEDGER_OK)
            *ret_found = item != NULL;
    }
    json_decref(root);
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}

enum ledger_outcome dynamo_read_unreadable(const struct http_response *response, const struct dynamo_about *about,
                                           bool *ret_found, char **ret_seen, struct dynamo_error *ret_detail,
                                           os_error *err)
{
    struct record record;
    enum ledger_outcome outcome = dynamo_read_get(response, about, ret_found, &record, NULL, ret_detail, err);
    *ret_seen = NULL;
    if (outcome != LEDGER_UNREADABLE || ret_detail->too_large)
        return outcome;
    json_t *root = json_read(buf_str(&response->body), response->body.len);
    *ret_seen = write_whole(json_object_get(root, "Item"), DYNAMO_ANSWER_MAX); /* unreadable is only what is there */
    json_decref(root);
    if (*ret_seen == NULL) {
        error_no_memory(err);
        return LEDGER_AMBIGUOUS;
    }
    return outcome;
}

void dynamo_read_bucket(const struct http_response *response, char ret[RECORD_BUCKET_SIZE])
{
    json_t *root = json_read(buf_str(&response->body), response->body.len);
    item_bucket(json_object_get(root, "Item"), ret);
    json_decref(root);
}

/* ---------------------------------------------------------------------------------------------------- listing */

static const char *or_empty(const char *str)
{
    return str != NULL ? str : "";
}

enum row_result { ROW_GO_ON = 1, ROW_STOP, ROW_NO_MEMORY };

static enum row_result response_give_row(json_t *item, dynamo_row_fn each, void *context)
{
    char upload[RECORD_UPLOAD_SIZE] = "";
    char bucket[RECORD_BUCKET_SIZE];
    os_error fault;
    item_bucket(item, bucket);
    struct dynamo_row row = {.path = or_empty(item_get_string(item, RECORD_PATH)),
                             .etag = or_empty(item_get_string(item, RECORD_ETAG)),
                             .upload = upload,
                             .bucket = bucket};
    row.readable = item_to_record(item, &row.record, NULL, NULL, upload, &fault) == OS_OK;
    row.fault = row.readable ? "" : fault.message;
    char *other = row.readable ? item_other_attributes(item) : write_whole(item, DYNAMO_ANSWER_MAX);
    if (other == NULL)
        return ROW_NO_MEMORY;
    row.other = other;
    bool go_on = each(context, &row);
    free(other);
    return go_on ? ROW_GO_ON : ROW_STOP;
}

static enum row_result give_rows(const json_t *items, dynamo_row_fn each, void *context)
{
    enum row_result result = ROW_GO_ON;
    for (size_t i = 0; i < json_array_size(items) && result == ROW_GO_ON; i++)
        result = response_give_row(json_array_get(items, i), each, context);
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

static enum ledger_outcome give_page(const json_t *root, dynamo_row_fn each, void *context, char **ret_last_key,
                                     os_error *err)
{
    const json_t *items = json_object_get(root, "Items");
    const json_t *last_key = json_object_get(root, "LastEvaluatedKey");
    bool is_last = last_key == NULL || json_object_size(last_key) == 0;
    char *next = is_last ? NULL : write_whole(last_key, KEY_JSON_MAX);
    enum row_result result = !is_last && next == NULL ? ROW_NO_MEMORY : give_rows(items, each, context);
    if (result == ROW_NO_MEMORY) {
        free(next);
        error_no_memory(err);
        return LEDGER_AMBIGUOUS;
    }
    if (result == ROW_STOP) {
        free(next);
        next = NULL;
    }
    *ret_last_key = next;
    return LEDGER_OK;
}

enum ledger_outcome dynamo_read_list(const struct http_response *response, const char *where, dynamo_row_fn each,
                                     void *context, char **ret_last_key, struct dynamo_error *ret_detail, os_error *err)
{
    const struct answer_of of = {"A page of the list of records", where, NULL, NULL, false};
    struct dynamo_error detail;
    json_t *root = NULL;
    enum ledger_outcome outcome = answer_open_unconditional(response, &of, &root, &detail, err);
    if (outcome == LEDGER_OK && !page_in_order(root))
        outcome = answer_finding(response, &of, LEDGER_AMBIGUOUS, OS_ERR_PROTOCOL, broken_page, &detail, err);
    else if (outcome == LEDGER_OK)
        outcome = give_page(root, each, context, ret_last_key, err);
    json_decref(root);
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}
