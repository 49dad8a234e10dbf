/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is inside a client: calls that have not returned, and functions of the caller's that it runs. A call from such a
 * function, on the thread that everything of the client happens on, would wait for itself.
 */
#ifndef OSCOMMIT_CLIENT_INSIDE_H
#define OSCOMMIT_CLIENT_INSIDE_H

#include "base/thread.h"
#include "oscommit.h"

#include <stdbool.h>

/* On the stack of the thread that is inside. */
struct inside {
    struct thread thread;
    bool is_callback;
    struct inside *next;
    struct inside *previous;
};

/* Every public function that is given a client is between these two, so that a client which closes meanwhile ends the
 * call first and is freed after it. They nest. OS_ERR_ARGUMENT, and nothing to leave, from a callback of the client,
 * and from a child that was forked. */
os_code client_enter(os_client *client, struct inside *ret, os_error *err);
void client_leave(os_client *client, struct inside *inside);

/* Runs what a public function has to do between those two. `perform` always has an *err, which is empty after OS_OK. */
typedef os_code (*client_perform_fn)(os_client *client, const void *arguments, os_error *err);
os_code client_perform(os_client *client, client_perform_fn perform, const void *arguments, os_error *err);

/* This process is a child of the one that opened the client: the locks may be held for ever, by threads that are not
 * here. */
bool client_is_forked(const os_client *client);

/* The calling thread is in a call or a callback of this client: closing it here would wait for that for ever. */
bool client_is_inside(os_client *client);

void client_wait_for_calls(os_client *client); /* until all have left */

/* The caller's functions, run on whatever thread. */
void client_report_metric(os_client *client, const os_metric *metric);
void client_report_log(void *client, os_log_level level, const char *line);

#endif
