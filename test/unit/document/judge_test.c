/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_judge.h"

#include "document_reading.h"
#include "support/test.h"

#define OURS "ours"

static const struct {
    const char *name;
    int64_t wrote;
    int64_t version; /* found; 0: no item */
    const char *token;
    enum document_standing refused; /* each sending was answered, and the last refused; whatever is promised */
    enum document_standing lost;
    enum document_standing lost_never_deleted;
} findings[] = {
    {"what we wrote", 5, 5, OURS, DOCUMENT_OURS, DOCUMENT_OURS, DOCUMENT_OURS},
    {"our version of another", 5, 5, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"our version with a token as long as ours", 5, 5, "ourz", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"our version without a token", 5, 5, NULL, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"our version with a token that begins like ours", 5, 5, OURS "x", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN,
     DOCUMENT_CONFLICT},
    {"the version before", 5, 4, "theirs", DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
    {"the version before with our token", 5, 4, OURS, DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
    {"a later version", 5, 6, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"a later version with our token", 5, 6, OURS, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"an older version", 5, 3, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"no document", 5, 0, NULL, DOCUMENT_ABSENT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"a new document of ours", 1, 1, OURS, DOCUMENT_OURS, DOCUMENT_OURS, DOCUMENT_OURS},
    {"a new document of another", 1, 1, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"a document that others have changed or made", 1, 2, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN,
     DOCUMENT_UNKNOWN},
    /* Ours may have been there, and another may have seen and deleted it: sent again, it would be there twice. */
    {"no document where none is expected", 1, 0, NULL, DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
};

TEST_ROWS(findings, what_is_found_is_judged_by_what_is_known)
{
    const struct document_mark wrote = {.version = row->wrote, .client_token = text_from(OURS)};
    const enum document_standing wanted[] = {row->refused, row->lost, row->refused, row->lost_never_deleted};
    json_t *found = row->version != 0 ? reading_item(row->version, row->token) : NULL;
    for (unsigned i = 0; i < 4; i++) {
        int64_t version = -1;
        const struct document_sending sending = {.is_answer_lost = i % 2 == 1, .is_never_deleted = i / 2 == 1};
        assert_int_equal(document_judge(found, &wrote, sending, &version), wanted[i]);
        assert_int_equal(version, row->version);
    }
    json_decref(found);
}

TEST(a_write_without_a_token_is_never_taken_for_ours)
{
    int64_t version;
    json_t *found = reading_item(5, NULL);
    const struct document_mark wrote = {.version = 5};
    assert_int_equal(document_judge(found, &wrote, (struct document_sending){.is_answer_lost = true}, &version),
                     DOCUMENT_UNKNOWN);
    json_decref(found);
}

TEST(what_is_found_is_judged_in_the_spelling_of_what_was_written)
{
    static const char *const items[] = {"{'version':{'N':'5'},'clientToken':{'S':'ours'}}",
                                        "{'Version':{'N':'5'},'ClientToken':{'S':'ours'}}"};
    for (int found = 0; found < 2; found++)
        for (int spelling = DOCUMENT_TAGS; spelling <= DOCUMENT_FIELDS; spelling++) {
            int64_t version;
            json_t *item = reading_json(items[found]);
            const struct document_mark wrote = {5, text_from(OURS), (enum document_spelling)spelling};
            assert_int_equal(document_judge(item, &wrote,
                                            (struct document_sending){.is_answer_lost = true, .is_never_deleted = true},
                                            &version),
                             found == spelling ? DOCUMENT_OURS : DOCUMENT_UNREADABLE);
            json_decref(item);
        }
}

static const struct {
    const char *name;
} strangers[] = {
    {"{}"},
    {"{'version':{'S':'5'},'clientToken':{'S':'ours'}}"},
    {"{'Version':{'N':'5'},'ClientToken':{'S':'ours'}}"},
    {"{'version':{'N':'5'},'Version':{'N':'5'},'clientToken':{'S':'ours'}}"},
    {"{'version':{'N':'5'},'clientToken':{'B':''}}"},
};

TEST_ROWS(strangers, what_is_no_document_is_unreadable)
{
    const struct document_mark wrote = {.version = 5, .client_token = text_from(OURS)};
    json_t *found = reading_json(row->name);
    for (unsigned i = 0; i < 4; i++) {
        int64_t version = -1;
        const struct document_sending sending = {.is_answer_lost = i % 2 == 1, .is_never_deleted = i / 2 == 1};
        assert_int_equal(document_judge(found, &wrote, sending, &version), DOCUMENT_UNREADABLE);
        assert_int_equal(version, 0);
    }
    json_decref(found);
}

/* What is found after a delete, at version 5 or of whatever is there. */
static const struct {
    const char *name;
    int64_t wanted;
    int64_t version; /* found; 0: no item */
    enum document_standing refused;
    enum document_standing lost;
    enum document_standing lost_never_created_again;
} remains[] = {
    {"no document", 5, 0, DOCUMENT_ABSENT, DOCUMENT_GONE, DOCUMENT_GONE},
    {"what is to be deleted", 5, 5, DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
    {"an older version", 5, 4, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"a later version", 5, 6, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"no document, whatever was there", 0, 0, DOCUMENT_ABSENT, DOCUMENT_GONE, DOCUMENT_GONE},
    {"a document, whatever was there", 0, 6, DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
};

TEST_ROWS(remains, what_is_found_after_a_delete_is_judged_by_what_is_known)
{
    const enum document_standing wanted[] = {row->refused, row->lost, row->refused, row->lost_never_created_again};
    json_t *found = row->version != 0 ? reading_item(row->version, OURS) : NULL;
    for (unsigned i = 0; i < 8; i++) {
        int64_t version = -1;
        const struct document_sending sending = {
            .is_answer_lost = i % 2 == 1, .is_never_created_again = i / 2 % 2 == 1, .is_never_deleted = i / 4 == 1};
        assert_int_equal(document_judge_delete(found, row->wanted, DOCUMENT_TAGS, sending, &version), wanted[i % 4]);
        assert_int_equal(version, row->version);
    }
    json_decref(found);
}

TEST_ROWS(strangers, what_is_no_document_is_unreadable_after_a_delete_too)
{
    json_t *found = reading_json(row->name);
    for (unsigned i = 0; i < 8; i++) {
        int64_t version = -1;
        const struct document_sending sending = {.is_answer_lost = i % 2 == 1,
                                                 .is_never_created_again = i / 2 % 2 == 1};
        assert_int_equal(document_judge_delete(found, i / 4 == 1 ? 5 : 0, DOCUMENT_TAGS, sending, &version),
                         DOCUMENT_UNREADABLE);
        assert_int_equal(version, 0);
    }
    json_decref(found);
}

TEST(a_transaction_is_applied_to_both_or_to_none)
{
    assert_int_equal(document_judge_both(DOCUMENT_OURS, DOCUMENT_UNKNOWN), DOCUMENT_OURS);
    assert_int_equal(document_judge_both(DOCUMENT_UNREADABLE, DOCUMENT_OURS), DOCUMENT_OURS);
    assert_int_equal(document_judge_both(DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT), DOCUMENT_CONFLICT);
    assert_int_equal(document_judge_both(DOCUMENT_UNCHANGED, DOCUMENT_ABSENT), DOCUMENT_ABSENT);
    assert_int_equal(document_judge_both(DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN), DOCUMENT_UNKNOWN);
    assert_int_equal(document_judge_both(DOCUMENT_UNREADABLE, DOCUMENT_UNCHANGED), DOCUMENT_UNREADABLE);
    assert_int_equal(document_judge_both(DOCUMENT_UNCHANGED, DOCUMENT_UNCHANGED), DOCUMENT_UNCHANGED);
}
