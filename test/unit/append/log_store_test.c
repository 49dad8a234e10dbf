/* SPDX-License-Identifier: Apache-2.0 */
/* Commits through a log store, on the simulator's store and table: what others do between two requests, and what is lost. */
#include "base/clock.h"
#include "sim/fake_dynamo.h"
#include "sim/fake_s3.h"
#include "support/http_server.h"
#include "support/test.h"

#include "oscommit_delta.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ACCESS_KEY "AKDELTA"
#define SECRET_KEY "a-secret-of-the-tests"
#define VERSION_1  "/table/_delta_log/00000000000000000001.json"
#define OUTSIDER   "{\"add\":{\"path\":\"outsider.parquet\"}}\n"

enum { NEVER_MS = 3000, LONG_MS = 20000, DAY_MS = 86400 * 1000 };

struct fleet;
/* Before each request, on a thread of the server. False: it is not handled, and its connection is closed. */
typedef bool (*fleet_hook)(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret);

struct fleet {
    pthread_mutex_t mutex; /* of the fakes */
    struct fake_s3 *s3;
    struct fake_dynamo *dynamo;
    struct http_server *servers[2];
    os_client *ours;  /* whose requests the hook sees ... */
    os_client *other; /* ... and whose it does not, by its user agent */
    os_client *log_store;
    os_client *other_log_store;
    _Atomic(fleet_hook) hook;
    atomic_uint hits;
    atomic_uint completions; /* requests of ours */
    atomic_uint temps;       /* of ours, so many were written */
};

/* -------------------------------------------------------------------------------------------------------- services */

static uint64_t now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms;
}

static void write_request(const struct http_server_record *record, struct buf *ret)
{
    buf_add_f(ret, "%s %s HTTP/1.1\r\n", record->method, record->target);
    for (size_t i = 0; i < record->headers.count; i++)
        buf_add_f(ret, "%s: %s\r\n", record->headers.list[i].name, record->headers.list[i].value);
    buf_add_str(ret, "\r\n");
    if (record->body_length > 0)
        buf_add(ret, record->body, record->body_length);
    assert_true(buf_ok(ret));
}

static bool is_action(const struct http_server_record *record, const char *action)
{
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    return target != NULL && strcmp(target + strlen("DynamoDB_20120810."), action) == 0;
}

static bool is_put_of(const struct http_server_record *record, const char *name)
{
    return strcmp(record->method, "PUT") == 0 && strstr(record->target, name) != NULL;
}

static bool is_ours(const struct http_server_record *record)
{
    const char *agent = http_headers_get(&record->headers, "user-agent");
    return agent == NULL || strstr(agent, "other") == NULL;
}

static bool undisturbed(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)fleet;
    (void)record;
    (void)ret;
    return true;
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct fleet *fleet = context;
    struct buf request;
    bool is_dynamo = http_headers_get(&record->headers, "x-amz-target") != NULL;
    *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE};
    if (is_ours(record)) {
        fleet->temps += is_put_of(record, "_commit_");
        fleet->completions += is_action(record, "UpdateItem");
        fleet_hook hook = fleet->hook;
        if (!hook(fleet, record, ret))
            return;
    }
    buf_init(&request, 4 << 20);
    buf_reset(scratch);
    write_request(record, &request);
    pthread_mutex_lock(&fleet->mutex);
    bool handled = is_dynamo ? fake_dynamo_handle(fleet->dynamo, request.data, request.len, now_ms(), scratch)
                             : fake_s3_handle(fleet->s3, request.data, request.len, now_ms(), now_ms(), false, scratch);
    pthread_mutex_unlock(&fleet->mutex);
    buf_free(&request);
    assert_true(handled);
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static os_client *open_client(const struct fleet *fleet, bool has_store, const char *agent, const char *profile)
{
    char store[64];
    char table[64];
    os_client *client = NULL;
    os_error error;
    os_options options = OS_OPTIONS_INIT;
    snprintf(store, sizeof(store), "http://%s", http_server_host(fleet->servers[0]));
    snprintf(table, sizeof(table), "http://%s", http_server_host(fleet->servers[1]));
    options.store_url = has_store ? "s3://bucket" : NULL;
    options.s3_endpoint = has_store ? store : NULL;
    options.ledger_url = has_store ? NULL : "dynamodb://entries";
    options.dynamodb_endpoint = has_store ? NULL : table;
    options.access_key_id = ACCESS_KEY;
    options.secret_access_key = SECRET_KEY;
    options.user_agent = agent;
    options.store_profile = profile;
    options.no_environment = 1;
    if (os_client_open(&options, &client, &error) != OS_OK)
        fail_msg("%s", error.message);
    return client;
}

static os_verdict commit(struct fleet *fleet, bool by_us, uint64_t deadline_ms, os_delta_result *ret)
{
    static const os_delta_add add = {"a.parquet", 10, 1, 3};
    static const os_delta_files files = {sizeof(files),
                                         "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\","
                                         "\"nullable\":true,\"metadata\":{}}]}",
                                         &add, 1, NULL};
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    options.log_store = by_us ? fleet->log_store : fleet->other_log_store;
    call.deadline_ms = deadline_ms;
    os_verdict verdict =
        os_delta_commit(by_us ? fleet->ours : fleet->other, "table", &files, &options, &call, ret, &error);
    if (verdict == OS_NOT_EXECUTED)
        print_message("%s\n", error.message);
    return verdict;
}

static os_verdict resolve_of(struct fleet *fleet, const char *table, const char *ticket, uint64_t deadline_ms)
{
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_call call = OS_CALL_INIT;
    options.log_store = fleet->log_store;
    call.deadline_ms = deadline_ms;
    os_verdict verdict = os_delta_resolve(fleet->ours, table, ticket, &options, &call, &result, NULL);
    os_delta_result_clear(&result);
    return verdict;
}

static os_verdict resolve(struct fleet *fleet, const char *ticket, uint64_t deadline_ms)
{
    return resolve_of(fleet, "table", ticket, deadline_ms);
}

static void committed_as(struct fleet *fleet, bool by_us, int64_t version)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    assert_int_equal(commit(fleet, by_us, LONG_MS, &result), OS_COMMITTED);
    assert_int_equal(result.version, version);
    os_delta_result_clear(&result);
}

static void fleet_set_up(struct fleet *fleet)
{
    const struct fake_s3_options s3 = {
        .bucket = "bucket", .region = "us-east-1", .access_key = ACCESS_KEY, .secret_key = SECRET_KEY};
    const struct fake_dynamo_options dynamo = {.table = "entries",
                                               .kind = FAKE_DYNAMO_ENTRIES,
                                               .region = "us-east-1",
                                               .access_key = ACCESS_KEY,
                                               .secret_key = SECRET_KEY};
    const struct http_server_options server = {.respond = respond, .respond_context = fleet};
    pthread_mutex_init(&fleet->mutex, NULL);
    fleet->hook = undisturbed;
    fleet->s3 = fake_s3_new(&s3);
    fleet->dynamo = fake_dynamo_new(&dynamo);
    for (size_t i = 0; i < 2; i++)
        fleet->servers[i] = http_server_start(&server);
    fleet->ours = open_client(fleet, true, "ours", NULL);
    fleet->log_store = open_client(fleet, false, "ours", NULL);
    fleet->other = open_client(fleet, true, "other", NULL);
    fleet->other_log_store = open_client(fleet, false, "other", NULL);
    committed_as(fleet, true, 0);
}

static void fleet_tear_down(struct fleet *fleet)
{
    os_client_close(fleet->ours);
    os_client_close(fleet->other);
    os_client_close(fleet->log_store);
    os_client_close(fleet->other_log_store);
    for (size_t i = 0; i < 2; i++)
        http_server_stop(fleet->servers[i]);
    assert_null(fake_dynamo_violation(fleet->dynamo));
    fake_s3_free(fleet->s3);
    fake_dynamo_free(fleet->dynamo);
    pthread_mutex_destroy(&fleet->mutex);
}

/* -------------------------------------------------------------------------------------------------- what others do */

static void write_outside(struct fleet *fleet)
{
    const os_body body = OS_BODY_MEMORY(OUTSIDER, strlen(OUTSIDER));
    os_error error;
    if (os_put(fleet->other, &VERSION_1[1], &body, NULL, NULL, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
}

static size_t version_1_count(struct fleet *fleet)
{
    pthread_mutex_lock(&fleet->mutex);
    size_t count = fake_s3_version_count(fleet->s3, &VERSION_1[1]);
    pthread_mutex_unlock(&fleet->mutex);
    return count;
}

static void check_outsiders(struct fleet *fleet)
{
    assert_int_equal(version_1_count(fleet), 1);
    pthread_mutex_lock(&fleet->mutex);
    bool is_outsiders = memcmp(fake_s3_version_at(fleet->s3, &VERSION_1[1], 0).body, OUTSIDER, strlen(OUTSIDER)) == 0;
    pthread_mutex_unlock(&fleet->mutex);
    assert_true(is_outsiders);
}

static bool outsider_is_first(struct fleet *fleet, const struct http_server_record *record,
                              struct http_server_step *ret)
{
    (void)ret;
    if (is_action(record, "PutItem") && fleet->hits++ == 0)
        write_outside(fleet);
    return true;
}

static bool never_written(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)fleet;
    (void)ret;
    return !is_put_of(record, VERSION_1);
}

static char *left_unknown(struct fleet *fleet)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    fleet->hook = never_written;
    assert_int_equal(commit(fleet, true, NEVER_MS, &result), OS_UNKNOWN);
    fleet->hook = undisturbed;
    assert_int_equal(result.version, 1);
    char *ticket = result.ticket;
    assert_non_null(ticket);
    result.ticket = NULL;
    os_delta_result_clear(&result);
    return ticket;
}

/* ----------------------------------------------------------------------------------------------------------- tests */

TEST_WITH(fleet, a_version_that_an_outsider_wrote_stays_his_and_the_next_one_is_ours)
{
    unsigned temps = fleet->temps;
    fleet->hook = outsider_is_first;
    committed_as(fleet, true, 2);
    check_outsiders(fleet);
    assert_int_equal(fleet->temps, temps + 2); /* the first was named by an entry: who holds that may still copy it */
    committed_as(fleet, false, 3);
}

TEST_WITH(fleet, a_ticket_of_a_version_that_an_outsider_wrote_is_a_conflict)
{
    char *ticket = left_unknown(fleet);
    write_outside(fleet);
    committed_as(fleet, false, 2);
    assert_int_equal(resolve(fleet, ticket, LONG_MS), OS_CONFLICT);
    check_outsiders(fleet);
    free(ticket);
}

/* Its temp file is read: from now on no entry is. */
static bool denied_behind_the_temp_file(struct fleet *fleet, const struct http_server_record *record,
                                        struct http_server_step *ret)
{
    static const char denied[] = "HTTP/1.1 400 Bad Request\r\nx-amzn-requestid: 1\r\nContent-Length: 59\r\n\r\n"
                                 "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\"}";
    fleet->hits += strcmp(record->method, "GET") == 0 && strstr(record->target, "_commit_") != NULL;
    if (!is_action(record, "GetItem") || fleet->hits == 0)
        return true;
    *ret = (struct http_server_step){.answer = denied};
    return false;
}

TEST_WITH(fleet, a_repair_that_cannot_read_the_entry_again_completes_nothing)
{
    char *ticket = left_unknown(fleet);
    unsigned completions = fleet->completions;
    fleet->hook = denied_behind_the_temp_file;
    assert_int_equal(resolve(fleet, ticket, LONG_MS), OS_UNKNOWN);
    assert_int_equal(fleet->completions, completions);
    assert_int_not_equal(fleet->hits, 0);
    assert_int_equal(version_1_count(fleet), 0);
    fleet->hook = undisturbed;
    assert_int_equal(resolve(fleet, ticket, LONG_MS), OS_COMMITTED);
    assert_int_equal(version_1_count(fleet), 1);
    committed_as(fleet, false, 2);
    free(ticket);
}

TEST_WITH(fleet, a_ticket_says_nothing_of_another_table)
{
    char *ticket = left_unknown(fleet);
    const os_body body = OS_BODY_MEMORY(OUTSIDER, strlen(OUTSIDER));
    os_error error;
    if (os_put(fleet->other, "else" VERSION_1, &body, NULL, NULL, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(resolve_of(fleet, "else/table", ticket, LONG_MS), OS_UNKNOWN);
    assert_int_equal(resolve(fleet, ticket, LONG_MS), OS_COMMITTED);
    free(ticket);
}

static bool sleeps_for_a_day(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)ret;
    if (is_action(record, "PutItem") && fleet->hits++ == 0) {
        committed_as(fleet, false, 1);
        pthread_mutex_lock(&fleet->mutex);
        uint64_t later_ms = now_ms() + 2 * (uint64_t)DAY_MS;
        while (fake_dynamo_expired_count(fleet->dynamo, later_ms) > 0)
            fake_dynamo_expire(fleet->dynamo, later_ms, 0);
        pthread_mutex_unlock(&fleet->mutex);
    }
    return true;
}

TEST_WITH(fleet, an_entry_that_expired_while_we_slept_is_no_version_of_ours)
{
    fleet->hook = sleeps_for_a_day;
    committed_as(fleet, true, 2);
    assert_int_equal(version_1_count(fleet), 1);
    committed_as(fleet, false, 3);
}

static bool outsider_is_first_at_the_version(struct fleet *fleet, const struct http_server_record *record,
                                             struct http_server_step *ret)
{
    (void)ret;
    if (is_put_of(record, VERSION_1) && fleet->hits++ == 0)
        write_outside(fleet);
    return true;
}

/* As a request of ours that was given up may be, too. */
TEST_WITH(fleet, a_late_version_of_ours_is_refused_where_the_store_enforces_that)
{
    static const char profile[] =
        "{\"format\":1,\"name\":\"of the test\",\"measured_on\":\"2026-11-21\",\"source\":\"documentation\","
        "\"requests\":{\"put\":{\"absent\":\"enforced\",\"absent_atomic\":true}}}";
    char path[] = "/tmp/oscommit-profile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, profile, strlen(profile)), strlen(profile));
    assert_int_equal(close(fd), 0);
    os_client_close(fleet->ours);
    fleet->ours = open_client(fleet, true, "ours", path);
    assert_int_equal(unlink(path), 0);
    fleet->hook = outsider_is_first_at_the_version;
    committed_as(fleet, true, 2);
    check_outsiders(fleet);
    committed_as(fleet, false, 3);
}
