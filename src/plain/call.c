/* SPDX-License-Identifier: Apache-2.0 */
#include "plain/call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"

#include <stdlib.h>
#include <string.h>

static enum steps_next plain_step(struct steps *steps)
{
    struct plain *plain = container_of(steps, struct plain, steps);
    return plain->step(plain);
}

enum steps_next plain_over(struct plain *plain, os_code code)
{
    plain->code = code;
    if (code == OS_OK)
        error_clear(&plain->error);
    return STEPS_OVER;
}

enum steps_next plain_refuse_unstarted(struct plain *plain)
{
    return plain_over(plain, error_no_memory(&plain->error));
}

enum steps_next plain_ask(struct plain *plain, const os_call *call, plain_step_fn next)
{
    os_code code = store_call_prepare(&plain->store_call, plain->client, call, &plain->error);
    if (code != OS_OK)
        return plain_over(plain, code);
    plain->step = next;
    plain->steps.wait = &plain->store_call.sync;
    return STEPS_WAIT;
}

os_code plain_answer(struct plain *plain)
{
    return store_call_code(&plain->store_call, &plain->error);
}

enum steps_next plain_block(struct plain *plain, plain_step_fn next)
{
    plain->step = next;
    return STEPS_BLOCK;
}

os_code plain_take_call(struct plain *plain)
{
    struct clock_reading now;
    clock_read(&now);
    os_code code = arguments_take_call(plain->arguments->call, &plain->call, &plain->error);
    plain->deadline_monotonic_ms = now.monotonic_ms + plain->call.deadline_ms;
    return code;
}

void plain_take_time(struct plain *plain)
{
    plain->call.deadline_ms = clock_left_for_call_ms(plain->deadline_monotonic_ms);
}

os_code plain_take_key(struct plain *plain)
{
    os_code code = client_object_key(plain->client, plain->arguments->key, &plain->key, &plain->error);
    plain->store_call.request.key = plain->key;
    return code;
}

void plain_give_object(const struct plain *plain)
{
    store_call_export_object(&plain->store_call, plain->arguments->ret);
}

/* ------------------------------------------------------------------------------------------------ the call */

void plain_init(struct plain *ret, os_client *client, const struct plain_arguments *arguments, plain_step_fn first)
{
    memset(ret, 0, sizeof(*ret));
    ret->client = client;
    ret->steps.client = client;
    ret->steps.step = plain_step;
    ret->arguments = arguments;
    ret->step = first;
    ret->get.file.fd = -1;
    ret->put.body.fd = -1;
}

void plain_free(struct plain *plain)
{
    get_file_close(&plain->get.file);
    buf_free(&plain->get.memory);
    body_close(&plain->put.body);
    if (plain->listing)
        plain->free_listing(plain->listing);
    free(plain->key);
}

static void plain_on_over(struct steps *steps)
{
    struct plain *plain = container_of(steps, struct plain, steps);
    if (steps->no_thread)
        plain->code = error_set(&plain->error, OS_ERR_NO_MEMORY,
                                "No thread could be started for a part of the call that blocks; the system's limit is "
                                "reached. End other threads, or raise the limit.");
    plain->over(plain);
}

void plain_start(struct plain *plain, void (*over)(struct plain *plain))
{
    plain->over = over;
    plain->steps.over = plain_on_over;
    steps_start(&plain->steps);
}

struct plain_beginning {
    const struct plain_arguments *arguments;
    plain_step_fn first;
};

static os_code plain_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_beginning *beginning = context;
    struct plain plain;
    plain_init(&plain, client, beginning->arguments, beginning->first);
    steps_run(&plain.steps);
    os_code code = plain.code;
    *err = plain.error;
    plain_free(&plain);
    return code;
}

os_code plain_call(os_client *client, const struct plain_arguments *arguments, plain_step_fn first, os_error *err)
{
    const struct plain_beginning beginning = {.arguments = arguments, .first = first};
    return client_perform(client, plain_perform, &beginning, err);
}
