/* SPDX-License-Identifier: Apache-2.0 */
/* Every guarded call on every backend: its verdicts without faults, and what its result says. */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A record that a committed write leaves behind keeps the next writer of the same version waiting; where a test goes on
 * with the same version it releases always (R9). */
static os_client *open_releasing(const struct fixture *f)
{
    os_options options = fixture_options(f);
    options.release = OS_RELEASE_ALWAYS;
    options.length_s = 50; /* who waits for a fence waits a minute */
    options.timeout_ms = 60000;
    return fixture_client(&options);
}

static os_client *open_plain(const struct fixture *f)
{
    os_options options = fixture_options(f);
    return fixture_client(&options);
}

SUITE_TEST(put_if_absent_creates_once, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "create");
    CLEARED struct outcome first = create(client, key, "hello", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CHECK_ERROR(first, OS_OK);
    assert_string_equal(first.result.etag, "\"5d41402abc4b2a76b9719d911017c592\"");
    assert_string_equal(first.result.rule, "R9");
    assert_int_equal(first.result.guards, 1);
    assert_int_equal(first.result.attempts, 1);
    assert_true(first.result.requests >= 3);
    assert_in_range(first.result.generation, 1, (1ULL << 48) - 1);
    assert_false(first.result.took_over);
    assert_int_equal(first.result.fenced != 0, (f->backend->features & BACKEND_FENCE) != 0);
    assert_null(first.result.ticket);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(strlen(object.nonce), 32);

    CLEARED struct outcome second = create(client, key, "other", NULL);
    CHECK_VERDICT(second, OS_CONFLICT);
    CHECK_ERROR(second, OS_ERR_CONFLICT);
    assert_string_equal(second.result.found_etag, first.result.etag);
    assert_int_equal(second.result.attempts, 0);
    assert_string_equal(second.result.etag, "");
    CHECK_SAYS(&second.error, key);
    CHECK_OBJECT(client, key, "hello");
}

SUITE_TEST(put_if_match_replaces_the_version_named, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "replace");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CLEARED struct outcome second = replace(client, key, first.result.etag, "two", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    CHECK_OBJECT(client, key, "two");

    CLEARED struct outcome stale = replace(client, key, first.result.etag, "three", NULL);
    CHECK_VERDICT(stale, OS_CONFLICT);
    assert_string_equal(stale.result.found_etag, second.result.etag);
    CHECK_OBJECT(client, key, "two");

    char bare[128]; /* without its quotes */
    snprintf(bare, sizeof(bare), "%.*s", (int)strlen(second.result.etag) - 2, second.result.etag + 1);
    CLEARED struct outcome unquoted = replace(client, key, bare, "four", NULL);
    CHECK_VERDICT(unquoted, OS_COMMITTED);
    CHECK_OBJECT(client, key, "four");
}

SUITE_TEST(put_if_match_of_an_absent_key_is_a_conflict, 0)
{
    CLOSED os_client *client = open_plain(f);
    CLEARED struct outcome outcome = replace(client, "not/there", "\"5d41402abc4b2a76b9719d911017c592\"", "x", NULL);
    CHECK_VERDICT(outcome, OS_CONFLICT);
    assert_string_equal(outcome.result.found_etag, "");
    CHECK_ABSENT(client, "not/there");
}

static void put_with_headers(os_client *client, const char *key, const char *text)
{
    os_metadata metadata[] = {{"colour", "blue"}};
    os_put_options put = OS_PUT_OPTIONS_INIT;
    put.content_type = "text/x-test";
    put.metadata = metadata;
    put.metadata_count = 1;
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    os_error error;
    CHECK_CODE(os_put(client, key, &body, &put, NULL, NULL, &error), OS_OK, &error);
}

SUITE_TEST(copy_if_not_exists_copies_bytes_and_headers, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *source = fixture_key(f, "copy-source+%");
    const char *key = fixture_key(f, "copy-target");
    put_with_headers(client, source, "copied");
    CLEARED struct outcome first = copy(client, source, key, NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CHECK_OBJECT(client, key, "copied");
    CHECK_OBJECT(client, source, "copied");
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.content_type, "text/x-test");
    assert_int_equal(strlen(object.nonce), 32);

    put_plain(client, source, "changed", NULL);
    CLEARED struct outcome second = copy(client, source, key, NULL);
    CHECK_VERDICT(second, OS_CONFLICT);
    CHECK_OBJECT(client, key, "copied");
}

SUITE_TEST(copy_keeps_the_metadata_of_its_source, BACKEND_S3 | BACKEND_V4)
{
    CLOSED os_client *client = open_plain(f);
    const char *source = fixture_key(f, "meta-source");
    const char *key = fixture_key(f, "meta-target");
    put_with_headers(client, source, "x");
    CLEARED struct outcome done = copy(client, source, key, NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    CLOSED os_client *proxied = fixture_client(&options);
    CLEARED struct outcome again = copy(proxied, source, "meta-target-2", NULL);
    CHECK_VERDICT(again, OS_COMMITTED);
    struct fault_seen seen;
    struct fault_match match = {.method = "PUT", .has_header = "x-amz-copy-source"};
    assert_true(fault_proxy_seen(f->store_proxy, &match, 0, &seen));
    assert_non_null(strcasestr(seen.head, "\r\nx-amz-metadata-directive: REPLACE\r\n"));
    assert_non_null(strcasestr(seen.head, "\r\nx-amz-meta-colour: blue\r\n"));
    assert_non_null(strcasestr(seen.head, "\r\nx-amz-meta-oscommit-nonce: "));
    fault_seen_free(&seen);
}

SUITE_TEST(a_copy_without_its_source_is_not_executed, 0)
{
    CLOSED os_client *client = open_plain(f);
    CLEARED struct outcome missing = copy(client, "no/such/source", "copy-of-nothing", NULL);
    CHECK_VERDICT(missing, OS_NOT_EXECUTED);
    CHECK_ERROR(missing, OS_ERR_SOURCE);
    CHECK_SAYS(&missing.error, "no/such/source");
    CHECK_ABSENT(client, "copy-of-nothing");

    put_plain(client, "pinned-source", "x", NULL);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.source_etag = "\"00000000000000000000000000000000\"";
    CLEARED struct outcome other = {.result = OS_RESULT_INIT};
    other.verdict =
        os_copy_if_not_exists(client, "pinned-source", "copy-of-other", &options, NULL, &other.result, &other.error);
    CHECK_VERDICT(other, OS_NOT_EXECUTED);
    CHECK_ERROR(other, OS_ERR_SOURCE);
    CHECK_ABSENT(client, "copy-of-other");
}

SUITE_TEST(copy_if_match_replaces_the_version_named, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *source = fixture_key(f, "over-source");
    const char *key = fixture_key(f, "over-target");
    put_plain(client, source, "new", NULL);
    char etag[128];
    put_plain(client, key, "old", etag);
    CLEARED struct outcome stale = copy_over(client, source, key, "\"00000000000000000000000000000000\"", NULL);
    CHECK_VERDICT(stale, OS_CONFLICT);
    CHECK_OBJECT(client, key, "old");
    CLEARED struct outcome done = copy_over(client, source, key, etag, NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_OBJECT(client, key, "new");
}

SUITE_TEST(rename_moves_the_object, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *source = fixture_key(f, "rename-from+%");
    const char *key = fixture_key(f, "rename-to");
    put_plain(client, source, "moved", NULL);
    CLEARED struct outcome done = rename_object(client, source, key, NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_ERROR(done, OS_OK);
    CHECK_OBJECT(client, key, "moved");
    CHECK_ABSENT(client, source);

    put_plain(client, source, "again", NULL);
    CLEARED struct outcome taken = rename_object(client, source, key, NULL);
    CHECK_VERDICT(taken, OS_CONFLICT);
    CHECK_OBJECT(client, key, "moved");
    CHECK_OBJECT(client, source, "again");

    CLEARED struct outcome missing = rename_object(client, "no/source/to/rename", "renamed-nothing", NULL);
    CHECK_VERDICT(missing, OS_NOT_EXECUTED);
    CHECK_ERROR(missing, OS_ERR_SOURCE);
}

SUITE_TEST(delete_if_match_deletes_the_version_named, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "delete");
    char etag[128];
    put_plain(client, key, "x", etag);
    CLEARED struct outcome stale = delete_version(client, key, "\"00000000000000000000000000000000\"", NULL);
    CHECK_VERDICT(stale, OS_CONFLICT);
    assert_string_equal(stale.result.found_etag, etag);
    CHECK_OBJECT(client, key, "x");
    CLEARED struct outcome done = delete_version(client, key, etag, NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_string_equal(done.result.etag, "");
    CHECK_ABSENT(client, key);
    CLEARED struct outcome gone = delete_version(client, key, etag, NULL);
    CHECK_VERDICT(gone, OS_CONFLICT);
    assert_string_equal(gone.result.found_etag, "");
}

SUITE_TEST(with_release_always_the_same_version_can_be_written_again_at_once, 0)
{
    CLOSED os_client *client = open_releasing(f);
    const char *key = fixture_key(f, "cycle");
    uint64_t start = now_ms();
    for (int round = 0; round < 3; round++) {
        CLEARED struct outcome made = create(client, key, "same bytes", NULL);
        CHECK_VERDICT(made, OS_COMMITTED);
        CLEARED struct outcome other = replace(client, key, made.result.etag, "other bytes", NULL);
        CHECK_VERDICT(other, OS_COMMITTED);
        CLEARED struct outcome back = replace(client, key, other.result.etag, "same bytes", NULL);
        CHECK_VERDICT(back, OS_COMMITTED);
        CLEARED struct outcome gone = delete_version(client, key, back.result.etag, NULL);
        CHECK_VERDICT(gone, OS_COMMITTED);
    }
    assert_true(now_ms() - start < 40000);
}

SUITE_TEST(a_file_is_put_once, 0)
{
    CLOSED os_client *client = open_plain(f);
    char path[300];
    const char *key = fixture_key(f, "from-file");
    fixture_path(f, "body", path, sizeof(path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 100000; i++)
        fprintf(file, "line %d\n", i);
    fclose(file);
    os_put_options put = OS_PUT_OPTIONS_INIT;
    put.content_type = "text/plain";
    os_body body = OS_BODY_FILE(path);
    CLEARED struct outcome done = {.result = OS_RESULT_INIT};
    done.verdict = os_put_if_absent(client, key, &body, &put, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_COMMITTED);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.length, 1088890);
    assert_string_equal(object.content_type, "text/plain");
}

SUITE_TEST(a_body_of_eight_mib_goes_in_one_request, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "eight-mib");
    const size_t limit = 8U << 20;
    char *data = calloc(1, limit + 1);
    assert_non_null(data);
    os_body body = OS_BODY_MEMORY(data, limit);
    CLEARED struct outcome outcome = {.result = OS_RESULT_INIT};
    outcome.verdict = os_put_if_absent(client, key, &body, NULL, NULL, &outcome.result, &outcome.error);
    CHECK_VERDICT(outcome, OS_COMMITTED);
    free(data);
}

SUITE_TEST(condition_headers_go_along_when_they_are_on, BACKEND_S3 | BACKEND_V4)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.condition_headers = OS_ON;
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "headers-on");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CLEARED struct outcome second = replace(client, key, first.result.etag, "two", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    struct fault_match create_match = {.method = "PUT", .path_contains = "headers-on", .has_header = "if-none-match"};
    struct fault_match replace_match = {.method = "PUT", .path_contains = "headers-on", .has_header = "if-match"};
    struct fault_match all = {.method = "PUT", .path_contains = "headers-on"};
    assert_int_equal(fault_proxy_count(f->store_proxy, &create_match), 1);
    assert_int_equal(fault_proxy_count(f->store_proxy, &replace_match), 1);
    assert_int_equal(fault_proxy_count(f->store_proxy, &all), 2);
}

SUITE_TEST(an_attempt_is_signed_in_its_query_and_expires, BACKEND_S3 | BACKEND_V4)
{
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    options.condition_headers = OS_OFF;
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "presigned");
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    struct fault_seen seen;
    struct fault_match match = {.method = "PUT", .path_contains = "presigned"};
    assert_int_equal(fault_proxy_count(f->store_proxy, &match), 1);
    assert_true(fault_proxy_seen(f->store_proxy, &match, 0, &seen));
    assert_non_null(strstr(seen.query, "X-Amz-Expires=5&"));
    assert_non_null(strstr(seen.query, "X-Amz-Signature="));
    assert_null(strcasestr(seen.head, "\r\nif-none-match:"));
    assert_null(strcasestr(seen.head, "\r\nauthorization:"));
    fault_seen_free(&seen);
}

static int forget_object(void *context, const os_object *object)
{
    (void)object;
    ++*(int *)context;
    return 0;
}

SUITE_TEST(two_prefixes_with_their_own_record_prefix_share_a_table, BACKEND_S3)
{
    char one_url[400];
    char two_url[400];
    snprintf(one_url, sizeof(one_url), "%s/one", f->store_url);
    snprintf(two_url, sizeof(two_url), "%s/two", f->store_url);
    os_options options = fixture_options(f);
    options.store_url = one_url;
    options.length_s = 50; /* who waits for a fence waits a minute */
    options.timeout_ms = 60000;
    options.record_prefix = "fleet-one/";
    CLOSED os_client *one = fixture_client(&options);
    options.store_url = two_url;
    options.record_prefix = "fleet-two/";
    CLOSED os_client *two = fixture_client(&options);
    uint64_t start = now_ms();
    CLEARED struct outcome first = create(one, "same-key", "1", NULL);
    CLEARED struct outcome second = create(two, "same-key", "2", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CHECK_VERDICT(second, OS_COMMITTED);
    assert_true(now_ms() - start < 30000);
    CHECK_OBJECT(one, "same-key", "1");
    CHECK_OBJECT(two, "same-key", "2");
    int count = 0;
    os_error error;
    CHECK_CODE(os_list(one, NULL, NULL, forget_object, &count, &error), OS_OK, &error);
    assert_int_equal(count, 1);
}

SUITE_TEST(making_and_checking_the_table_twice_is_fine, BACKEND_TTL)
{
    os_client *client = open_plain(f);
    os_error error;
    CHECK_CODE(os_table_create(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_table_check(client, NULL, &error), OS_OK, &error);
    os_client_close(client);
    os_options options = fixture_options(f);
    options.check_table = 1;
    client = fixture_client(&options);
    os_client_close(client);
}

SUITE_TEST(a_result_may_be_left_out, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "no-result");
    os_body body = OS_BODY_MEMORY("x", 1);
    assert_int_equal(os_put_if_absent(client, key, &body, NULL, NULL, NULL, NULL), OS_COMMITTED);
    assert_int_equal(os_put_if_absent(client, key, &body, NULL, NULL, NULL, NULL), OS_CONFLICT);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "guarded calls"};
    return suite_main(&suite, argc, argv);
}
