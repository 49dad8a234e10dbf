/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/contention.h"

#include "sim/canned.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TYPE(name) "com.amazonaws.dynamodb.v20120810#" name

static bool is_of(const struct buf *request, const char *operation)
{
    static const char before[] = "DynamoDB_20120810.";
    const char *target = strstr(buf_str(request), before);
    size_t length = strlen(operation);
    return target != NULL && strncmp(target + strlen(before), operation, length) == 0 &&
           target[strlen(before) + length] == '\r';
}

static bool is_together(const struct buf *request)
{
    return is_of(request, "TransactWriteItems") || is_of(request, "TransactGetItems");
}

bool contention_may_be(const struct buf *request)
{
    return is_together(request) || is_of(request, "PutItem") || is_of(request, "UpdateItem") ||
           is_of(request, "DeleteItem");
}

bool contention_may_be_in_progress(const struct buf *request)
{
    return is_of(request, "TransactWriteItems");
}

static size_t count_of(const struct buf *request)
{
    const char *body = strstr(buf_str(request), "\r\n\r\n");
    json_t *root = body != NULL ? json_loads(body, JSON_ALLOW_NUL, NULL) : NULL;
    size_t count = json_array_size(json_object_get(root, "TransactItems"));
    json_decref(root);
    return count;
}

/* Takes the reference. */
static bool answer(json_t *body, uint64_t now_ms, struct buf *ret)
{
    char *text = json_dumps(body, JSON_COMPACT);
    bool done = text != NULL && canned_dynamo_error(text, now_ms, ret);
    free(text);
    json_decref(body);
    return done;
}

/* Reasons of the others are None (API Reference, TransactWriteItems, "TransactionCanceledException"). */
static json_t *cancelled(size_t count, uint64_t choice)
{
    static const char *const codes[] = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"};
    json_t *reasons = json_array();
    for (size_t i = 0; i < count; i++) {
        bool is_it = i == choice % count;
        json_array_append_new(reasons, is_it ? json_pack("{s:s, s:s}", "Code", codes[choice / count % 3], "Message",
                                                         "Transaction is ongoing for the item")
                                             : json_pack("{s:s}", "Code", "None"));
    }
    return json_pack("{s:s, s:s, s:o}", "__type", TYPE("TransactionCanceledException"), "Message",
                     "Transaction cancelled, please refer cancellation reasons for specific reasons",
                     "CancellationReasons", reasons);
}

bool contention_answer(const struct buf *request, uint64_t choice, uint64_t now_ms, struct buf *ret)
{
    size_t count = is_together(request) ? count_of(request) : 0;
    return answer(count > 0 ? cancelled(count, choice)
                            : json_pack("{s:s, s:s}", "__type", TYPE("TransactionConflictException"), "message",
                                        "Transaction is ongoing for the item"),
                  now_ms, ret);
}

bool contention_denied(uint64_t now_ms, struct buf *ret)
{
    return answer(json_pack("{s:s, s:s}", "__type", "com.amazon.coral.service#AccessDeniedException", "Message",
                            "User: arn:aws:iam::123456789012:user/sim is not authorized to perform this"),
                  now_ms, ret);
}

bool contention_in_progress(uint64_t now_ms, struct buf *ret)
{
    return answer(json_pack("{s:s, s:s}", "__type", TYPE("TransactionInProgressException"), "Message",
                            "The transaction with the given request token is already in progress."),
                  now_ms, ret);
}
