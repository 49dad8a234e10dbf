/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_delete.h"

#include "document_reading.h"
#include "support/test.h"

#include <string.h>

static const struct {
    const char *name; /* attributes beside the key; NULL: no item */
    enum document_spelling spelling;
    bool at_4;
    bool any;
} places[] = {
    {NULL, DOCUMENT_TAGS, false, true},
    {"{'version':{'N':'4'}}", DOCUMENT_TAGS, true, true},
    {"{'version':{'N':'5'}}", DOCUMENT_TAGS, false, true},
    {"{'Version':{'N':'4'}}", DOCUMENT_TAGS, false, false},
    {"{'version':{'N':'4'},'Version':{'N':'4'}}", DOCUMENT_TAGS, false, false},
    {"{'other':{'S':'4'}}", DOCUMENT_TAGS, false, true},
    {NULL, DOCUMENT_FIELDS, false, true},
    {"{'Version':{'N':'4'}}", DOCUMENT_FIELDS, true, true},
    {"{'version':{'N':'4'}}", DOCUMENT_FIELDS, false, false},
};

static bool is_deleted(enum document_spelling spelling, int64_t version, const json_t *found)
{
    struct document_delete deletion;
    const struct document_key key = reading_key(DOCUMENT_COMBINED);
    json_t *wanted = reading_json("{'PK':{'S':'DS#device-1'},'SK':{'S':'DSC#shadow'}}");
    assert_int_equal(document_delete_make(&key, spelling, version, &deletion, NULL), OS_OK);
    assert_true(json_equal(deletion.key, wanted));
    const struct condition condition = document_condition_terms(&deletion.condition);
    assert_int_equal(condition_check(&condition, NULL), OS_OK);
    bool holds = condition_holds(&condition, found);
    document_delete_free(&deletion);
    json_decref(wanted);
    return holds;
}

TEST_ROWS(places, what_is_not_meant_is_not_deleted)
{
    json_t *found = reading_json(row->name);
    assert_int_equal(is_deleted(row->spelling, 4, found), row->at_4);
    assert_int_equal(is_deleted(row->spelling, 0, found), row->any);
    json_decref(found);
}

TEST(a_document_is_deleted_at_the_largest_version)
{
    json_t *found = reading_item(INT64_MAX, NULL);
    assert_true(is_deleted(DOCUMENT_TAGS, INT64_MAX, found));
    assert_false(is_deleted(DOCUMENT_TAGS, INT64_MAX - 1, found));
    json_decref(found);
}

static void refuse(struct text id, int64_t version, const char *part)
{
    os_error err;
    struct document_delete deletion;
    const struct document_key key = {id, text_from("shadow"), DOCUMENT_REPORTED};
    assert_int_equal(document_delete_make(&key, DOCUMENT_TAGS, version, &deletion, &err), OS_ERR_ARGUMENT);
    assert_true(deletion.key == NULL && deletion.condition.expected == NULL);
    if (strstr(err.message, part) == NULL)
        fail_msg("%s", err.message);
}

TEST(what_cannot_be_meant_is_refused)
{
    refuse(text_from("a"), -1, "The version of the document to delete is -1. Give the one that was read, or 0");
    refuse(text_from(""), 1, "The id of the document is empty.");
}
