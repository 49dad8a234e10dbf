/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item, read as a lease and as a lock: what fits the schema is written and read again as the same; a lease has room
 * for every string that it takes from it.
 */
#include "fuzz.h"

#include "dynamo/item.h"
#include "holding/lease_item.h"
#include "holding/lock.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static void check_same(const struct item_schema *schema, const struct item *item, const struct item *again)
{
    for (size_t i = 0; i < schema->count; i++) {
        FUZZ_CHECK(item->values[i].type == again->values[i].type);
        if (item->values[i].type == ITEM_STRING)
            FUZZ_CHECK(strcmp(item->values[i].text, again->values[i].text) == 0);
        else
            FUZZ_CHECK(item->values[i].number == again->values[i].number);
    }
}

static void check_again(const struct item_schema *schema, const struct item *item)
{
    struct buf out;
    struct item again;
    os_error err;

    buf_init(&out, 1 << 20);
    dynamo_item_write(&out, schema, item, schema->count);
    json_t *json = json_read(buf_str(&out), out.len);
    FUZZ_CHECK(json != NULL);
    FUZZ_CHECK(dynamo_item_read(schema, json, &again, &err) == OS_OK);
    check_same(schema, item, &again);
    json_decref(json);
    buf_free(&out);
}

static void check_lease(const struct item *item)
{
    struct lease_item lease;

    lease_item_of(item, &lease);
    FUZZ_CHECK_ARRAY(lease.version);
    FUZZ_CHECK(lease.found && lease.held == (lease.version[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct item_schema *const schemas[] = {&lease_schema, &lock_schema};

    char *text = fuzz_copy(data, size);
    json_t *json = json_read(text, size);
    free(text);
    for (size_t i = 0; json != NULL && i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        struct item item;
        os_error err = {.code = OS_OK};
        os_code code = dynamo_item_read(schemas[i], json, &item, &err);
        if (code != OS_OK) {
            fuzz_check_error(code, &err);
            continue;
        }
        check_again(schemas[i], &item);
        if (schemas[i] == &lease_schema)
            check_lease(&item);
    }
    json_decref(json);
    return 0;
}
