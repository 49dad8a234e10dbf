/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks with an owner and an instance on real tables: the conditions of each call, the items of the service that keeps
 * the same table, and a race. dynalite does not give the item that a condition failed on.
 */
#include "oscommit_async.h"
#include "support/leases.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONG_S = 600, MORE_S = 30, SHORT_S = 1, PATIENCE_MS = 120000 };
enum { RACERS = 6, TURNS = 6, TURN_OF_DEATH = 2 };

static os_lock lock_of(const char *name, const char *owner, const char *instance)
{
    return (os_lock){sizeof(os_lock), "space", name, owner, instance};
}

SUITE_TEST(each_call_is_one_request, 0)
{
    atomic_int requests = 0;
    CLOSED os_client *client = locks_client_with(f, leases_count_requests(&requests));
    os_lock lock = lock_of(fixture_key(f, "one-request"), "ann", "1");
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    int64_t now_s = (int64_t)time(NULL);
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(atomic_load(&requests), 1);
    assert_in_range(info.expiry_s, now_s + LONG_S, now_s + LONG_S + 60);
    int64_t expiry_s = info.expiry_s;
    CHECK_CODE(os_lock_renew(client, &lock, MORE_S, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(atomic_load(&requests), 2);
    assert_int_equal(info.duration_s, LONG_S + MORE_S);
    assert_int_equal(info.expiry_s, expiry_s + MORE_S);
    CHECK_CODE(os_lock_release(client, &lock, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(atomic_load(&requests), 3);
    CHECK_CODE(os_lock_release(client, &lock, NULL, &info, &error), OS_OK, &error); /* once more is as once */
    CHECK_CODE(os_lock_renew(client, &lock, MORE_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "There is no lock");
}

SUITE_TEST(it_is_of_one_owner_and_one_instance, 0)
{
    CLOSED os_client *client = locks_client(f);
    const char *name = fixture_key(f, "of-one");
    os_lock lock = lock_of(name, "ann", "1");
    const os_lock others[] = {lock_of(name, "ann", "2"), lock_of(name, "bob", "1")};
    os_error error;
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_OK, &error);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        os_lock_info info = OS_LOCK_INFO_INIT;
        CHECK_CODE(os_lock_acquire(client, &others[i], LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
        assert_string_equal(info.owner, "ann");
        CHECK_CODE(os_lock_renew(client, &others[i], LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
        CHECK_CODE(os_lock_release(client, &others[i], NULL, &info, &error), OS_ERR_CONFLICT, &error);
        assert_string_equal(info.instance, "1");
        CHECK_CODE(os_lock_break(client, &others[i], NULL, &info, &error), OS_ERR_CONFLICT, &error);
        assert_int_equal(info.held, 1);
    }
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_release(client, &lock, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_acquire(client, &others[1], LONG_S, NULL, NULL, &error), OS_OK, &error);
}

/* Every attribute of lockToItem in LockServiceCentral's DynamoDbLockService, of the type that it has there. */
static void put_of_the_service(const struct fixture *f, const os_lock *lock, int64_t expiry_s)
{
    char id[400];
    char expiry[32];
    snprintf(id, sizeof(id), "%s:%s", lock->name_space, lock->name);
    snprintf(expiry, sizeof(expiry), "%lld", (long long)expiry_s);
    locks_put_item(f,
                   json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "lockId", "S", id,
                             "namespace", "S", lock->name_space, "lockName", "S", lock->name, "owner", "S", lock->owner,
                             "instanceId", "S", lock->instance, "leaseDuration", "N", "60", "expiry", "N", expiry));
}

SUITE_TEST(a_lock_of_the_service_is_kept_until_its_expiry_and_is_the_same_instances, BACKEND_DYNAMO)
{
    CLOSED os_client *client = locks_client(f);
    const char *name = fixture_key(f, "of-the-service");
    os_lock theirs = lock_of(name, "service", "7");
    os_lock ours = lock_of(name, "pipeline", "7");
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    int64_t now_s = (int64_t)time(NULL);
    put_of_the_service(f, &theirs, now_s + LONG_S);
    CHECK_CODE(os_lock_acquire(client, &ours, LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    assert_string_equal(info.owner, "service");
    assert_int_equal(info.duration_s, 60);
    assert_int_equal(info.expiry_s, now_s + LONG_S);
    CHECK_CODE(os_lock_renew(client, &theirs, MORE_S, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.duration_s, 60 + MORE_S);
    assert_int_equal(info.expiry_s, now_s + LONG_S + MORE_S);
    put_of_the_service(f, &theirs, now_s - 10);
    CHECK_CODE(os_lock_renew(client, &theirs, MORE_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_CODE(os_lock_acquire(client, &ours, LONG_S, NULL, &info, &error), OS_OK, &error);
    CHECK_CODE(os_lock_release(client, &theirs, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    put_of_the_service(f, &theirs, now_s - 10);
    CHECK_CODE(os_lock_release(client, &theirs, NULL, &info, &error), OS_OK, &error); /* expired, and its own */
    put_of_the_service(f, &theirs, now_s - 10);
    CHECK_CODE(os_lock_break(client, &ours, NULL, &info, &error), OS_OK, &error);
    CHECK_CODE(os_lock_read(client, &ours, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
}

static void on_complete(void *context, os_operation *operation)
{
    os_operation_free(operation);
    event_set(context);
}

/* Else the table might take one for the other, and whoever was told that he holds it would not. */
SUITE_TEST(a_release_that_nobody_waits_for_comes_before_the_next_acquisition, BACKEND_DYNAMO)
{
    assert_true(fixture_proxies(f));
    CLOSED os_client *client = locks_client(f);
    const char *name = fixture_key(f, "in-turn");
    os_lock lock = lock_of(name, "ann", "1");
    os_lock_info info = OS_LOCK_INFO_INIT;
    struct event done = EVENT_INIT;
    os_start start = OS_START_INIT;
    os_error error;
    start.complete = on_complete;
    start.context = &done;
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_OK, &error);
    const struct fault_rule hold = {.match = {.target = "DeleteItem", .body_contains = name}, .action = FAULT_HOLD};
    unsigned held = fault_proxy_add(f->ledger_proxy, &hold);
    CHECK_CODE(os_start_lock_release(client, &lock, &start, NULL, &error), OS_OK, &error);
    assert_true(fault_proxy_wait_hits(f->ledger_proxy, held, 1, PATIENCE_MS));
    CHECK_CODE(os_start_lock_acquire(client, &lock, LONG_S, &start, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_read(client, &lock, NULL, &info, &error), OS_OK, &error); /* the I/O thread has come to both */
    const struct fault_match puts = {.target = "PutItem", .body_contains = name};
    assert_int_equal(fault_proxy_count(f->ledger_proxy, &puts), 1);
    fault_proxy_release(f->ledger_proxy, held, FAULT_FORWARD);
    assert_true(event_reaches(&done, 2));
    CHECK_CODE(os_lock_read(client, &lock, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 1);
}

/* --------------------------------------------------------------------------------------------------------- table */

/* That nobody has made. `ret` has 400 bytes. */
static const char *new_ledger(struct fixture *f, const char *name, char *ret)
{
    const char *key = fixture_key(f, name);
    if (f->ledger_endpoint[0] == '\0')
        snprintf(ret, 400, "sqlite://%s/%s.db", f->root, key);
    else
        snprintf(ret, 400, "dynamodb://%s-%s", f->table, key);
    return ret;
}

/* Of making and checking a table: dynalite has the question for TTL, and no TTL. */
static os_code code_of_made(const struct fixture *f)
{
    bool lacks_ttl = (f->backend->features & (BACKEND_DYNAMO | BACKEND_TTL)) == BACKEND_DYNAMO;
    return lacks_ttl ? OS_ERR_TABLE : OS_OK;
}

static void check_usable(const struct fixture *f, os_client *client)
{
    os_lock lock = lock_of("job", "ann", "1");
    os_error error;
    CHECK_CODE(os_lock_table_check(client, NULL, &error), code_of_made(f), &error);
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_renew(client, &lock, MORE_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_release(client, &lock, NULL, NULL, &error), OS_OK, &error);
}

SUITE_TEST(a_table_is_made_and_has_locks, 0)
{
    char url[400];
    CLOSED os_client *client = leases_client_at(f, new_ledger(f, "locks-made", url));
    os_lock lock = lock_of("job", "ann", "1");
    os_error error;
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_SAYS(&error, "oscommit table create");
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_CODE(os_lock_table_create(client, NULL, &error), code_of_made(f), &error);
    CHECK_CODE(os_lock_table_create(client, NULL, &error), code_of_made(f), &error); /* a fit one is left as it is */
    check_usable(f, client);
}

SUITE_TEST(an_absent_table_of_locks_is_named_with_the_command_that_makes_it, BACKEND_DYNAMO)
{
    char url[400];
    CLOSED os_client *client = leases_client_at(f, new_ledger(f, "locks-none", url));
    os_lock lock = lock_of("job", "ann", "1");
    os_error error;
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_SAYS(&error, "`oscommit table create --locks --ledger dynamodb://");
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_SAYS(&error, "`oscommit table create --locks --ledger dynamodb://");
}

static void check_refused(const struct fixture *f, const char *ledger_url)
{
    CLOSED os_client *client = leases_client_at(f, ledger_url);
    os_lock lock = lock_of("job", "ann", "1");
    os_error error;
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "is unfit for locks");
    CHECK_SAYS(&error, "must be lockId (S, HASH)");
    CHECK_SAYS(&error, "`oscommit table create --locks --ledger dynamodb://");
    CHECK_CODE(os_lock_table_create(client, NULL, &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "`oscommit table create --locks --ledger dynamodb://");
    CHECK_CODE(os_lock_acquire(client, &lock, LONG_S, NULL, NULL, &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "This table has other keys than one of locks");
}

SUITE_TEST(tables_of_other_items_are_refused_and_the_right_command_is_named, BACKEND_DYNAMO)
{
    char url[400];
    os_error error;
    check_refused(f, f->ledger_url);
    CLOSED os_client *leases = leases_client_at(f, new_ledger(f, "leases-made", url));
    CHECK_CODE(os_lease_table_create(leases, NULL, &error), code_of_made(f), &error);
    check_refused(f, url);
    CLOSED os_client *locks = locks_client(f);
    CHECK_CODE(os_lease_table_check(locks, NULL, &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "must be key (S, HASH)");
    CHECK_SAYS(&error, "`oscommit table create --leases --ledger dynamodb://");
}

SUITE_TEST(a_table_of_locks_without_ttl_is_unfit_until_it_is_created_over, BACKEND_DYNAMO | BACKEND_TTL)
{
    CLOSED os_client *client = locks_client(f);
    os_error error;
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "Enable it on the attribute \"expiry\", as `oscommit table create --locks --ledger ");
    CHECK_CODE(os_lock_table_create(client, NULL, &error), OS_OK, &error);
    check_usable(f, client);
}

/* ---------------------------------------------------------------------------------------------------------- race */

struct contest {
    const char *name;
    atomic_int inside; /* how many hold it, as they were told */
    atomic_int overlaps;
};

struct racer {
    struct contest *contest;
    os_client *client;
    unsigned number;
    unsigned wins;
    os_code code; /* the first that is neither a win nor a conflict */
    os_error error;
    pthread_t thread;
};

/* A lock has no queue: who wants it asks again. */
static os_code acquire_in_turn(struct racer *racer, const os_lock *lock, uint64_t duration_s)
{
    uint64_t end_ms = now_ms() + PATIENCE_MS;
    os_code code = os_lock_acquire(racer->client, lock, duration_s, NULL, NULL, &racer->error);
    while (code == OS_ERR_CONFLICT && now_ms() < end_ms) {
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000000}, NULL);
        code = os_lock_acquire(racer->client, lock, duration_s, NULL, NULL, &racer->error);
    }
    return code;
}

static os_code hold_once(struct racer *racer, const os_lock *lock)
{
    os_code code = acquire_in_turn(racer, lock, LONG_S);
    if (code != OS_OK)
        return code;
    if (atomic_fetch_add(&racer->contest->inside, 1) != 0)
        atomic_fetch_add(&racer->contest->overlaps, 1);
    code = os_lock_renew(racer->client, lock, MORE_S, NULL, NULL, &racer->error);
    atomic_fetch_sub(&racer->contest->inside, 1);
    return code == OS_OK ? os_lock_release(racer->client, lock, NULL, NULL, &racer->error) : code;
}

/* Each turn is an instance of its own, and one of them dies with the lock, which then has to expire. */
static void *race(void *context)
{
    struct racer *racer = context;
    for (unsigned turn = 0; turn < TURNS && racer->code == OS_OK; turn++) {
        char instance[32];
        snprintf(instance, sizeof(instance), "%u.%u", racer->number, turn);
        os_lock lock = lock_of(racer->contest->name, "racer", instance);
        racer->code = turn == TURN_OF_DEATH ? acquire_in_turn(racer, &lock, SHORT_S) : hold_once(racer, &lock);
        racer->wins += racer->code == OS_OK ? 1 : 0;
    }
    return NULL;
}

SUITE_TEST(of_those_who_race_for_it_one_has_it_at_a_time, 0)
{
    struct contest contest = {.name = fixture_key(f, "raced")};
    struct racer racers[RACERS];
    for (unsigned i = 0; i < RACERS; i++)
        racers[i] = (struct racer){.contest = &contest, .client = locks_client(f), .number = i};
    for (unsigned i = 0; i < RACERS; i++)
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    for (unsigned i = 0; i < RACERS; i++)
        pthread_join(racers[i].thread, NULL);
    for (unsigned i = 0; i < RACERS; i++) {
        CHECK_CODE(racers[i].code, OS_OK, &racers[i].error);
        assert_int_equal(racers[i].wins, TURNS);
        os_client_close(racers[i].client);
    }
    assert_int_equal(atomic_load(&contest.overlaps), 0);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "locks", .only = "minio,minio+dynalite,embedded"};
    return suite_main(&suite, argc, argv);
}
