/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/append/fleet.h"

#include "base/clock.h"
#include "sim/fake_dynamo_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ACCESS_KEY "AKDELTA"
#define SECRET_KEY "a-secret-of-the-tests"
#define TABLE_PATH "s3://bucket/table"
#define FILE_NAME  "00000000000000000001.json"

enum { NEVER_MS = 3000 };

/* -------------------------------------------------------------------------------------------------------- services */

uint64_t fleet_now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms;
}

bool fleet_is_action(const struct http_server_record *record, const char *action)
{
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    return target != NULL && strcmp(target + strlen("DynamoDB_20120810."), action) == 0;
}

bool fleet_is(const struct http_server_record *record, const char *method, const char *name)
{
    return strcmp(record->method, method) == 0 && strstr(record->target, name) != NULL;
}

bool fleet_deny(struct http_server_step *ret)
{
    static const char denied[] = "HTTP/1.1 403 Forbidden\r\nx-amz-request-id: 1\r\nContent-Length: 39\r\n\r\n"
                                 "<Error><Code>AccessDenied</Code></Error>";
    *ret = (struct http_server_step){.answer = denied};
    return false;
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

void fleet_calm(struct fleet *fleet)
{
    fleet->hook = undisturbed;
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct fleet *fleet = context;
    struct buf request;
    bool is_dynamo = http_headers_get(&record->headers, "x-amz-target") != NULL;
    *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE};
    if (is_ours(record)) {
        fleet->temps += fleet_is(record, "PUT", "_commit_");
        fleet->versions += fleet_is(record, "PUT", VERSION_1);
        fleet->completions += fleet_is_action(record, "UpdateItem");
        fleet_hook hook = fleet->hook;
        if (!hook(fleet, record, ret))
            return;
    }
    buf_init(&request, 4 << 20);
    buf_reset(scratch);
    http_server_write_request(record, &request);
    pthread_mutex_lock(&fleet->mutex);
    bool handled = is_dynamo ? fake_dynamo_handle(fleet->dynamo, request.data, request.len, fleet_now_ms(), scratch)
                             : fake_s3_handle(fleet->s3, request.data, request.len, fleet_now_ms(), fleet_now_ms(),
                                              false, scratch);
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

static const os_delta_add one_file = {"a.parquet", 10, 1, 3};
const os_delta_files fleet_files = {sizeof(fleet_files),
                                    "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\","
                                    "\"nullable\":true,\"metadata\":{}}]}",
                                    &one_file, 1, NULL};

os_verdict fleet_commit(struct fleet *fleet, bool by_us, uint64_t deadline_ms, os_delta_result *ret)
{
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    options.log_store = by_us ? fleet->log_store : fleet->other_log_store;
    call.deadline_ms = deadline_ms;
    os_verdict verdict =
        os_delta_commit(by_us ? fleet->ours : fleet->other, "table", &fleet_files, &options, &call, ret, &error);
    if (verdict == OS_NOT_EXECUTED)
        print_message("%s\n", error.message);
    return verdict;
}

os_verdict fleet_resolve_of(struct fleet *fleet, const char *table, const char *ticket, uint64_t deadline_ms)
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

os_verdict fleet_resolve(struct fleet *fleet, const char *ticket, uint64_t deadline_ms)
{
    return fleet_resolve_of(fleet, "table", ticket, deadline_ms);
}

void fleet_committed_as(struct fleet *fleet, bool by_us, int64_t version)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    assert_int_equal(fleet_commit(fleet, by_us, LONG_MS, &result), OS_COMMITTED);
    assert_int_equal(result.version, version);
    os_delta_result_clear(&result);
}

void fleet_not_executed(struct fleet *fleet)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    assert_int_equal(fleet_commit(fleet, true, LONG_MS, &result), OS_NOT_EXECUTED);
    os_delta_result_clear(&result);
}

void fleet_know_the_store(struct fleet *fleet)
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
}

void fleet_set_up(struct fleet *fleet)
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
    fleet_calm(fleet);
    fleet->s3 = fake_s3_new(&s3);
    fleet->dynamo = fake_dynamo_new(&dynamo);
    for (size_t i = 0; i < 2; i++)
        fleet->servers[i] = http_server_start(&server);
    fleet->ours = open_client(fleet, true, "ours", NULL);
    fleet->log_store = open_client(fleet, false, "ours", NULL);
    fleet->other = open_client(fleet, true, "other", NULL);
    fleet->other_log_store = open_client(fleet, false, "other", NULL);
    fleet_committed_as(fleet, true, 0);
}

void fleet_tear_down(struct fleet *fleet)
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

static void key_of(const char *name, char ret[128])
{
    snprintf(ret, 128, "%s%s", name[0] == '/' ? "" : "table/_delta_log/", name + (name[0] == '/'));
}

void fleet_write(struct fleet *fleet, const char *name, const void *data, size_t length)
{
    const os_body body = OS_BODY_MEMORY(data, length);
    char key[128];
    os_error error;
    key_of(name, key);
    if (os_put(fleet->other, key, &body, NULL, NULL, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
}

void fleet_remove(struct fleet *fleet, const char *name)
{
    char key[128];
    os_error error;
    key_of(name, key);
    if (os_delete(fleet->other, key, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
}

void fleet_write_outside(struct fleet *fleet)
{
    fleet_write(fleet, VERSION_1, OUTSIDER, strlen(OUTSIDER));
}

void fleet_put_entry(struct fleet *fleet, const char *temp, bool is_complete)
{
    struct fake_item item;
    json_t *json = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "tablePath", "S", TABLE_PATH, "fileName", "S",
                             FILE_NAME, "tempPath", "S", temp, "complete", "S", is_complete ? "true" : "false");
    if (is_complete)
        json_object_set_new(json, "expireTime", json_pack("{s:s}", "N", "99999999999"));
    pthread_mutex_lock(&fleet->mutex);
    assert_null(fake_entries.read(json, &item));
    assert_true(fake_items_put(fleet->dynamo, &item));
    json_decref(json); /* the item shares it */
    pthread_mutex_unlock(&fleet->mutex);
}

void fleet_take_back(struct fleet *fleet)
{
    bool is_there = false;
    pthread_mutex_lock(&fleet->mutex);
    size_t at = fake_items_position(fleet->dynamo, TABLE_PATH, FILE_NAME, &is_there);
    assert_true(is_there);
    fake_items_remove(fleet->dynamo, at);
    pthread_mutex_unlock(&fleet->mutex);
}

void fleet_stranger_died(struct fleet *fleet)
{
    fleet_write(fleet, STRANGER_TEMP, STRANGER, strlen(STRANGER));
    fleet_put_entry(fleet, STRANGER_TEMP, false);
}

/* --------------------------------------------------------------------------------------------------- what is there */

bool fleet_is_complete(struct fleet *fleet)
{
    bool is_there = false;
    pthread_mutex_lock(&fleet->mutex);
    size_t at = fake_items_position(fleet->dynamo, TABLE_PATH, FILE_NAME, &is_there);
    assert_true(is_there);
    bool is_complete = json_object_get(fleet->dynamo->items[at].item, "expireTime") != NULL;
    pthread_mutex_unlock(&fleet->mutex);
    return is_complete;
}

bool fleet_is_there(struct fleet *fleet, const char *name)
{
    char key[128];
    key_of(name, key);
    pthread_mutex_lock(&fleet->mutex);
    size_t count = fake_s3_version_count(fleet->s3, key);
    bool is_there = count > 0 && fake_s3_version_at(fleet->s3, key, count - 1).etag != NULL;
    pthread_mutex_unlock(&fleet->mutex);
    return is_there;
}

size_t fleet_version_count(struct fleet *fleet)
{
    pthread_mutex_lock(&fleet->mutex);
    size_t count = fake_s3_version_count(fleet->s3, &VERSION_1[1]);
    pthread_mutex_unlock(&fleet->mutex);
    return count;
}

struct fake_s3_version fleet_version_at(struct fleet *fleet, size_t index)
{
    pthread_mutex_lock(&fleet->mutex);
    struct fake_s3_version version = fake_s3_version_at(fleet->s3, &VERSION_1[1], index);
    pthread_mutex_unlock(&fleet->mutex);
    return version;
}

void fleet_check_version(struct fleet *fleet, const char *bytes)
{
    assert_int_equal(fleet_version_count(fleet), 1);
    struct fake_s3_version version = fleet_version_at(fleet, 0);
    assert_int_equal(version.body_len, strlen(bytes));
    assert_memory_equal(version.body, bytes, strlen(bytes));
}

/* ------------------------------------------------------------------------------------------------------ an unknown */

static bool never_written(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)fleet;
    (void)ret;
    return !fleet_is(record, "PUT", VERSION_1);
}

char *fleet_left_unknown(struct fleet *fleet)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    fleet->hook = never_written;
    assert_int_equal(fleet_commit(fleet, true, NEVER_MS, &result), OS_UNKNOWN);
    fleet_calm(fleet);
    assert_int_equal(result.version, 1);
    char *ticket = result.ticket;
    assert_non_null(ticket);
    result.ticket = NULL;
    os_delta_result_clear(&result);
    return ticket;
}
