/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_item.h"

#include "attribute/canonical.h"
#include "attribute/check.h"
#include "attribute/json_value.h"
#include "document_reading.h"
#include "support/data_file.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- items as the Go SDK writes them */

static enum document_kind kind_of(const char *name)
{
    enum document_kind kind = DOCUMENT_REPORTED;
    while (strcmp(document_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

static json_t *fixture_read(const char *name)
{
    char path[DATA_PATH_SIZE];
    snprintf(path, sizeof(path), "document/items/%s", name);
    char *text = data_file(path);
    json_t *fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    assert_non_null(fixture);
    free(text);
    return fixture;
}

static json_t *written(json_t *fixture, enum document_spelling spelling)
{
    json_t *item;
    json_t *json = json_object_get(fixture, "document");
    const struct document_key key = reading_key(kind_of(json_string_value(json_object_get(fixture, "kind"))));
    const struct document document = {.version = json_integer_value(json_object_get(json, "version")),
                                      .timestamp_ns = json_integer_value(json_object_get(json, "timestamp")),
                                      .client_token = json_object_get(json, "clientToken"),
                                      .desired = json_object_get(json, "desired"),
                                      .reported = json_object_get(json, "reported")};
    assert_int_equal(document_to_item(&key, &document, spelling, &item, NULL), OS_OK);
    assert_int_equal(item_check(item, NULL), OS_OK);
    return item;
}

static void assert_items_equal(const json_t *item, const json_t *wanted, const char *name)
{
    char *text = json_dumps(item, JSON_SORT_KEYS);
    char *wanted_text = json_dumps(wanted, JSON_SORT_KEYS);
    if (strcmp(text, wanted_text) != 0)
        fail_msg("%s:\n%s\n%s", name, text, wanted_text);
    free(text);
    free(wanted_text);
}

static void check_fixture(const char *name, enum document_spelling spelling)
{
    struct document document;
    struct document_key key;
    json_t *again;
    json_t *fixture = fixture_read(name);
    const json_t *theirs = json_object_get(fixture, spelling == DOCUMENT_TAGS ? "tags" : "fields");
    assert_int_equal(item_check(theirs, NULL), OS_OK);
    json_t *canonical = item_canonical(theirs); /* "-0" is "0" to the service */
    json_t *ours = written(fixture, spelling);
    assert_items_equal(ours, canonical, name);
    assert_true(document_key_read(theirs, &key));
    assert_int_equal(document_from_item(theirs, spelling, &document, NULL), OS_OK);
    assert_int_equal(document_to_item(&key, &document, spelling, &again, NULL), OS_OK);
    assert_items_equal(again, canonical, name);
    document_free(&document);
    json_decref(again);
    json_decref(ours);
    json_decref(canonical);
    json_decref(fixture);
}

TEST(items_are_those_of_the_go_sdk_in_both_directions_and_spellings)
{
    size_t count = 0;
    char **names = data_names("document/items");
    for (char **name = names; *name != NULL; name++, count++) {
        check_fixture(*name, DOCUMENT_TAGS);
        check_fixture(*name, DOCUMENT_FIELDS);
    }
    assert_int_equal(count, 10);
    data_names_free(names);
}

static const struct {
    const char *name;
    enum document_spelling spelling;
    const char *attributes;
    const char *fault;
} spelling_faults[] = {
    {"fields where tags are asked for", DOCUMENT_TAGS, "{'Version':{'N':'1'}}",
     "The item has the attribute Version: its document is spelled by Go's field names. Here documents are spelled by "
     "json "
     "tags, with the attribute version. Set document_spelling to \"fields\", or keep the documents of each spelling in "
     "a "
     "table of their own."},
    {"tags where fields are asked for", DOCUMENT_FIELDS, "{'version':{'N':'1'}}",
     "The item has the attribute version: its document is spelled by json tags. Here documents are spelled by Go's "
     "field "
     "names, with the attribute Version. Set document_spelling to \"tags\", or keep the documents of each spelling in "
     "a "
     "table of their own."},
    {"both where tags are asked for", DOCUMENT_TAGS, "{'Version':{'N':'1'},'version':{'N':'1'}}",
     "The item has both attributes, version and Version, and a document has one. Programs that spell documents by json "
     "tags and by Go's field names share this key: give all of them one spelling, and delete the item."},
    {"both where fields are asked for", DOCUMENT_FIELDS, "{'Version':{'N':'1'},'version':{'NULL':true}}",
     "The item has both attributes, Version and version, and a document has one. Programs that spell documents by Go's "
     "field names and by json tags share this key: give all of them one spelling, and delete the item."},
};

TEST_ROWS(spelling_faults, an_item_of_the_other_spelling_is_refused_with_advice)
{
    os_error err;
    struct document document;
    struct document_mark mark;
    json_t *item = reading_json(row->attributes);
    assert_int_equal(document_from_item(item, row->spelling, &document, &err), OS_ERR_PROTOCOL);
    assert_string_equal(err.message, row->fault);
    assert_int_equal(document.version, 0);
    assert_int_equal(document_mark_read(item, row->spelling, &mark, &err), OS_ERR_PROTOCOL);
    assert_string_equal(err.message, row->fault);
    json_decref(item);
}

TEST(a_document_that_is_too_large_is_refused)
{
    char text[4096];
    os_error err;
    json_t *item;
    const struct document_key key = reading_key(DOCUMENT_REPORTED);
    struct document document = {.version = 1, .reported = json_array()};
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 101; i++)
        json_array_append_new(document.reported, json_stringn(text, sizeof(text)));
    assert_int_equal(document_to_item(&key, &document, DOCUMENT_TAGS, &item, &err), OS_ERR_TOO_LARGE);
    assert_null(item);
    document_free(&document);
}

/* Each element counts for two. */
TEST(a_document_that_could_not_be_read_back_is_refused)
{
    os_error err;
    json_t *item;
    const struct document_key key = reading_key(DOCUMENT_REPORTED);
    struct document document = {.version = 1, .reported = json_array()};
    for (int i = 0; i < ITEM_VALUES_MAX / 2; i++)
        json_array_append_new(document.reported, json_integer(1));
    assert_int_equal(document_to_item(&key, &document, DOCUMENT_TAGS, &item, &err), OS_ERR_TOO_LARGE);
    assert_null(item);
    assert_non_null(strstr(err.message, "too many values to be read back"));
    document_free(&document);
}

/* ------------------------------------------------------------------------------------------------------ items of others */

static const struct {
    const char *name; /* attributes */
    const char *fault;
} item_faults[] = {
    {"{}", "it has no attribute version."},
    {"{'version':{'S':'1'}}", "its version is no whole number from 1 to 9223372036854775807."},
    {"{'version':{'N':'0'}}", "its version is no whole number"},
    {"{'version':{'N':'-1'}}", "its version is no whole number"},
    {"{'version':{'N':'1.5'}}", "its version is no whole number"},
    {"{'version':{'N':'9223372036854775808'}}", "its version is no whole number"},
    {"{'version':{'N':'1'},'clientToken':{'N':'1'}}", "its clientToken is no string."},
    {"{'version':{'N':'1'},'timestamp':{'S':'1'}}", "its timestamp is no whole number of nanoseconds."},
    {"{'version':{'N':'1'},'timestamp':{'N':'0.5'}}", "its timestamp is no whole number of nanoseconds."},
    {"{'version':{'N':'1'},'desired':{'M':{'a':{'L':[{'B':'YQ=='}]}}}}", "desired.a[0]: the value is a B, a BS,"},
    {"{'version':{'N':'1'},'reported':{'SS':['a']}}", "reported: the value is a B, a BS,"},
    {"{'version':{'N':'1'},'reported':{'L':[{'N':'12345678901234567890'}]}}",
     "reported[0]: the number 12345678901234567890 has more digits than a JSON number keeps here, and would be "
     "rounded."},
    /* 2^63 is a double, but would be written as 9223372036854776000. */
    {"{'version':{'N':'1'},'reported':{'N':'9223372036854775808'}}",
     "reported: the number 9223372036854775808 has more"},
    {"{'version':{'N':'1'},'reported':{'N':'0.1000000000000000000000000000001'}}", "reported: the number 0.1000"},
};

static void refuse(const char *attributes, enum document_spelling spelling, const char *fault)
{
    os_error err;
    struct document document;
    json_t *item = reading_json(attributes);
    assert_int_equal(item_check(item, NULL), OS_OK);
    assert_int_equal(document_from_item(item, spelling, &document, &err), OS_ERR_PROTOCOL);
    assert_true(document.version == 0 && document.client_token == NULL && document.desired == NULL &&
                document.reported == NULL);
    if (strstr(err.message, fault) == NULL)
        fail_msg("%s", err.message);
    json_decref(item);
}

TEST_ROWS(item_faults, an_item_that_is_no_document_is_refused_with_a_sentence)
{
    refuse(row->name, DOCUMENT_TAGS, row->fault);
}

static const struct {
    const char *name; /* attributes */
    const char *fault;
} field_faults[] = {
    {"{'TimeStamp':{'N':'1'}}", "it has no attribute Version."},
    {"{'Version':{'N':'0'}}", "its Version is no whole number from 1 to"},
    {"{'Version':{'N':'1'},'ClientToken':{'B':''}}", "its ClientToken is no string."},
    {"{'Version':{'N':'1'},'TimeStamp':{'S':''}}", "its TimeStamp is no whole number of nanoseconds."},
    {"{'Version':{'N':'1'},'Desired':{'B':''}}", "Desired: the value is a B"},
    {"{'Version':{'N':'1'},'Reported':{'L':[{'B':''}]}}", "Reported[0]: the value is a B"},
};

TEST_ROWS(field_faults, a_sentence_about_an_item_by_fields_names_its_attributes)
{
    refuse(row->name, DOCUMENT_FIELDS, row->fault);
}

TEST(an_item_is_read_as_go_reads_it)
{
    struct document document;
    json_t *item = reading_json("{'version':{'N':'1.2E1'},'clientToken':{'S':''},'desired':{'NULL':true},"
                                "'reported':{'L':[{'N':'10e1'},{'NULL':true}]},'other':{'SS':['x']}}");
    json_t *reported = reading_json("[100,null]");
    assert_int_equal(document_from_item(item, DOCUMENT_TAGS, &document, NULL), OS_OK);
    assert_int_equal(document.version, 12);
    assert_int_equal(document.timestamp_ns, 0);
    assert_null(document.client_token);
    assert_null(document.desired);
    assert_true(json_equal(document.reported, reported));
    document_free(&document);
    json_decref(reported);
    json_decref(item);
}

TEST(what_is_null_is_none)
{
    struct document document;
    json_t *item = reading_json("{'Version':{'N':'2'},'ClientToken':{'NULL':true},'Desired':{'NULL':true},"
                                "'Reported':{'NULL':true}}");
    assert_int_equal(document_from_item(item, DOCUMENT_FIELDS, &document, NULL), OS_OK);
    assert_int_equal(document.version, 2);
    assert_true(document.client_token == NULL && document.desired == NULL && document.reported == NULL);
    json_decref(item);
}

TEST(the_mark_of_a_document_is_read_whatever_its_models_are)
{
    struct document_mark mark;
    json_t *item = reading_json("{'version':{'N':'3'},'clientToken':{'S':'me'},'reported':{'SS':['x']}}");
    assert_int_equal(document_mark_read(item, DOCUMENT_TAGS, &mark, NULL), OS_OK);
    assert_int_equal(mark.version, 3);
    assert_true(text_is(mark.client_token, "me"));
    json_decref(item);
}
