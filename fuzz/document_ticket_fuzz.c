/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ticket of a document's write (W9), in a store of each spelling. What is read is about one or two items that are documents', can be asked
 * for, and is written and read again as the same. What it makes of any item that is there is true: only an item with its version
 * and token is committed, and without a promise nothing is a conflict.
 */
#include "fuzz.h"

#include "client/client.h"
#include "persistence/writing.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static os_client client = {
    .settings = {.ledger_scheme = SETTINGS_DYNAMODB,
                 .table = (char *)"table",
                 .dynamodb_endpoint = {.host = "host:1", .region = "region"}},
};

static void begin_call(enum document_spelling spelling, bool keeps_all, struct persistence *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->client = &client;
    ret->store.table = (struct rows_table){.name = "table", .keys = {DOCUMENT_PARTITION, DOCUMENT_SORT}};
    ret->store.spelling = spelling;
    ret->store.keeps_all = keeps_all;
}

/* ------------------------------------------------------------------------------------------------ again */

static void check_same(const struct written *a, const struct written *b)
{
    FUZZ_CHECK(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct document_mark *x = &a->items[i].mark;
        const struct document_mark *y = &b->items[i].mark;
        FUZZ_CHECK(json_equal(a->items[i].key, b->items[i].key) == 1 && a->items[i].kind == b->items[i].kind);
        FUZZ_CHECK(x->version == y->version && x->spelling == y->spelling);
        FUZZ_CHECK(x->client_token.len == y->client_token.len &&
                   memcmp(x->client_token.p, y->client_token.p, x->client_token.len) == 0);
    }
}

static void check_again(const struct persistence *call, const struct written *written)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    struct written again;
    json_t *root;
    os_error err;

    writing_add_ticket(call, written, &result);
    FUZZ_CHECK(result.ticket != NULL && strpbrk(result.ticket, "\r\n") == NULL);
    FUZZ_CHECK(writing_read_ticket(call, result.ticket, &again, &root, &err) == OS_OK);
    check_same(written, &again);
    written_free(&again);
    json_decref(root);
    free(result.ticket);
}

/* ------------------------------------------------------------------------------------------------ looks */

/* A document as it would be found: with the token, or with another one. */
static json_t *item_of(const struct written_item *item, int64_t version, bool has_token)
{
    struct document_key key;
    struct document document = {
        .version = version,
        .client_token = has_token ? json_stringn(item->mark.client_token.p, item->mark.client_token.len) : NULL};
    json_t *ret = NULL;
    FUZZ_CHECK(document_key_read(item->key, &key));
    FUZZ_CHECK(document_to_item(&key, &document, item->mark.spelling, &ret, NULL) == OS_OK);
    json_decref(document.client_token);
    return ret;
}

static os_verdict judge(const struct persistence *call, const struct written *written, json_t *const found[2])
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_error none = {.code = OS_OK};
    writing_judge(&call->store, written, found, &none, &result);
    fuzz_check_error(result.error.code, &result.error);
    FUZZ_CHECK((result.verdict == OS_COMMITTED) == (result.error.code == OS_OK));
    return result.verdict;
}

/* One item as it is to be found, and nothing where the other one should be. */
static os_verdict judge_one(const struct persistence *call, const struct written *written, int64_t version,
                            bool has_token)
{
    json_t *found[2] = {item_of(&written->items[0], version, has_token), NULL};
    os_verdict verdict = judge(call, written, found);
    json_decref(found[0]);
    return verdict;
}

static void check_looks(const struct persistence *call, const struct written *written)
{
    const struct document_mark *mark = &written->items[0].mark;
    os_verdict of_another = call->store.keeps_all ? OS_CONFLICT : OS_UNKNOWN;
    json_t *const nothing[2] = {NULL, NULL};

    FUZZ_CHECK(judge(call, written, nothing) == OS_UNKNOWN);
    FUZZ_CHECK(judge_one(call, written, mark->version, true) == OS_COMMITTED);
    FUZZ_CHECK(judge_one(call, written, mark->version, false) == of_another);
    if (mark->version < INT64_MAX)
        FUZZ_CHECK(judge_one(call, written, mark->version + 1, true) == OS_UNKNOWN);
}

static void check_request(const struct persistence *call, const struct written *written)
{
    struct rows_get gets[2];
    struct row_request request;
    writing_make_look(&call->store, written, gets, &request);
    FUZZ_CHECK(request.get_count == written->count && !request.is_snapshot);
    FUZZ_CHECK(rows_check_gets(request.gets, request.get_count, NULL) == OS_OK);
}

static void check_ticket(const char *text, enum document_spelling spelling, bool keeps_all)
{
    struct persistence call;
    struct written written;
    json_t *root = NULL;
    os_error err = {.code = OS_OK};

    begin_call(spelling, keeps_all, &call);
    os_code code = writing_read_ticket(&call, text, &written, &root, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_ARGUMENT);
    if (code == OS_OK) {
        FUZZ_CHECK(written.count >= 1 && written.count <= 2 && !written.is_deletion);
        check_request(&call, &written);
        check_looks(&call, &written);
        check_again(&call, &written);
    }
    written_free(&written);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    for (unsigned i = 0; i < 4; i++)
        check_ticket(text, i % 2 == 0 ? DOCUMENT_TAGS : DOCUMENT_FIELDS, i / 2 == 1);
    free(text);
    return 0;
}
