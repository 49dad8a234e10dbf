/* SPDX-License-Identifier: Apache-2.0 */
/* An entry is written byte for byte as delta-rs 1.6.0 writes it, and read. */
#include "delta/entry.h"

#include "dynamo/item.h"
#include "support/test.h"
#include "syntax/json.h"

#include <string.h>

/* As delta-rs 1.6.0 has left them in DynamoDB Local. */
static const char theirs[] =
    "{\"tablePath\":{\"S\":\"s3://bucket/events\"},\"fileName\":{\"S\":\"00000000000000000001.json\"},"
    "\"tempPath\":{\"S\":\"_commit_80a083e8-7026-4e79-81be-64bd76c43a11.json.tmp\"},"
    "\"complete\":{\"S\":\"true\"},\"expireTime\":{\"N\":\"1795951402\"}}";

TEST(an_entry_of_delta_rs_is_read_and_written_alike)
{
    json_t *json = json_read(theirs, strlen(theirs));
    struct item item;
    os_error error;
    struct buf out;
    assert_int_equal(dynamo_item_read(&entry_schema, json, &item, &error), OS_OK);
    assert_string_equal(item_text_of(&item, ENTRY_AT_COMPLETE), ENTRY_COMPLETE);
    assert_int_equal(item.values[ENTRY_AT_EXPIRE_TIME].number, 1795951402);
    buf_init(&out, 4096);
    dynamo_item_write(&out, &entry_schema, &item, entry_schema.count);
    assert_string_equal(buf_str(&out), theirs);
    buf_free(&out);
    json_decref(json);
}

TEST(an_incomplete_entry_has_no_time)
{
    json_t *json = json_read(theirs, strlen(theirs));
    struct item item;
    os_error error;
    assert_int_equal(json_object_del(json, "expireTime"), 0);
    assert_int_equal(dynamo_item_read(&entry_schema, json, &item, &error), OS_OK);
    assert_int_equal(item.values[ENTRY_AT_EXPIRE_TIME].type, ITEM_NONE);
    assert_int_equal(json_object_del(json, "tempPath"), 0);
    assert_int_equal(dynamo_item_read(&entry_schema, json, &item, &error), OS_ERR_PROTOCOL);
    json_decref(json);
}
