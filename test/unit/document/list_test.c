/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_list.h"

#include "attribute/projection.h"
#include "document_reading.h"
#include "support/test.h"

#include <string.h>

static const char combined[] = "{'PK':{'S':'DS#a'},'SK':{'S':'DSC#b'},'version':{'N':'3'},'timestamp':{'N':'5'},"
                               "'clientToken':{'S':'me'},'desired':{'BOOL':true},'reported':{'SS':['x']}}";

static void assert_string(const json_t *value, const char *text)
{
    assert_string_equal(json_string_value(json_object_get(value, "S")), text);
}

static void assert_paths(const struct document_list *list, const char *item, const char *wanted)
{
    json_t *all = reading_json(item);
    json_t *expected = reading_json(wanted);
    assert_int_equal(projection_check(list->paths, DOCUMENT_LIST_PATHS, NULL), OS_OK);
    json_t *projected = projection_of(all, list->paths, DOCUMENT_LIST_PATHS);
    assert_true(json_equal(projected, expected));
    json_decref(projected);
    json_decref(expected);
    json_decref(all);
}

TEST(the_documents_of_an_id_are_a_query)
{
    struct document_list list;
    assert_int_equal(document_list_of_id(text_from("lamp #7"), DOCUMENT_TAGS, &list, NULL), OS_OK);
    assert_string(list.partition, "DS#lamp #7");
    assert_string(list.prefix, "DS");
    assert_int_equal(list.filter.test, 0);
    document_list_free(&list);
}

static const struct {
    const char *name; /* PK */
    bool is_found;
} partitions[] = {
    {"DS#a", true}, {"DS#", true}, /* a key that no document has is passed over where it is read */
    {"DS", false},  {"DX#a", false}, {"aDS#a", false},
};

TEST_ROWS(partitions, all_documents_are_a_scan_with_a_filter)
{
    struct document_list list;
    json_t *item = json_pack("{s:{s:s}}", "PK", "S", row->name);
    assert_int_equal(document_list_of_all(DOCUMENT_TAGS, &list, NULL), OS_OK);
    assert_null(list.partition);
    const struct condition filter = {&list.filter, 1};
    assert_int_equal(condition_check(&filter, NULL), OS_OK);
    assert_int_equal(condition_holds(&filter, item), row->is_found);
    document_list_free(&list);
    json_decref(item);
}

TEST(a_listing_asks_for_all_but_the_models)
{
    struct document_list list;
    assert_int_equal(document_list_of_id(text_from("a"), DOCUMENT_TAGS, &list, NULL), OS_OK);
    assert_paths(&list, combined,
                 "{'PK':{'S':'DS#a'},'SK':{'S':'DSC#b'},'version':{'N':'3'},'timestamp':{'N':'5'},"
                 "'clientToken':{'S':'me'}}");
    document_list_free(&list);
    assert_int_equal(document_list_of_all(DOCUMENT_FIELDS, &list, NULL), OS_OK);
    assert_paths(&list, "{'Version':{'N':'3'},'TimeStamp':{'N':'5'},'ClientToken':{'S':''},'Desired':{'NULL':true}}",
                 "{'Version':{'N':'3'},'TimeStamp':{'N':'5'},'ClientToken':{'S':''}}");
    assert_paths(&list, combined, "{'PK':{'S':'DS#a'},'SK':{'S':'DSC#b'},'version':{'N':'3'}}");
    document_list_free(&list);
}

TEST(an_id_that_no_key_can_have_is_refused)
{
    os_error err;
    struct document_list list;
    assert_int_equal(document_list_of_id(text_from("\xff"), DOCUMENT_TAGS, &list, &err), OS_ERR_ARGUMENT);
    assert_true(list.partition == NULL && list.prefix == NULL);
    assert_string_equal(err.message, "The id of the document is not UTF-8, which DynamoDB wants. Encode it.");
}

TEST(an_entry_has_all_but_the_models)
{
    struct document_entry entry;
    json_t *item = reading_json(combined);
    assert_int_equal(document_entry_read(item, DOCUMENT_TAGS, &entry, NULL), OS_OK);
    assert_int_equal(entry.key.kind, DOCUMENT_COMBINED);
    assert_true(text_is(entry.key.id, "a") && text_is(entry.key.name, "b"));
    assert_int_equal(entry.mark.version, 3);
    assert_true(text_is(entry.mark.client_token, "me"));
    assert_int_equal(entry.timestamp_ns, 5);
    json_decref(item);
}

TEST(what_is_none_of_a_document_is_passed_over)
{
    struct document_entry entry;
    json_t *item = reading_json("{'PK':{'S':'DS#a'},'SK':{'S':'DSX#b'},'version':{'N':'3'}}");
    assert_int_equal(document_entry_read(item, DOCUMENT_TAGS, &entry, NULL), OS_OK);
    assert_int_equal(entry.key.kind, 0);
    json_decref(item);
}

static const struct {
    const char *name; /* attributes beside the key */
    const char *fault;
} entry_faults[] = {
    {"{}", "it has no attribute version."},
    {"{'version':{'N':'1'},'timestamp':{'S':''}}", "its timestamp is no whole number of nanoseconds."},
    {"{'Version':{'N':'1'}}", "Set document_spelling to \"fields\""},
};

TEST_ROWS(entry_faults, an_entry_that_cannot_be_read_says_which_and_why)
{
    os_error err;
    struct document_entry entry;
    json_t *key;
    json_t *item = reading_json(row->name);
    const struct document_key of = reading_key(DOCUMENT_DESIRED);
    assert_int_equal(document_key_attributes(&of, &key, NULL), OS_OK);
    json_object_update(item, key);
    assert_int_equal(document_entry_read(item, DOCUMENT_TAGS, &entry, &err), OS_ERR_PROTOCOL);
    assert_int_equal(entry.key.kind, DOCUMENT_DESIRED);
    assert_true(text_is(entry.key.id, "device-1") && text_is(entry.key.name, "shadow"));
    if (strstr(err.message, row->fault) == NULL)
        fail_msg("%s", err.message);
    json_decref(key);
    json_decref(item);
}
