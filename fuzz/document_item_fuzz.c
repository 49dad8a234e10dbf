/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item of any attributes, read as a document of both spellings: it is none, with a sentence, or it is written as an item that DynamoDB takes,
 * and read again as the same. Found in the way of a write it is judged the same each time, and ours only by version and token.
 */
#include "fuzz.h"

#include "attribute/check.h"
#include "attribute/condition.h"
#include "document/document_delete.h"
#include "document/document_judge.h"
#include "document/document_list.h"
#include "document/document_write.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static bool same(const json_t *a, const json_t *b)
{
    return (a == NULL && b == NULL) || json_equal(a, b) == 1;
}

static void check_same(const struct document *a, const struct document *b)
{
    FUZZ_CHECK(a->version == b->version && a->timestamp_ns == b->timestamp_ns);
    FUZZ_CHECK(same(a->client_token, b->client_token) && same(a->desired, b->desired) &&
               same(a->reported, b->reported));
}

static struct document_key key_of(const json_t *item)
{
    struct document_key key = {text_from("id"), text_from("name"), DOCUMENT_COMBINED};
    (void)document_key_read(item, &key);
    return key;
}

static void check_again(const struct document_key *key, const struct document *document,
                        enum document_spelling spelling)
{
    json_t *item;
    struct document again;
    struct document_key read;
    os_error err = {.code = OS_OK};
    os_code code = document_to_item(key, document, spelling, &item, &err);
    fuzz_check_error(code, &err);
    if (code == OS_ERR_TOO_LARGE) /* "1E125" is shorter than its number, and the key may be another */
        return;
    FUZZ_CHECK(code == OS_OK && item_check(item, NULL) == OS_OK);
    FUZZ_CHECK(document_key_read(item, &read) && read.kind == key->kind);
    FUZZ_CHECK(document_from_item(item, document_spelling_other(spelling), &again, NULL) == OS_ERR_PROTOCOL);
    FUZZ_CHECK(document_from_item(item, spelling, &again, NULL) == OS_OK);
    check_same(document, &again);
    document_free(&again);
    json_decref(item);
}

/* Whoever wrote this, and whoever wanted the same version with another token. */
static void check_judgement(const json_t *item, const struct document_mark *mark)
{
    int64_t version;
    const struct document_mark other = {mark->version, text_from("#0"), mark->spelling};
    bool is_other = mark->client_token.len != 2 || memcmp(mark->client_token.p, "#0", 2) != 0;
    for (unsigned i = 0; i < 4; i++) {
        const struct document_sending sending = {.is_answer_lost = i % 2 == 1, .is_never_deleted = i / 2 == 1};
        enum document_standing standing = document_judge(item, mark, sending, &version);
        FUZZ_CHECK(version == mark->version && (standing == DOCUMENT_OURS) == (mark->client_token.len > 0));
        standing = document_judge(item, &other, sending, &version);
        if (is_other)
            FUZZ_CHECK(standing == (i == 1 ? DOCUMENT_UNKNOWN : DOCUMENT_CONFLICT));
    }
}

/* The next version over the one that is there. */
static void check_write(const struct document_key *key, const struct document *document,
                        enum document_spelling spelling, const json_t *item)
{
    struct document_write write;
    const struct document_wish wish = {.key = *key,
                                       .spelling = spelling,
                                       .version = document->version,
                                       .desired = key->kind != DOCUMENT_REPORTED ? document->desired : NULL,
                                       .reported = key->kind != DOCUMENT_DESIRED ? document->reported : NULL};
    os_error err = {.code = OS_OK};
    os_code code = document_write_make(&wish, &write, &err);
    fuzz_check_error(code, &err);
    if (code != OS_OK)
        return;
    const struct condition condition = document_condition_terms(&write.condition);
    const struct document_mark mark = document_write_mark(&write);
    FUZZ_CHECK(condition_check(&condition, NULL) == OS_OK && condition_holds(&condition, item));
    FUZZ_CHECK(mark.version == document->version + 1 && !condition_holds(&condition, write.item));
    check_judgement(write.item, &mark);
    document_write_free(&write);
}

/* At the version that is there, and of whatever is there: the other spelling would delete neither. */
static void check_delete(const struct document_key *key, const struct document_mark *mark, const json_t *item)
{
    for (int any = 0; any < 2; any++) {
        int64_t version;
        struct document_delete deletion;
        int64_t wanted = any == 1 ? 0 : mark->version;
        FUZZ_CHECK(document_delete_make(key, mark->spelling, wanted, &deletion, NULL) == OS_OK);
        struct condition condition = document_condition_terms(&deletion.condition);
        FUZZ_CHECK(condition_check(&condition, NULL) == OS_OK && condition_holds(&condition, item));
        document_delete_free(&deletion);
        FUZZ_CHECK(document_delete_make(key, document_spelling_other(mark->spelling), wanted, &deletion, NULL) ==
                   OS_OK);
        condition = document_condition_terms(&deletion.condition);
        FUZZ_CHECK(!condition_holds(&condition, item));
        document_delete_free(&deletion);
        FUZZ_CHECK(document_judge_delete(item, wanted, mark->spelling,
                                         (struct document_sending){.is_answer_lost = false},
                                         &version) == DOCUMENT_UNCHANGED);
        FUZZ_CHECK(version == mark->version);
    }
}

/* A listing says of an item what the reading of its mark says. */
static void check_entry(const json_t *item, enum document_spelling spelling, os_code mark_code)
{
    struct document_key key;
    struct document_entry entry;
    os_error err = {.code = OS_OK};
    os_code code = document_entry_read(item, spelling, &entry, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(document_key_read(item, &key) == (entry.key.kind != 0));
    FUZZ_CHECK(code == OS_OK ? entry.key.kind == 0 || mark_code == OS_OK : entry.key.kind != 0);
}

/* Whether it is a document of this spelling: no item is one of both. */
static bool check_item(const json_t *item, enum document_spelling spelling)
{
    struct document document;
    struct document_mark mark;
    const struct document_key key = key_of(item);
    os_error err = {.code = OS_OK};
    os_code code = document_mark_read(item, spelling, &mark, &err);
    fuzz_check_error(code, &err);
    check_entry(item, spelling, code);
    if (code == OS_OK) {
        check_judgement(item, &mark);
        check_delete(&key, &mark, item);
    }
    err = (os_error){.code = OS_OK};
    os_code read = document_from_item(item, spelling, &document, &err);
    fuzz_check_error(read, &err);
    FUZZ_CHECK(code == OS_OK || read != OS_OK);
    if (read != OS_OK)
        return code == OS_OK;
    check_again(&key, &document, spelling);
    check_write(&key, &document, spelling, item);
    document_free(&document);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    json_t *item = json_read(text, size);
    free(text);
    if (item != NULL && item_check(item, NULL) == OS_OK) {
        bool is_by_tags = check_item(item, DOCUMENT_TAGS);
        bool is_by_fields = check_item(item, DOCUMENT_FIELDS);
        FUZZ_CHECK(!(is_by_tags && is_by_fields));
    }
    json_decref(item);
    return 0;
}
