/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is inside a client: calls that have not returned, and functions of the caller's that it runs. A call from such a
 * function, on the thread that everything of the client happens on, would wait for itself.
 */
#ifndef OSCOMMIT_CLIENT_INSIDE_H
#define OSCOMMIT_CLIENT_INSIDE_H

#include "base/thread.h"
#include "oscommit_async.h"
#include "oscommit_lease.h"

#include <stdbool.h>

/* On the stack of the thread that is inside. */
struct inside {
    struct thread thread;
    const char *callback; /* which function of the caller's: "log"; NULL: a call */
    struct inside *next;
    struct inside *previous;
};

/* Every public function that is given a client is between these two, so that a client which closes meanwhile ends the
 * call first and is freed after it. They nest. OS_ERR_ARGUMENT, and nothing to leave, from a callback of the client,
 * and from a child that was forked. */
os_code client_enter(os_client *client, struct inside *ret, os_error *err);
void client_leave(os_client *client, struct inside *inside);
/* The same of who may come when the client closes already: OS_ERR_CANCELLED then, but for a thread that is inside, which
 * that waits for. What keeps the client from being freed meanwhile is the caller's. */
os_code client_enter_open(os_client *client, struct inside *ret, os_error *err);

/* The same of a thread of the client's that does a part of an operation, in which functions of the caller's run. They may
 * call the client. */
void client_enter_thread(os_client *client, struct inside *ret);

/* An operation is under way, from its start until its completion was told. From any thread, within callbacks, too.
 * OS_ERR_IN_FLIGHT, OS_ERR_CANCELLED where the client is closing, OS_ERR_ARGUMENT in a child that was forked. */
os_code client_operation_enter(os_client *client, os_error *err);
/* Its place is free before its completion is told, so that another can follow it from there. */
void client_operation_completed(os_client *client);
void client_operation_over(os_client *client);

/* Runs what a public function has to do between those two. `perform` always has an *err, which is empty after OS_OK. */
typedef os_code (*client_perform_fn)(os_client *client, const void *arguments, os_error *err);
os_code client_perform(os_client *client, client_perform_fn perform, const void *arguments, os_error *err);

/* This process is a child of the one that opened the client: the locks may be held for ever, by threads that are not
 * here. */
bool client_is_forked(const os_client *client);

/* The calling thread is in a call or a callback of this client: closing it here would wait for that for ever. */
bool client_is_inside(os_client *client);

void client_wait_for_calls(os_client *client); /* until all have left */
void client_wait_for_operations(os_client *client);

/* The caller's functions, run on whatever thread. */
void client_report_metric(os_client *client, const os_metric *metric);
void client_report_log(void *client, os_log_level level, const char *line);
void client_report_lease(os_client *client, os_lease_changed_fn changed, void *context, os_lease *lease,
                         os_lease_status status);
void client_report_completion(os_client *client, os_complete_fn complete, void *context, os_operation *operation);

#endif
