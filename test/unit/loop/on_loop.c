/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/loop/on_loop.h"

static void *run(void *argument)
{
    loop_run(argument);
    return NULL;
}

void on_loop_set_up_trusting(struct on_loop *ret, const char *ca_file)
{
    const struct http_engine_options http = {
        .user_agent = "test", .connect_timeout_ms = 30000, .max_connections = 4, .ca_file = ca_file};
    assert_int_equal(loop_new(&http, &ret->loop, NULL), OS_OK);
    assert_int_equal(pthread_create(&ret->thread, NULL, run, ret->loop), 0);
}

void on_loop_set_up(struct on_loop *ret)
{
    on_loop_set_up_trusting(ret, NULL);
}

void on_loop_settle(struct on_loop *on)
{
    if (on->loop == NULL)
        return;
    loop_stop(on->loop);
    pthread_join(on->thread, NULL);
    loop_free(on->loop);
    on->loop = NULL;
}

void on_loop_tear_down(struct on_loop *on)
{
    on_loop_settle(on);
}

struct calling {
    struct loop_job job;
    void (*call)(void *context);
    void *context;
    const int *done;
    struct event returned;
};

static void run_call(struct loop_job *job)
{
    struct calling *calling = (struct calling *)job;
    if (calling->done == NULL || *calling->done == 0)
        calling->call(calling->context);
    event_set(&calling->returned);
}

void on_loop_cancel_unless_done(struct on_loop *on, void (*call)(void *context), void *context, const int *done)
{
    struct calling calling = {
        .job.run = run_call, .call = call, .context = context, .done = done, .returned = EVENT_INIT};
    loop_post(on->loop, &calling.job);
    event_wait(&calling.returned);
}

void on_loop_call(struct on_loop *on, void (*call)(void *context), void *context)
{
    on_loop_cancel_unless_done(on, call, context, NULL);
}
