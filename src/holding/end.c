/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a lease: it is released or detached, or nobody wants it any more. */
#include "holding/call.h"
#include "holding/hold.h"

#include "base/container.h"
#include "base/error.h"

#include <stdlib.h>

/* Loop's thread. It ends all the same: nobody could try again. */
static void give_up(os_lease *hold)
{
    hold_quiet(hold);
    hold_unlist(hold);
}

/* ------------------------------------------------------------------------------------------------------- release */

static void begin_to_release(struct sync *sync)
{
    struct holding *holding = container_of(sync, struct holding, lease.sync);
    struct holding_lease *call = &holding->lease;
    call->began = true;
    call->was_lost = holding_state(call->hold) == OS_LEASE_LOST;
    call->no_memory = !hold_await(call->hold, sync, &holding->call);
    if (!call->no_memory) {
        hold_step(call->hold, LEASE_EVENT_RELEASE);
        return;
    }
    give_up(call->hold);
    sync_finish(sync);
}

static os_code released(const struct holding_lease *call, os_error *err)
{
    const os_lease *hold = call->hold;
    if (call->was_lost || hold->was_gone)
        return error_set(err, OS_ERR_CONFLICT,
                         "The lease \"%.200s\" had been lost before it was released: what was done since then, another "
                         "may have done too.",
                         hold->name);
    if (call->no_memory || lease_left_behind(&hold->lease))
        return error_set(
            err, OS_ERR_UNDECIDED,
            "The end of the lease \"%.200s\" was not confirmed: others may have to wait for %llu s.%s%.400s",
            hold->name, (unsigned long long)hold->lease.settings.ttl_s,
            hold->error.code != OS_OK ? " Last trouble: " : "", hold->error.message);
    return OS_OK;
}

/* Before it has begun it was refused: the lease is still held, and the caller's. */
static enum steps_next has_ended(struct holding *holding)
{
    struct holding_lease *call = &holding->lease;
    if (!call->began)
        return holding_over(holding, error_no_memory(&holding->error));
    os_code code = released(call, &holding->error);
    hold_free(call->hold);
    return holding_over(holding, code);
}

static enum steps_next end_by(struct holding *holding, void (*begin)(struct sync *sync), holding_step_fn next)
{
    os_code code = holding_take_call(holding);
    if (code != OS_OK)
        return holding_over(holding, code);
    holding->lease.hold = holding->arguments->lease;
    holding->lease.sync.start = begin;
    return holding_wait(holding, &holding->lease.sync, next);
}

enum steps_next holding_release(struct holding *holding)
{
    return end_by(holding, begin_to_release, has_ended);
}

/* -------------------------------------------------------------------------------------------------------- detach */

static void detach_now(struct sync *sync)
{
    struct holding *holding = container_of(sync, struct holding, lease.sync);
    holding->lease.began = true;
    give_up(holding->lease.hold);
    sync_finish(sync);
}

static enum steps_next is_detached(struct holding *holding)
{
    if (!holding->lease.began)
        return holding_over(holding, error_no_memory(&holding->error));
    hold_free(holding->lease.hold);
    return holding_over(holding, OS_OK);
}

enum steps_next holding_detach(struct holding *holding)
{
    return end_by(holding, detach_now, is_detached);
}

/* --------------------------------------------------------------------------------------------------------- enter */

static os_code refuse_of_parent(const os_lease *lease, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "The lease \"%.200s\" is of the process that this one was forked from.",
                     lease->name);
}

static os_code refuse_closed(const os_lease *lease, os_error *err)
{
    return error_set(err, OS_ERR_CANCELLED,
                     "The client was closed before the lease \"%.200s\" was released: others may have to wait "
                     "for %llu s.",
                     lease->name, (unsigned long long)lease->lease.settings.ttl_s);
}

/* *ret NULL, and nothing to leave: the client was closed, and has let the lease go. Who comes while that happens waits for
 * it. */
static os_code enter_client(os_lease *lease, os_client **ret, struct inside *ret_inside, os_error *err)
{
    os_code code = OS_ERR_CANCELLED;
    monitor_enter(&lease->monitor);
    while ((*ret = lease->client) != NULL) {
        code = client_enter_open(*ret, ret_inside, err);
        if (code != OS_ERR_CANCELLED)
            break;
        monitor_wait(&lease->monitor);
    }
    monitor_leave(&lease->monitor);
    return *ret != NULL ? code : OS_OK;
}

os_code holding_enter_operation(os_lease *lease, os_client **ret, os_error *err)
{
    if (hold_is_of_parent(lease))
        return refuse_of_parent(lease, err);
    monitor_enter(&lease->monitor);
    *ret = lease->client;
    os_code code = *ret != NULL ? client_operation_enter(*ret, err) : refuse_closed(lease, err);
    monitor_leave(&lease->monitor);
    return code;
}

static os_code end_entered(os_lease *lease, const os_call *call, holding_step_fn first, os_error *err)
{
    const struct holding_arguments arguments = {.lease = lease, .call = call};
    struct inside inside;
    os_client *client = NULL;
    os_code code = enter_client(lease, &client, &inside, err);
    if (code != OS_OK)
        return code; /* refused, in a callback or a child process */
    if (client != NULL) {
        code = holding_run(client, &arguments, first, err);
        client_leave(client, &inside);
        return code;
    }
    code = refuse_closed(lease, err);
    hold_free(lease);
    return code;
}

os_code holding_end(os_lease *lease, const os_call *call, holding_step_fn first, os_error *err)
{
    os_error own;
    error_clear(&own);
    os_code code = OS_OK;
    if (lease != NULL)
        code = hold_is_of_parent(lease) ? refuse_of_parent(lease, &own) : end_entered(lease, call, first, &own);
    if (err != NULL)
        *err = own;
    return code;
}

/* -------------------------------------------------------------------------------------------------------- let go */

/* L7.4 */
static void release_in_background(struct sync *sync)
{
    os_lease *hold = container_of(sync, os_lease, let_go_sync);
    if (hold_await_in_background(hold, sync)) {
        hold_step(hold, LEASE_EVENT_RELEASE);
        return;
    }
    give_up(hold);
    sync_finish(sync);
}

static void is_released(struct sync *sync)
{
    os_lease *hold = container_of(sync, os_lease, let_go_sync);
    os_client *client = hold->client;
    hold_free(hold);
    client_background(client, -1);
}

static void begin_to_let_go(struct loop_job *job)
{
    os_lease *hold = container_of(job, os_lease, let_go_job);
    if (hold->client == NULL) {
        hold_free(hold);
        return;
    }
    monitor_enter(&hold->monitor);
    hold->let_go = HOLD_RELEASING;
    monitor_leave(&hold->monitor);
    hold->let_go_sync.start = release_in_background;
    sync_begin(&hold->let_go_sync, is_released, NULL);
}

/* Within it there is nothing to wait for. */
static void await_end_of_telling(os_lease *lease)
{
    while (lease->client != NULL && lease->is_telling && !loop_is_inside(lease->client->loop))
        monitor_wait(&lease->monitor);
}

void holding_let_go(os_lease *lease)
{
    if (lease == NULL || hold_is_of_parent(lease))
        return;
    monitor_enter(&lease->monitor);
    await_end_of_telling(lease);
    os_client *client = lease->client;
    if (client != NULL && client_background_enter(client)) {
        lease->let_go = HOLD_POSTED;
        lease->let_go_job.run = begin_to_let_go;
        loop_post(client->loop, &lease->let_go_job);
    } else if (client != NULL) {
        lease->let_go = HOLD_LEFT;
    }
    monitor_leave(&lease->monitor);
    if (client == NULL)
        hold_free(lease);
}
