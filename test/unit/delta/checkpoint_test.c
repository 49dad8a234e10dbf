/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a checkpoint as actions. */
#include "delta/checkpoint.h"

#include "support/test.h"

#include <string.h>

#define WHOLE                                                                                                \
    "\"protocol.minReaderVersion\":[1],\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[\"S\"]," \
    "\"metaData.partitionColumns.list.\":[\"day\"],\"metaData.configuration.key_value.key\":[\"a\",\"b\"],"  \
    "\"metaData.configuration.key_value.value\":[\"1\",null]"

static const struct {
    const char *name;
    const char *columns;
    bool good;
    bool has_txn;
} columns[] = {
    {"whole", "{" WHOLE "}", true, false},
    {"with applications", "{" WHOLE ",\"txn.appId\":[\"x\",\"app\"],\"txn.version\":[1,7]}", true, true},
    {"with other applications", "{" WHOLE ",\"txn.appId\":[\"x\"],\"txn.version\":[1]}", true, false},
    {"an application without a version", "{" WHOLE ",\"txn.appId\":[\"app\"],\"txn.version\":[null]}", false, false},
    {"applications and versions that do not fit", "{" WHOLE ",\"txn.appId\":[\"app\"],\"txn.version\":[]}", false,
     false},
    {"nothing", "{}", false, false},
    {"no schema", "{\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[null]}", false, false},
    {"no protocol", "{\"metaData.schemaString\":[\"S\"]}", false, false},
    {"two protocols", "{\"protocol.minWriterVersion\":[2,2],\"metaData.schemaString\":[\"S\"]}", false, false},
    {"settings that do not fit",
     "{\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[\"S\"],\"metaData.configuration.key_value.key\":["
     "\"a\"]}",
     false, false},
};

TEST_ROWS(columns, a_checkpoint_says_what_the_table_is)
{
    struct checkpoint checkpoint = {.columns = json_loads(row->columns, 0, NULL)};
    struct delta_actions actions;
    os_error error = {0};
    assert_non_null(checkpoint.columns);
    os_code code = checkpoint_give(&checkpoint, "app", &actions, &error);
    assert_int_equal(code, row->good ? OS_OK : OS_ERR_PROTOCOL);
    assert_int_equal(actions.has_txn, row->has_txn);
    if (row->good) {
        assert_int_equal(json_integer_value(json_object_get(actions.protocol, "minWriterVersion")), 2);
        assert_int_equal(json_array_size(json_object_get(actions.metadata, "partitionColumns")), 1);
        assert_int_equal(json_object_size(json_object_get(actions.metadata, "configuration")), 2);
    }
    delta_actions_clear(&actions);
    checkpoint_free(&checkpoint);
}

TEST(the_columns_of_interest_are_taken)
{
    struct checkpoint checkpoint = {.columns = NULL};
    const struct chunk chunk = {.path = "protocol.minWriterVersion", .values = 1, .type = PARQUET_INT32};
    os_error error = {0};
    static const char page[] = "\x15\x00\x15\x08\x15\x08\x2c\x15\x02\x15\x00\x00\x00\x02\x00\x00\x00";
    assert_true(checkpoint_wants("protocol.writerFeatures.list.element"));
    assert_true(checkpoint_wants("protocol.writerFeatures.list.array"));
    assert_false(checkpoint_wants("protocol.writerFeatures"));
    assert_false(checkpoint_wants("add.path"));
    for (int i = 0; i < 2; i++) /* of two row groups */
        assert_int_equal(checkpoint_take(&checkpoint, &chunk, page, sizeof(page) - 1, &error), OS_OK);
    assert_int_equal(json_array_size(json_object_get(checkpoint.columns, chunk.path)), 2);
    checkpoint_free(&checkpoint);
}
