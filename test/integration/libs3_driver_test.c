/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libs3 driver against a real server that takes Signature V2. Where it is: OSCOMMIT_TEST_S3_ENDPOINT (or
 * OSCOMMIT_TEST_MINIO_ENDPOINT), OSCOMMIT_TEST_ACCESS_KEY, OSCOMMIT_TEST_SECRET_KEY. Makes a bucket of its own and
 * removes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sigv2/libs3_driver.h"
#include "support/test.h"

#include <libs3.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct endpoint endpoint;
static char bucket[64];
static struct s3_target target = {.endpoint = &endpoint, .bucket = bucket};
static struct libs3_config config = {.target = &target};

/* ------------------------------------------------------------------------------------------------ help */

static struct libs3_call within(uint64_t ms)
{
    struct clock_reading now;
    clock_read(&now);
    return (struct libs3_call){.deadline_monotonic_ms = now.monotonic_ms + ms};
}

static void check(os_code code, const os_error *err)
{
    if (code != OS_OK)
        fail_msg("%s", err->message);
}

static struct libs3_result head(const char *key)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    check(libs3_head(&config, &call, key, &result, &err), &err);
    return result;
}

static struct libs3_result put(const char *key, const char *text, const struct s3_content *content)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = text, .length = strlen(text)};
    os_error err;
    check(libs3_put(&config, &call, key, &body, content, &result, &err), &err);
    return result;
}

static struct libs3_result copy(const char *source, const char *etag, const char *key, const char *nonce)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    check(
        libs3_copy(&config, &call,
                   &(struct libs3_copy_request){.source_key = source, .source_etag = etag, .key = key, .nonce = nonce},
                   &result, &err),
        &err);
    return result;
}

static void delete (const char *key)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    check(libs3_delete(&config, &call, key, &result, &err), &err);
    assert_int_equal(result.status, 204);
}

static int collect(void *context, const void *data, size_t length)
{
    return buf_add(context, data, length) ? 0 : 1;
}

static struct libs3_result get(const char *key, uint64_t offset, uint64_t count, struct buf *ret)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    buf_init(ret, 32 << 20);
    check(libs3_get(&config, &call, key, &(struct libs3_reading){offset, count, collect, ret}, &result, &err), &err);
    return result;
}

static bool add_line(void *context, const struct s3_list_entry *entry)
{
    return buf_add_f(context, "%s%s\n", entry->key, entry->is_prefix ? " (prefix)" : "");
}

/* ------------------------------------------------------------------------------------------------ tests */

TEST(what_is_put_is_found_and_read_back)
{
    struct os_metadata metadata[] = {{"colour", "blue"}, {"size", "  large one "}};
    struct s3_content content = {.content_type = "text/plain",
                                 .cache_control = "max-age=7",
                                 .content_encoding = "identity",
                                 .content_disposition = "attachment; filename=\"a.txt\"",
                                 .metadata = metadata,
                                 .metadata_count = 2,
                                 .nonce = "00112233445566778899aabbccddeeff"};
    struct libs3_result result = put("dir/object", "hello, world", &content);
    assert_int_equal(result.status, 200);
    assert_true(result.sent);
    assert_string_equal(result.object.etag, "\"e4d7f1b4ed2e42d15898f4b27b019da4\"");
    assert_true(result.date_s > 1700000000);
    result = head("dir/object");
    assert_int_equal(result.status, 200);
    assert_string_equal(result.object.etag, "\"e4d7f1b4ed2e42d15898f4b27b019da4\"");
    assert_string_equal(result.object.nonce, "00112233445566778899aabbccddeeff");
    assert_string_equal(result.content_type, "text/plain");
    assert_int_equal(result.object.length, 12);
    assert_true(result.object.last_modified_s > 1700000000);
    struct buf bytes;
    result = get("dir/object", 0, 0, &bytes);
    assert_int_equal(result.status, 200);
    assert_string_equal(buf_str(&bytes), "hello, world");
    assert_string_equal(result.object.etag, "\"e4d7f1b4ed2e42d15898f4b27b019da4\"");
    buf_free(&bytes);
    delete ("dir/object");
    assert_int_equal(head("dir/object").status, 404);
}

TEST(a_range_is_read)
{
    struct buf bytes;
    put("range", "0123456789", NULL);
    struct libs3_result result = get("range", 3, 4, &bytes);
    assert_int_equal(result.status, 206);
    assert_string_equal(buf_str(&bytes), "3456");
    assert_int_equal(result.object.length, 10);
    buf_free(&bytes);
    result = get("range", 7, 0, &bytes);
    assert_string_equal(buf_str(&bytes), "789");
    buf_free(&bytes);
    result = get("range", 20, 4, &bytes);
    assert_int_equal(result.status, 416);
    assert_string_equal(result.error.code, "InvalidRange");
    assert_int_equal(bytes.len, 0);
    buf_free(&bytes);
}

TEST(a_body_of_nothing_is_put)
{
    assert_int_equal(put("empty", "", NULL).status, 200);
    assert_int_equal(head("empty").object.length, 0);
    assert_string_equal(head("empty").content_type, "application/octet-stream");
}

TEST(a_body_of_some_megabytes_is_put_from_a_file)
{
    enum { BYTES = 6 << 20 };
    char *data = malloc(BYTES);
    char path[] = "/tmp/oscommit-libs3-XXXXXX";
    int fd = mkstemp(path);
    assert_non_null(data);
    assert_true(fd >= 0);
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (char)(i * 7 + i / 1000);
    assert_int_equal(write(fd, data, BYTES), BYTES);
    struct http_body body = {.kind = HTTP_BODY_FILE, .fd = fd, .length = BYTES};
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    check(libs3_put(&config, &call, "large", &body, NULL, &result, &err), &err);
    assert_int_equal(result.status, 200);
    struct buf bytes;
    get("large", 0, 0, &bytes);
    assert_int_equal(bytes.len, BYTES);
    assert_memory_equal(bytes.data, data, BYTES);
    buf_free(&bytes);
    close(fd);
    unlink(path);
    free(data);
}

TEST(a_copy_carries_headers_and_the_new_nonce)
{
    struct os_metadata metadata[] = {{"colour", "blue"}};
    struct s3_content content = {.content_type = "text/plain",
                                 .cache_control = "max-age=7",
                                 .metadata = metadata,
                                 .metadata_count = 1,
                                 .nonce = "aaaa"};
    struct libs3_result source = put("s\xc3\xb6urce+%41", "copied", &content);
    struct libs3_result result = copy("s\xc3\xb6urce+%41", source.object.etag, "target", "bbbb");
    assert_int_equal(result.status, 200);
    assert_string_equal(result.object.etag, source.object.etag);
    result = head("target");
    assert_string_equal(result.object.nonce, "bbbb");
    assert_string_equal(result.content_type, "text/plain");
    assert_int_equal(copy("target", NULL, "again", NULL).status, 200);
    assert_string_equal(head("again").object.nonce, "");
}

TEST(a_copy_of_another_version_is_not_sent)
{
    put("source", "one", NULL);
    struct libs3_result result = copy("source", "\"00000000000000000000000000000000\"", "never", "cccc");
    assert_int_equal(result.status, 412);
    assert_string_equal(result.error.code, "PreconditionFailed");
    assert_false(result.sent);
    assert_int_equal(head("never").status, 404);
    result = copy("no-such-source", NULL, "never", "cccc");
    assert_int_equal(result.status, 404);
    assert_false(result.sent);
}

TEST(odd_keys_survive)
{
    static const char *const keys[] = {"a+b",    "a%20b", "\xe2\x82\xac/\xf0\x9f\x98\x80", "q?x=1&y#z", "!*'()~-_.",
                                       "tilde~", "=;:@,$"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        assert_int_equal(put(keys[i], keys[i], NULL).status, 200);
        struct buf bytes;
        get(keys[i], 0, 0, &bytes);
        assert_string_equal(buf_str(&bytes), keys[i]);
        buf_free(&bytes);
        delete (keys[i]);
    }
}

TEST(a_list_goes_page_by_page)
{
    char key[32];
    for (int i = 0; i < 75; i++) {
        snprintf(key, sizeof(key), "list/%02d%s", i, i % 5 == 0 ? "/x" : "");
        put(key, "x", NULL);
    }
    struct buf lines;
    struct s3_list_page page;
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    char *marker = NULL;
    int pages = 0;
    buf_init(&lines, 65536);
    do {
        struct libs3_list_request wanted = {
            .prefix = "list/", .marker = marker, .max_keys = 20, .each = add_line, .each_context = &lines};
        check(libs3_list(&config, &call, &wanted, &page, &result, &err), &err);
        assert_int_equal(result.status, 200);
        free(marker);
        marker = page.next_token;
        pages++;
    } while (page.truncated);
    assert_int_equal(pages, 4);
    for (int i = 0; i < 75; i++) {
        snprintf(key, sizeof(key), "list/%02d%s\n", i, i % 5 == 0 ? "/x" : "");
        assert_non_null(strstr(buf_str(&lines), key));
    }
    buf_free(&lines);
    struct libs3_list_request grouped = {
        .prefix = "list/1", .delimiter = "/", .each = add_line, .each_context = &lines};
    check(libs3_list(&config, &call, &grouped, &page, &result, &err), &err);
    assert_string_equal(buf_str(&lines), "list/11\nlist/12\nlist/13\nlist/14\nlist/16\nlist/17\nlist/18\nlist/19\n"
                                         "list/10/ (prefix)\nlist/15/ (prefix)\n");
    buf_free(&lines);
}

static bool take_time(void *context, const struct s3_list_entry *entry)
{
    *(int64_t *)context = entry->last_modified_s;
    return true;
}

TEST(times_of_a_list_do_not_depend_on_the_time_zone)
{
    put("timed", "x", NULL);
    const char *before = getenv("TZ");
    char *kept = before ? strdup(before) : NULL;
    setenv("TZ", "Asia/Kolkata", 1);
    tzset();
    struct s3_list_page page;
    struct libs3_result result;
    struct libs3_call call = within(60000);
    int64_t listed_s = 0;
    os_error err;
    struct libs3_list_request wanted = {.prefix = "timed", .each = take_time, .each_context = &listed_s};
    check(libs3_list(&config, &call, &wanted, &page, &result, &err), &err);
    if (kept)
        setenv("TZ", kept, 1);
    else
        unsetenv("TZ");
    tzset();
    free(kept);
    assert_true(llabs((long long)(listed_s - head("timed").object.last_modified_s)) <= 1);
}

TEST(what_is_not_there_is_said)
{
    struct buf bytes;
    struct libs3_result result = get("absent", 0, 0, &bytes);
    assert_int_equal(result.status, 404);
    assert_string_equal(result.error.code, "NoSuchKey");
    assert_true(result.error.request_id[0] != '\0');
    buf_free(&bytes);
    assert_int_equal(head("absent").status, 404);
    const char *kept = target.bucket;
    target.bucket = "no-such-bucket-oscommit";
    result = put("key", "x", NULL);
    assert_int_equal(result.status, 404);
    assert_string_equal(result.error.code, "NoSuchBucket");
    struct libs3_call call = within(60000);
    os_error err;
    check(libs3_head_bucket(&config, &call, &result, &err), &err);
    target.bucket = kept;
    assert_int_equal(result.status, 404);
    assert_string_equal(result.error.code, "NoSuchBucket");
    check(libs3_head_bucket(&config, &call, &result, &err), &err);
    assert_int_equal(result.status, 200);
}

TEST(a_wrong_secret_is_denied)
{
    const char *kept = config.secret_access_key;
    config.secret_access_key = "wrong";
    struct libs3_result put_result = put("denied", "x", NULL);
    struct libs3_result head_result = head("denied");
    config.secret_access_key = kept;
    assert_int_equal(put_result.status, 403);
    assert_string_equal(put_result.error.code, "SignatureDoesNotMatch");
    assert_int_equal(head_result.status, 403);
    assert_int_equal(head("denied").status, 404);
}

static void *work(void *context)
{
    char key[32];
    for (int i = 0; i < 25; i++) {
        snprintf(key, sizeof(key), "threads/%d", (int)(intptr_t)context);
        if (put(key, key, NULL).status != 200 || strcmp(head(key).object.etag, "") == 0)
            return "failed";
    }
    return NULL;
}

TEST(many_threads_write_at_once)
{
    pthread_t threads[8];
    for (intptr_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < 8; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

/* ------------------------------------------------------------------------------------------------ the bucket */

static S3Status no_properties(const S3ResponseProperties *properties, void *context)
{
    (void)properties;
    (void)context;
    return S3StatusOK;
}

static void take_status(S3Status status, const S3ErrorDetails *details, void *context)
{
    (void)details;
    *(S3Status *)context = status;
}

static const S3ResponseHandler plain = {no_properties, take_status};

static int make_bucket(void **state)
{
    (void)state;
    os_error err;
    S3Status status = S3StatusInternalError;
    if (libs3_start(&err) != OS_OK)
        return -1;
    snprintf(bucket, sizeof(bucket), "libs3-%llx-%d", (unsigned long long)time(NULL), (int)getpid());
    S3_create_bucket(S3ProtocolHTTP, config.access_key_id, config.secret_access_key, endpoint.host, bucket,
                     S3CannedAclPrivate, NULL, NULL, &plain, &status);
    if (status != S3StatusOK)
        fprintf(stderr, "The bucket %s cannot be made at %s: %s\n", bucket, endpoint.host, S3_get_status_name(status));
    return status == S3StatusOK ? 0 : -1;
}

static bool remove_one(void *context, const struct s3_list_entry *entry)
{
    (void)context;
    delete (entry->key);
    return true;
}

static int remove_bucket(void **state)
{
    (void)state;
    struct s3_list_page page = {0};
    struct libs3_result result;
    struct libs3_call call = within(60000);
    os_error err;
    S3Status status = S3StatusInternalError;
    do {
        free(page.next_token);
        check(libs3_list(&config, &call, &(struct libs3_list_request){.each = remove_one}, &page, &result, &err), &err);
    } while (page.truncated);
    free(page.next_token);
    S3_delete_bucket(S3ProtocolHTTP, S3UriStylePath, config.access_key_id, config.secret_access_key, endpoint.host,
                     bucket, NULL, &plain, &status);
    libs3_stop();
    return status == S3StatusOK ? 0 : -1;
}

static const char *variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && value[0] ? value : otherwise;
}

int main(int argc, char **argv)
{
    const char *url = variable("OSCOMMIT_TEST_S3_ENDPOINT", variable("OSCOMMIT_TEST_MINIO_ENDPOINT", NULL));
    os_error err;
    config.access_key_id = variable("OSCOMMIT_TEST_ACCESS_KEY", "oscommit");
    config.secret_access_key = variable("OSCOMMIT_TEST_SECRET_KEY", "oscommit-secret");
    if (url == NULL) {
        fprintf(stderr, "SKIPPED: no server. Set OSCOMMIT_TEST_S3_ENDPOINT to the URL of one that takes Signature V2, "
                        "such as MinIO, and OSCOMMIT_TEST_ACCESS_KEY and OSCOMMIT_TEST_SECRET_KEY to its keys.\n");
        return 77;
    }
    char full[300];
    snprintf(full, sizeof(full), "%s%s", strstr(url, "://") ? "" : "http://", url);
    if (endpoint_parse("s3", full, "us-east-1", &endpoint, &err) != OS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return test_main_group(argc, argv, &(struct test_group){.set_up = make_bucket, .tear_down = remove_bucket});
}
