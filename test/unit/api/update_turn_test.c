/* SPDX-License-Identifier: Apache-2.0 */
/* os_update: updates of one key in one process take turns. */
#include "unit/api/updated.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* An update on a thread of its own, which stays in its transform until it is let go. */
struct turn {
    os_client *client;
    pthread_t thread;
    struct event entered;
    struct event let_go;
    const char *key;
    const char *letter; /* that it adds; "stop": it adds none */
    os_verdict verdict;
    os_error error;
    os_call call;
    os_update_options options;
    char seen[64];
    int runs;
    char bytes[64];
};

static int add_letter(void *context, const os_current *current, os_body *ret)
{
    struct turn *turn = context;
    snprintf(turn->seen, sizeof(turn->seen), "%s", (const char *)current->data);
    turn->runs++;
    event_set(&turn->entered);
    event_wait(&turn->let_go);
    event_set(&turn->let_go); /* once for all */
    snprintf(turn->bytes, sizeof(turn->bytes), "%.40s%s", turn->seen, turn->letter);
    ret->data = turn->bytes;
    ret->length = strlen(turn->bytes);
    return strcmp(turn->letter, "stop") == 0;
}

static void *run_turn(void *context)
{
    struct turn *turn = context;
    turn->verdict =
        os_update(turn->client, turn->key, add_letter, turn, &turn->options, &turn->call, NULL, &turn->error);
    return NULL;
}

static void turn_begin(struct turn *turn, os_client *client, const char *key, const char *letter, os_cancel *cancel)
{
    *turn = (struct turn){.client = client, .key = key, .letter = letter, .call = OS_CALL_INIT};
    turn->options = (os_update_options)OS_UPDATE_OPTIONS_INIT;
    turn->options.max_length = 9;
    turn->call.cancel = cancel;
    turn->entered = (struct event)EVENT_INIT;
    turn->let_go = (struct event)EVENT_INIT;
    assert_int_equal(pthread_create(&turn->thread, NULL, run_turn, turn), 0);
}

static void turn_end(struct turn *turn, os_verdict verdict, os_code code)
{
    event_set(&turn->let_go);
    pthread_join(turn->thread, NULL);
    if (turn->verdict != verdict)
        fail_msg("%s instead of %s: %s", os_verdict_name(turn->verdict), os_verdict_name(verdict), turn->error.message);
    assert_int_equal(turn->error.code, code);
}

static void *close_client(void *context)
{
    os_client_close(context);
    return NULL;
}

TEST_WITH(updated, updates_of_one_key_take_turns_in_order)
{
    struct turn turns[4];
    static const char *const letters[] = {"a", "b", "c", "d"};
    turn_begin(&turns[0], updated->client, "key", letters[0], NULL);
    event_wait(&turns[0].entered);
    for (unsigned i = 1; i < 4; i++) {
        turn_begin(&turns[i], updated->client, "key", letters[i], NULL);
        assert_true(event_reaches(&updated->waits, i));
        event_set(&turns[i].let_go);
    }
    for (unsigned i = 0; i < 4; i++)
        turn_end(&turns[i], OS_COMMITTED, OS_OK);
    updated_check_object(updated, "abcd");
    assert_int_equal(atomic_load(&updated->gets), 1); /* the others were handed it */
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(turns[i].runs, 1);
}

/* In turn by two clients. What one has written is not handed to the other, which may have no right to read it. */
TEST_WITH(updated, so_do_those_of_two_clients)
{
    struct turn turns[4];
    static const char *const letters[] = {"a", "b", "c", "d"};
    os_client *clients[] = {updated->client, updated_open(updated)};
    turn_begin(&turns[0], clients[0], "key", letters[0], NULL);
    event_wait(&turns[0].entered);
    for (unsigned i = 1; i < 4; i++) {
        turn_begin(&turns[i], clients[i % 2], "key", letters[i], NULL);
        assert_true(event_reaches(&updated->waits, i));
        event_set(&turns[i].let_go);
    }
    for (unsigned i = 0; i < 4; i++)
        turn_end(&turns[i], OS_COMMITTED, OS_OK);
    updated_check_object(updated, "abcd");
    assert_int_equal(atomic_load(&updated->gets), 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(turns[i].runs, 1);
    os_client_close(clients[1]);
}

TEST_WITH(updated, a_client_that_closes_calls_the_next_of_another)
{
    struct turn first;
    struct turn second;
    pthread_t closer;
    os_client *closing = updated_open(updated);
    turn_begin(&first, closing, "key", "a", NULL);
    event_wait(&first.entered);
    turn_begin(&second, updated->client, "key", "b", NULL);
    assert_true(event_reaches(&updated->waits, 1));
    assert_int_equal(pthread_create(&closer, NULL, close_client, closing), 0);
    event_set(&second.let_go);
    turn_end(&first, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    turn_end(&second, OS_COMMITTED, OS_OK);
    pthread_join(closer, NULL);
    updated_check_object(updated, "b");
}

TEST_WITH(updated, other_keys_do_not_wait)
{
    struct turn first;
    turn_begin(&first, updated->client, "another", "a", NULL);
    event_wait(&first.entered);
    CHECK_COMMITTED(updated, updated_add_plus);
    turn_end(&first, OS_COMMITTED, OS_OK);
    assert_int_equal(event_count(&updated->waits), 0);
}

/* The second makes its bytes of those that the first has written, and meanwhile others stand there. */
static void write_beside_handed_bytes(struct updated *updated, const char *handed)
{
    struct turn first;
    struct turn second;
    turn_begin(&first, updated->client, "key", handed, NULL);
    event_wait(&first.entered);
    turn_begin(&second, updated->client, "key", "b", NULL);
    assert_true(event_reaches(&updated->waits, 1));
    event_set(&first.let_go);
    event_wait(&second.entered);
    assert_string_equal(second.seen, handed);
    updated_write_now(updated, "new ");
    turn_end(&second, OS_COMMITTED, OS_OK);
    turn_end(&first, OS_COMMITTED, OS_OK);
    updated_check_object(updated, "new b");
}

TEST_WITH(updated, what_was_handed_on_may_be_old)
{
    write_beside_handed_bytes(updated, "a");
}

TEST_WITH(updated, a_refusal_rests_on_no_handed_bytes)
{
    struct turn first;
    struct turn second;
    turn_begin(&first, updated->client, "key", "a", NULL);
    event_wait(&first.entered);
    turn_begin(&second, updated->client, "key", "stop", NULL);
    assert_true(event_reaches(&updated->waits, 1));
    event_set(&second.let_go);
    turn_end(&first, OS_COMMITTED, OS_OK);
    turn_end(&second, OS_NOT_EXECUTED, OS_ERR_STOPPED);
    assert_int_equal(second.runs, 2);
    assert_int_equal(atomic_load(&updated->gets), 2);
}

/* V6.2: what is there now may be shorter. */
TEST_WITH(updated, too_many_bytes_made_of_handed_ones_are_no_reason_to_refuse)
{
    write_beside_handed_bytes(updated, "123456789");
}

TEST_WITH(updated, the_deadline_ends_the_waiting)
{
    struct turn first;
    turn_begin(&first, updated->client, "key", "a", NULL);
    event_wait(&first.entered);
    updated->call.deadline_ms = 50;
    updated_check_verdict(updated, updated_update(updated, updated_add_plus), OS_NOT_EXECUTED, OS_ERR_DEADLINE);
    assert_int_equal(updated->runs, 0);
    turn_end(&first, OS_COMMITTED, OS_OK);
    updated->call.deadline_ms = 0;
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "a+");
}

TEST_WITH(updated, a_cancellation_ends_the_waiting)
{
    struct turn first;
    struct turn second;
    turn_begin(&first, updated->client, "key", "a", NULL);
    event_wait(&first.entered);
    turn_begin(&second, updated->client, "key", "b", updated->cancel);
    assert_true(event_reaches(&updated->waits, 1));
    os_cancel_trigger(updated->cancel);
    turn_end(&second, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    assert_int_equal(second.runs, 0);
    turn_end(&first, OS_COMMITTED, OS_OK);
    updated_check_object(updated, "a");
}

TEST_WITH(updated, closing_the_client_ends_the_waiting)
{
    struct turn first;
    struct turn second;
    pthread_t closer;
    turn_begin(&first, updated->client, "key", "a", NULL);
    event_wait(&first.entered);
    turn_begin(&second, updated->client, "key", "b", NULL);
    assert_true(event_reaches(&updated->waits, 1));
    assert_int_equal(pthread_create(&closer, NULL, close_client, updated->client), 0);
    turn_end(&second, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    assert_int_equal(second.runs, 0);
    turn_end(&first, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    pthread_join(closer, NULL);
    updated->client = NULL;
}

static int update_within(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    os_error error;
    (void)current;
    ret->data = "outer";
    ret->length = 5;
    assert_int_equal(os_update(updated->client, "key", update_within, updated, NULL, NULL, NULL, &error),
                     OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&error, "within its own transform");
    return 0;
}

TEST_WITH(updated, an_update_within_its_own_transform_is_refused)
{
    CHECK_COMMITTED(updated, update_within);
    updated_check_object(updated, "outer");
    CHECK_COMMITTED(updated, updated_add_plus);
}

static int update_by_another(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    os_error error;
    (void)current;
    ret->data = "outer";
    ret->length = 5;
    assert_int_equal(os_update(updated->other, "key", update_by_another, updated, NULL, NULL, NULL, &error),
                     OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "within its own transform");
    return 0;
}

TEST_WITH(updated, so_is_one_by_another_client)
{
    CHECK_COMMITTED(updated, update_by_another);
    updated_check_object(updated, "outer");
}
