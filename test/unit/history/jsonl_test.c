/* SPDX-License-Identifier: Apache-2.0 */
/* A history as lines: what is written is read as the same, and what is no history is refused with line and reason. */
#include "history/jsonl.h"

#include "history_maker.h"
#include "history_random.h"
#include "support/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"oscommit_history\":1}\n"
#define CALL "\"call\":1,\"key\":\"k\",\"value\":null,\"start_us\":0,\"verdict\":\"unknown\""

static bool read_bytes(const char *bytes, size_t length, struct history *history, os_error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)bytes, length, "r");

    assert_non_null(file);
    bool read = jsonl_read(file, "FILE", history, err);
    (void)fclose(file);
    return read;
}

/* Freed by the caller. */
static char *write_text(const struct history *history, size_t *ret_length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, ret_length);

    assert_non_null(file);
    assert_true(jsonl_write(history, file));
    assert_int_equal(fclose(file), 0);
    return text;
}

static struct history *again(const struct history *history)
{
    struct history *copy = maker_new();
    os_error err;
    size_t length;
    char *text = write_text(history, &length);

    if (!read_bytes(text, length, copy, &err))
        fail_msg("%s", err.message);
    assert_int_equal(err.code, OS_OK);
    free(text);
    return copy;
}

static void assert_same_call(const struct history_call *a, const struct history_call *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->writer, b->writer);
    assert_int_equal(a->operation, b->operation);
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->expected, b->expected);
    assert_string_equal(a->value, b->value);
    assert_int_equal(a->start_us, b->start_us);
    assert_int_equal(a->end_us, b->end_us);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->settled, b->settled);
    assert_int_equal(a->settled_us, b->settled_us);
    assert_string_equal(a->rule, b->rule);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->generation, b->generation);
    assert_int_equal(a->attempts, b->attempts);
    assert_int_equal(a->requests, b->requests);
    assert_int_equal(a->guards, b->guards);
    assert_int_equal(a->waited_ms, b->waited_ms);
    assert_int_equal(a->took_over, b->took_over);
}

static void assert_same_finals(const struct history *a, const struct history *b)
{
    assert_int_equal(history_final_count(a), history_final_count(b));
    for (size_t i = 0; i < history_final_count(a); i++) {
        const struct history_final *one = history_final_at(a, i);
        const struct history_final *two = history_final_at(b, i);
        assert_string_equal(one->key, two->key);
        assert_string_equal(one->value, two->value);
        assert_int_equal(one->at_us, two->at_us);
        assert_int_equal(one->versions, two->versions);
    }
}

TEST(a_call_is_read_as_it_was_written)
{
    const struct history_call call = {
        .id = 7,
        .writer = 3,
        .operation = HISTORY_COPY_IF_MATCH,
        .key = "data/\"quoted\"\\\n\tkey \xc3\xa9",
        .expected = "\"a\"",
        .value = "\"b\"",
        .start_us = 5,
        .end_us = HISTORY_NEVER,
        .verdict = OS_UNKNOWN,
        .settled = OS_CONFLICT,
        .settled_us = 99,
        .rule = "R13.E",
        .message = "The connection broke.",
        .generation = 4,
        .attempts = 2,
        .requests = 11,
        .guards = 1,
        .waited_ms = 1500,
        .took_over = true,
    };
    struct history *history = maker_new();

    assert_true(history_add_call(history, &call));
    struct history *copy = again(history);
    assert_int_equal(history_call_count(copy), 1);
    assert_same_call(&call, history_call_at(copy, 0));
    history_free(history);
    history_free(copy);
}

TEST(events_facts_and_finals_are_read_as_they_were_written)
{
    struct history *history = maker_new();
    const char *name;
    const char *value;

    for (int kind = HISTORY_PAUSE; kind <= HISTORY_THROTTLE; kind++) {
        const struct history_event event = {.kind = (enum history_event_kind)kind,
                                            .writer = 2,
                                            .start_us = 10,
                                            .end_us = kind == HISTORY_KILL ? HISTORY_NEVER : 20,
                                            .what = kind == HISTORY_LATE ? "PUT k" : ""};
        assert_true(history_add_event(history, &event));
    }
    assert_true(history_add_fact(history, "store", "s3://bucket"));
    assert_true(history_add_fact(history, "store", ""));
    maker_final(history, "\"a\"", 3);
    maker_final(history, NULL, -1);
    struct history *copy = again(history);
    assert_int_equal(history_event_count(copy), HISTORY_THROTTLE);
    for (size_t i = 0; i < history_event_count(copy); i++) {
        const struct history_event *one = history_event_at(history, i);
        const struct history_event *two = history_event_at(copy, i);
        assert_int_equal(one->kind, two->kind);
        assert_int_equal(one->writer, two->writer);
        assert_int_equal(one->start_us, two->start_us);
        assert_int_equal(one->end_us, two->end_us);
        assert_string_equal(one->what, two->what);
    }
    assert_int_equal(history_fact_count(copy), 2);
    history_fact_at(copy, 0, &name, &value);
    assert_string_equal(name, "store");
    assert_string_equal(value, "s3://bucket");
    assert_same_finals(history, copy);
    history_free(history);
    history_free(copy);
}

TEST(random_histories_are_read_as_they_were_written)
{
    const struct random_options options = {
        .calls = 30, .values = 20, .spread_us = 300, .unknown = 30, .unexecuted = 10};
    struct random_history random;

    for (uint64_t seed = 0; seed < 500; seed++) {
        struct history *history = maker_new();
        random_start(&random, seed);
        random_make(&random, &options, "k");
        random_add_to(&random, 1, history);
        struct history *copy = again(history);
        assert_int_equal(history_call_count(copy), random.count);
        for (size_t i = 0; i < random.count; i++)
            assert_same_call(history_call_at(history, i), history_call_at(copy, i));
        assert_same_finals(history, copy);
        history_free(history);
        history_free(copy);
    }
}

TEST(equal_strings_of_a_history_are_one_pointer)
{
    struct history *history = maker_new();
    const char *first = history_text(history, "text 0");
    char text[32];

    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof(text), "text %d", i);
        const char *one = history_text(history, text);
        assert_ptr_equal(one, history_text(history, text));
        assert_string_equal(one, text);
    }
    assert_ptr_equal(first, history_text(history, "text 0"));
    assert_ptr_equal(history_text(history, NULL), history_text(history, ""));
    history_free(history);
}

TEST(a_message_that_is_no_utf8_loses_those_bytes)
{
    struct history *history = maker_new();
    struct history_call call = {.id = 1,
                                .operation = HISTORY_READ,
                                .key = "k",
                                .verdict = OS_NOT_EXECUTED,
                                .settled = OS_NOT_EXECUTED,
                                .message = "said \xff\xfe."};

    assert_true(history_add_call(history, &call));
    struct history *copy = again(history);
    assert_string_equal(history_call_at(copy, 0)->message, "said ??.");
    history_free(history);
    history_free(copy);
}

TEST(fields_that_are_not_known_are_passed_over)
{
    const char *text = "{\"oscommit_history\":1,\"made\":\"2030\"}\n\n"
                       "{\"call\":1,\"operation\":\"read\",\"key\":\"k\",\"value\":null,\"start_us\":0,\"end_us\":1,"
                       "\"colour\":{\"deep\":[1,2,{\"a\":null}]}}\r\n"
                       "{\"final\":\"k\",\"value\":null}"; /* the last line needs no end */
    struct history *history = maker_new();
    os_error err;

    assert_true(read_bytes(text, strlen(text), history, &err));
    assert_int_equal(history_call_at(history, 0)->verdict, OS_COMMITTED);
    assert_int_equal(history_final_at(history, 0)->versions, -1);
    history_free(history);
}

static const struct {
    const char *text;
    const char *says;
} malformed[] = {
    {"", "line 1: the file is empty"},
    {"\n\n", "line 3: the file is empty"},
    {"{}\n", "line 1: this is not a history: a history begins with"},
    {"[]\n", "line 1: a line must be a JSON object"},
    {"{\"oscommit_history\":2}\n", "line 1: this history has version 2"},
    {"{\"oscommit_history\":\"1\"}\n", "line 1: \"oscommit_history\" is missing, or is not a whole number"},
    {HEAD "{}\n", "line 2: this is not a call, an event"},
    {HEAD "{\"call\":1\n", "line 2: this is not JSON"},
    {HEAD "{\"call\":1,\"call\":2}\n", "line 2: this is not JSON: duplicate"},
    {HEAD "\n{\"fact\":3}\n", "line 3: \"fact\" is not a string"},
    {HEAD "{\"fact\":\"a\\u0000b\"}\n", "line 2: this is not JSON"},
    {HEAD "{\"fact\":\"\xff\"}\n", "line 2: this is not JSON"},
    {HEAD "{\"call\":-1}\n", "line 2: \"call\" is not a whole number from 0"},
    {HEAD "{\"call\":1.5}\n", "line 2: \"call\" is missing, or is not a whole number"},
    {HEAD "{\"call\":1,\"writer\":4294967296}\n", "line 2: \"writer\" is not a whole number from 0 to 4294967295"},
    {HEAD "{\"call\":1}\n", "line 2: \"operation\" is missing"},
    {HEAD "{\"call\":1,\"operation\":\"put\"}\n", "line 2: \"put\" is not an operation"},
    {HEAD "{\"call\":1,\"operation\":\"read\"}\n", "line 2: \"key\" is missing"},
    {HEAD "{\"call\":1,\"operation\":\"read\",\"key\":\"k\"}\n", "line 2: \"value\" is missing; write null"},
    {HEAD "{" CALL ",\"operation\":\"put_if_absent\"}\n", "line 2: \"expected\" is missing; write null"},
    {HEAD "{" CALL ",\"operation\":\"read\",\"end_us\":\"1\"}\n", "line 2: \"end_us\" is not a whole number"},
    {HEAD "{" CALL ",\"operation\":\"read\",\"settled\":\"won\"}\n", "line 2: \"won\" is not a verdict"},
    {HEAD "{" CALL ",\"operation\":\"read\",\"took_over\":1}\n", "line 2: \"took_over\" is neither true nor false"},
    {HEAD "{" CALL ",\"operation\":\"read\",\"rule\":9}\n", "line 2: \"rule\" is not a string"},
    {HEAD "{\"event\":\"flood\"}\n", "line 2: \"flood\" is not an event"},
    {HEAD "{\"event\":\"kill\"}\n", "line 2: \"start_us\" is missing"},
    {HEAD "{\"final\":\"k\"}\n", "line 2: \"value\" is missing; write null"},
    {HEAD "{\"final\":\"k\",\"value\":null,\"versions\":-1}\n", "line 2: \"versions\" is not a whole number"},
};

TEST(what_is_no_history_is_refused_with_its_line)
{
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
        struct history *history = maker_new();
        os_error err = {0};
        /* fmemopen takes no empty file */
        FILE *file = *malformed[i].text == '\0' ? fopen("/dev/null", "re") : NULL;
        bool read = file != NULL ? jsonl_read(file, "FILE", history, &err)
                                 : read_bytes(malformed[i].text, strlen(malformed[i].text), history, &err);
        if (read || strstr(err.message, malformed[i].says) == NULL)
            fail_msg("%s: %s", malformed[i].text, read ? "read" : err.message);
        assert_memory_equal(err.message, "FILE, line ", 11);
        assert_int_not_equal(err.code, OS_OK);
        if (file != NULL)
            (void)fclose(file);
        history_free(history);
    }
}

TEST(a_line_of_more_than_64_kib_is_refused)
{
    enum { LIMIT = 64 * 1024 };
    static char text[2 * LIMIT];
    size_t head = strlen(HEAD);
    struct history *history = maker_new();
    os_error err;

    memset(text, ' ', sizeof(text));
    memcpy(text, HEAD, head);
    text[head + LIMIT - 1] = '\n';
    assert_true(read_bytes(text, head + LIMIT, history, &err));
    text[head + LIMIT - 1] = ' ';
    text[head + LIMIT] = '\n';
    assert_false(read_bytes(text, head + LIMIT + 1, history, &err));
    assert_int_equal(err.code, OS_ERR_TOO_LARGE);
    assert_non_null(strstr(err.message, "FILE, line 2: the line is longer than 65535 bytes"));
    history_free(history);
}

TEST(a_bad_line_of_a_deep_nest_is_refused)
{
    enum { DEPTH = 30000 };
    static char text[DEPTH + 64];
    struct history *history = maker_new();
    os_error err;

    memcpy(text, HEAD, strlen(HEAD));
    memset(text + strlen(HEAD), '[', DEPTH);
    assert_false(read_bytes(text, strlen(HEAD) + DEPTH, history, &err));
    assert_non_null(strstr(err.message, "line 2: this is not JSON"));
    history_free(history);
}

TEST(a_file_that_takes_nothing_is_told)
{
    struct history *history = maker_new();
    FILE *full = fopen("/dev/full", "we");

    assert_non_null(full);
    assert_true(history_add_fact(history, "store", "s3://bucket"));
    assert_false(jsonl_write(history, full));
    (void)fclose(full);
    history_free(history);
}

TEST(a_folder_cannot_be_read)
{
    struct history *history = maker_new();
    FILE *folder = fopen("/", "re");
    os_error err;

    assert_non_null(folder);
    assert_false(jsonl_read(folder, "/", history, &err));
    assert_int_equal(err.code, OS_ERR_IO);
    (void)fclose(folder);
    history_free(history);
}
