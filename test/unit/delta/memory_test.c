/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of JSON fails once: then there is an error, and never half a result. */
#include "delta/checkpoint.h"

#include "footer.h"
#include "support/test.h"

#include <string.h>

static int left; /* allocations that succeed; below 0: all do */

static void *failing(size_t size)
{
    if (left == 0)
        return NULL;
    left--;
    return malloc(size);
}

static int begin(void **state)
{
    (void)state;
    left = -1;
    json_set_alloc_funcs(failing, free);
    return 0;
}

static int end(void **state)
{
    (void)state;
    json_set_alloc_funcs(malloc, free);
    return 0;
}

/* True: it was done. */
typedef bool (*work_fn)(void);

static void fail_each(work_fn work)
{
    int count = 0;
    bool done = false;
    for (; !done && count < 5000; count++) {
        left = count;
        done = work();
        done = done && left > 0; /* else the last one was the last that there was */
        left = -1;
    }
    assert_true(done);
    assert_true(count > 3);
}

static const char entry[] = "{\"protocol\":{\"minWriterVersion\":2}}\n"
                            "{\"metaData\":{\"schemaString\":\"{\\\"fields\\\":[]}\",\"partitionColumns\":[]}}\n"
                            "{\"txn\":{\"appId\":\"app\",\"version\":7}}\n{\"add\":{\"path\":\"a\"}}\n";

static bool read_entry(void)
{
    const struct delta_reading reading = {.app_id = "app"};
    struct delta_actions actions;
    json_t *schema = NULL;
    os_error error = {0};
    os_code code = delta_actions_read(entry, sizeof(entry) - 1, &reading, &actions, &error);
    if (code == OS_OK)
        code = delta_table_check(actions.protocol, actions.metadata, &schema, &error);
    assert_int_equal(schema != NULL, code == OS_OK);
    json_decref(schema);
    delta_actions_clear(&actions);
    return code == OS_OK;
}

TEST_BETWEEN(begin, end, an_entry_is_read_or_refused)
{
    fail_each(read_entry);
}

static const os_delta_add add = {"part.parquet", 7, 1, 3};
static const os_delta_partition by[] = {{"day", "2026-11-28", "date"}, {"n", NULL, "long"}};
static const struct delta_partition partition = {.columns = by, .count = 2};

/* Without a failure: it is what the test begins with. */
static json_t *given(const char *text)
{
    int kept = left;
    left = -1;
    json_t *json = json_loads(text, 0, NULL);
    left = kept;
    assert_non_null(json);
    return json;
}

static bool write_entry(void)
{
    struct buf out;
    json_t *schema = given("{\"type\":\"struct\",\"fields\":[]}");
    const struct delta_commit commit = {.adds = &add,
                                        .count = 1,
                                        .partition = partition,
                                        .schema = schema,
                                        .app_id = "app",
                                        .app_version = 1,
                                        .engine = "oscommit",
                                        .id = "7-1"};
    buf_init(&out, 4096);
    bool good = delta_commit_write(&commit, &out);
    if (good)
        assert_non_null(strstr(buf_str(&out), "\"add\""));
    buf_free(&out);
    json_decref(schema);
    return good;
}

TEST_BETWEEN(begin, end, an_entry_is_written_or_not)
{
    fail_each(write_entry);
}

static bool partition_schema(void)
{
    json_t *file = given("{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"}]}");
    json_t *columns = given("[\"n\",\"day\"]");
    os_error error = {0};
    json_t *schema = delta_partition_schema(&partition, file);
    os_code code =
        schema == NULL ? OS_ERR_NO_MEMORY : delta_partition_accepts(&partition, schema, columns, file, &error);
    assert_true(code == OS_OK || code == OS_ERR_NO_MEMORY);
    if (code == OS_OK)
        assert_int_equal(json_array_size(json_object_get(schema, "fields")), 3);
    json_decref(schema);
    json_decref(columns);
    json_decref(file);
    return code == OS_OK;
}

TEST_BETWEEN(begin, end, a_partition_is_compared_or_there_is_no_memory)
{
    fail_each(partition_schema);
}

static const struct footer_element elements[] = {
    {"list", -1, PARQUET_OPTIONAL, 1, 3, -1, -1, ""},
    {"list", -1, PARQUET_REPEATED, 1, -1, -1, -1, ""},
    {"element", PARQUET_INT32, PARQUET_OPTIONAL, -1, -1, -1, -1, ""},
    {"map", -1, PARQUET_OPTIONAL, 1, 1, -1, -1, ""},
    {"key_value", -1, PARQUET_REPEATED, 2, -1, -1, -1, ""},
    {"key", PARQUET_INT64, PARQUET_REQUIRED, -1, -1, -1, -1, ""},
    {"value", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, -1, 0, -1, -1, ""},
    {"decimal", PARQUET_INT64, PARQUET_OPTIONAL, -1, 5, 2, 10, ""},
};

static bool make_schema(void)
{
    struct buf footer;
    struct parquet parquet;
    json_t *schema = NULL;
    os_error error = {0};
    buf_init(&footer, 4096);
    footer_write(&footer, elements, sizeof(elements) / sizeof(elements[0]), 3, 1);
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_OK);
    os_code code = parquet_delta_schema(&parquet, &schema, &error);
    assert_true(code == OS_OK ? schema != NULL : code == OS_ERR_NO_MEMORY && schema == NULL);
    json_decref(schema);
    parquet_free(&parquet);
    buf_free(&footer);
    return code == OS_OK;
}

TEST_BETWEEN(begin, end, a_schema_is_made_or_there_is_no_memory)
{
    fail_each(make_schema);
}

/* A dictionary and its index; and what else a checkpoint must have. */
static const struct {
    struct chunk chunk;
    const char *hex;
} columns[] = {
    {{.path = "protocol.minWriterVersion", .values = 1, .type = PARQUET_INT32},
     "1504150815084c15021500000002000000"
     "1500150615062c150215100000010200"},
    {{.path = "metaData.schemaString", .values = 1, .type = PARQUET_BYTE_ARRAY},
     "1500150a150a2c1502150000000100000053"},
    {{.path = "metaData.configuration.key_value.key", .values = 1, .type = PARQUET_BYTE_ARRAY},
     "1500150a150a2c1502150000000100000053"},
    {{.path = "metaData.configuration.key_value.value",
      .values = 1,
      .type = PARQUET_BYTE_ARRAY,
      .max_definition = 1,
      .is_optional = true},
     "1500150c150c2c150215000000020000000200"},
    {{.path = "metaData.partitionColumns.list.element", .values = 1, .type = PARQUET_BYTE_ARRAY},
     "1500150a150a2c1502150000000100000053"},
};

static bool read_checkpoint(void)
{
    struct checkpoint checkpoint = {.columns = NULL};
    struct delta_actions actions;
    os_error error = {0};
    os_code code = OS_OK;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && code == OS_OK; i++) {
        struct buf data;
        buf_init(&data, 4096);
        footer_add_hex(&data, columns[i].hex);
        code = checkpoint_take(&checkpoint, &columns[i].chunk, buf_str(&data), data.len, &error);
        buf_free(&data);
    }
    if (code == OS_OK)
        code = checkpoint_give(&checkpoint, "app", &actions, &error);
    else
        memset(&actions, 0, sizeof(actions));
    if (code == OS_OK)
        assert_int_equal(json_object_size(json_object_get(actions.metadata, "configuration")), 1);
    delta_actions_clear(&actions);
    checkpoint_free(&checkpoint);
    return code == OS_OK;
}

TEST_BETWEEN(begin, end, a_checkpoint_is_read_or_refused)
{
    fail_each(read_checkpoint);
}
