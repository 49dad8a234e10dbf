/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of a history, of its file and of its judge fails once: it is told, nothing leaks, and no refusal
 * becomes an acceptance. The linker leads the library's allocations here (CMakeLists.txt: --wrap).
 */
#include "history/jsonl.h"

#include "history_maker.h"
#include "history_random.h"
#include "lease_maker.h"
#include "support/checks.h"
#include "support/failing_alloc.h"
#include "transaction_maker.h"
#include "transaction_random.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return alloc_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return alloc_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return alloc_refused() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return alloc_refused() ? NULL : __real_strdup(text);
}

static void *jansson_malloc(size_t size)
{
    return alloc_refused() ? NULL : __real_malloc(size);
}

static struct history *make_history(uint64_t seed, bool changed)
{
    const struct random_options options = {.calls = 20, .values = 3, .spread_us = 400, .unknown = 50, .unexecuted = 5};
    struct history *history = maker_new();
    struct random_history random;

    random_start(&random, seed);
    random_make(&random, &options, "k");
    random.final.key = "k";
    if (changed)
        random.final.value = "\"nobody's\"";
    random_add_to(&random, 1, history);
    return history;
}

static void judge_without_memory(struct history *history)
{
    struct judge_result whole;
    struct judge_result result;
    bool failed = true;

    assert_true(judge_history(history, &whole));
    for (size_t number = 0; failed; number++) {
        alloc_fail_at(number);
        bool judged = judge_history(history, &result);
        failed = alloc_failed;
        alloc_fail_none();
        assert_true(judged || failed);
        if (judged) {
            assert_int_equal(result.refused, whole.refused);
            assert_int_equal(result.finding_count > 0, whole.finding_count > 0);
        }
    }
    history_free(history);
}

TEST(the_judge_tells_that_there_is_no_memory)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        judge_without_memory(make_history(seed, false));
        judge_without_memory(make_history(seed, true));
    }
}

/* Two at once, one of them killed and one let go; both were waited for. */
static void say_leases(struct history *history)
{
    lease_waits(history, "a", 0);
    lease_held(history, "a", 1);
    lease_paused(history, "a", 2, 3);
    lease_killed(history, "a", 10);
    lease_waits(history, "b", 4);
    lease_holds(history, "b", 9, 20);
    lease_let_go(history, "b", 21);
}

TEST(the_judge_of_leases_tells_that_there_is_no_memory)
{
    struct history *history = maker_new();
    struct lease_result result;
    bool failed = true;

    say_leases(history);
    for (size_t number = 0; failed; number++) {
        alloc_fail_at(number);
        bool judged = lease_judge(history, &result);
        failed = alloc_failed;
        alloc_fail_none();
        assert_int_equal(judged, !failed);
        assert_true(!judged || result.violations == 1);
    }
    history_free(history);
}

static struct history *make_transactions(enum play_fault fault)
{
    const struct play_options options = {
        .transactions = 40, .spread_us = 300, .unknown = 20, .fault = fault, .read_at_the_end = true};
    static const char *const keys[] = {"a", "b"};
    const struct history_sum sum = {.sum = 1, .key = keys, .key_count = 2};
    struct history *history = maker_new();
    struct play play;

    for (uint64_t seed = 1; !play_make(&play, seed, &options); seed++) {
    }
    play_add_to(&play, "", 1, history);
    assert_true(history_add_sum(history, &sum));
    return history;
}

TEST(the_judge_of_transactions_tells_that_there_is_no_memory)
{
    static const enum play_fault faults[] = {PLAY_TRUE, PLAY_STALE_READ, PLAY_LOST_UPDATE, PLAY_SHOWS_HALF};
    struct transaction_result result;

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct history *history = make_transactions(faults[i]);
        bool failed = true;
        for (size_t number = 0; failed; number++) {
            alloc_fail_at(number);
            bool judged = judge_transactions(history, &result);
            failed = alloc_failed;
            alloc_fail_none();
            assert_true(judged || failed);
            assert_true(!judged || (result.violations > 0) == (faults[i] != PLAY_TRUE));
        }
        history_free(history);
    }
}

TEST(a_history_tells_that_there_is_no_memory)
{
    bool failed = true;

    for (size_t number = 0; failed; number++) {
        const struct history_call call = {
            .id = 1, .key = "k", .expected = "a", .value = "b", .rule = "c", .message = "d"};
        const struct history_event event = {.what = "e"};
        const struct history_final final = {.key = "f", .value = "g"};
        const struct history_lease lease = {.kind = HISTORY_LEASE_HELD, .who = "w", .key = "j"};
        const struct history_item items[] = {WRITE("l", "m", "n"), LIST("o", "p", "q"), READ("r", "s")};
        const struct history_transaction transaction = {.id = 1, .message = "t", .item = items, .item_count = 3};
        const struct history_sum sum = {.key = (const char *const[]){"u", "v"}, .key_count = 2};
        alloc_fail_at(number);
        struct history *history = history_new();
        bool added = history != NULL;
        for (int i = 0; added && i < 40; i++) {
            added = history_add_call(history, &call) && history_add_event(history, &event) &&
                    history_add_final(history, &final) && history_add_fact(history, "h", "i") &&
                    history_add_lease(history, &lease) && history_add_transaction(history, &transaction) &&
                    history_add_sum(history, &sum);
        }
        failed = alloc_failed;
        alloc_fail_none();
        assert_true(added || failed);
        assert_true(!added || history_call_count(history) == 40);
        history_free(history);
    }
}

static void say_transactions(struct history *history)
{
    const struct history_sum sum = {.key = (const char *const[]){"a", "b"}, .key_count = 2};

    COMMIT(history, 0, 1, WRITE_AMOUNT("a", "", "a1", 7), APPEND("l", "x"));
    COMMIT(history, 2, 3, READ("a", "a1"), LIST("l", "x"), EMPTY_LIST("m"));
    assert_true(history_add_sum(history, &sum));
}

/* Reads `text` with one allocation failing; gives whether any failed. Those of jansson's parser are spared: 2.14 goes
 * on with what it could not save, and writes behind the end of it. */
static bool read_without_memory(char *text, size_t length, size_t number)
{
    FILE *file = fmemopen(text, length, "r");
    struct history *history = maker_new();
    os_error err;

    assert_non_null(file);
    alloc_fail_at(number);
    bool read = jsonl_read(file, "FILE", history, &err);
    bool failed = alloc_failed;
    alloc_fail_none();
    assert_int_equal(read, !failed);
    assert_int_equal(err.code, failed ? OS_ERR_NO_MEMORY : OS_OK);
    history_free(history);
    (void)fclose(file);
    return failed;
}

TEST(a_reader_tells_that_there_is_no_memory)
{
    struct history *history = make_history(1, false);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    say_leases(history);
    say_transactions(history);
    assert_true(jsonl_write(history, file));
    assert_int_equal(fclose(file), 0);
    for (size_t number = 0; read_without_memory(text, length, number); number++) {
    }
    history_free(history);
    free(text);
}

TEST(a_writer_tells_that_there_is_no_memory)
{
    struct history *history = make_history(1, false);
    bool failed = true;

    say_leases(history);
    say_transactions(history);
    json_set_alloc_funcs(jansson_malloc, free);
    for (size_t number = 0; failed; number++) {
        FILE *file = fopen("/dev/null", "we");
        assert_non_null(file);
        alloc_fail_at(number);
        bool written = jsonl_write(history, file);
        failed = alloc_failed;
        alloc_fail_none();
        assert_true(written || failed); /* a string is tried twice */
        (void)fclose(file);
    }
    json_set_alloc_funcs(malloc, free);
    history_free(history);
}
