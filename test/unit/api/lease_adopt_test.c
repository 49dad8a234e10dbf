/* SPDX-License-Identifier: Apache-2.0 */
/* L11: a lease that is detached, and adopted by another client of the same table, as of another process. */
#include "unit/api/client_scratch.h"

#include "oscommit_lease.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static os_lease_options fenced(void)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    return options;
}

/* Its handle; the token is *ret_token. */
static void acquire_and_detach(os_client *client, char ret_handle[OS_LEASE_HANDLE_SIZE], uint64_t *ret_token)
{
    os_lease_options options = fenced();
    os_lease *lease = NULL;
    os_error error;
    options.owner = "the first";
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_handle(lease, ret_handle, &error), OS_OK, &error);
    *ret_token = os_lease_token(lease);
    CHECK_CODE(os_lease_detach(lease, &error), OS_OK, &error);
}

static os_code adopt(os_client *client, const char *handle, os_lease **ret, os_error *error)
{
    os_lease_options options = fenced();
    os_code code = os_lease_adopt(client, "job", handle, &options, NULL, ret, error);
    assert_int_equal(*ret != NULL, code == OS_OK);
    return code;
}

static os_lease_info read_info(os_client *client)
{
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    return info;
}

TEST_WITH(scratch, what_was_detached_is_held_until_it_is_adopted_and_released)
{
    os_client *first = scratch_table_client(scratch);
    os_client *second = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    char again[OS_LEASE_HANDLE_SIZE];
    uint64_t token;
    os_lease *lease = NULL;
    os_error error;
    acquire_and_detach(first, handle, &token);
    os_client_close(first);
    CHECK_CODE(os_lease_acquire(second, "job", NULL, NULL, &lease, &error), OS_ERR_CONFLICT, &error);
    CHECK_CODE(adopt(second, handle, &lease, &error), OS_OK, &error);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    assert_int_equal(os_lease_token(lease), token);
    CHECK_CODE(os_lease_handle(lease, again, &error), OS_OK, &error);
    assert_string_equal(again, handle);
    os_lease_info info = read_info(second);
    assert_string_equal(info.owner, "the first");
    assert_string_not_equal(info.version, handle);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    assert_int_equal(read_info(second).held, 0);
    os_client_close(second);
}

/* L11.3: each time with versions that were never there before. */
TEST_WITH(scratch, a_handle_is_good_for_any_number_of_times)
{
    os_client *client = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    char versions[4][sizeof(((os_lease_info *)0)->version)];
    uint64_t token;
    os_error error;
    acquire_and_detach(client, handle, &token);
    for (int i = 0; i < 4; i++) {
        os_lease *lease = NULL;
        CHECK_CODE(adopt(client, handle, &lease, &error), OS_OK, &error);
        assert_int_equal(os_lease_token(lease), token);
        CHECK_CODE(os_lease_detach(lease, &error), OS_OK, &error);
        memcpy(versions[i], read_info(client).version, sizeof(versions[i]));
        assert_memory_equal(versions[i], handle, 32);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(versions[k], versions[i]);
    }
    os_client_close(client);
}

TEST_WITH(scratch, what_another_has_cannot_be_adopted)
{
    os_client *client = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    uint64_t token;
    os_lease *lease = NULL;
    os_lease *others = NULL;
    os_lease_options options = fenced();
    os_error error;
    acquire_and_detach(client, handle, &token);
    CHECK_CODE(adopt(client, handle, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    CHECK_CODE(adopt(client, handle, &lease, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "nobody holds it");
    options.owner = "the other";
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &others, &error), OS_OK, &error);
    assert_true(os_lease_token(others) > token);
    CHECK_CODE(adopt(client, handle, &lease, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "the other holds it");
    assert_int_equal(os_lease_state(others), OS_LEASE_HELD);
    CHECK_CODE(os_lease_release(others, NULL, &error), OS_OK, &error);
    os_client_close(client);
}

/* It was given up for dead, and lives. */
TEST_WITH(scratch, who_had_it_before_is_told_so_and_drops_nothing)
{
    os_client *first = scratch_table_client(scratch);
    os_client *second = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    os_lease_options options = fenced();
    os_lease *lease = NULL;
    os_lease *adopted = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(first, "job", &options, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_handle(lease, handle, &error), OS_OK, &error);
    CHECK_CODE(adopt(second, handle, &adopted, &error), OS_OK, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    assert_int_equal(read_info(second).held, 1);
    assert_int_equal(os_lease_state(adopted), OS_LEASE_HELD);
    CHECK_CODE(os_lease_release(adopted, NULL, &error), OS_OK, &error);
    os_client_close(first);
    os_client_close(second);
}

/* L11.4, L11.5 */
TEST_WITH(scratch, one_without_a_token_is_not_adopted_with_one)
{
    os_client *client = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_handle(lease, handle, &error), OS_OK, &error);
    CHECK_CODE(os_lease_detach(lease, &error), OS_OK, &error);
    CHECK_CODE(adopt(client, handle, &lease, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "without a fencing token");
    CHECK_CODE(os_lease_adopt(client, "job", handle, NULL, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, a_handle_that_is_none_is_refused)
{
    os_client *client = scratch_table_client(scratch);
    os_lease *lease = NULL;
    os_error error;
    char handle[OS_LEASE_HANDLE_SIZE];
    const char *const handles[] = {NULL,
                                   "",
                                   "0123456789abcdef0123456789abcdef",
                                   "0123456789abcdef0123456789abcdef-",
                                   "0123456789abcdef0123456789abcdef-01",
                                   "0123456789abcdef0123456789abcdef-0",
                                   "0123456789abcdef0123456789abcdef-1x",
                                   "0123456789abcdef0123456789abcdef--1",
                                   "0123456789abcdef0123456789abcdef-9223372036854775808",
                                   "0123456789abcdef0123456789abcdef-99999999999999999999",
                                   "0123456789ABCDEF0123456789abcdef-1",
                                   "0123456789abcdef0123456789abcde-1"};
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
        CHECK_CODE(adopt(client, handles[i], &lease, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(adopt(client, "0123456789abcdef0123456789abcdef-9223372036854775807", &lease, &error), OS_ERR_CONFLICT,
               &error);
    CHECK_CODE(os_lease_adopt(client, "job", "0123456789abcdef0123456789abcdef-1", NULL, NULL, NULL, &error),
               OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_handle(NULL, handle, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_detach(NULL, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, one_whose_client_is_closed_is_only_freed)
{
    os_client *client = scratch_table_client(scratch);
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    os_client_close(client);
    CHECK_CODE(os_lease_detach(lease, &error), OS_ERR_CANCELLED, &error);
    client = scratch_table_client(scratch);
    assert_int_equal(read_info(client).held, 1);
    os_client_close(client);
}

/* ---------------------------------------------------------------------------------------------------------- list */

struct seen_leases {
    int count;
    char names[8][64];
};

static int see_lease(void *context, const char *name, const os_lease_info *info)
{
    struct seen_leases *seen = context;
    snprintf(seen->names[seen->count++], sizeof(seen->names[0]), "%.30s %.30s", name,
             info->held ? info->owner : "free");
    return strcmp(name, "stop") == 0;
}

/* The item that counts the epochs of tokens is none. */
TEST_WITH(scratch, leases_are_listed_also_those_that_are_free)
{
    os_client *client = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    uint64_t token;
    struct seen_leases seen = {0};
    os_lease_options options = fenced();
    os_lease *lease = NULL;
    os_error error;
    acquire_and_detach(client, handle, &token);
    CHECK_CODE(os_lease_acquire(client, "free one", &options, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lease_list(client, NULL, see_lease, &seen, &error), OS_OK, &error);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.names[0], "free one free");
    assert_string_equal(seen.names[1], "job the first");
    CHECK_CODE(os_lease_acquire(client, "stop", NULL, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_list(client, NULL, see_lease, &seen, &error), OS_ERR_STOPPED, &error);
    CHECK_CODE(os_lease_list(client, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    os_client_close(client);
}

/* The READ is answered, the EXTEND is not until the deadline: it may still be held. */
TEST_WITH(scratch, an_adoption_whose_extension_is_not_answered_is_no_loss)
{
    os_client *client = scratch_table_client(scratch);
    char handle[OS_LEASE_HANDLE_SIZE];
    uint64_t token;
    os_lease *lease = NULL;
    os_lease_options options = fenced();
    os_call call = OS_CALL_INIT;
    os_error error;
    acquire_and_detach(client, handle, &token);
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    call.deadline_ms = 1000;
    CHECK_CODE(os_lease_adopt(client, "job", handle, &options, &call, &lease, &error), OS_ERR_DEADLINE, &error);
    scratch_unlock_file(db);
    CHECK_CODE(adopt(client, handle, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    os_client_close(client);
}
