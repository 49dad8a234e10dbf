/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases on real tables: one at a time has it, whoever waits gets it, a dead one is waited out; and what else stands in
 * the table. dynalite does not give the item that a condition failed on, so that each conflict there takes a read more.
 */
#include "support/leases.h"
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* SHORT: what is waited out here. SOON: within a poll of a second, on a machine that does not keep up. */
enum { SHORT_TTL_S = 2, SOON_MS = 20000, ANSWER_MS = 60000 };

/* ------------------------------------------------------------------------------------------------ one at a time */

/* The second number is of a lease that had no token before. */
SUITE_TEST(uncontended_each_takes_one_request, 0)
{
    atomic_int requests = 0;
    CLOSED os_client *client = leases_client_with(f, leases_count_requests(&requests));
    const char *name = fixture_key(f, "one-request");
    os_lease_options fenced = OS_LEASE_OPTIONS_INIT;
    fenced.fencing = 1;
    const struct {
        const os_lease_options *options;
        int acquire;
    } turns[] = {{NULL, 1}, {NULL, 1}, {&fenced, 3}, {&fenced, 1}, {&fenced, 1}};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        atomic_store(&requests, 0);
        os_lease *lease = leases_acquire(client, name, turns[i].options);
        assert_int_equal(atomic_load(&requests), turns[i].acquire);
        leases_release(lease);
        assert_int_equal(atomic_load(&requests), turns[i].acquire + 1);
    }
}

SUITE_TEST(a_conflict_names_the_owner, 0)
{
    CLOSED os_client *client = leases_client(f);
    CLOSED os_client *other = leases_client(f);
    const char *name = fixture_key(f, "named");
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.owner = "the first of them";
    os_lease *lease = leases_acquire(client, name, &options);
    CHECK_CODE(leases_try(other, name, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "held by the first of them");
    os_lease_info info = leases_read(other, name);
    assert_int_equal(info.held, 1);
    assert_int_equal(info.foreign, 0);
    assert_int_equal(info.ttl_ms, 60000);
    assert_string_equal(info.owner, "the first of them");
    leases_release(lease);
    assert_int_equal(leases_read(other, name).held, 0);
    CHECK_CODE(leases_try(other, name, &error), OS_OK, &error);
}

/* L11 */
SUITE_TEST(what_is_detached_can_be_adopted, 0)
{
    CLOSED os_client *client = leases_client(f);
    CLOSED os_client *other = leases_client(f);
    const char *name = fixture_key(f, "adopted");
    char handle[OS_LEASE_HANDLE_SIZE];
    os_lease *adopted = NULL;
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    os_lease *lease = leases_acquire(client, name, &options);
    uint64_t token = os_lease_token(lease);
    CHECK_CODE(os_lease_handle(lease, handle, &error), OS_OK, &error);
    CHECK_CODE(os_lease_detach(lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_adopt(other, name, handle, &options, NULL, &adopted, &error), OS_OK, &error);
    assert_int_equal(os_lease_token(adopted), token);
    leases_release(adopted);
    CHECK_CODE(os_lease_adopt(other, name, handle, &options, NULL, &adopted, &error), OS_ERR_CONFLICT, &error);
    assert_null(adopted);
}

SUITE_TEST(who_waits_until_its_deadline_is_told_who_has_it, 0)
{
    CLOSED os_client *client = leases_client(f);
    CLOSED os_client *other = leases_client(f);
    const char *name = fixture_key(f, "deadline");
    os_error error;
    os_lease *never = NULL;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    options.owner = "somebody";
    os_lease *lease = leases_acquire(client, name, &options);
    options.wait = 1;
    call.deadline_ms = 3000;
    CHECK_CODE(os_lease_acquire(other, name, &options, &call, &never, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "held by somebody, still at the deadline");
    assert_null(never);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    leases_release(lease);
}

SUITE_TEST(who_waits_has_it_soon_after_its_release, 0)
{
    CLOSED os_client *client = leases_client(f);
    CLOSED os_client *other = leases_client(f);
    struct lease_waiter waiter = {.client = other, .name = fixture_key(f, "handed-over")};
    os_lease *lease = leases_acquire(client, waiter.name, NULL);
    lease_waiter_start(&waiter);
    uint64_t start_ms = now_ms();
    leases_release(lease);
    lease_waiter_join(&waiter);
    assert_in_range(waiter.held_ms - start_ms, 0, SOON_MS);
    leases_release(waiter.lease);
}

/* L5: nobody can have it while it is extended. */
SUITE_TEST(who_holds_it_for_longer_than_its_time_to_live_keeps_it, 0)
{
    CLOSED os_client *client = leases_client(f);
    CLOSED os_client *other = leases_client(f);
    const char *name = fixture_key(f, "extended");
    os_error error;
    os_lease *never = NULL;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = 6;
    os_lease *lease = leases_acquire(client, name, &options);
    options.wait = 1;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 8000;
    CHECK_CODE(os_lease_acquire(other, name, &options, &call, &never, &error), OS_ERR_CONFLICT, &error);
    assert_int_not_equal(os_lease_state(lease), OS_LEASE_LOST);
    leases_release(lease);
}

/* ------------------------------------------------------------------------------------------------------- death */

static void is_waited_out(struct fixture *f, const char *name, uint64_t died_ms)
{
    CLOSED os_client *client = leases_client(f);
    struct lease_waiter waiter = {.client = client, .name = name};
    os_error error;
    CHECK_CODE(leases_try(client, name, &error), OS_ERR_CONFLICT, &error);
    lease_waiter_start(&waiter);
    lease_waiter_join(&waiter);
    assert_in_range(waiter.held_ms - died_ms, SHORT_TTL_S * 1000, SHORT_TTL_S * 1000 + SOON_MS);
    leases_release(waiter.lease);
}

SUITE_TEST(a_client_that_was_closed_without_a_release_is_waited_out, 0)
{
    os_client *client = leases_client(f);
    const char *name = fixture_key(f, "closed");
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = SHORT_TTL_S;
    os_lease *lease = leases_acquire(client, name, &options);
    os_client_close(client);
    is_waited_out(f, name, now_ms());
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CANCELLED, &error);
}

/* Holds a lease, says so, and dies with it. */
static int hold_role(struct fixture *fixture, int argc, char **argv)
{
    os_client *client = leases_client(fixture);
    os_lease *lease = NULL;
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = SHORT_TTL_S;
    if (argc != 1 || os_lease_acquire(client, argv[0], &options, NULL, &lease, &error) != OS_OK)
        return 1;
    printf("held\n");
    fflush(stdout);
    return child_await_go() ? 0 : 1;
}

SUITE_TEST(a_process_that_was_killed_is_waited_out, 0)
{
    const char *name = fixture_key(f, "killed");
    const char *const arguments[] = {name, NULL};
    struct child child;
    char said[16];
    fixture_export(f);
    assert_true(child_start(&child, "hold", arguments));
    assert_true(child_hear(&child, said, sizeof(said), ANSWER_MS));
    assert_string_equal(said, "held");
    child_kill(&child);
    is_waited_out(f, name, now_ms());
}

/* ------------------------------------------------------------------------------------------------------ tokens */

/* L8: as TTL deletes it, or somebody by hand; and another implementation's PutItem keeps nothing of ours. */
SUITE_TEST(tokens_grow_also_when_the_item_is_deleted_or_replaced, BACKEND_DYNAMO)
{
    CLOSED os_client *client = leases_client(f);
    const char *name = fixture_key(f, "tokens");
    uint64_t last = 0;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    for (int i = 0; i < 6; i++) {
        os_lease *lease = leases_acquire(client, name, &options);
        assert_true(os_lease_token(lease) > last);
        last = os_lease_token(lease);
        assert_int_equal(leases_read(client, name).token, last);
        leases_release(lease);
        assert_int_equal(leases_read(client, name).token, last);
        if (i % 3 == 1)
            leases_delete_item(f, name);
        if (i % 3 == 2)
            leases_put_item(f, json_pack("{s:{s:s}}", "key", "S", name));
    }
}

/* ------------------------------------------------------------------------------------------------------- others */

/* As the crate dynamodb-lease 0.22.1 writes it. */
static void put_foreign(struct fixture *f, const char *name, int64_t expiry_s)
{
    char expiry[24];
    snprintf(expiry, sizeof(expiry), "%lld", (long long)expiry_s);
    leases_put_item(f, json_pack("{s:{s:s},s:{s:s},s:{s:s}}", "key", "S", name, "lease_expiry", "N", expiry,
                                 "lease_version", "S", "2f7c9f3e-5c3f-4d0a-9a55-4f3c1b8e6a10"));
}

SUITE_TEST(a_foreign_lease_is_taken_only_after_its_expiry, BACKEND_DYNAMO)
{
    CLOSED os_client *client = leases_client(f);
    struct lease_waiter waiter = {.client = client, .name = fixture_key(f, "foreign")};
    os_error error;
    int64_t expiry_s = (int64_t)time(NULL) + 4;
    put_foreign(f, waiter.name, expiry_s);
    os_lease_info info = leases_read(client, waiter.name);
    assert_int_equal(info.held, 1);
    assert_int_equal(info.foreign, 1);
    assert_int_equal(info.expiry_s, expiry_s);
    assert_int_equal(info.ttl_ms, 0);
    assert_string_equal(info.owner, "");
    CHECK_CODE(leases_try(client, waiter.name, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "another (it does not say who)");
    lease_waiter_start(&waiter);
    lease_waiter_join(&waiter);
    assert_true((int64_t)time(NULL) > expiry_s);
    assert_int_equal(leases_read(client, waiter.name).foreign, 0);
    leases_release(waiter.lease);
}

SUITE_TEST(a_foreign_lease_that_has_expired_is_taken_without_waiting, BACKEND_DYNAMO)
{
    CLOSED os_client *client = leases_client(f);
    const char *name = fixture_key(f, "expired");
    os_error error;
    put_foreign(f, name, (int64_t)time(NULL) - 10);
    CHECK_CODE(leases_try(client, name, &error), OS_OK, &error);
}

static const struct {
    const char *name;
    const char *attribute;
    const char *type;
    const char *value;
} unfit_items[] = {
    {"a version that is a number", "lease_version", "N", "1"},
    {"a version without an end", "lease_version", "S",
     "0123456789012345678901234567890123456789012345678901234567890123456789"
     "0123456789012345678901234567890123456789012345678901234567890123456789"},
    {"an expiry that is a text", "lease_expiry", "S", "soon"},
    {"an owner that is a number", "lease_owner", "N", "7"},
    {"a token below nothing", "lease_token", "N", "-1"},
};

SUITE_ROWS(unfit_items, an_item_that_is_no_lease_is_refused, BACKEND_DYNAMO)
{
    CLOSED os_client *client = leases_client(f);
    const char *name = fixture_key(f, "unfit");
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    json_t *item = json_pack("{s:{s:s},s:{s:s}}", "key", "S", name, "lease_version", "S", "somebody's");
    json_object_set_new(item, row->attribute, json_pack("{s:s}", row->type, row->value));
    leases_put_item(f, item);
    os_code code = leases_try(client, name, &error);
    assert_int_not_equal(code, OS_OK);
    assert_int_not_equal(code, OS_ERR_CONFLICT);
    CHECK_SAYS(&error, "found an item there that is not a lease");
    CHECK_SAYS(&error, name);
    CHECK_SAYS(&error, row->attribute);
    CHECK_SAYS(&error, "delete the item");
    CHECK_CODE(os_lease_read(client, name, NULL, &info, &error), code, &error);
    CHECK_SAYS(&error, "found an item there that is not a lease");
}

SUITE_TEST(a_table_of_records_is_refused, BACKEND_DYNAMO)
{
    os_options options = fixture_options(f);
    options.store_url = NULL;
    CLOSED os_client *client = fixture_client(&options);
    os_error error;
    CHECK_CODE(leases_try(client, "job", &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, f->table);
    CHECK_SAYS(&error, "This table has other keys than one of leases");
    CHECK_SAYS(&error, "oscommit table create --leases --ledger dynamodb://");
    options.ledger_url = "dynamodb://a-table-that-is-not-there";
    CLOSED os_client *absent = fixture_client(&options);
    CHECK_CODE(leases_try(absent, "job", &error), OS_ERR_NO_TABLE, &error);
    CHECK_SAYS(&error, "a-table-that-is-not-there");
    CHECK_SAYS(&error, "oscommit table create");
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"hold", hold_role}, {NULL, NULL}};
    static const struct suite suite = {.name = "leases", .roles = roles, .only = "minio,minio+dynalite,embedded"};
    return suite_main(&suite, argc, argv);
}
