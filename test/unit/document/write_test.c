/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_write.h"

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

/* ---------------------------------------------------------------------------------------------------------- judgement */

#define OURS "ours"

/* We wrote version 5 with our token. */
static const struct {
    const char *name;
    int64_t version; /* found; 0: no item */
    const char *token;
    enum document_standing refused; /* each sending was answered, and the last refused */
    enum document_standing lost;
    enum document_standing lost_never_deleted;
} findings[] = {
    {"what we wrote", 5, OURS, DOCUMENT_OURS, DOCUMENT_OURS, DOCUMENT_OURS},
    {"our version of another", 5, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"our version without a token", 5, NULL, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_CONFLICT},
    {"our version with a token that begins like ours", 5, OURS "x", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN,
     DOCUMENT_CONFLICT},
    {"the version before", 4, "theirs", DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
    {"the version before with our token", 4, OURS, DOCUMENT_UNCHANGED, DOCUMENT_UNKNOWN, DOCUMENT_UNCHANGED},
    {"a later version", 6, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"a later version with our token", 6, OURS, DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"an older version", 3, "theirs", DOCUMENT_CONFLICT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
    {"no document", 0, NULL, DOCUMENT_ABSENT, DOCUMENT_UNKNOWN, DOCUMENT_UNKNOWN},
};

TEST_ROWS(findings, what_is_found_is_judged_by_what_is_known)
{
    const struct document_mark wrote = {.version = 5, .client_token = text_from(OURS)};
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

/* A new document: version 1. Nothing there is what the write expects. */
TEST(a_new_document_is_expected_where_none_is)
{
    int64_t version;
    const struct document_mark wrote = {.version = 1, .client_token = text_from(OURS)};
    assert_int_equal(document_judge(NULL, &wrote, (struct document_sending){false, false}, &version),
                     DOCUMENT_UNCHANGED);
    assert_int_equal(document_judge(NULL, &wrote, (struct document_sending){true, true}, &version), DOCUMENT_UNCHANGED);
    /* Ours may have been there, and another may have seen and deleted it: sent again, it would be there twice. */
    assert_int_equal(document_judge(NULL, &wrote, (struct document_sending){true, false}, &version), DOCUMENT_UNKNOWN);
}

TEST(a_write_without_a_token_is_never_taken_for_ours)
{
    int64_t version;
    json_t *found = reading_item(5, NULL);
    const struct document_mark wrote = {.version = 5};
    assert_int_equal(document_judge(found, &wrote, (struct document_sending){true, false}, &version), DOCUMENT_UNKNOWN);
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
            assert_int_equal(document_judge(item, &wrote, (struct document_sending){true, true}, &version),
                             found == spelling ? DOCUMENT_OURS : DOCUMENT_UNREADABLE);
            json_decref(item);
        }
}

TEST(what_is_no_document_is_unreadable)
{
    static const char *const items[] = {"{}", "{'version':{'S':'5'},'clientToken':{'S':'ours'}}",
                                        "{'Version':{'N':'5'},'ClientToken':{'S':'ours'}}",
                                        "{'version':{'N':'5'},'clientToken':{'B':''}}"};
    const struct document_mark wrote = {.version = 5, .client_token = text_from(OURS)};
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        int64_t version = -1;
        json_t *found = reading_json(items[i]);
        assert_int_equal(document_judge(found, &wrote, (struct document_sending){false, false}, &version),
                         DOCUMENT_UNREADABLE);
        assert_int_equal(version, 0);
        json_decref(found);
    }
}

/* --------------------------------------------------------------------------------------------------- schedules of writers */

/*
 * Every schedule of six steps on one item, by us and by others: our sendings, of which answers are lost or arrive late, writes
 * of others on the version that is there, and deletions. At its end we look. Whatever is said must be true.
 */
enum step { STEP_SEND_APPLY, STEP_SEND_DROP, STEP_OTHER_WRITES, STEP_OTHER_DELETES, STEP_COUNT };
enum { STEPS = 6 };

struct world {
    int64_t base;
    int64_t version; /* 0: no document */
    bool is_ours;    /* what is there */
    unsigned applied;
    bool is_answer_lost;
    bool was_deleted;
};

static void step(struct world *world, enum step step)
{
    switch (step) {
    case STEP_SEND_APPLY: /* it arrives; the answer does not */
        world->is_answer_lost = true;
        if (world->version == world->base) {
            world->version++;
            world->is_ours = true;
            world->applied++;
        }
        break;
    case STEP_SEND_DROP: world->is_answer_lost = true; break;
    case STEP_OTHER_WRITES:
        world->version++;
        world->is_ours = false;
        break;
    case STEP_OTHER_DELETES:
        world->was_deleted = true;
        world->version = 0;
        world->is_ours = false;
        break;
    case STEP_COUNT: break;
    }
}

static void look(const struct world *world, bool is_never_deleted)
{
    int64_t version;
    const struct document_mark wrote = {.version = world->base + 1, .client_token = text_from(OURS)};
    const struct document_sending sending = {world->is_answer_lost, is_never_deleted};
    json_t *found = world->version != 0 ? reading_item(world->version, world->is_ours ? OURS : "theirs") : NULL;
    enum document_standing standing = document_judge(found, &wrote, sending, &version);
    if (standing == DOCUMENT_OURS)
        assert_true(world->applied > 0);
    if (standing == DOCUMENT_CONFLICT || standing == DOCUMENT_ABSENT || standing == DOCUMENT_UNCHANGED)
        assert_int_equal(world->applied, 0);
    if (standing == DOCUMENT_UNCHANGED)
        assert_int_equal(world->version, world->base);
    if ((standing == DOCUMENT_CONFLICT || standing == DOCUMENT_ABSENT) && is_never_deleted)
        assert_true(world->version > world->base); /* no copy in flight can be applied any more */
    json_decref(found);
}

TEST(nothing_is_said_that_is_not_true)
{
    unsigned schedules = 1;
    for (unsigned i = 0; i < STEPS; i++)
        schedules *= STEP_COUNT;
    for (int64_t base = 0; base < 3; base++)
        for (unsigned schedule = 0; schedule < schedules; schedule++) {
            struct world world = {.base = base, .version = base};
            unsigned left = schedule;
            for (unsigned i = 0; i < STEPS; i++, left /= STEP_COUNT)
                step(&world, (enum step)(left % STEP_COUNT));
            if (!world.is_answer_lost)
                continue;
            look(&world, false);
            if (!world.was_deleted)
                look(&world, true);
        }
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
