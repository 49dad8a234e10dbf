/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lance.h on an embedded store: what is refused, and what is found without rows. */
#include "unit/api/client_scratch.h"

#include "oscommit_lance.h"

#include <stdio.h>
#include <string.h>

struct told {
    int count;
    int stop_at;
    os_lance_finding last;
    char name[100];
};

static int note(void *context, const os_lance_finding *finding)
{
    struct told *told = context;
    told->count++;
    told->last = *finding;
    (void)snprintf(told->name, sizeof(told->name), "%s", finding->name);
    assert_non_null(finding->sentence);
    return told->count == told->stop_at;
}

static void put(os_client *client, const char *key)
{
    const os_body body = OS_BODY_MEMORY("manifest", 8);
    os_error error;
    CHECK_CODE(os_put(client, key, &body, NULL, NULL, NULL, &error), OS_OK, &error);
}

TEST_WITH(scratch, a_check_without_rows_finds_what_was_staged_and_old_names)
{
    os_client *client = scratch_client(scratch, NULL);
    struct told told = {0};
    os_error error;
    CHECK_CODE(os_lance_check(client, "table", NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lance_check(client, "table/", NULL, NULL, note, &told, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lance_check(client, "table", NULL, NULL, note, &told, &error), OS_ERR_NOT_FOUND, &error);
    put(client, "table/_versions/18446744073709551614.manifest");
    put(client, "table/_versions/latest_version_hint.json");
    CHECK_CODE(os_lance_check(client, "table", NULL, NULL, note, &told, &error), OS_OK, &error);
    assert_int_equal(told.count, 0);
    put(client, "table/_versions/18446744073709551613.manifest-a");
    CHECK_CODE(os_lance_check(client, "table", NULL, NULL, note, &told, &error), OS_OK, &error);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.last.kind, OS_LANCE_STAGED_LEFT);
    assert_int_equal(told.last.version, 2);
    assert_string_equal(told.name, "18446744073709551613.manifest-a");
    put(client, "table/_versions/7.manifest");
    told = (struct told){.stop_at = 1};
    CHECK_CODE(os_lance_check(client, "table", NULL, NULL, note, &told, &error), OS_ERR_STOPPED, &error);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.last.kind, OS_LANCE_FIRST_SCHEME);
    assert_int_equal(told.last.version, 7);
    assert_int_equal(os_lance_check(client, "table", NULL, NULL, note, &told, NULL), OS_OK);
    os_client_close(client);
}

TEST_WITH(scratch, rows_need_a_table_of_dynamodb)
{
    os_client *client = scratch_client(scratch, NULL);
    os_lance_options options = OS_LANCE_OPTIONS_INIT;
    os_lance_options sizeless = {0};
    struct told told = {0};
    uint64_t completed = 1;
    os_error error;
    CHECK_CODE(os_lance_resolve(client, "table", NULL, NULL, &completed, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "manifest store");
    assert_int_equal(completed, 0);
    options.manifest_store = client;
    CHECK_CODE(os_lance_resolve(client, "table", &options, NULL, NULL, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "A manifest store is a table of DynamoDB");
    CHECK_CODE(os_lance_check(client, "table", &sizeless, NULL, note, &told, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "os_lance_options");
    os_client_close(client);
}
