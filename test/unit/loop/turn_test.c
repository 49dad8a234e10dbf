/* SPDX-License-Identifier: Apache-2.0 */
/* Turns, which wait until the requests that are under way leave a connection free. */
#include "support/http_server.h"
#include "unit/loop/on_loop.h"

enum { CONNECTIONS = 4, TURNS = 3 }; /* of on_loop.c */

struct busy {
    struct on_loop on;
    struct http_server *server;
    struct http_request requests[CONNECTIONS];
    struct counted {
        struct loop_turn turn;
        struct busy *busy;
        int number;
    } counted[TURNS];
    int order[TURNS];
    int ran;
    struct event ran_one;
};

static void on_done(void *context, const struct http_result *result)
{
    (void)context;
    (void)result;
}

static void start_one(struct busy *busy, struct http_request *request)
{
    uint64_t id = 0;
    http_request_init(request);
    request->method = "GET";
    assert_true(http_request_set_origin(request, "http", http_server_host(busy->server)));
    assert_true(buf_add_str(&request->path, "/"));
    struct http_start start = {.request = request, .loopback = true, .body_max = 10, .done = on_done};
    assert_int_equal(http_engine_start(loop_http(busy->on.loop), &start, &id, NULL), OS_OK);
}

static void start_all(void *context)
{
    struct busy *busy = context;
    for (int i = 0; i < CONNECTIONS; i++)
        start_one(busy, &busy->requests[i]);
}

/* Every connection is taken by a request whose answer is held back. */
static void busy_set_up(struct busy *busy)
{
    const struct http_server_step held = {.hold = true, .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    on_loop_set_up(&busy->on);
    busy->server = http_server_start(NULL);
    busy->ran_one = (struct event)EVENT_INIT;
    for (int i = 0; i < CONNECTIONS; i++)
        http_server_push(busy->server, &held);
    on_loop_call(&busy->on, start_all, busy);
    assert_true(http_server_wait_held(busy->server, CONNECTIONS));
}

static void busy_tear_down(struct busy *busy)
{
    on_loop_tear_down(&busy->on);
    http_server_stop(busy->server);
    for (int i = 0; i < CONNECTIONS; i++)
        http_request_free(&busy->requests[i]);
}

static void note_turn(struct loop_turn *turn)
{
    struct counted *counted = (struct counted *)turn;
    counted->busy->order[counted->busy->ran++] = counted->number;
    event_set(&counted->busy->ran_one);
}

static void await_all(void *context)
{
    struct busy *busy = context;
    for (int i = 0; i < TURNS; i++) {
        busy->counted[i] = (struct counted){.turn.run = note_turn, .busy = busy, .number = i};
        loop_await_turn(busy->on.loop, &busy->counted[i].turn);
    }
}

static void leave_second(void *context)
{
    struct busy *busy = context;
    loop_leave_turn(busy->on.loop, &busy->counted[1].turn);
    loop_leave_turn(busy->on.loop, &busy->counted[1].turn);
}

TEST_WITH(busy, they_run_in_order_when_a_connection_is_free)
{
    on_loop_call(&busy->on, await_all, busy);
    assert_int_equal(event_count(&busy->ran_one), 0);
    http_server_release(busy->server, 1);
    assert_true(event_reaches(&busy->ran_one, TURNS)); /* none of them starts a request, so one place serves all */
    for (int i = 0; i < TURNS; i++)
        assert_int_equal(busy->order[i], i);
    http_server_release(busy->server, CONNECTIONS - 1);
}

TEST_WITH(busy, one_that_has_left_does_not_run)
{
    on_loop_call(&busy->on, await_all, busy);
    on_loop_call(&busy->on, leave_second, busy);
    http_server_release(busy->server, CONNECTIONS);
    assert_true(event_reaches(&busy->ran_one, TURNS - 1));
    on_loop_settle(&busy->on);
    assert_int_equal(busy->ran, TURNS - 1);
    assert_int_equal(busy->order[1], 2);
}

TEST_WITH(busy, a_loop_that_hurries_lets_all_run)
{
    on_loop_call(&busy->on, await_all, busy);
    loop_hurry(busy->on.loop);
    assert_true(event_reaches(&busy->ran_one, TURNS));
    assert_int_equal(http_server_held(busy->server), CONNECTIONS);
    http_server_release(busy->server, CONNECTIONS);
}

/* Requests to another host end, one after the other, while this one leaves no connection. */
struct passing {
    struct busy *busy;
    struct http_server *server;
    struct http_request request;
    int left;
    struct event over;
};

static void pass_one(void *context);

static void on_passed(void *context, const struct http_result *result)
{
    struct passing *passing = context;
    (void)result;
    http_request_free(&passing->request);
    if (--passing->left > 0)
        pass_one(passing);
    else
        event_set(&passing->over);
}

static void pass_one(void *context)
{
    struct passing *passing = context;
    uint64_t id = 0;
    http_request_init(&passing->request);
    passing->request.method = "GET";
    assert_true(http_request_set_origin(&passing->request, "http", http_server_host(passing->server)));
    assert_true(buf_add_str(&passing->request.path, "/"));
    struct http_start start = {
        .request = &passing->request, .loopback = true, .body_max = 10, .done = on_passed, .done_context = passing};
    assert_int_equal(http_engine_start(loop_http(passing->busy->on.loop), &start, &id, NULL), OS_OK);
}

TEST_WITH(busy, now_and_then_one_runs_although_no_connection_is_free)
{
    struct passing passing = {.busy = busy, .server = http_server_start(NULL), .left = 65, .over = EVENT_INIT};
    on_loop_call(&busy->on, await_all, busy);
    on_loop_call(&busy->on, pass_one, &passing);
    assert_true(event_reaches(&busy->ran_one, 1));
    event_wait(&passing.over);
    assert_int_equal(event_count(&busy->ran_one), 1); /* one for as many requests */
    assert_int_equal(http_server_held(busy->server), CONNECTIONS);
    http_server_release(busy->server, CONNECTIONS);
    on_loop_settle(&busy->on);
    http_server_stop(passing.server);
}
