/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many operations at a time on real servers: each completes once, each key has one winner, whatever ends early tells
 * the truth. What each operation says without faults: the tests of the calls, which are built with operations, too.
 */
#include "oscommit_async.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 64, WRITERS = 4, WAIT_MS = 120000 };

struct write {
    const char *key;
    char text[32];
    int completions;
    os_operation *operation;
};

static void start_write(os_client *client, os_queue *queue, struct write *write)
{
    os_body body = OS_BODY_MEMORY(write->text, strlen(write->text));
    os_start start = OS_START_INIT;
    os_error error;
    start.queue = queue;
    start.context = write;
    CHECK_CODE(os_start_put_if_absent(client, write->key, &body, NULL, &start, &write->operation, &error), OS_OK,
               &error);
}

static void take_all(os_queue *queue, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        os_operation *done = os_queue_take(queue, WAIT_MS);
        assert_non_null(done);
        struct write *write = os_operation_context(done);
        assert_ptr_equal(done, write->operation);
        write->completions++;
    }
    assert_null(os_queue_take(queue, 0));
}

static struct write *writes_new(struct fixture *f, const char *name)
{
    struct write *writes = calloc((size_t)KEYS * WRITERS, sizeof(*writes));
    assert_non_null(writes);
    for (size_t i = 0; i < KEYS; i++) {
        const char *key = fixture_key(f, name);
        for (size_t j = 0; j < WRITERS; j++) {
            struct write *write = &writes[j * KEYS + i];
            write->key = key;
            snprintf(write->text, sizeof(write->text), "%zu of %zu", j, i);
        }
    }
    return writes;
}

static void writes_free(struct write *writes)
{
    for (size_t i = 0; i < (size_t)KEYS * WRITERS; i++)
        os_operation_free(writes[i].operation);
    free(writes);
}

SUITE_TEST(of_many_operations_on_each_key_one_commits, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    struct write *writes = writes_new(f, "many");
    for (size_t i = 0; i < (size_t)KEYS * WRITERS; i++)
        start_write(client, queue, &writes[i]);
    take_all(queue, (size_t)KEYS * WRITERS);
    for (size_t i = 0; i < KEYS; i++) {
        int committed = 0;
        for (size_t j = 0; j < WRITERS; j++) {
            const struct write *write = &writes[j * KEYS + i];
            os_verdict verdict = os_operation_verdict(write->operation);
            assert_int_equal(write->completions, 1);
            if (verdict != OS_COMMITTED && verdict != OS_CONFLICT)
                fail_msg("%s: %s: %s", write->key, os_verdict_name(verdict),
                         os_operation_error(write->operation)->message);
            committed += verdict == OS_COMMITTED;
            if (verdict == OS_COMMITTED)
                CHECK_OBJECT(client, write->key, write->text);
        }
        assert_int_equal(committed, 1);
    }
    writes_free(writes);
    os_queue_free(queue);
}

/* What was told of each, and by a resolved ticket of each `unknown`, is what stands there. */
static void check_told(os_client *client, const struct write *write)
{
    os_verdict verdict = os_operation_verdict(write->operation);
    assert_int_equal(write->completions, 1);
    if (verdict == OS_UNKNOWN) {
        os_error error;
        const char *ticket = os_operation_result(write->operation)->ticket;
        assert_non_null(ticket);
        verdict = os_settle(client, ticket, NULL, NULL, NULL, &error);
        if (verdict == OS_UNKNOWN)
            fail_msg("%s", error.message);
    }
    char *text = text_of_object(client, write->key);
    bool ours = text && strcmp(text, write->text) == 0;
    free(text);
    assert_int_equal(verdict == OS_COMMITTED, ours);
}

static void check_all_told(const struct fixture *f, struct write *writes)
{
    os_options options = fixture_fast_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < (size_t)KEYS * WRITERS; i++)
        check_told(client, &writes[i]);
}

SUITE_TEST(operations_that_are_cancelled_at_any_instant_tell_the_truth, BACKEND_FENCE)
{
    os_options options = fixture_fast_options(f);
    os_client *client = fixture_client(&options);
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    struct write *writes = writes_new(f, "cancelled");
    for (size_t i = 0; i < (size_t)KEYS * WRITERS; i++) {
        start_write(client, queue, &writes[i]);
        if (i >= 7)
            os_operation_cancel(writes[i - 7].operation); /* whatever it is at */
    }
    take_all(queue, (size_t)KEYS * WRITERS);
    os_client_close(client);
    check_all_told(f, writes);
    writes_free(writes);
    os_queue_free(queue);
}

SUITE_TEST(a_client_that_closes_on_many_operations_has_each_tell_the_truth, BACKEND_FENCE)
{
    os_options options = fixture_fast_options(f);
    os_client *client = fixture_client(&options);
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    struct write *writes = writes_new(f, "closed");
    for (size_t i = 0; i < (size_t)KEYS * WRITERS; i++)
        start_write(client, queue, &writes[i]);
    os_operation *first = os_queue_take(queue, WAIT_MS); /* so that some are at their beginning, some at their end */
    assert_non_null(first);
    struct write *write = os_operation_context(first);
    write->completions++;
    os_client_close(client);
    take_all(queue, (size_t)KEYS * WRITERS - 1);
    check_all_told(f, writes);
    writes_free(writes);
    os_queue_free(queue);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "operations"};
    return suite_main(&suite, argc, argv);
}
