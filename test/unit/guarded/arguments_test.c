/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the public functions, before anything is sent. */
#include "client/arguments.h"
#include "guarded/driver.h"
#include "store/source_metadata.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

TEST(deadlines_of_nought_and_of_ages_are_numbers_that_can_be_added)
{
    os_call call = OS_CALL_INIT;
    os_call own;
    os_error error = {0};
    assert_int_equal(arguments_take_call(NULL, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, SETTINGS_DEADLINE_MS);
    assert_int_equal(arguments_take_call(&call, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, SETTINGS_DEADLINE_MS);
    call.deadline_ms = 1;
    assert_int_equal(arguments_take_call(&call, &own, &error), OS_OK);
    assert_int_equal(own.deadline_ms, 1);
    call.deadline_ms = UINT64_MAX;
    assert_int_equal(arguments_take_call(&call, &own, &error), OS_OK);
    assert_true(own.deadline_ms > UINT64_C(1000) * 365 * 86400 * 1000);
    assert_true(own.deadline_ms < UINT64_MAX / 2);
    call.size = 1;
    CHECK_CODE(arguments_take_call(&call, &own, &error), OS_ERR_ARGUMENT, &error);
}

TEST(etags_are_given_their_quotes_and_weak_ones_refused)
{
    static const char *const bad[] = {NULL, "", "W/\"a\"", "w/\"a\"", "\"a", "a\"b", "a b", "\"\"", "a\tb"};
    char etag[VERSION_ETAG_SIZE];
    char longest[200];
    os_error error = {0};
    assert_int_equal(arguments_etag("abc", etag, &error), OS_OK);
    assert_string_equal(etag, "\"abc\"");
    assert_int_equal(arguments_etag("\"abc-2\"", etag, &error), OS_OK);
    assert_string_equal(etag, "\"abc-2\"");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_CODE(arguments_etag(bad[i], etag, &error), OS_ERR_ARGUMENT, &error);
    memset(longest, 'e', sizeof(longest));
    longest[VERSION_ETAG_SIZE - 3] = '\0';
    assert_int_equal(arguments_etag(longest, etag, &error), OS_OK);
    longest[VERSION_ETAG_SIZE - 3] = 'e';
    longest[VERSION_ETAG_SIZE - 2] = '\0';
    CHECK_CODE(arguments_etag(longest, etag, &error), OS_ERR_ARGUMENT, &error);
}

static os_code content_of(const os_metadata *list, size_t count, struct s3_content *ret, os_error *error)
{
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.metadata = list;
    options.metadata_count = count;
    struct s3_attributes attributes;
    return arguments_content(&options, ret, &attributes, error);
}

TEST(metadata_that_no_header_can_carry_is_refused)
{
    static const os_metadata bad[] = {
        {NULL, "v"},
        {"", "v"},
        {"a", NULL},
        {"A", "v"},
        {"a b", "v"},
        {"a:b", "v"},
        {"\xc3\xa9", "v"},
        {S3_NONCE_METADATA, "v"},
        {"a", "\n"},
        {"a", "\xc3\xa9"},
        {S3_REPLACED_METADATA, "v"},
    };
    struct s3_content content;
    os_error error = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_CODE(content_of(&bad[i], 1, &content, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(content_of(NULL, 1, &content, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(content_of(NULL, 0, &content, &error), OS_OK);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.cache_control = "no\r\nx: y";
    struct s3_attributes attributes;
    CHECK_CODE(arguments_content(&options, &content, &attributes, &error), OS_ERR_ARGUMENT, &error);
}

TEST(a_header_that_no_store_takes_is_named_with_the_limit)
{
    static const char *const names[] = {"content type",  "content encoding", "content language", "content disposition",
                                        "cache control", "storage class",    "encryption",       "KMS key id"};
    char value[S3_HEADER_MAX + 2];
    memset(value, 'v', sizeof(value));
    value[S3_HEADER_MAX + 1] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (int round = 0; round < 2; round++) {
            os_put_options options = OS_PUT_OPTIONS_INIT;
            const char **const fields[] = {&options.content_type,     &options.content_encoding,
                                           &options.content_language, &options.content_disposition,
                                           &options.cache_control,    &options.storage_class,
                                           &options.encryption,       &options.kms_key_id};
            struct s3_content content;
            struct s3_attributes attributes;
            os_error error = {0};
            *fields[i] = round == 0 ? value : "a\x01";
            CHECK_CODE(arguments_content(&options, &content, &attributes, &error), OS_ERR_ARGUMENT, &error);
            CHECK_SAYS(&error, names[i]);
            CHECK_SAYS(&error, round == 0 ? "16385 bytes; a store takes at most 16384" : "printable");
        }
    }
}

static os_code attributes_of(const os_put_options *options, struct s3_attributes *ret, os_error *error)
{
    struct s3_content content;
    return arguments_content(options, &content, ret, error);
}

TEST(tags_class_and_encryption_become_those_of_a_put_and_an_upload)
{
    static const os_metadata tags[] = {{"a b", "\xc3\xa4"}, {"n", NULL}};
    static const struct s3_content content = {.content_type = "text/plain"};
    struct s3_attributes attributes;
    os_error error = {0};
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.tags = tags;
    options.tag_count = 2;
    options.storage_class = "STANDARD_IA";
    options.encryption = "aws:kms:dsse";
    options.kms_key_id = "key";
    assert_int_equal(attributes_of(&options, &attributes, &error), OS_OK);
    assert_ptr_equal(attributes.tags, tags);
    struct s3_creation creation = arguments_creation(&content, &attributes);
    assert_ptr_equal(creation.content, &content);
    assert_int_equal(creation.tag_count, 2);
    assert_string_equal(creation.storage_class, "STANDARD_IA");
    assert_string_equal(creation.encryption, "aws:kms:dsse");
    assert_string_equal(creation.kms_key_id, "key");
    assert_int_equal(creation.checksum, S3_CHECKSUM_NONE);
    assert_int_equal(attributes_of(NULL, &attributes, &error), OS_OK);
    assert_int_equal(attributes.tag_count, 0);
    assert_null(attributes.storage_class);
}

TEST(tags_that_no_store_takes_are_refused)
{
    char long_name[S3_TAG_NAME_SIZE + 1];
    char long_value[S3_TAG_VALUE_SIZE + 1];
    memset(long_name, 'n', S3_TAG_NAME_SIZE);
    memset(long_value, 'v', S3_TAG_VALUE_SIZE);
    long_name[S3_TAG_NAME_SIZE] = long_value[S3_TAG_VALUE_SIZE] = '\0';
    const os_metadata bad[] = {{NULL, "v"},   {"", "v"},       {"\xff", "v"},
                               {"n", "\xff"}, {long_name, ""}, {"n", long_value}};
    const os_metadata twice[] = {{"n", "1"}, {"m", "2"}, {"n", "3"}};
    struct s3_attributes attributes;
    os_error error = {0};
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.tag_count = 1;
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        options.tags = &bad[i];
        CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    }
    options.tags = twice;
    options.tag_count = 3;
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "given twice");
    options.tag_count = S3_TAGS_MAX + 1;
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "at most 10");
}

TEST(a_key_of_kms_needs_its_encryption)
{
    struct s3_attributes attributes;
    os_error error = {0};
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.kms_key_id = "key";
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    options.encryption = "AES256";
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "aws:kms");
    options.encryption = "aws:kms";
    assert_int_equal(attributes_of(&options, &attributes, &error), OS_OK);
    options.storage_class = "A\r\nx: y";
    CHECK_CODE(attributes_of(&options, &attributes, &error), OS_ERR_ARGUMENT, &error);
}

/* R13 looks for a record of the ETag that our write makes: it must not look for a wrong one. */
TEST(R13_the_etag_of_an_encrypted_object_is_not_foretold)
{
    const struct s3_attributes plain = {.storage_class = "STANDARD_IA"};
    const struct s3_attributes encrypted = {.encryption = "aws:kms"};
    struct driver driver = {.params = {.operation = GUARD_PUT}};
    assert_true(driver_has_md5_etag(&driver));
    driver.params.attributes = &plain;
    assert_true(driver_has_md5_etag(&driver));
    driver.params.attributes = &encrypted;
    assert_false(driver_has_md5_etag(&driver));
    driver.params = (struct driver_params){.operation = GUARD_COMPLETE};
    assert_false(driver_has_md5_etag(&driver));
}

TEST(metadata_has_the_room_that_the_nonce_leaves) /* what is replaced goes along where there is room for it, too */
{
    char value[S3_METADATA_MAX];
    size_t room = S3_METADATA_MAX - strlen(S3_NONCE_METADATA) - 32 - 1;
    os_metadata one = {"m", value};
    struct s3_content content;
    os_error error = {0};
    memset(value, 'v', sizeof(value));
    value[room] = '\0';
    assert_int_equal(content_of(&one, 1, &content, &error), OS_OK);
    assert_int_equal(content.metadata_count, 1);
    value[room] = 'v';
    value[room + 1] = '\0';
    CHECK_CODE(content_of(&one, 1, &content, &error), OS_ERR_ARGUMENT, &error);
}

TEST(so_many_entries_are_taken_as_a_copy_can_carry)
{
    char names[SOURCE_METADATA_MAX + 1][8];
    os_metadata list[SOURCE_METADATA_MAX + 1];
    struct s3_content content;
    os_error error = {0};
    for (size_t i = 0; i <= SOURCE_METADATA_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "m%zu", i);
        list[i] = (os_metadata){names[i], "v"};
    }
    assert_int_equal(content_of(list, SOURCE_METADATA_MAX, &content, &error), OS_OK);
    CHECK_CODE(content_of(list, SOURCE_METADATA_MAX + 1, &content, &error), OS_ERR_ARGUMENT, &error);
}
