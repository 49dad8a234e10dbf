/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "dynamo/item.h"
#include "syntax/json.h"

#include <stdlib.h>

static json_t *item_of(const char *text)
{
    json_t *item = json_read(text, strlen(text));
    assert_non_null(item);
    return item;
}

/* The good item with one attribute replaced, or taken away when `value` is NULL. */
static os_code read_changed(const char *attribute, const char *value, struct record *ret, os_error *err)
{
    json_t *item = item_of(ITEM);
    if (value == NULL) {
        assert_int_equal(json_object_del(item, attribute), 0);
    } else {
        json_t *wrapped = item_of(value);
        assert_int_equal(json_object_set_new(item, attribute, wrapped), 0);
    }
    os_code code = record_of_json(item, ret, NULL, NULL, NULL, err);
    json_decref(item);
    return code;
}

static void assert_refused(const char *attribute, const char *value, const char *fault)
{
    struct record record = {.generation = 99};
    os_error err;
    assert_int_equal(read_changed(attribute, value, &record, &err), OS_ERR_PROTOCOL);
    assert_says(err, attribute);
    assert_says(err, fault);
    assert_int_equal(record.generation, 99);
}

TEST(a_record_is_written_as_the_table_of_attributes_says)
{
    struct record record = {.generation = 7,
                            .timeout_ms = 20000,
                            .ttl_s = 1800000000,
                            .fence_s = 1799999999,
                            .has_fence = true,
                            .nonce = NONCE,
                            .saw = "ffff"};
    json_t *item = record_json("dir/k", "*", &record, NULL, NULL);
    struct buf out;
    buf_init(&out, 4096);
    assert_true(json_write(&out, item));
    assert_string_equal(buf_str(&out), ITEM);
    buf_free(&out);
    json_decref(item);
}

TEST(attributes_that_a_record_does_not_have_are_left_out)
{
    struct record record = {.generation = 0, .timeout_ms = 20000, .ttl_s = 1800000000, .fence_s = 5};
    json_t *item = record_json("dir/k", "\"e\"", &record, NULL, NULL);
    struct buf out;
    buf_init(&out, 4096);
    assert_true(json_write(&out, item));
    assert_string_equal(buf_str(&out), PEER_ITEM);
    buf_free(&out);
    json_decref(item);
}

static void assert_round_trip(const char *path, const char *etag, uint64_t number, const char *nonce)
{
    struct record record;
    memset(&record, 0, sizeof(record));
    record.generation = record.timeout_ms = record.ttl_s = record.fence_s = number;
    record.has_fence = true;
    snprintf(record.nonce, sizeof(record.nonce), "%s", nonce);
    snprintf(record.saw, sizeof(record.saw), "%s", nonce);
    json_t *item = record_json(path, etag, &record, NULL, NULL);
    assert_non_null(item);
    struct record again;
    char *path_again = NULL;
    char *etag_again = NULL;
    assert_int_equal(record_of_json(item, &again, &path_again, &etag_again, NULL, NULL), OS_OK);
    assert_memory_equal(&again, &record, sizeof(record));
    assert_string_equal(path_again, path);
    assert_string_equal(etag_again, etag);
    free(path_again);
    free(etag_again);
    json_decref(item);
}

TEST(records_come_back_as_they_went_at_every_limit)
{
    char path[2049];
    char etag[1025];
    memset(path, 'p', sizeof(path) - 1);
    memset(etag, 'e', sizeof(etag) - 1);
    path[sizeof(path) - 1] = '\0';
    etag[sizeof(etag) - 1] = '\0';
    assert_round_trip("k", "*", 0, "");
    assert_round_trip(path, etag, UINT64_MAX, NONCE);
    assert_round_trip("\x01\x7f\n\t \"\\/\xc3\xbc\xf0\x9f\x8e\x88", "\"0-1\"", 1, "x");
    assert_round_trip("{\"S\":\"x\"}", "\"\"", (uint64_t)INT64_MAX + 1, "[]");
}

TEST(a_record_of_the_peer_has_neither_nonce_nor_fence)
{
    json_t *item = item_of(PEER_ITEM);
    struct record record;
    char *etag = NULL;
    assert_int_equal(record_of_json(item, &record, NULL, &etag, NULL, NULL), OS_OK);
    assert_int_equal(record.timeout_ms, 20000);
    assert_false(record.has_fence);
    assert_int_equal(record.fence_s, 0);
    assert_string_equal(record.nonce, "");
    assert_string_equal(record.saw, "");
    assert_string_equal(etag, "\"e\"");
    free(etag);
    json_decref(item);
}

static const char *const number_names[] = {"generation", "timeout", "ttl", "fence"};

TEST(only_plain_unsigned_64_bit_integers_are_numbers)
{
    static const char *const numbers[] = {"18446744073709551616",
                                          "99999999999999999999999",
                                          "-1",
                                          "-0",
                                          "1e3",
                                          "1E3",
                                          "1.0",
                                          "+1",
                                          "",
                                          " 1",
                                          "1 ",
                                          "0x1",
                                          "1_000",
                                          "\\u0031\\u0000",
                                          "NaN"};
    for (size_t name = 0; name < 4; name++) {
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            char value[64];
            snprintf(value, sizeof(value), "{\"N\":\"%s\"}", numbers[i]);
            assert_refused(number_names[name], value, "is not a");
        }
    }
}

TEST(the_largest_number_is_read)
{
    struct record record;
    assert_int_equal(read_changed("generation", "{\"N\":\"18446744073709551615\"}", &record, NULL), OS_OK);
    assert_true(record.generation == UINT64_MAX);
}

TEST(a_number_of_another_type_is_refused)
{
    static const char *const values[] = {
        "{\"S\":\"1\"}",        "{\"N\":1}",        "{\"N\":null}", "{\"NULL\":true}", "{}",
        "{\"n\":\"1\"}",        "{\"NS\":[\"1\"]}", "{\"M\":{}}",   "{\"BOOL\":true}", "{\"N\":\"1\",\"S\":\"1\"}",
        "{\"N\":{\"N\":\"1\"}}"};
    for (size_t name = 0; name < 4; name++)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
            assert_refused(number_names[name], values[i], "is not a number (N)");
}

TEST(a_string_of_another_type_is_refused)
{
    static const char *const names[] = {"path", "etag", "nonce", "saw", "upload"};
    static const char *const values[] = {"{\"N\":\"1\"}",       "{\"S\":1}",
                                         "{\"S\":\"\"}",        "{}",
                                         "{\"B\":\"eA==\"}",    "{\"S\":\"a\\u0000b\"}",
                                         "{\"S\":\"\\u0000\"}", "{\"S\":\"a\",\"N\":\"1\"}",
                                         "{\"SS\":[\"a\"]}",    "{\"S\":[\"a\"]}",
                                         "{\"NULL\":true}"};
    for (size_t name = 0; name < 5; name++)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
            assert_refused(names[name], values[i], "is not a string (S)");
}

TEST(an_attribute_that_must_be_there_is_missed)
{
    static const char *const names[] = {"path", "etag", "generation", "timeout", "ttl"};
    for (size_t i = 0; i < 5; i++)
        assert_refused(names[i], NULL, "is missing");
}

TEST(the_others_may_be_absent)
{
    static const char *const names[] = {"nonce", "fence", "saw"};
    for (size_t i = 0; i < 3; i++) {
        struct record record;
        assert_int_equal(read_changed(names[i], NULL, &record, NULL), OS_OK);
    }
}

TEST(a_nonce_that_is_too_long_is_refused)
{
    assert_refused("nonce", "{\"S\":\"" NONCE "0\"}", "longer than 32");
    assert_refused("saw", "{\"S\":\"" NONCE "0\"}", "longer than 32");
}

TEST(R14_an_upload_id_comes_back_as_it_went)
{
    char longest[RECORD_UPLOAD_SIZE];
    memset(longest, 'u', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *const ids[] = {"a", "VXBsb2FkIElE.-_~/+=", longest};
    for (size_t i = 0; i < 3; i++) {
        struct record record = {.generation = 1, .timeout_ms = 2, .ttl_s = 3, .upload = record_upload_number(ids[i])};
        struct record again;
        char upload[RECORD_UPLOAD_SIZE] = "";
        json_t *item = record_json("k", "*", &record, ids[i], NULL);
        assert_string_equal(json_member_string(json_object_get(item, "upload"), "S"), ids[i]);
        assert_int_equal(record_of_json(item, &again, NULL, NULL, upload, NULL), OS_OK);
        assert_int_equal(again.upload, record.upload);
        assert_string_equal(upload, ids[i]);
        json_decref(item);
    }
}

TEST(T3_a_record_without_an_upload_has_none_written)
{
    struct record record = {.generation = 1, .timeout_ms = 0, .ttl_s = 3};
    char upload[RECORD_UPLOAD_SIZE] = "left over";
    json_t *item = record_json("k", "*", &record, "of the record that is released", NULL);
    assert_null(json_object_get(item, "upload"));
    assert_int_equal(record_of_json(item, &record, NULL, NULL, upload, NULL), OS_OK);
    assert_int_equal(record.upload, 0);
    assert_string_equal(upload, "");
    json_decref(item);
}

TEST(an_upload_id_that_is_too_long_is_refused)
{
    char value[RECORD_UPLOAD_SIZE + 16];
    snprintf(value, sizeof(value), "{\"S\":\"%0*d\"}", RECORD_UPLOAD_SIZE, 0);
    assert_refused("upload", value, "longer than 1024");
}

TEST(unknown_attributes_are_ignored)
{
    struct record record;
    assert_int_equal(read_changed("aws:rep:deleting", "{\"BOOL\":false}", &record, NULL), OS_OK);
    assert_int_equal(read_changed("colour", "{\"M\":{\"a\":{\"L\":[]}}}", &record, NULL), OS_OK);
    assert_int_equal(record.generation, 7);
}

TEST(what_is_no_object_is_no_item)
{
    struct record record;
    os_error err;
    json_t *list = json_array();
    assert_int_equal(record_of_json(list, &record, NULL, NULL, NULL, &err), OS_ERR_PROTOCOL);
    assert_int_equal(record_of_json(NULL, &record, NULL, NULL, NULL, &err), OS_ERR_PROTOCOL);
    json_decref(list);
}

TEST(the_other_attributes_are_given_as_json)
{
    json_t *item = item_of(ITEM);
    char *other = record_others(item);
    assert_string_equal(other, "{}");
    free(other);
    json_object_set_new(item, "upload", item_of("{\"S\":\"u1\"}"));
    json_object_set_new(item, "colour", item_of("{\"N\":\"3\"}"));
    other = record_others(item);
    assert_string_equal(other, "{\"colour\":{\"N\":\"3\"}}");
    free(other);
    assert_non_null(json_object_get(item, "path")); /* the item itself is as it was */
    json_decref(item);
}

/* T4.3 */
TEST(a_bucket_is_written_and_read_beside_the_record)
{
    char bucket[RECORD_BUCKET_SIZE] = "x";
    json_t *item = item_of(ITEM);
    record_bucket(item, bucket);
    assert_string_equal(bucket, "");
    json_object_set_new(item, "bucket", item_of("{\"S\":\"fleet-7\"}"));
    record_bucket(item, bucket);
    assert_string_equal(bucket, "fleet-7");
    char *other = record_others(item);
    assert_string_equal(other, "{}");
    free(other);
    json_decref(item);
}

/* It is somebody else's attribute, then, and the record is as good as without it. */
TEST(what_cannot_be_a_bucket_is_none)
{
    static const char *const values[] = {
        "{\"N\":\"7\"}", "{\"S\":\"0123456789012345678901234567890123456789012345678901234567890123\"}"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char bucket[RECORD_BUCKET_SIZE] = "x";
        struct record record;
        json_t *item = item_of(ITEM);
        json_object_set_new(item, "bucket", item_of(values[i]));
        record_bucket(item, bucket);
        assert_string_equal(bucket, "");
        assert_int_equal(record_of_json(item, &record, NULL, NULL, NULL, NULL), OS_OK);
        char *other = record_others(item);
        assert_non_null(strstr(other, "bucket"));
        free(other);
        json_decref(item);
    }
}

TEST(of_an_item_that_does_not_fit_the_key_is_read_as_far_as_it_can_be)
{
    static const char *const items[][3] = {
        {"{\"path\":{\"S\":\"x\"},\"etag\":{\"S\":\"*\"}}", "x", "*"},
        {"{\"path\":{\"N\":\"1\"},\"etag\":{\"S\":\"\\u0000\"}}", "", ""},
        {"{\"path\":\"x\"}", "", ""},
    };
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        json_t *json = item_of(items[i][0]);
        struct item item;
        dynamo_item_read_key(&record_schema, json, &item);
        assert_string_equal(item_text_of(&item, RECORD_AT_PATH), items[i][1]);
        assert_string_equal(item_text_of(&item, RECORD_AT_ETAG), items[i][2]);
        json_decref(json);
    }
}

TEST(attributes_that_no_item_has_room_for_are_not_kept)
{
    enum { LENGTH = 5 << 20 };
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    json_t *item = item_of(ITEM);
    json_object_set_new(item, "colour", json_pack("{s:s}", "S", text));
    assert_null(record_others(item));
    json_decref(item);
    free(text);
}
