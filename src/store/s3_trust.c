/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an answer is the store's (E9). A store that puts a mark on its answers shows it with the first of them. That
 * another does not is believed only by what no ingress can give: GET of a key that is nowhere, with a new random name,
 * is answered by an error document of S3's, and without a mark. What came meanwhile waits for that; the bytes of an
 * object are not taken until then, and asked for once more.
 */
#include "base/random.h"
#include "base/text.h"
#include "store/s3_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void s3_store_end_doubt(struct store_op *op)
{
    if (op->held == NULL)
        return;
    http_response_free(&op->held->response);
    free(op->held->question_key);
    free(op->held);
    op->held = NULL;
}

static int s3_trust_take_nothing(void *context, const void *data, size_t length)
{
    (void)context;
    (void)data;
    (void)length;
    return 1;
}

static bool is_doubted(const struct store_op *op)
{
    return op->get && op->get->doubted;
}

static void told(void *context, const struct store_answer *answer)
{
    struct store_op *op = context;
    struct s3_store *store = op->store;
    op->question = NULL;
    bool says_s3 = answer->complete && s3_status_is_definite(answer->status) && answer->service.code[0] != '\0';
    if (store->marks == STORE_MARKS_UNKNOWN && says_s3) /* with a mark it has taught already */
        store->marks = STORE_MARKS_NONE;
    bool the_stores = is_doubted(op) && store->marks == STORE_MARKS_NONE;
    op->trusted(op, the_stores);
}

static bool s3_trust_hold(struct store_op *op, const struct http_result *result)
{
    s3_store_end_doubt(op);
    struct s3_store_held *held = calloc(1, sizeof(*held));
    if (held == NULL)
        return false;
    op->held = held;
    held->result = *result;
    held->result.response = &held->response;
    http_response_init(&held->response, result->response->body.len);
    return http_response_copy(result->response, &held->response);
}

static bool s3_trust_ask(struct store_op *op)
{
    unsigned char random[8];
    char hex[2 * sizeof(random) + 1];
    size_t size = sizeof(STORE_NOWHERE) + sizeof(hex);
    char *key = op->held->question_key = malloc(size);
    if (key == NULL || !random_bytes(random, sizeof(random)))
        return false;
    text_hex(random, sizeof(random), hex);
    snprintf(key, size, STORE_NOWHERE "%s", hex);
    struct clock_reading now;
    clock_read(&now);
    uint64_t until_ms = now.monotonic_ms + op->store->stall_ms;
    uint64_t given_ms = op->request.deadline_monotonic_ms;
    struct store_request request = {
        .verb = STORE_GET,
        .key = key,
        .sink = s3_trust_take_nothing,
        .deadline_monotonic_ms = given_ms > 0 && given_ms < until_ms ? given_ms : until_ms,
    };
    op->question = op->store->store.vtable->start(&op->store->store, &request, told, op);
    if (op->question)
        op->question->is_question = true;
    return op->question != NULL;
}

bool s3_store_doubts(struct store_op *op, const struct http_result *result)
{
    struct s3_store *store = op->store;
    const struct http_response *response = result->response;
    if (response == NULL || response->status == 0 || store->marks != STORE_MARKS_UNKNOWN)
        return false;
    if (s3_mark_of(response) != S3_MARK_NONE) {
        store->marks = STORE_MARKS_ALL;
        return false;
    }
    bool ended = result->code == OS_OK || is_doubted(op);
    bool decides = ended && s3_status_is_definite(response->status);
    return !op->is_question && decides && s3_trust_hold(op, result) && s3_trust_ask(op);
}
