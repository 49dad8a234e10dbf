/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a transaction of writes, and why one was cancelled. */
#include "base/error.h"
#include "base/text.h"
#include "dynamo/rows_response_parts.h"
#include "syntax/json.h"

#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- codes */

struct reason_meaning {
    const char *code;
    enum rows_reason_kind kind;
    os_code os;
    const char *hint;
};

#define AGAIN "Send it again after a pause."

/* API Reference, TransactWriteItems, "TransactionCanceledException". */
static const struct reason_meaning meanings[] = {
    {"None", ROWS_REASON_NONE, OS_OK, ""},
    {"ConditionalCheckFailed", ROWS_REASON_CONDITION, OS_ERR_CONFLICT, ""},
    {"TransactionConflict", ROWS_REASON_AGAIN, OS_ERR_THROTTLED,
     "Another transaction or write had this item under way. " AGAIN},
    {"ProvisionedThroughputExceeded", ROWS_REASON_AGAIN, OS_ERR_THROTTLED,
     AGAIN " If it goes on, give the table more capacity or on-demand billing."},
    {"ThrottlingError", ROWS_REASON_AGAIN, OS_ERR_THROTTLED, AGAIN},
    {"ItemCollectionSizeLimitExceeded", ROWS_REASON_REFUSED, OS_ERR_TABLE,
     "The items of this partition value have 10 GB: remove some of them, or use more partition values."},
    {"ValidationError", ROWS_REASON_REFUSED, OS_ERR_REFUSED,
     "Compare the request with the item: the types of its values, its size, and whether it has a place for the "
     "change."},
};

/* Whatever else is the reason, the transaction was cancelled; that it would help to send it again is not known. */
static const struct reason_meaning unknown = {"", ROWS_REASON_REFUSED, OS_ERR_SERVICE,
                                              "Look up this code of a cancellation in the service's API Reference."};

static const struct reason_meaning *find_meaning(const char *code)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (strcmp(code, meanings[i].code) == 0)
            return &meanings[i];
    return &unknown;
}

/* ------------------------------------------------------------------------------------------------------- reasons */

/* The API Reference has a code and a message of nothing where there is no reason (CancellationReason), the service the
 * code "None". */
static bool is_no_reason(const json_t *json)
{
    const json_t *code = json_object_get(json, "Code");
    const json_t *message = json_object_get(json, "Message");
    return json_is_object(json) && (code == NULL || json_is_null(code)) && (message == NULL || json_is_null(message)) &&
           json_object_get(json, "Item") == NULL;
}

static bool read_reason(const json_t *json, struct rows_reason *ret)
{
    if (is_no_reason(json)) {
        *ret = (struct rows_reason){.kind = ROWS_REASON_NONE, .code = "None", .message = ""};
        return true;
    }
    const char *code = json_member_string(json, "Code");
    const char *message = json_member_string(json, "Message");
    if (code == NULL || code[0] == '\0')
        return false;
    *ret = (struct rows_reason){.kind = find_meaning(code)->kind,
                                .code = code,
                                .message = message != NULL ? message : "",
                                .item = json_object_get(json, "Item")};
    return true;
}

/*
 * A cancellation says that nothing was written. But one whose reasons are not those of this request, in number or in
 * kind, or that names none, is perhaps not the answer to it: what was asked may then have been done. So it does not
 * count, and the request is sent again under its token, which does no harm.
 */
bool rows_read_reasons(const struct rows_reply *reply, size_t count, struct rows_reason ret[ROWS_AT_ONCE_MAX])
{
    const json_t *reasons = json_object_get(reply->root, "CancellationReasons");
    bool has_one = false;
    if (strcmp(reply->detail->code, ROWS_CANCELED) != 0 || count > ROWS_AT_ONCE_MAX ||
        json_array_size(reasons) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!read_reason(json_array_get(reasons, i), &ret[i]))
            return false;
        has_one = has_one || ret[i].kind != ROWS_REASON_NONE;
    }
    return has_one;
}

/* A condition that failed, then what no repetition helps against: of two reasons the other would still be there. */
size_t rows_weigh_reasons(const struct rows_reason *reasons, size_t count)
{
    static const int weights[] = {
        [ROWS_REASON_NONE] = 0, [ROWS_REASON_AGAIN] = 1, [ROWS_REASON_REFUSED] = 2, [ROWS_REASON_CONDITION] = 3};
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (weights[reasons[i].kind] > weights[reasons[most].kind])
            most = i;
    return most;
}

enum { REASON_TEXT_SIZE = 512 };

/* "CODE: message. What to do." Returns `ret`. */
static const char *reason_text(const struct rows_reason *reason, char ret[REASON_TEXT_SIZE])
{
    enum { SHOWN_CODE = 60, SHOWN_MESSAGE = 150 };
    struct text message = text_from(reason->message);
    message.len = text_utf8_cut(message, SHOWN_MESSAGE);
    while (message.len > 0 && message.p[message.len - 1] == '.')
        message.len--;
    snprintf(ret, REASON_TEXT_SIZE, "%.*s%s%.*s. %s", (int)text_utf8_cut(text_from(reason->code), SHOWN_CODE),
             reason->code, message.len > 0 ? ": " : "", (int)message.len, message.p, find_meaning(reason->code)->hint);
    return ret;
}

enum table_outcome rows_settle_reason(const struct rows_reply *reply, const struct rows_key *of_item,
                                      const struct rows_reason *reason)
{
    enum { SHOWN_ID = 70 };
    char finding[1024 + SHOWN_ID];
    char key[ROWS_KEY_TEXT_SIZE];
    char text[REASON_TEXT_SIZE];
    const char *id = reply->detail->request_id;
    bool is_refused = reason->kind == ROWS_REASON_REFUSED;
    snprintf(finding, sizeof(finding), "was %s%s, for the item %s in table %.60s%s%.*s%s: %s",
             is_refused ? "refused" : "put off", reply->of.writes ? ", and nothing was written" : "",
             rows_key_text(&of_item->table->keys, of_item->key, key), of_item->table->name,
             id[0] != '\0' ? " (request id " : "", (int)text_utf8_cut(text_from(id), SHOWN_ID), id,
             id[0] != '\0' ? ")" : "", reason_text(reason, text));
    return rows_finding(reply, is_refused ? TABLE_REFUSED : TABLE_THROTTLED, find_meaning(reason->code)->os, finding);
}

enum table_outcome rows_settle_misfit(const struct rows_reply *reply)
{
    char finding[256];
    snprintf(finding, sizeof(finding),
             "was answered with a cancellation whose reasons are not those of this request, or cannot be read. %s",
             reply->of.writes ? "It may have been applied: send it again under its token, or read what is there."
                              : "Ask again.");
    return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, finding);
}

/* -------------------------------------------------------------------------------------------- TransactWriteItems */

/* The item that is in the way of a write; false: the reason is none of this write's. One that cannot be read can be asked
 * for. */
static bool take_item(const struct rows_write *write, struct rows_reason *reason)
{
    os_error fault;
    json_t *item = reason->item;
    reason->item = NULL;
    if (reason->kind != ROWS_REASON_CONDITION)
        return true;
    if (write->condition.count == 0)
        return false;
    if (json_object_size(item) == 0)
        return true;
    enum rows_found found = rows_judge_item_of(item, &write->table->keys, write->item, false, &fault);
    if (found != ROWS_FOUND_ITEM)
        return found != ROWS_FOUND_OTHER_KEY;
    reason->item = item;
    return !condition_holds(&write->condition, item);
}

static bool take_items(const struct rows_transaction *transaction, struct rows_reason *reasons)
{
    for (size_t i = 0; i < transaction->count; i++)
        if (!take_item(&transaction->writes[i], &reasons[i]))
            return false;
    return true;
}

static enum table_outcome conflict_of(const struct rows_reason *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (reasons[i].kind == ROWS_REASON_CONDITION && reasons[i].item == NULL)
            return TABLE_CONFLICT_BLIND;
    return TABLE_CONFLICT;
}

static struct rows_answer answer_of_reason(const struct rows_reason *reason)
{
    static const enum rows_verdict verdicts[] = {[ROWS_REASON_NONE] = ROWS_NOT_IN_THE_WAY,
                                                 [ROWS_REASON_CONDITION] = ROWS_CONDITION_FAILED,
                                                 [ROWS_REASON_AGAIN] = ROWS_PUT_OFF,
                                                 [ROWS_REASON_REFUSED] = ROWS_REFUSED};
    char text[REASON_TEXT_SIZE];
    struct rows_answer answer = {.verdict = verdicts[reason->kind], .item = json_incref(reason->item)};
    if (answer.verdict == ROWS_PUT_OFF || answer.verdict == ROWS_REFUSED) {
        answer.code = find_meaning(reason->code)->os;
        answer.why = strdup(reason_text(reason, text));
    }
    return answer;
}

static enum table_outcome read_cancellation(const struct rows_reply *reply, const struct rows_transaction *transaction,
                                            struct rows_answer *ret_answers)
{
    struct rows_reason reasons[ROWS_AT_ONCE_MAX];
    const size_t count = transaction->count;
    if (!rows_read_reasons(reply, count, reasons) || !take_items(transaction, reasons))
        return rows_settle_misfit(reply);
    for (size_t i = 0; i < count; i++)
        ret_answers[i] = answer_of_reason(&reasons[i]);
    const size_t at = rows_weigh_reasons(reasons, count);
    const struct rows_write *write = &transaction->writes[at];
    if (reasons[at].kind == ROWS_REASON_CONDITION)
        return conflict_of(reasons, count);
    return rows_settle_reason(reply, &(struct rows_key){write->table, write->item}, &reasons[at]);
}

enum table_outcome rows_read_transact_write(const struct http_response *response, const char *where,
                                            const struct rows_transaction *transaction, struct rows_answer *ret_answers,
                                            struct dynamo_error *ret_detail, os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    reply.of = rows_answer_of_transaction("TransactWriteItems", where, true);
    memset(ret_answers, 0, transaction->count * sizeof(*ret_answers));
    enum table_outcome outcome = answer_open(response, &reply.of, &reply.root, ret_detail, err);
    if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, NULL);
    for (size_t i = 0; outcome == TABLE_OK && i < transaction->count; i++)
        ret_answers[i].verdict = ROWS_NOT_IN_THE_WAY;
    if (outcome == TABLE_CONFLICT)
        outcome = read_cancellation(&reply, transaction, ret_answers);
    json_decref(reply.root);
    return outcome;
}
