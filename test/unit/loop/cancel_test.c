/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: heard once on the loop's thread, never after the link is gone, whenever they are triggered. */
#include "loop/cancel.h"
#include "unit/loop/on_loop.h"

struct listener {
    struct cancel_link link;
    struct on_loop *on;
    os_cancel *cancel;
    int on_cancelled;
    bool ends_when_heard; /* unlinks itself, as a call does that ends */
    struct event event;
};

static void on_heard(struct cancel_link *link)
{
    struct listener *listener = (struct listener *)link;
    listener->on_cancelled++;
    assert_true(pthread_equal(pthread_self(), listener->on->thread));
    if (listener->ends_when_heard)
        cancel_unlink(link);
    event_set(&listener->event);
}

static struct listener *listener_new(struct on_loop *on, os_cancel *cancel, bool ends)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    assert_non_null(listener);
    *listener = (struct listener){.on = on, .cancel = cancel, .ends_when_heard = ends, .event = EVENT_INIT};
    listener->link.on_cancelled = on_heard;
    return listener;
}

static void link_it(void *context)
{
    struct listener *listener = context;
    assert_true(cancel_link(listener->cancel, &listener->link, listener->on->loop));
}

static void unlink_it(void *context)
{
    cancel_unlink(&((struct listener *)context)->link);
}

TEST_WITH(on_loop, a_triggered_token_is_heard_once)
{
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    struct listener *listener = listener_new(on_loop, cancel, false);
    on_loop_call(on_loop, link_it, listener);
    os_cancel_trigger(cancel);
    os_cancel_trigger(cancel);
    event_wait(&listener->event);
    os_cancel_trigger(cancel);
    on_loop_call(on_loop, unlink_it, listener);
    assert_int_equal(listener->on_cancelled, 1);
    os_cancel_free(cancel);
    free(listener);
}

TEST_WITH(on_loop, a_token_that_was_triggered_before_is_heard_at_once)
{
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    os_cancel_trigger(cancel);
    struct listener *listener = listener_new(on_loop, cancel, true);
    on_loop_call(on_loop, link_it, listener);
    event_wait(&listener->event);
    on_loop_settle(on_loop);
    assert_int_equal(listener->on_cancelled, 1);
    os_cancel_free(cancel);
    free(listener);
}

static void trigger_and_unlink(void *context)
{
    struct listener *listener = context;
    os_cancel_trigger(listener->cancel); /* its notice is queued behind this very job */
    cancel_unlink(&listener->link);
}

TEST_WITH(on_loop, what_is_unlinked_with_its_notice_on_the_way_is_not_called)
{
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    struct listener *listener = listener_new(on_loop, cancel, false);
    on_loop_call(on_loop, link_it, listener);
    on_loop_call(on_loop, trigger_and_unlink, listener);
    int on_cancelled = listener->on_cancelled;
    free(listener); /* the notice must not look at it */
    os_cancel_free(cancel);
    on_loop_settle(on_loop);
    assert_int_equal(on_cancelled, 0);
}

TEST_WITH(on_loop, no_token_is_a_token_that_never_comes)
{
    struct listener *listener = listener_new(on_loop, NULL, false);
    on_loop_call(on_loop, link_it, listener);
    on_loop_call(on_loop, unlink_it, listener);
    assert_int_equal(listener->on_cancelled, 0);
    free(listener);
    os_cancel_free(NULL);
}

enum { CROWD = 50 };

TEST_WITH(on_loop, one_token_ends_many)
{
    os_cancel *cancel = NULL;
    struct listener *listeners[CROWD];
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    for (int i = 0; i < CROWD; i++) {
        listeners[i] = listener_new(on_loop, cancel, true);
        on_loop_call(on_loop, link_it, listeners[i]);
    }
    for (int i = 0; i < CROWD; i += 3)
        on_loop_call(on_loop, unlink_it, listeners[i]);
    os_cancel_trigger(cancel);
    for (int i = 0; i < CROWD; i++)
        if (i % 3 != 0)
            event_wait(&listeners[i]->event);
    on_loop_settle(on_loop);
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(listeners[i]->on_cancelled, i % 3 != 0);
        free(listeners[i]);
    }
    os_cancel_free(cancel);
}

static void *trigger(void *argument)
{
    os_cancel_trigger(argument);
    return NULL;
}

TEST_WITH(on_loop, a_trigger_that_races_with_the_end_of_the_call_is_harmless)
{
    int on_cancelled = 0;
    for (int i = 0; i < 500; i++) {
        os_cancel *cancel = NULL;
        pthread_t threads[2];
        assert_int_equal(os_cancel_new(&cancel), OS_OK);
        struct listener *listener = listener_new(on_loop, cancel, i % 2 == 0);
        if (i % 5 != 0)
            on_loop_call(on_loop, link_it, listener);
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, trigger, cancel), 0);
        if (i % 5 == 0)
            on_loop_call(on_loop, link_it, listener);
        on_loop_call(on_loop, unlink_it, listener);
        on_cancelled += listener->on_cancelled;
        assert_true(listener->on_cancelled <= 1);
        free(listener);
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
        os_cancel_free(cancel);
    }
    print_message("heard %d of 500\n", on_cancelled);
}
