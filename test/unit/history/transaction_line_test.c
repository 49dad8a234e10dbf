/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions and sums as lines: what is written is read as the same, and what is none is refused. */
#include "history/jsonl.h"
#include "history_maker.h"
#include "support/checks.h"
#include "transaction_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"oscommit_history\":1}\n"

static bool read_text(const char *text, struct history *history, os_error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(file);
    bool read = jsonl_read(file, "FILE", history, err);
    (void)fclose(file);
    return read;
}

/* Freed by the caller. */
static char *written(const struct history *history)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    assert_true(jsonl_write(history, file));
    assert_int_equal(fclose(file), 0);
    return text;
}

TEST(lines_are_read_as_they_were_written)
{
    static const char text[] = HEAD
        "{\"sum\":-5,\"keys\":[\"a\",\"b\"]}\n"
        "{\"transaction\":1,\"writer\":3,\"start_us\":0,\"end_us\":9,\"verdict\":\"committed\",\"reads\":[{\"key\":"
        "\"a\",\"value\":null},{\"key\":\"b\",\"value\":\"b1\",\"amount\":-7},{\"key\":\"l\",\"list\":[]},{\"key\":"
        "\"m\",\"list\":[\"x\",\"\xc3\xa9\"]}]}\n"
        "{\"transaction\":2,\"writer\":0,\"start_us\":1,\"end_us\":null,\"verdict\":\"unknown\",\"settled\":"
        "\"conflict\",\"settled_us\":12,\"writes\":[{\"key\":\"a\",\"expected\":null,\"value\":\"a1\",\"amount\":0},"
        "{\"key\":\"a\",\"expected\":\"a1\",\"value\":\"a2\"},{\"key\":\"l\",\"append\":\"x\"}],\"message\":\"The "
        "connection broke.\"}\n"
        "{\"transaction\":3,\"writer\":0,\"start_us\":1,\"end_us\":1,\"verdict\":\"not executed\"}\n";
    struct history *history = maker_new();
    os_error err;

    if (!read_text(text, history, &err))
        fail_msg("%s", err.message);
    assert_int_equal(history_transaction_count(history), 3);
    assert_int_equal(history_transaction_at(history, 1)->end_us, HISTORY_NEVER);
    assert_int_equal(history_transaction_at(history, 1)->item_count, 3);
    assert_int_equal(history_transaction_at(history, 0)->item[3].element_count, 2);
    assert_int_equal(history_transaction_at(history, 0)->item[1].amount, -7);
    assert_false(history_transaction_at(history, 0)->item[0].has_amount);
    assert_int_equal(history_sum_at(history, 0)->sum, -5);
    char *again = written(history);
    assert_string_equal(again, text);
    free(again);
    history_free(history);
}

TEST(a_random_history_is_read_as_it_was_written)
{
    const struct play_options options = {.transactions = 50, .spread_us = 300, .unknown = 20, .aborted = 20};
    struct play play;

    for (uint64_t seed = 0; seed < 50; seed++) {
        struct history *history = maker_new();
        struct history *copy = maker_new();
        os_error err;
        (void)play_make(&play, seed, &options);
        play_add_to(&play, "", 1, history);
        char *text = written(history);
        if (!read_text(text, copy, &err))
            fail_msg("%s", err.message);
        char *again = written(copy);
        assert_string_equal(again, text);
        free(text);
        free(again);
        history_free(history);
        history_free(copy);
    }
}

#define LINE "\"transaction\":1,\"start_us\":0,\"end_us\":1,\"verdict\":\"committed\""

TEST(what_is_no_transaction_is_refused_with_its_line)
{
    static const struct {
        const char *line;
        const char *reason;
    } bad[] = {
        {"{\"transaction\":\"1\"}", "\"transaction\" is not a whole number"},
        {"{\"transaction\":-1}", "\"transaction\" is not a whole number"},
        {"{\"transaction\":1,\"writer\":4294967296}", "\"writer\" is not"},
        {"{\"transaction\":1,\"end_us\":1}", "\"start_us\" is missing"},
        {"{\"transaction\":1,\"start_us\":1,\"end_us\":1.5}", "\"end_us\" or"},
        {"{\"transaction\":1,\"start_us\":1,\"end_us\":1}", "\"verdict\" is not"},
        {"{\"transaction\":1,\"start_us\":1,\"end_us\":1,\"verdict\":\"maybe\"}", "\"verdict\" is not"},
        {"{" LINE ",\"settled\":7}", "\"settled\" is not"},
        {"{" LINE ",\"message\":7}", "\"message\" is not"},
        {"{" LINE ",\"reads\":{}}", "is not an array"},
        {"{" LINE ",\"writes\":\"a\"}", "is not an array"},
        {"{" LINE ",\"reads\":[7]}", "has no \"key\""},
        {"{" LINE ",\"reads\":[{\"key\":\"\",\"value\":null}]}", "has no \"key\""},
        {"{" LINE ",\"reads\":[{\"key\":\"a\"}]}", "a read needs a \"value\""},
        {"{" LINE ",\"reads\":[{\"key\":\"a\",\"value\":\"\"}]}", "a read needs a \"value\""},
        {"{" LINE ",\"reads\":[{\"key\":\"a\",\"value\":null,\"amount\":\"7\"}]}", "\"amount\" is not"},
        {"{" LINE ",\"reads\":[{\"key\":\"a\",\"list\":7}]}", "\"list\" is not"},
        {"{" LINE ",\"reads\":[{\"key\":\"a\",\"list\":[\"x\",7]}]}", "\"list\" is not"},
        {"{" LINE ",\"reads\":[{\"key\":\"a\",\"list\":[\"\"]}]}", "\"list\" is not"},
        {"{" LINE ",\"writes\":[{\"key\":\"a\",\"expected\":null,\"value\":null}]}", "a write needs a \"value\""},
        {"{" LINE ",\"writes\":[{\"key\":\"a\",\"value\":\"a1\"}]}", "a write needs \"expected\""},
        {"{" LINE ",\"writes\":[{\"key\":\"a\",\"append\":7}]}", "\"append\" is not"},
        {"{\"sum\":\"7\",\"keys\":[\"a\"]}", "a sum needs"},
        {"{\"sum\":7,\"keys\":[]}", "a sum needs"},
        {"{\"sum\":7,\"keys\":\"a\"}", "a sum needs"},
        {"{\"sum\":7,\"keys\":[7]}", "\"keys\" is not"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct history *history = maker_new();
        char text[256];
        os_error err;
        (void)snprintf(text, sizeof(text), HEAD "%s\n", bad[i].line);
        assert_false(read_text(text, history, &err));
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        if (strstr(err.message, bad[i].reason) == NULL || strstr(err.message, "FILE, line 2: ") == NULL)
            fail_msg("%s: %s", bad[i].line, err.message);
        assert_int_equal(history_transaction_count(history) + history_sum_count(history), 0);
        history_free(history);
    }
}
