/* SPDX-License-Identifier: Apache-2.0 */
/* Locks with owner and instance, on the embedded tables: the three conditions, and what each call tells. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include "oscommit_lease.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONG_S = 600 };

static const os_lock ann = {sizeof(os_lock), "space", "job", "ann", "1"};
static const os_lock ann_again = {sizeof(os_lock), "space", "job", "ann", "2"};
static const os_lock bob = {sizeof(os_lock), "space", "job", "bob", "1"};

/* As if time had passed. */
static void expire(const struct scratch *scratch)
{
    char file[128];
    char sql[128];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    snprintf(sql, sizeof(sql), "UPDATE locks SET expiry_s = %lld", (long long)time(NULL) - 1);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST_WITH(scratch, a_lock_is_one_instances_until_it_is_released)
{
    os_client *client = scratch_table_client(scratch);
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    int64_t now_s = time(NULL);
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.duration_s, LONG_S);
    assert_in_range(info.expiry_s, now_s + LONG_S, now_s + LONG_S + 60);
    const os_lock *const others[] = {&ann_again, &bob};
    for (size_t i = 0; i < 2; i++) {
        CHECK_CODE(os_lock_acquire(client, others[i], LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
        CHECK_SAYS(&error, "space:job is held by ann (instance 1)");
        assert_string_equal(info.owner, "ann");
        CHECK_CODE(os_lock_renew(client, others[i], LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
        CHECK_CODE(os_lock_release(client, others[i], NULL, &info, &error), OS_ERR_CONFLICT, &error);
        assert_string_equal(info.instance, "1");
    }
    CHECK_CODE(os_lock_release(client, &ann, NULL, &info, &error), OS_OK, &error);
    CHECK_CODE(os_lock_release(client, &ann, NULL, &info, &error), OS_OK, &error); /* once more is as once */
    CHECK_CODE(os_lock_read(client, &ann, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    CHECK_CODE(os_lock_acquire(client, &bob, LONG_S, NULL, NULL, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, the_same_instance_acquires_anew_and_renews_by_adding)
{
    os_client *client = scratch_table_client(scratch);
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lock_renew(client, &ann, LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "There is no lock");
    assert_int_equal(info.held, 0);
    CHECK_CODE(os_lock_acquire(client, &ann, 10, NULL, &info, &error), OS_OK, &error);
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.duration_s, LONG_S);
    int64_t expiry_s = info.expiry_s;
    CHECK_CODE(os_lock_renew(client, &ann, 30, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.duration_s, LONG_S + 30);
    assert_int_equal(info.expiry_s, expiry_s + 30);
    CHECK_CODE(os_lock_read(client, &bob, NULL, &info, &error), OS_OK, &error); /* whose it is does not matter */
    assert_int_equal(info.held, 1);
    assert_int_equal(info.expiry_s, expiry_s + 30);
    os_client_close(client);
}

TEST_WITH(scratch, one_that_has_expired_is_anybodys_and_cannot_be_renewed)
{
    os_client *client = scratch_table_client(scratch);
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, &info, &error), OS_OK, &error);
    expire(scratch);
    CHECK_CODE(os_lock_renew(client, &ann, LONG_S, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "expired at second");
    CHECK_CODE(os_lock_acquire(client, &bob, LONG_S, NULL, &info, &error), OS_OK, &error);
    assert_string_equal(info.owner, "bob");
    CHECK_CODE(os_lock_release(client, &ann, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    expire(scratch);
    CHECK_CODE(os_lock_release(client, &bob, NULL, &info, &error), OS_OK, &error); /* also its own expired one */
    CHECK_CODE(os_lock_read(client, &bob, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    os_client_close(client);
}

static os_code try_with(os_client *client, os_lock lock, os_error *error)
{
    return os_lock_acquire(client, &lock, LONG_S, NULL, NULL, error);
}

/* Only when its time is over, whosever it is. */
TEST_WITH(scratch, one_that_has_expired_can_be_broken)
{
    os_client *client = scratch_table_client(scratch);
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_break(client, &bob, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "held by ann");
    assert_string_equal(info.owner, "ann");
    expire(scratch);
    CHECK_CODE(os_lock_break(client, &bob, NULL, &info, &error), OS_OK, &error);
    CHECK_CODE(os_lock_read(client, &ann, NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    CHECK_CODE(os_lock_break(client, &bob, NULL, &info, &error), OS_OK, &error); /* there is none */
    os_client_close(client);
}

struct seen_locks {
    int count;
    int most;
    char names[4][64];
    os_client *client;
};

static int see_lock(void *context, const char *name_space, const char *name, const os_lock_info *info)
{
    struct seen_locks *seen = context;
    os_lock lock = {sizeof(lock), name_space, name, NULL, NULL};
    os_lock_info again = OS_LOCK_INFO_INIT;
    os_error error;
    assert_int_equal(info->held, 1);
    CHECK_CODE(os_lock_read(seen->client, &lock, NULL, &again, &error), OS_OK, &error); /* it is allowed here */
    assert_string_equal(again.owner, info->owner);
    snprintf(seen->names[seen->count++], sizeof(seen->names[0]), "%.15s:%.15s of %.15s", name_space, name, info->owner);
    return seen->count == seen->most;
}

TEST_WITH(scratch, locks_are_listed_by_namespace)
{
    os_client *client = scratch_table_client(scratch);
    const os_lock other = {sizeof(os_lock), "other", "job", "bob", "1"};
    const os_lock second = {sizeof(os_lock), "space", "more", "bob", "1"};
    struct seen_locks all = {.client = client};
    struct seen_locks of_space = {.client = client};
    struct seen_locks first = {.client = client, .most = 1};
    os_error error;
    CHECK_CODE(os_lock_list(client, NULL, NULL, see_lock, &all, &error), OS_OK, &error);
    assert_int_equal(all.count, 0);
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_acquire(client, &other, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_acquire(client, &second, LONG_S, NULL, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_list(client, NULL, NULL, see_lock, &all, &error), OS_OK, &error);
    assert_int_equal(all.count, 3);
    CHECK_CODE(os_lock_list(client, "space", NULL, see_lock, &of_space, &error), OS_OK, &error);
    assert_int_equal(of_space.count, 2);
    assert_string_equal(of_space.names[0], "space:job of ann");
    assert_string_equal(of_space.names[1], "space:more of bob");
    CHECK_CODE(os_lock_list(client, NULL, NULL, see_lock, &first, &error), OS_ERR_STOPPED, &error);
    assert_int_equal(first.count, 1);
    CHECK_CODE(os_lock_list(client, NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    os_client_close(client);
}

TEST_WITH(scratch, bad_arguments_are_refused)
{
    os_client *client = scratch_table_client(scratch);
    os_error error;
    char longest[260];
    memset(longest, 'n', sizeof(longest));
    longest[255] = '\0';
    os_lock lock = ann;
    lock.name_space = lock.name = lock.owner = lock.instance = longest;
    CHECK_CODE(try_with(client, lock, &error), OS_OK, &error);
    longest[255] = 'n';
    longest[256] = '\0';
    const char *const bad[] = {NULL, "", "\xff", longest};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const os_lock locks[] = {{sizeof(lock), bad[i], "n", "o", "i"},
                                 {sizeof(lock), "s", bad[i], "o", "i"},
                                 {sizeof(lock), "s", "n", bad[i], "i"},
                                 {sizeof(lock), "s", "n", "o", bad[i]}};
        for (size_t j = 0; j < 4; j++)
            CHECK_CODE(try_with(client, locks[j], &error), OS_ERR_ARGUMENT, &error);
    }
    CHECK_CODE(try_with(client, (os_lock){sizeof(lock), "a:b", "n", "o", "i"}, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(try_with(client, (os_lock){sizeof(lock), "a", "b:n", "o", "i"}, &error), OS_OK, &error);
    CHECK_CODE(try_with(client, (os_lock){1, "a", "b", "o", "i"}, &error), OS_ERR_ARGUMENT, &error);
    const uint64_t durations_s[] = {0, UINT64_C(365) * 86400 + 1};
    for (size_t i = 0; i < 2; i++) {
        CHECK_CODE(os_lock_acquire(client, &ann, durations_s[i], NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
        CHECK_CODE(os_lock_renew(client, &ann, durations_s[i], NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    }
    os_client_close(client);
}

/* In a file it is the same as that of the records. */
TEST_WITH(scratch, the_table_is_made_and_checked)
{
    char file[128];
    os_error error;
    snprintf(file, sizeof(file), "%s/locks.db", scratch->folder);
    os_client *client = scratch_table_client_of(file);
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_CODE(try_with(client, ann, &error), OS_ERR_NO_TABLE, &error);
    CHECK_CODE(os_lock_table_create(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_table_create(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lock_table_check(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(try_with(client, ann, &error), OS_OK, &error);
    os_client_close(client);
}

/* Nothing is sent again, and each call says what is not known. */
TEST(an_answer_that_is_lost_leaves_it_unknown)
{
    static const struct http_server_step lost = {.leave = HTTP_SERVER_CLOSE};
    struct http_server *server = http_server_start(NULL);
    os_client *client = NULL;
    os_error error;
    char endpoint[64];
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(server));
    os_options options = OS_OPTIONS_INIT;
    options.ledger_url = "dynamodb://locks";
    options.dynamodb_endpoint = endpoint;
    options.access_key_id = "AKTESTS";
    options.secret_access_key = "a-secret-of-the-tests";
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    for (int i = 0; i < 3; i++)
        http_server_push(server, &lost);
    CHECK_CODE(os_lock_acquire(client, &ann, LONG_S, NULL, NULL, &error), OS_ERR_NETWORK, &error);
    CHECK_SAYS(&error, "Whether the lock space:job was acquired is not known: acquire it again");
    CHECK_CODE(os_lock_renew(client, &ann, LONG_S, NULL, NULL, &error), OS_ERR_UNDECIDED, &error);
    CHECK_SAYS(&error, "was renewed is not known: read it");
    CHECK_CODE(os_lock_release(client, &ann, NULL, NULL, &error), OS_ERR_NETWORK, &error);
    CHECK_SAYS(&error, "was released is not known: release it again");
    assert_int_equal(http_server_count(server), 3);
    os_client_close(client);
    http_server_stop(server);
}

/* The file of the table is busy for as long as the lock was to last. */
struct busy_file {
    sqlite3 *db;
    pthread_t thread;
    int64_t until_s;
};

/* The clock alone lets a lock expire, so that is what is waited for. */
static void *end_it_later(void *context)
{
    const struct busy_file *busy = context;
    while ((int64_t)time(NULL) <= busy->until_s)
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000}, NULL);
    scratch_unlock_file(busy->db);
    return NULL;
}

static void busy_file_begin(struct busy_file *busy, const struct scratch *scratch, int64_t until_s)
{
    busy->until_s = until_s;
    busy->db = scratch_lock_file(scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    assert_int_equal(pthread_create(&busy->thread, NULL, end_it_later, busy), 0);
}

TEST_WITH(scratch, one_that_is_over_when_the_answer_comes_was_not_acquired)
{
    os_client *client = scratch_table_client(scratch);
    struct busy_file busy;
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lock_release(client, &ann, NULL, NULL, &error), OS_OK, &error); /* makes the file */
    busy_file_begin(&busy, scratch, (int64_t)time(NULL) + 2);
    CHECK_CODE(os_lock_acquire(client, &ann, 1, NULL, &info, &error), OS_ERR_DEADLINE, &error);
    CHECK_SAYS(&error, "is over");
    pthread_join(busy.thread, NULL);
    CHECK_CODE(os_lock_acquire(client, &bob, LONG_S, NULL, &info, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, one_that_is_over_when_the_answer_comes_was_not_renewed)
{
    os_client *client = scratch_table_client(scratch);
    struct busy_file busy;
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lock_acquire(client, &ann, 1, NULL, &info, &error), OS_OK, &error);
    busy_file_begin(&busy, scratch, info.expiry_s + 1);
    CHECK_CODE(os_lock_renew(client, &ann, 1, NULL, &info, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "expired at second");
    pthread_join(busy.thread, NULL);
    os_client_close(client);
}
