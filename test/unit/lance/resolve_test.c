/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose writers have died are completed, on the simulator's store and a table of some rows (V8). */
#include "base/clock.h"
#include "sim/fake_s3.h"
#include "support/http_server.h"
#include "support/test.h"
#include "syntax/json.h"

#include "oscommit_lance.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ACCESS_KEY "AKLANCE"
#define SECRET_KEY "a-secret-of-the-tests"
#define FOLDER     "table/_versions/"
#define MANIFEST_2 "18446744073709551613.manifest"
#define MANIFEST_3 "18446744073709551612.manifest"
#define STAGED_2   MANIFEST_2 "-2"
#define STAGED_3   MANIFEST_3 "-3"

struct rows;
/* Before each request of ours, on a thread of the server. */
typedef void (*rows_hook)(struct rows *rows, const struct http_server_record *record);

struct rows {
    pthread_mutex_t mutex; /* of the fakes */
    struct fake_s3 *s3;
    char paths[4][128]; /* of a version; "": it has no row */
    int sizes[4];       /* 0: it does not say */
    struct http_server *servers[2];
    os_client *client; /* whose requests the hook sees */
    os_client *other;
    os_client *table;
    _Atomic(rows_hook) hook;
    atomic_bool denies_updates;
    atomic_uint updates;
    atomic_uint manifests; /* so often one was written under its final name by us */
    uint64_t completed;
    os_error error;
};

/* -------------------------------------------------------------------------------------------------------- services */

static uint64_t now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms;
}

static bool is(const struct http_server_record *record, const char *method, const char *name)
{
    size_t length = strlen(record->target);
    return strcmp(record->method, method) == 0 && length >= strlen(name) &&
           strcmp(record->target + length - strlen(name), name) == 0;
}

static bool is_update(const struct http_server_record *record)
{
    const char *action = http_headers_get(&record->headers, "x-amz-target");
    return action != NULL && strstr(action, "UpdateItem") != NULL;
}

static json_t *item_of(const struct rows *rows, int version)
{
    char number[16];
    char size[16];
    snprintf(number, sizeof(number), "%d", version);
    snprintf(size, sizeof(size), "%d", rows->sizes[version]);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s}}", "base_uri", "S", "table", "version", "N", number, "path", "S",
                             rows->paths[version]);
    if (rows->sizes[version] != 0)
        json_object_set_new(item, "size", json_pack("{s:s}", "N", size));
    return item;
}

static json_t *items(const struct rows *rows)
{
    json_t *list = json_array();
    for (int version = 1; version < 4; version++)
        if (rows->paths[version][0] != '\0')
            json_array_append_new(list, item_of(rows, version));
    return list;
}

static const char *text_at(const json_t *json, const char *first, const char *second, const char *type)
{
    return json_string_value(json_object_get(json_object_get(json_object_get(json, first), second), type));
}

/* The library asks for one thing alone: another path, if it is still the one that was seen. */
static json_t *update(struct rows *rows, const json_t *request, int *ret_status)
{
    const char *version = text_at(request, "Key", "version", "N");
    const char *wanted = text_at(request, "ExpressionAttributeValues", ":path", "S");
    const char *path = text_at(request, "ExpressionAttributeValues", ":new_path", "S");
    assert_non_null(version);
    assert_non_null(path);
    char *now = rows->paths[atoi(version)];
    rows->updates++;
    *ret_status = 200;
    if (rows->denies_updates || (json_object_get(request, "ConditionExpression") != NULL && strcmp(wanted, now) != 0)) {
        *ret_status = 400;
        return json_pack("{s:s}", "__type",
                         rows->denies_updates ? "com.amazon.coral.service#AccessDeniedException"
                                              : "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException");
    }
    snprintf(now, sizeof(rows->paths[0]), "%s", path);
    return json_pack("{s:o}", "Attributes", item_of(rows, atoi(version)));
}

static void answer_table(struct rows *rows, const struct http_server_record *record, struct buf *scratch)
{
    int status = 200;
    json_t *request = json_read(record->body, record->body_length);
    const json_t *key = json_object_get(request, "Key");
    json_t *answer = is_update(record) ? update(rows, request, &status)
                     : key == NULL     ? json_pack("{s:o}", "Items", items(rows))
                                       : json_object();
    char *text = json_dumps(answer, JSON_COMPACT);
    buf_add_f(scratch, "HTTP/1.1 %d X\r\nx-amzn-requestid: 1\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(text),
              text);
    free(text);
    json_decref(answer);
    json_decref(request);
}

static void undisturbed(struct rows *rows, const struct http_server_record *record)
{
    (void)rows;
    (void)record;
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct rows *rows = context;
    const char *agent = http_headers_get(&record->headers, "user-agent");
    bool is_ours = agent == NULL || strstr(agent, "other") == NULL;
    rows_hook hook = rows->hook;
    if (is_ours)
        hook(rows, record);
    rows->manifests += is_ours && is(record, "PUT", ".manifest");
    buf_reset(scratch);
    pthread_mutex_lock(&rows->mutex);
    if (http_headers_get(&record->headers, "x-amz-target") != NULL) {
        answer_table(rows, record, scratch);
    } else {
        struct buf request;
        buf_init(&request, 1 << 20);
        http_server_write_request(record, &request);
        assert_true(fake_s3_handle(rows->s3, request.data, request.len, now_ms(), now_ms(), false, scratch));
        buf_free(&request);
    }
    pthread_mutex_unlock(&rows->mutex);
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static os_client *open_client(const struct rows *rows, bool has_store, const char *agent)
{
    char endpoint[64];
    os_client *client = NULL;
    os_error error;
    os_options options = OS_OPTIONS_INIT;
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(rows->servers[has_store ? 0 : 1]));
    options.store_url = has_store ? "s3://bucket" : NULL;
    options.s3_endpoint = has_store ? endpoint : NULL;
    options.ledger_url = has_store ? NULL : "dynamodb://rows";
    options.dynamodb_endpoint = has_store ? NULL : endpoint;
    options.access_key_id = ACCESS_KEY;
    options.secret_access_key = SECRET_KEY;
    options.user_agent = agent;
    options.no_environment = 1;
    if (os_client_open(&options, &client, &error) != OS_OK)
        fail_msg("%s", error.message);
    return client;
}

static void write_object(struct rows *rows, const char *name, const char *text)
{
    const os_body body = OS_BODY_MEMORY(text, strlen(text));
    char key[128];
    os_error error;
    snprintf(key, sizeof(key), FOLDER "%s", name);
    if (os_put(rows->other, key, &body, NULL, NULL, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
}

static void remove_object(struct rows *rows, const char *name)
{
    char key[128];
    os_error error;
    snprintf(key, sizeof(key), FOLDER "%s", name);
    if (os_delete(rows->other, key, NULL, &error) != OS_OK)
        fail_msg("%s", error.message);
}

static void set_row(struct rows *rows, int version, const char *name, int size)
{
    pthread_mutex_lock(&rows->mutex);
    snprintf(rows->paths[version], sizeof(rows->paths[0]), FOLDER "%s", name);
    rows->sizes[version] = size;
    pthread_mutex_unlock(&rows->mutex);
}

/* Version 1 is in order. */
static void rows_set_up(struct rows *rows)
{
    const struct fake_s3_options s3 = {
        .bucket = "bucket", .region = "us-east-1", .access_key = ACCESS_KEY, .secret_key = SECRET_KEY};
    const struct http_server_options server = {.respond = respond, .respond_context = rows};
    pthread_mutex_init(&rows->mutex, NULL);
    rows->hook = undisturbed;
    rows->s3 = fake_s3_new(&s3);
    for (size_t i = 0; i < 2; i++)
        rows->servers[i] = http_server_start(&server);
    rows->client = open_client(rows, true, "ours");
    rows->other = open_client(rows, true, "other");
    rows->table = open_client(rows, false, "ours");
    write_object(rows, "18446744073709551614.manifest", "one");
    set_row(rows, 1, "18446744073709551614.manifest", 3);
}

static void rows_tear_down(struct rows *rows)
{
    os_client_close(rows->client);
    os_client_close(rows->other);
    os_client_close(rows->table);
    for (size_t i = 0; i < 2; i++)
        http_server_stop(rows->servers[i]);
    fake_s3_free(rows->s3);
    pthread_mutex_destroy(&rows->mutex);
}

static os_code resolve(struct rows *rows)
{
    os_lance_options options = OS_LANCE_OPTIONS_INIT;
    options.manifest_store = rows->table;
    return os_lance_resolve(rows->client, "table", &options, NULL, &rows->completed, &rows->error);
}

static void check_object(struct rows *rows, const char *name, const char *text)
{
    char key[128];
    snprintf(key, sizeof(key), FOLDER "%s", name);
    pthread_mutex_lock(&rows->mutex);
    size_t count = fake_s3_version_count(rows->s3, key);
    struct fake_s3_version last =
        count > 0 ? fake_s3_version_at(rows->s3, key, count - 1) : (struct fake_s3_version){0};
    pthread_mutex_unlock(&rows->mutex);
    assert_int_equal(text != NULL, last.etag != NULL);
    if (text == NULL)
        return;
    assert_int_equal(last.body_len, strlen(text));
    assert_memory_equal(last.body, text, strlen(text));
}

static void check_row(struct rows *rows, int version, const char *name)
{
    pthread_mutex_lock(&rows->mutex);
    bool is_named = strcmp(rows->paths[version] + strlen(FOLDER), name) == 0;
    pthread_mutex_unlock(&rows->mutex);
    assert_true(is_named);
}

static void check_refused(struct rows *rows, const char *words)
{
    assert_int_equal(resolve(rows), OS_ERR_PROTOCOL);
    if (strstr(rows->error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, rows->error.message);
    assert_int_equal(rows->updates, 0);
    assert_int_equal(rows->manifests, 0);
}

/* ----------------------------------------------------------------------------------------------------------- tests */

static void looks_at_the_update(struct rows *rows, const struct http_server_record *record)
{
    if (!is_update(record))
        return;
    check_object(rows, MANIFEST_2, "two");
    check_object(rows, STAGED_2, "two"); /* who reads the row as it was needs it */
}

TEST_WITH(rows, a_row_is_completed_behind_its_version_and_before_its_staged_manifest_is_gone)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 0);
    rows->hook = looks_at_the_update;
    assert_int_equal(resolve(rows), OS_OK);
    assert_int_equal(rows->completed, 1);
    check_object(rows, MANIFEST_2, "two");
    check_object(rows, STAGED_2, NULL);
    check_row(rows, 2, MANIFEST_2);
    assert_int_equal(resolve(rows), OS_OK);
    assert_int_equal(rows->completed, 0);
    assert_int_equal(rows->updates, 1);
    check_object(rows, MANIFEST_2, "two");
    check_object(rows, "18446744073709551614.manifest", "one");
}

TEST_WITH(rows, a_version_that_is_there_is_not_written_again)
{
    write_object(rows, STAGED_2, "two");
    write_object(rows, MANIFEST_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    assert_int_equal(resolve(rows), OS_OK);
    assert_int_equal(rows->manifests, 0);
    check_object(rows, STAGED_2, NULL);
    check_row(rows, 2, MANIFEST_2);
}

TEST_WITH(rows, a_version_that_is_there_needs_no_staged_manifest)
{
    write_object(rows, MANIFEST_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    assert_int_equal(resolve(rows), OS_OK);
    check_row(rows, 2, MANIFEST_2);
    check_object(rows, MANIFEST_2, "two");
}

TEST_WITH(rows, a_staged_manifest_stays_until_its_row_is_completed)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    rows->denies_updates = true;
    assert_int_not_equal(resolve(rows), OS_OK);
    assert_int_equal(rows->completed, 0);
    check_object(rows, STAGED_2, "two");
    check_row(rows, 2, STAGED_2);
    rows->denies_updates = false;
    assert_int_equal(resolve(rows), OS_OK);
    check_row(rows, 2, MANIFEST_2);
}

TEST_WITH(rows, another_writers_version_stays_whatever_tells_it)
{
    write_object(rows, STAGED_2, "two");
    write_object(rows, MANIFEST_2, "TWO");
    set_row(rows, 2, STAGED_2, 0);
    check_refused(rows, "another writer's version is there");
    write_object(rows, MANIFEST_2, "two more");
    check_refused(rows, "another writer's version is there");
    write_object(rows, MANIFEST_2, "tw");
    check_refused(rows, "another writer's version is there");
    remove_object(rows, STAGED_2); /* the size alone is left to tell it */
    set_row(rows, 2, STAGED_2, 3);
    check_refused(rows, "another writer's version is there");
    check_object(rows, MANIFEST_2, "tw");
    check_row(rows, 2, STAGED_2);
}

TEST_WITH(rows, what_is_staged_must_be_what_the_row_says)
{
    set_row(rows, 2, STAGED_2, 3);
    check_refused(rows, "neither its version nor its staged manifest is there");
    write_object(rows, STAGED_2, "other");
    check_refused(rows, "its staged manifest has another size than the row says");
    check_object(rows, STAGED_2, "other");
    set_row(rows, 2, STAGED_3, 5);
    write_object(rows, STAGED_3, "three");
    check_refused(rows, "no manifest of that version");
    check_object(rows, MANIFEST_2, NULL);
    check_object(rows, MANIFEST_3, NULL);
    check_object(rows, STAGED_3, "three");
}

TEST_WITH(rows, the_rows_before_a_refused_one_are_completed_and_it_is_told)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    set_row(rows, 3, STAGED_3, 5);
    assert_int_equal(resolve(rows), OS_ERR_PROTOCOL);
    assert_int_equal(rows->completed, 1);
    check_row(rows, 2, MANIFEST_2);
    check_row(rows, 3, STAGED_3);
}

static void completes_it_first(struct rows *rows, const struct http_server_record *record)
{
    if (!is(record, "GET", STAGED_2))
        return;
    rows->hook = undisturbed;
    write_object(rows, MANIFEST_2, "two");
    set_row(rows, 2, MANIFEST_2, 3);
    remove_object(rows, STAGED_2);
}

TEST_WITH(rows, who_comes_second_finds_it_completed)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    rows->hook = completes_it_first;
    assert_int_equal(resolve(rows), OS_OK);
    assert_int_equal(rows->manifests, 0);
    check_row(rows, 2, MANIFEST_2);
    check_object(rows, MANIFEST_2, "two");
}

static void comes_first(struct rows *rows, const struct http_server_record *record)
{
    if (!is(record, "GET", STAGED_2))
        return;
    rows->hook = undisturbed;
    write_object(rows, MANIFEST_2, "TWO");
}

/* Who asks for no rows wrote it, behind our list. */
TEST_WITH(rows, another_writers_version_that_came_meanwhile_stays)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    rows->hook = comes_first;
    check_refused(rows, "another writer's version is there");
    check_object(rows, MANIFEST_2, "TWO");
    check_object(rows, STAGED_2, "two");
}

static void names_another(struct rows *rows, const struct http_server_record *record)
{
    if (is_update(record))
        set_row(rows, 2, MANIFEST_2 "-other", 3);
}

TEST_WITH(rows, a_row_that_names_something_else_by_now_is_left)
{
    write_object(rows, STAGED_2, "two");
    set_row(rows, 2, STAGED_2, 3);
    rows->hook = names_another;
    assert_int_equal(resolve(rows), OS_OK);
    check_row(rows, 2, MANIFEST_2 "-other");
}
