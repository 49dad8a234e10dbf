/* SPDX-License-Identifier: Apache-2.0 */
#include "client/inside.h"

#include "base/error.h"
#include "client/client.h"

#include <string.h>
#include <unistd.h>

#define CALLBACK_COMPLETION "the completion function of an operation"

/* A thread looks for itself at each call, also where hundreds are inside. Of the monitor client->idle. */
static struct inside **slot_of(os_client *client, const struct thread *thread)
{
    return &client->inside[thread_hash(thread) % CLIENT_INSIDE_SLOTS];
}

static void link_in(os_client *client, struct inside *inside, const char *callback)
{
    thread_self(&inside->thread);
    inside->callback = callback;
    inside->previous = NULL;
    struct inside **slot = slot_of(client, &inside->thread);
    monitor_enter(&client->idle);
    inside->next = *slot;
    if (*slot)
        (*slot)->previous = inside;
    *slot = inside;
    client->call_count += callback == NULL;
    monitor_leave(&client->idle);
}

static void unlink_from(os_client *client, struct inside *inside)
{
    monitor_enter(&client->idle);
    if (inside->previous)
        inside->previous->next = inside->next;
    else
        *slot_of(client, &inside->thread) = inside->next;
    if (inside->next)
        inside->next->previous = inside->previous;
    client->call_count -= inside->callback == NULL;
    monitor_wake(&client->idle);
    monitor_leave(&client->idle);
}

static bool self_is_listed(os_client *client)
{
    struct thread self;
    bool found = false;
    thread_self(&self);
    monitor_enter(&client->idle);
    for (const struct inside *inside = *slot_of(client, &self); inside && !found; inside = inside->next)
        found = thread_same(&inside->thread, &self);
    monitor_leave(&client->idle);
    return found;
}

/* The innermost one that this thread is in; NULL: none that is listed. */
static const char *callback_of_self(os_client *client)
{
    struct thread self;
    const char *found = NULL;
    thread_self(&self);
    monitor_enter(&client->idle);
    for (const struct inside *inside = *slot_of(client, &self); inside && !found; inside = inside->next)
        found = thread_same(&inside->thread, &self) ? inside->callback : NULL;
    monitor_leave(&client->idle);
    return found;
}

bool client_is_forked(const os_client *client)
{
    return client->process != getpid();
}

static os_code refuse_forked(os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT,
                     "The client was opened before fork(), and its threads do not exist in this process; nothing "
                     "was sent. Open a client in the process that uses it.");
}

/* Some are called without being listed. */
static os_code refuse_callback(const char *callback, os_error *err)
{
    bool completes = callback && strcmp(callback, CALLBACK_COMPLETION) == 0;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The call was made within a callback of the same client (%s) and would wait for itself for ever; "
                     "nothing was sent. %s after the callback has returned, from another thread, or on another client.",
                     callback ? callback : "progress, sink or credentials",
                     completes ? "Start an operation (os_start_...), which may be done there; or call" : "Call");
}

static os_code refuse_foreign_loop(os_error *err)
{
    return error_set(
        err, OS_ERR_ARGUMENT,
        "The client has no I/O thread (foreign_loop), so a call would wait for ever; nothing was sent. Start "
        "an operation (os_start_...), or use a client without foreign_loop.");
}

os_code client_enter(os_client *client, struct inside *ret, os_error *err)
{
    if (client_is_forked(client))
        return refuse_forked(err);
    const char *callback = callback_of_self(client);
    if (callback || loop_is_inside(client->loop))
        return refuse_callback(callback, err);
    if (client->settings.foreign_loop && !self_is_listed(client)) /* a part of an operation does not keep its loop */
        return refuse_foreign_loop(err);
    link_in(client, ret, NULL);
    return OS_OK;
}

void client_leave(os_client *client, struct inside *inside)
{
    unlink_from(client, inside);
}

/* Counted first: a closing that is not seen here waits for whoever was counted. */
os_code client_enter_open(os_client *client, struct inside *ret, os_error *err)
{
    bool nested = !client_is_forked(client) && self_is_listed(client);
    os_code code = client_enter(client, ret, err);
    if (code != OS_OK || nested || !cancel_triggered(client->closing))
        return code;
    client_leave(client, ret);
    return error_set(err, OS_ERR_CANCELLED, "The client is being closed; nothing was sent.");
}

void client_enter_thread(os_client *client, struct inside *ret)
{
    link_in(client, ret, NULL);
}

/* Looked at together: a client that closes waits for whatever was counted before. */
os_code client_operation_enter(os_client *client, os_error *err)
{
    if (client_is_forked(client))
        return refuse_forked(err);
    monitor_enter(&client->idle);
    bool closing = cancel_triggered(client->closing);
    bool full = client->in_flight_count >= client->settings.max_in_flight;
    if (!closing && !full) {
        client->operation_count++;
        client->in_flight_count++;
    }
    monitor_leave(&client->idle);
    if (closing)
        return error_set(err, OS_ERR_CANCELLED, "The client is being closed; nothing was started.");
    if (full)
        return error_set(
            err, OS_ERR_IN_FLIGHT,
            "%u operations have not completed, as many as max_in_flight allows; nothing was started. Start "
            "more when some have completed, or allow more.",
            client->settings.max_in_flight);
    return OS_OK;
}

void client_operation_completed(os_client *client)
{
    monitor_enter(&client->idle);
    client->in_flight_count--;
    monitor_leave(&client->idle);
}

void client_operation_over(os_client *client)
{
    monitor_enter(&client->idle);
    if (--client->operation_count == 0)
        monitor_wake(&client->idle);
    monitor_leave(&client->idle);
}

void client_wait_for_operations(os_client *client)
{
    monitor_enter(&client->idle);
    while (client->operation_count > 0)
        monitor_wait(&client->idle);
    monitor_leave(&client->idle);
}

os_code client_perform(os_client *client, client_perform_fn perform, const void *arguments, os_error *err)
{
    struct inside inside;
    os_error own;
    error_clear(&own);
    os_code code = client_enter(client, &inside, &own);
    if (code == OS_OK) {
        code = perform(client, arguments, &own);
        client_leave(client, &inside);
    }
    if (code == OS_OK)
        error_clear(&own);
    if (err)
        *err = own;
    return code;
}

bool client_is_inside(os_client *client)
{
    return loop_is_inside(client->loop) || self_is_listed(client);
}

/* However long that takes: a call that has heard of the closing returns as soon as its caller's functions do. */
void client_wait_for_calls(os_client *client)
{
    monitor_enter(&client->idle);
    while (client->call_count > 0)
        monitor_wait(&client->idle);
    monitor_leave(&client->idle);
}

void client_report_metric(os_client *client, const os_metric *metric)
{
    struct inside inside;
    if (client->settings.metric.fn == NULL)
        return;
    link_in(client, &inside, "metric");
    client->settings.metric.fn(client->settings.metric.context, metric);
    unlink_from(client, &inside);
}

void client_report_log(void *context, os_log_level level, const char *line)
{
    os_client *client = context;
    struct inside inside;
    link_in(client, &inside, "log");
    client->settings.log(client->settings.log_context, level, line);
    unlink_from(client, &inside);
}

void client_report_lease(os_client *client, os_lease_changed_fn changed, void *context, os_lease *lease,
                         os_lease_status status)
{
    struct inside inside;
    link_in(client, &inside, "the function of a lease");
    changed(context, lease, status);
    unlink_from(client, &inside);
}

void client_report_completion(os_client *client, os_complete_fn complete, void *context, os_operation *operation)
{
    struct inside inside;
    link_in(client, &inside, CALLBACK_COMPLETION);
    complete(context, operation);
    unlink_from(client, &inside);
}
