/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_key.h"

#include "document_reading.h"
#include "support/test.h"

#include <string.h>

enum { LONGEST = 2100 };

static void assert_text(struct text text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.p, wanted, text.len);
}

static const struct {
    const char *name;
    enum document_kind kind;
    const char *id;
    const char *shadow;
} keys[] = {
    {"{'PK':{'S':'DS#a'},'SK':{'S':'DSR#b'}}", DOCUMENT_REPORTED, "a", "b"},
    {"{'PK':{'S':'DS#a#b'},'SK':{'S':'DSD##'}}", DOCUMENT_DESIRED, "a#b", "#"},
    {"{'PK':{'S':'DS#DS#'},'SK':{'S':'DSC#DSR#x'}}", DOCUMENT_COMBINED, "DS#", "DSR#x"},
    {"{'PK':{'S':'DS#\xc3\xa4 '},'SK':{'S':'DSC#\xf0\x9f\x98\x80'}}", DOCUMENT_COMBINED, "\xc3\xa4 ",
     "\xf0\x9f\x98\x80"},
};

TEST_ROWS(keys, a_key_is_written_and_read_again)
{
    json_t *attributes;
    struct document_key again;
    const struct document_key key = {text_from(row->id), text_from(row->shadow), row->kind};
    json_t *wanted = reading_json(row->name);
    assert_int_equal(document_key_attributes(&key, &attributes, NULL), OS_OK);
    assert_true(json_equal(attributes, wanted));
    assert_true(document_key_read(attributes, &again));
    assert_text(again.id, row->id);
    assert_text(again.name, row->shadow);
    assert_int_equal(again.kind, row->kind);
    json_decref(attributes);
    json_decref(wanted);
}

static const struct {
    const char *name;
} strangers[] = {
    {"{}"},
    {"{'PK':{'S':'DS#a'}}"},
    {"{'SK':{'S':'DSR#a'}}"},
    {"{'PK':{'S':'DS#'},'SK':{'S':'DSR#b'}}"},
    {"{'PK':{'S':'DS#a'},'SK':{'S':'DSR#'}}"},
    {"{'PK':{'S':'ds#a'},'SK':{'S':'DSR#b'}}"},
    {"{'PK':{'S':'DS#a'},'SK':{'S':'DSX#b'}}"},
    {"{'PK':{'S':'DS#a'},'SK':{'S':'DSR'}}"},
    {"{'PK':{'B':'DS#a'},'SK':{'S':'DSR#b'}}"},
    {"{'PK':{'S':'DS#a'},'SK':{'N':'1'}}"},
    {"{'PK':{'S':1},'SK':{'S':'DSR#b'}}"},
    {"{'PK':{'S':'DS#a\\u0000'},'SK':{'S':'DSR#b'}}"},
    {"{'PK':{'S':'DS#a'},'SK':{'S':'DSR#\\u0000'}}"},
};

TEST_ROWS(strangers, the_key_of_something_else_is_none)
{
    struct document_key key = {.kind = DOCUMENT_DESIRED};
    json_t *item = reading_json(row->name);
    assert_false(document_key_read(item, &key));
    assert_int_equal(key.kind, DOCUMENT_DESIRED);
    assert_null(key.id.p);
    json_decref(item);
}

static void refuse(struct text id, struct text name, const char *sentence)
{
    os_error err;
    json_t *attributes = (json_t *)&err;
    const struct document_key key = {id, name, DOCUMENT_REPORTED};
    assert_int_equal(document_key_attributes(&key, &attributes, &err), OS_ERR_ARGUMENT);
    assert_null(attributes);
    assert_string_equal(err.message, sentence);
}

TEST(what_no_key_can_have_is_refused_with_a_sentence)
{
    const struct text good = text_from("a");
    refuse(text_from(""), good, "The id of the document is empty. Give it at least one character.");
    refuse(good, text_from(NULL), "The name of the document is empty. Give it at least one character.");
    refuse(text_of("a\0b", 3), good, "The id of the document has a NUL inside. Give one without.");
    refuse(good, text_of("\0", 1), "The name of the document has a NUL inside. Give one without.");
    refuse(text_from("\xff"), good, "The id of the document is not UTF-8, which DynamoDB wants. Encode it.");
    refuse(good, text_from("\xed\xa0\x80"), "The name of the document is not UTF-8, which DynamoDB wants. Encode it.");
}

TEST(keys_are_as_long_as_the_service_takes_them)
{
    char longest[LONGEST];
    json_t *attributes;
    struct document_key again;
    memset(longest, 'x', sizeof(longest));
    const struct document_key key = {text_of(longest, 2045), text_of(longest, 1020), DOCUMENT_COMBINED};
    assert_int_equal(document_key_attributes(&key, &attributes, NULL), OS_OK);
    assert_int_equal(json_string_length(json_object_get(json_object_get(attributes, "PK"), "S")), 2048);
    assert_int_equal(json_string_length(json_object_get(json_object_get(attributes, "SK"), "S")), 1024);
    assert_true(document_key_read(attributes, &again));
    json_decref(attributes);
    refuse(text_of(longest, 2046), key.name,
           "The id of the document has 2046 bytes; a key of DynamoDB has room for 2045. Give a shorter one.");
    refuse(key.id, text_of(longest, 1021),
           "The name of the document has 1021 bytes; a key of DynamoDB has room for 1020. Give a shorter one.");
}
