/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_write.h"

#include "document/document_judge.h"
#include "document_reading.h"
#include "support/test.h"

#include <string.h>

#define RANDOM                                                                                         \
    {                                                                                                  \
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef \
    }
#define RANDOM_TEXT "0123456789abcdef0123456789abcdef"

/* ---------------------------------------------------------------------------------------------------------- the write */

struct making {
    struct document_wish wish;
    json_t *model;
    struct document_write write;
    os_error err;
};

static void making_set_up(struct making *making)
{
    making->model = reading_json("{'on':true}");
    making->wish = (struct document_wish){
        .key = reading_key(DOCUMENT_REPORTED), .timestamp_ns = 5, .reported = making->model, .random = RANDOM};
}

static void making_tear_down(struct making *making)
{
    document_write_free(&making->write);
    json_decref(making->model);
}

static os_code make(struct making *making)
{
    document_write_free(&making->write);
    return document_write_make(&making->wish, &making->write, &making->err);
}

static bool holds(const struct making *making, const json_t *found)
{
    const struct condition condition = document_condition_terms(&making->write.condition);
    assert_int_equal(condition_check(&condition, NULL), OS_OK);
    return condition_holds(&condition, found);
}

static void assert_refused(struct making *making, const char *part)
{
    assert_int_equal(make(making), OS_ERR_ARGUMENT);
    assert_null(making->write.item);
    if (strstr(making->err.message, part) == NULL)
        fail_msg("%s", making->err.message);
}

TEST_WITH(making, a_new_document_has_version_1_where_no_item_is)
{
    json_t *wanted = reading_json("{'PK':{'S':'DS#device-1'},'SK':{'S':'DSR#shadow'},'version':{'N':'1'},"
                                  "'timestamp':{'N':'5'},'clientToken':{'S':'" RANDOM_TEXT
                                  "'},'reported':{'M':{'on':{'BOOL':true}}}}");
    json_t *any = reading_json("{'PK':{'S':'DS#device-1'},'SK':{'S':'DSR#shadow'}}");
    assert_int_equal(make(making), OS_OK);
    assert_true(json_equal(making->write.item, wanted));
    assert_true(holds(making, NULL));
    assert_false(holds(making, any));
    json_decref(wanted);
    json_decref(any);
}

TEST_WITH(making, a_document_has_the_next_version_where_the_one_before_is)
{
    json_t *before = reading_item(INT64_MAX - 1, "me");
    json_t *other = reading_item(INT64_MAX - 2, "me");
    json_t *bare = reading_json("{'PK':{'S':'DS#device-1'},'SK':{'S':'DSR#shadow'}}");
    making->wish.version = INT64_MAX - 1;
    assert_int_equal(make(making), OS_OK);
    assert_int_equal(document_write_mark(&making->write).version, INT64_MAX);
    assert_true(holds(making, before));
    assert_false(holds(making, other));
    assert_false(holds(making, bare));
    assert_false(holds(making, NULL));
    json_decref(before);
    json_decref(other);
    json_decref(bare);
}

TEST_WITH(making, a_write_by_fields_has_them_all)
{
    json_t *wanted = reading_json("{'PK':{'S':'DS#device-1'},'SK':{'S':'DSR#shadow'},'Version':{'N':'5'},"
                                  "'TimeStamp':{'N':'5'},'ClientToken':{'S':'" RANDOM_TEXT
                                  "'},'Desired':{'NULL':true},'Reported':{'M':{'on':{'BOOL':true}}}}");
    making->wish.spelling = DOCUMENT_FIELDS;
    making->wish.version = 4;
    assert_int_equal(make(making), OS_OK);
    assert_true(json_equal(making->write.item, wanted));
    const struct document_mark mark = document_write_mark(&making->write);
    assert_int_equal(mark.version, 5);
    assert_true(text_is(mark.client_token, RANDOM_TEXT));
    assert_int_equal(mark.spelling, DOCUMENT_FIELDS);
    json_decref(wanted);
}

static const struct {
    const char *name; /* attributes */
    enum document_spelling spelling;
    bool is_written;
} spelled[] = {
    {"{'version':{'N':'4'}}", DOCUMENT_TAGS, true},
    {"{'version':{'N':'4'},'Desired':{'S':''}}", DOCUMENT_TAGS, true},
    {"{'Version':{'N':'4'}}", DOCUMENT_TAGS, false},
    {"{'version':{'N':'4'},'Version':{'N':'4'}}", DOCUMENT_TAGS, false},
    {"{'version':{'N':'4'},'Version':{'NULL':true}}", DOCUMENT_TAGS, false},
    {"{'Version':{'N':'4'}}", DOCUMENT_FIELDS, true},
    {"{'version':{'N':'4'}}", DOCUMENT_FIELDS, false},
    {"{'version':{'N':'4'},'Version':{'N':'4'}}", DOCUMENT_FIELDS, false},
};

TEST_ROWS(spelled, a_document_of_the_other_spelling_is_not_written_over)
{
    struct making making;
    memset(&making, 0, sizeof(making));
    making_set_up(&making);
    json_t *found = reading_json(row->name);
    json_t *key;
    assert_int_equal(document_key_attributes(&making.wish.key, &key, NULL), OS_OK);
    json_object_update(found, key);
    making.wish.spelling = row->spelling;
    for (making.wish.version = 0; making.wish.version < 6; making.wish.version++) {
        assert_int_equal(make(&making), OS_OK);
        assert_int_equal(holds(&making, found), row->is_written && making.wish.version == 4);
    }
    json_decref(key);
    json_decref(found);
    making_tear_down(&making);
}

TEST_WITH(making, a_version_without_a_next_one_is_refused)
{
    making->wish.version = INT64_MAX;
    assert_refused(making, "The version of the document is 9223372036854775807.");
    making->wish.version = -1;
    assert_refused(making, "The version of the document is -1.");
}

TEST_WITH(making, each_kind_takes_its_models_and_no_others)
{
    static const struct {
        enum document_kind kind;
        bool has_desired;
        bool has_reported;
        const char *fault;
    } rows[] = {
        {DOCUMENT_REPORTED, false, true, NULL},
        {DOCUMENT_DESIRED, true, false, NULL},
        {DOCUMENT_COMBINED, true, true, NULL},
        {DOCUMENT_REPORTED, true, true, "The item of a reported model takes this model and no other"},
        {DOCUMENT_REPORTED, false, false, "The item of a reported model"},
        {DOCUMENT_DESIRED, false, true, "The item of a desired model"},
        {DOCUMENT_COMBINED, true, false, "both models, and the reported one is missing"},
        {DOCUMENT_COMBINED, false, true, "both models, and the desired one is missing"},
        {DOCUMENT_COMBINED, false, false, "both models, and the desired and the reported one is missing"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int is_null = 0; is_null < 2; is_null++) { /* JSON's null, and none, are the same */
            const json_t *none = is_null == 1 ? json_null() : NULL;
            making->wish.key.kind = rows[i].kind;
            making->wish.desired = rows[i].has_desired ? making->model : none;
            making->wish.reported = rows[i].has_reported ? making->model : none;
            if (rows[i].fault != NULL)
                assert_refused(making, rows[i].fault);
            else
                assert_int_equal(make(making), OS_OK);
        }
}

TEST_WITH(making, a_token_of_the_caller_stands_before_the_random_one)
{
    making->wish.client_token = text_from("lamp #7");
    assert_int_equal(make(making), OS_OK);
    assert_true(text_is(document_write_mark(&making->write).client_token, "lamp #7#" RANDOM_TEXT));
}

TEST_WITH(making, what_no_token_can_have_is_refused)
{
    char longest[129];
    memset(longest, 'x', sizeof(longest));
    making->wish.client_token = text_of(longest, 128);
    assert_int_equal(make(making), OS_OK);
    assert_int_equal(document_write_mark(&making->write).client_token.len, 128 + 1 + 32);
    making->wish.client_token = text_of(longest, 129);
    assert_refused(making, "The client token has 129 bytes; it takes at most 128");
    making->wish.client_token = text_of("a\0", 2);
    assert_refused(making, "without a NUL");
    making->wish.client_token = text_from("\xff");
    assert_refused(making, "UTF-8");
}

/* Two processes of one client, with one token, from one version: the one that lost must not take the other's for its own. */
TEST_WITH(making, a_token_that_is_used_again_makes_no_foreign_write_ours)
{
    struct document_write other;
    int64_t version;
    const struct document_sending lost = {.is_answer_lost = true, .is_never_deleted = true};
    making->wish.client_token = text_from("client");
    assert_int_equal(make(making), OS_OK);
    making->wish.random[15] ^= 1;
    assert_int_equal(document_write_make(&making->wish, &other, NULL), OS_OK);
    const struct document_mark wrote = document_write_mark(&making->write);
    assert_int_equal(document_judge(making->write.item, &wrote, lost, &version), DOCUMENT_OURS);
    assert_int_equal(document_judge(other.item, &wrote, lost, &version), DOCUMENT_CONFLICT);
    document_write_free(&other);
}
