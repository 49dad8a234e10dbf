/* SPDX-License-Identifier: Apache-2.0 */
/* The items and conditions of locks, as LockServiceCentral's DynamoDbLockService has them. */
#include "holding/lock.h"

#include "dynamo/item.h"
#include "support/test.h"
#include "syntax/json.h"

#include <string.h>

/* Every attribute of lockToItem, of the type that it has there. */
static const char theirs[] =
    "{\"lockId\":{\"S\":\"space:job\"},\"namespace\":{\"S\":\"space\"},\"lockName\":{\"S\":\"job\"},\"owner\":{\"S\":"
    "\"ann\"},\"instanceId\":{\"S\":\"1\"},\"leaseDuration\":{\"N\":\"60\"},\"expiry\":{\"N\":\"1800000000\"}}";

TEST(an_item_of_the_service_is_read_and_written_alike)
{
    json_t *json = json_read(theirs, strlen(theirs));
    struct item item;
    os_error error;
    struct buf out;
    assert_int_equal(dynamo_item_read(&lock_schema, json, &item, &error), OS_OK);
    assert_string_equal(item_text_of(&item, LOCK_AT_OWNER), "ann");
    assert_string_equal(item_text_of(&item, LOCK_AT_INSTANCE), "1");
    assert_int_equal(item.values[LOCK_AT_DURATION].number, 60);
    assert_int_equal(item.values[LOCK_AT_EXPIRY].number, 1800000000);
    buf_init(&out, 4096);
    dynamo_item_write(&out, &lock_schema, &item, lock_schema.count);
    assert_string_equal(buf_str(&out), theirs);
    buf_free(&out);
    json_decref(json);
}

TEST(an_item_without_an_owner_is_no_lock)
{
    json_t *json = json_read(theirs, strlen(theirs));
    struct item item;
    os_error error;
    assert_int_equal(json_object_del(json, "owner"), 0);
    assert_int_equal(dynamo_item_read(&lock_schema, json, &item, &error), OS_ERR_PROTOCOL);
    assert_non_null(strstr(error.message, "\"owner\" is missing"));
    json_decref(json);
}
