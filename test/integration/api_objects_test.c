/* SPDX-License-Identifier: Apache-2.0 */
/* The plain object calls on every backend: what is put is what is got, headed, listed and deleted. */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

SUITE_TEST(an_object_is_put_headed_got_and_deleted, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "plain/object");
    char etag[128];
    put_plain(client, key, "hello", etag);
    assert_string_equal(etag, "\"5d41402abc4b2a76b9719d911017c592\"");

    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.etag, etag);
    assert_int_equal(object.length, 5);
    assert_string_equal(object.nonce, "");
    assert_in_range(object.last_modified_s, 1700000000, 4000000000);
    CHECK_OBJECT(client, key, "hello");

    CHECK_CODE(os_delete(client, key, NULL, &error), OS_OK, &error);
    CHECK_ABSENT(client, key);
    CHECK_CODE(os_delete(client, key, NULL, &error), OS_OK, &error);
}

SUITE_TEST(an_absent_object_is_not_found_and_the_sentence_names_it, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    assert_int_equal(os_head(client, "nobody/was/here", NULL, &object, &error), OS_ERR_NOT_FOUND);
    CHECK_SAYS(&error, "nobody/was/here");
    assert_string_equal(object.etag, "");
    void *data = NULL;
    size_t length = 7;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    assert_int_equal(os_get(client, "nobody/was/here", &sink, NULL, NULL, &error), OS_ERR_NOT_FOUND);
    assert_null(data);
    assert_int_equal(length, 7);
}

SUITE_TEST(an_empty_object_is_an_object, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "empty");
    put_plain(client, key, "", NULL);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.length, 0);
    assert_string_equal(object.etag, "\"d41d8cd98f00b204e9800998ecf8427e\"");
    CHECK_OBJECT(client, key, "");
}

static void check_range(os_client *client, const char *key, uint64_t offset, uint64_t count, const char *expected)
{
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    sink.offset = offset;
    sink.count = count;
    os_error error;
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(data, expected);
    os_free(data);
}

SUITE_TEST(a_range_of_an_object_is_got, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "range");
    put_plain(client, key, "0123456789", NULL);
    check_range(client, key, 0, 3, "012");
    check_range(client, key, 4, 2, "45");
    check_range(client, key, 7, 0, "789");
    check_range(client, key, 8, 100, "89");
}

struct sink_log {
    size_t calls;
    size_t bytes;
    size_t stop_after; /* calls; 0: never */
};

static int log_bytes(void *context, const void *data, size_t length)
{
    struct sink_log *log = context; /* on the I/O thread, where no assertion of cmocka may fail */
    log->calls++;
    log->bytes += data != NULL ? length : 0;
    return log->stop_after != 0 && log->calls >= log->stop_after;
}

enum { BIG = 3 * 1024 * 1024 };

static char *big_body(void)
{
    char *data = malloc(BIG);
    assert_non_null(data);
    for (size_t i = 0; i < BIG; i++)
        data[i] = (char)('a' + i * 7 % 26);
    return data;
}

SUITE_TEST(a_callback_gets_the_bytes_and_can_stop_them, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "callback");
    char *data = big_body();
    os_body body = OS_BODY_MEMORY(data, BIG);
    os_error error;
    CHECK_CODE(os_put(client, key, &body, NULL, NULL, NULL, &error), OS_OK, &error);

    struct sink_log log = {0};
    os_sink sink = OS_SINK_INIT;
    sink.write = log_bytes;
    sink.write_context = &log;
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(log.bytes, BIG);

    log = (struct sink_log){.stop_after = 1};
    assert_int_equal(os_get(client, key, &sink, NULL, NULL, &error), OS_ERR_STOPPED);
    assert_int_equal(log.calls, 1);

    /* The client is as good as before. */
    log = (struct sink_log){0};
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(log.bytes, BIG);
    free(data);
}

SUITE_TEST(more_than_the_maximum_is_not_kept_in_memory, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "maximum");
    put_plain(client, key, "0123456789", NULL);
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    sink.max_length = 9;
    os_error error;
    assert_int_equal(os_get(client, key, &sink, NULL, NULL, &error), OS_ERR_TOO_LARGE);
    assert_null(data);
    sink.max_length = 10;
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(length, 10);
    os_free(data);
}

SUITE_TEST(a_file_is_put_and_got_back_byte_for_byte, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char from[300];
    char to[300];
    const char *key = fixture_key(f, "file");
    fixture_path(f, "from", from, sizeof(from));
    fixture_path(f, "to", to, sizeof(to));
    char *data = big_body();
    FILE *file = fopen(from, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, BIG, file), BIG);
    fclose(file);

    os_body body = OS_BODY_FILE(from);
    os_error error;
    CHECK_CODE(os_put(client, key, &body, NULL, NULL, NULL, &error), OS_OK, &error);
    os_sink sink = OS_SINK_INIT;
    sink.file = to;
    os_object object = OS_OBJECT_INIT;
    CHECK_CODE(os_get(client, key, &sink, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.length, BIG);
    char *back = malloc(BIG + 1);
    assert_non_null(back);
    file = fopen(to, "r");
    assert_non_null(file);
    assert_int_equal(fread(back, 1, BIG + 1, file), BIG);
    fclose(file);
    assert_memory_equal(back, data, BIG);
    free(back);
    free(data);
}

SUITE_TEST(a_failed_get_leaves_an_old_file_as_it_was, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char path[300];
    fixture_path(f, "old", path, sizeof(path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
    os_sink sink = OS_SINK_INIT;
    sink.file = path;
    os_error error;
    assert_int_equal(os_get(client, "no/such/object", &sink, NULL, NULL, &error), OS_ERR_NOT_FOUND);
    char text[8] = "";
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(text, "old");
}

SUITE_TEST(a_missing_local_file_is_an_io_error_that_names_it, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_body body = OS_BODY_FILE("/nonexistent/body");
    os_error error;
    assert_int_equal(os_put(client, "from-nothing", &body, NULL, NULL, NULL, &error), OS_ERR_IO);
    CHECK_SAYS(&error, "/nonexistent/body");
}

SUITE_TEST(keys_go_through_unchanged, BACKEND_BLANKS)
{
    static const char *const keys[] = {"with space",        "plus+plus",       "per%20cent",
                                       "a&b=c?d#e",         "tilde~-._",       "quote'\"",
                                       "brackets[](){}",    "комета/日本/ünï", "semi;colon:comma,at@",
                                       "star*bang!dollar$", "trailing space ", "back`tick|pipe^"};
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "body %zu", i);
        put_plain(client, keys[i], text, NULL);
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "body %zu", i);
        CHECK_OBJECT(client, keys[i], text);
    }
}

SUITE_TEST(a_long_key_goes_through_unchanged, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char key[901];
    for (size_t i = 0; i < sizeof(key) - 1; i++)
        key[i] = i % 100 == 99 ? '/' : (char)('a' + i % 26);
    key[899] = 'z';
    key[900] = '\0';
    put_plain(client, key, "long", NULL);
    CHECK_OBJECT(client, key, "long");
}

SUITE_TEST(content_headers_and_metadata_are_stored, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "headers");
    os_metadata metadata[] = {{"colour", "blue"}, {"shape", "a  round one"}};
    os_put_options put = OS_PUT_OPTIONS_INIT;
    put.content_type = "text/x-test";
    put.cache_control = "max-age=7";
    put.metadata = metadata;
    put.metadata_count = 2;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error;
    CHECK_CODE(os_put(client, key, &body, &put, NULL, NULL, &error), OS_OK, &error);
    os_object object = OS_OBJECT_INIT;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.content_type, "text/x-test");
}

SUITE_TEST(reserved_or_broken_metadata_is_refused, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const os_metadata bad[] = {
        {"oscommit-nonce", "0"}, {"oscommit-replaced", "0"}, {"two words", "x"}, {"ok", "line\r\nbreak: 1"}, {"", "x"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        os_put_options put = OS_PUT_OPTIONS_INIT;
        put.metadata = &bad[i];
        put.metadata_count = 1;
        os_body body = OS_BODY_MEMORY("x", 1);
        os_error error;
        assert_int_equal(os_put(client, "refused-metadata", &body, &put, NULL, NULL, &error), OS_ERR_ARGUMENT);
        assert_true(strlen(error.message) > 20);
    }
    CHECK_ABSENT(client, "refused-metadata");
}

/* --------------------------------------------------------------------------------------------- callbacks */

struct progress_log {
    bool backwards;
    unsigned calls;
    uint64_t last;
    uint64_t total;
};

static void log_progress(void *context, uint64_t done, uint64_t total)
{
    struct progress_log *log = context;
    log->backwards = log->backwards || done < log->last;
    log->calls++;
    log->last = done;
    log->total = total;
}

SUITE_TEST(progress_ends_with_the_whole, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "progress");
    char *data = big_body();
    struct progress_log log = {0};
    os_call call = OS_CALL_INIT;
    call.progress = log_progress;
    call.progress_context = &log;
    os_body body = OS_BODY_MEMORY(data, BIG);
    os_error error;
    CHECK_CODE(os_put(client, key, &body, NULL, &call, NULL, &error), OS_OK, &error);
    assert_true(log.calls >= 1);
    assert_false(log.backwards);
    assert_int_equal(log.last, BIG);
    assert_int_equal(log.total, BIG);
    free(data);
}

struct watch {
    unsigned requests;
    unsigned guarded;
    unsigned committed;
    unsigned lines;
    unsigned wrong;
};

static void count_metric(void *context, const os_metric *metric)
{
    struct watch *watch = context;
    watch->wrong += metric->operation == NULL ? 1 : 0;
    if (metric->kind == OS_METRIC_REQUEST) {
        watch->requests++;
    } else {
        watch->guarded++;
        watch->committed += metric->verdict == OS_COMMITTED ? 1 : 0;
        watch->wrong += strcmp(metric->operation, "put_if_absent") != 0 || metric->guards < 1 || metric->requests < 3;
    }
}

static void count_line(void *context, os_log_level level, const char *line)
{
    struct watch *watch = context;
    bool fine = level >= OS_LOG_ERROR && level <= OS_LOG_DEBUG && strchr(line, '\n') == NULL &&
                strstr(line, "X-Amz-Signature=") == NULL && strstr(line, raw_secret_key()) == NULL;
    watch->wrong += fine ? 0 : 1;
    watch->lines++;
}

SUITE_TEST(metrics_count_requests_and_guarded_calls, 0)
{
    os_options options = fixture_options(f);
    struct watch watch = {0};
    options.metric = count_metric;
    options.metric_context = &watch;
    options.log = count_line;
    options.log_context = &watch;
    options.log_level = OS_LOG_DEBUG;
    os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "metrics");
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    os_client_close(client);
    assert_true(watch.requests >= 3);
    assert_int_equal(watch.guarded, 1);
    assert_int_equal(watch.committed, 1);
    assert_true(watch.lines >= 1);
    assert_int_equal(watch.wrong, 0);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "plain object calls"};
    return suite_main(&suite, argc, argv);
}
