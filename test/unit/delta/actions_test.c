/* SPDX-License-Identifier: Apache-2.0 */
/* Log entries as they are read and written. */
#include "delta/actions.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

struct files {
    char added[200];
    char removed[200];
};

static void note(char *ret, size_t size, const char *path)
{
    size_t used = strlen(ret);
    (void)snprintf(ret + used, size - used, "%s ", path);
}

static void note_add(void *context, const char *path)
{
    struct files *files = context;
    note(files->added, sizeof(files->added), path);
}

static void note_remove(void *context, const char *path)
{
    struct files *files = context;
    note(files->removed, sizeof(files->removed), path);
}

static os_code read_all(const char *text, struct files *files, struct delta_actions *ret, os_error *err)
{
    const struct delta_reading reading = {.app_id = "app", .add = note_add, .remove = note_remove, .context = files};
    return delta_actions_read(text, strlen(text), &reading, ret, err);
}

TEST(an_entry_is_read)
{
    struct files files = {"", ""};
    struct delta_actions actions;
    os_error error = {0};
    assert_int_equal(read_all("{\"commitInfo\":{}}\n"
                              "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\r\n"
                              "{\"metaData\":{\"id\":\"x\"}}\n\n"
                              "{\"txn\":{\"appId\":\"other\",\"version\":9}}\n"
                              "{\"txn\":{\"appId\":\"app\",\"version\":7}}\n"
                              "{\"add\":{\"path\":\"a\"},\"remove\":null}\n{\"add\":{\"path\":\"b\"}}\n"
                              "{\"remove\":{\"path\":\"c\"}}\n{\"cdc\":{\"path\":\"d\"}}",
                              &files, &actions, &error),
                     OS_OK);
    assert_int_equal(json_integer_value(json_object_get(actions.protocol, "minWriterVersion")), 2);
    assert_string_equal(json_string_value(json_object_get(actions.metadata, "id")), "x");
    assert_true(actions.has_txn);
    assert_int_equal(actions.txn_version, 7);
    assert_int_equal(actions.adds, 2);
    assert_string_equal(files.added, "a b ");
    assert_string_equal(files.removed, "c ");
    delta_actions_clear(&actions);
    assert_null(actions.protocol);
}

TEST(what_nobody_asks_for_is_passed_over)
{
    static const char text[] = "{\"txn\":{\"appId\":\"app\",\"version\":7}}\n{\"add\":{\"path\":\"a\"}}\n";
    const struct delta_reading nothing = {.app_id = NULL};
    struct delta_actions actions;
    os_error error = {0};
    assert_int_equal(delta_actions_read(text, sizeof(text) - 1, &nothing, &actions, &error), OS_OK);
    assert_false(actions.has_txn);
    assert_int_equal(actions.adds, 1);
    delta_actions_clear(&actions);
}

static const struct {
    const char *name;
    const char *text;
} broken[] = {
    {"no JSON", "{\"add\":"},
    {"an array", "[]"},
    {"a number", "7"},
    {"a protocol that is a text", "{\"protocol\":\"x\"}"},
    {"metadata that is a list", "{\"metaData\":[]}"},
    {"a txn without an application", "{\"txn\":{\"version\":7}}"},
    {"a txn whose version is a text", "{\"txn\":{\"appId\":\"app\",\"version\":\"7\"}}"},
    {"two actions, of which the first is none", "{\"add\":{},\"remove\":{\"path\":\"a\"}}"},
    {"a txn without a version", "{\"txn\":{\"appId\":\"app\"}}"},
    {"an add without a path", "{\"add\":{\"size\":7}}"},
    {"a remove without a path", "{\"remove\":{\"path\":7}}"},
};

TEST_ROWS(broken, what_is_no_action_is_refused)
{
    char text[200];
    struct files files = {"", ""};
    struct delta_actions actions;
    os_error error = {0};
    (void)snprintf(text, sizeof(text), "{\"commitInfo\":{}}\n%s\n", row->text);
    assert_int_equal(read_all(text, &files, &actions, &error), OS_ERR_PROTOCOL);
    assert_non_null(strstr(error.message, "line 2"));
    delta_actions_clear(&actions);
}

/* ---------------------------------------------------------------------------------------------------------- write */

static const os_delta_add adds[] = {{"part 1.parquet", 100, 1700000000000, 3}, {"d/part-2.parquet", 7, 1, 0}};

TEST(a_commit_is_written_as_its_actions)
{
    const struct delta_commit commit = {
        .adds = adds, .count = 2, .app_id = "app", .app_version = 4, .engine = "oscommit", .id = "7-1", .now_ms = 5};
    struct buf out;
    buf_init(&out, 4096);
    assert_true(delta_commit_write(&commit, &out));
    assert_string_equal(
        buf_str(&out),
        "{\"commitInfo\":{\"timestamp\":5,\"operation\":\"WRITE\",\"operationParameters\":{\"mode\":\"Append\"},"
        "\"isBlindAppend\":true,\"engineInfo\":\"oscommit\",\"txnId\":\"7-1\"}}\n"
        "{\"txn\":{\"appId\":\"app\",\"version\":4,\"lastUpdated\":5}}\n"
        "{\"add\":{\"path\":\"part%201.parquet\",\"partitionValues\":{},\"size\":100,\"modificationTime\":"
        "1700000000000,"
        "\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":3}\"}}\n"
        "{\"add\":{\"path\":\"d/part-2.parquet\",\"partitionValues\":{},\"size\":7,\"modificationTime\":1,"
        "\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":0}\"}}\n");
    buf_free(&out);
}

TEST(the_first_commit_has_protocol_and_metadata)
{
    json_t *schema = json_loads("{\"type\":\"struct\",\"fields\":[]}", 0, NULL);
    const struct delta_commit commit = {
        .adds = adds, .count = 1, .schema = schema, .app_id = NULL, .engine = "oscommit", .id = "7-1", .now_ms = 5};
    struct files files = {"", ""};
    struct delta_actions actions;
    json_t *found = NULL;
    os_error error = {0};
    struct buf out;
    buf_init(&out, 4096);
    assert_true(delta_commit_write(&commit, &out));
    assert_int_equal(read_all(buf_str(&out), &files, &actions, &error), OS_OK);
    assert_int_equal(delta_table_check(actions.protocol, actions.metadata, &found, &error), OS_OK);
    assert_true(json_equal(found, schema));
    assert_string_equal(files.added, "part%201.parquet ");
    delta_actions_clear(&actions);
    json_decref(found);
    json_decref(schema);
    buf_free(&out);
}

TEST(a_commit_that_is_too_long_is_none)
{
    const struct delta_commit commit = {.adds = adds, .count = 2, .engine = "oscommit", .id = "7-1", .now_ms = 5};
    struct buf out;
    buf_init(&out, 300);
    assert_false(delta_commit_write(&commit, &out));
    buf_free(&out);
}
