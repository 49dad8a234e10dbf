/* SPDX-License-Identifier: Apache-2.0 */
#include "holding/call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"

#include <string.h>

static enum steps_next holding_step(struct steps *steps)
{
    struct holding *holding = container_of(steps, struct holding, steps);
    return holding->step(holding);
}

enum steps_next holding_over(struct holding *holding, os_code code)
{
    holding->code = code;
    if (code == OS_OK)
        error_clear(&holding->error);
    return STEPS_OVER;
}

enum steps_next holding_refuse_unstarted(struct holding *holding)
{
    return holding_over(holding, error_no_memory(&holding->error));
}

enum steps_next holding_wait(struct holding *holding, struct sync *sync, holding_step_fn next)
{
    holding->step = next;
    holding->steps.wait = sync;
    return STEPS_WAIT;
}

enum steps_next holding_block(struct holding *holding, holding_step_fn next)
{
    holding->step = next;
    return STEPS_BLOCK;
}

/* A request before it, and waiting for a thread, have used some of the time. */
static os_call what_is_left(const struct holding *holding)
{
    os_call left = holding->call;
    left.deadline_ms = clock_left_for_call_ms(holding->deadline_monotonic_ms);
    return left;
}

enum steps_next holding_ask(struct holding *holding, holding_step_fn next)
{
    os_call left = what_is_left(holding);
    holding->asking.client = holding->client;
    asking_prepare(&holding->asking, &left);
    return holding_wait(holding, &holding->asking.sync, next);
}

os_code holding_answer(struct holding *holding)
{
    return asking_code(&holding->asking, &holding->error);
}

enum steps_next holding_say(struct holding *holding)
{
    return holding_over(holding, holding_answer(holding));
}

os_code holding_need_table(struct holding *holding)
{
    if (holding->client->ledger == NULL)
        return error_set(&holding->error, OS_ERR_CONFIG,
                         "The client has no table for leases: set ledger_url (--ledger) to dynamodb://TABLE or "
                         "sqlite:///FILE.");
    return OS_OK;
}

os_code holding_take_call(struct holding *holding)
{
    struct clock_reading now;
    clock_read(&now);
    os_code code = arguments_take_call(holding->arguments->call, &holding->call, &holding->error);
    holding->deadline_monotonic_ms = now.monotonic_ms + holding->call.deadline_ms;
    return code;
}

enum steps_next holding_ask_of_table(struct holding *holding, enum table_verb verb, const struct item_schema *schema)
{
    holding->asking.request.verb = verb;
    holding->asking.request.schema = schema;
    holding->asking.name = "request to the table";
    os_code code = holding_need_table(holding);
    if (code == OS_OK)
        code = holding_take_call(holding);
    return code == OS_OK ? holding_ask(holding, holding_say) : holding_over(holding, code);
}

static enum steps_next give_list(struct holding *holding)
{
    return holding_over(holding, listing_give(&holding->listing, &holding->error));
}

static enum steps_next list_is_there(struct holding *holding)
{
    os_code code = holding_answer(holding);
    return code == OS_OK ? holding_block(holding, give_list) : holding_over(holding, code);
}

enum steps_next holding_ask_for_list(struct holding *holding)
{
    holding->lists = true;
    bool prepared = listing_prepare(&holding->listing, &holding->asking);
    os_code code = prepared ? holding_need_table(holding) : error_no_memory(&holding->error);
    if (code == OS_OK)
        code = holding_take_call(holding);
    return code == OS_OK ? holding_ask(holding, list_is_there) : holding_over(holding, code);
}

/* ------------------------------------------------------------------------------------------------ the call */

void holding_init(struct holding *ret, os_client *client, const struct holding_arguments *arguments,
                  holding_step_fn first)
{
    memset(ret, 0, sizeof(*ret));
    ret->client = client;
    ret->steps.client = client;
    ret->steps.step = holding_step;
    ret->arguments = arguments;
    ret->step = first;
}

void holding_free(struct holding *holding)
{
    if (holding->lists)
        listing_free(&holding->listing);
}

static void holding_on_over(struct steps *steps)
{
    struct holding *holding = container_of(steps, struct holding, steps);
    if (steps->no_thread)
        holding->code = error_set(&holding->error, OS_ERR_NO_MEMORY,
                                  "No thread could be started for a part of the call that blocks; the system's limit "
                                  "is reached. End other threads, or raise the limit.");
    holding->over(holding);
}

void holding_start(struct holding *holding, void (*over)(struct holding *holding))
{
    holding->over = over;
    holding->steps.over = holding_on_over;
    steps_start(&holding->steps);
}

struct holding_beginning {
    const struct holding_arguments *arguments;
    holding_step_fn first;
};

os_code holding_run(os_client *client, const struct holding_arguments *arguments, holding_step_fn first, os_error *err)
{
    struct holding holding;
    holding_init(&holding, client, arguments, first);
    steps_run(&holding.steps);
    *err = holding.error;
    holding_free(&holding);
    return holding.code;
}

static os_code holding_perform(os_client *client, const void *context, os_error *err)
{
    const struct holding_beginning *beginning = context;
    return holding_run(client, beginning->arguments, beginning->first, err);
}

os_code holding_call(os_client *client, const struct holding_arguments *arguments, holding_step_fn first, os_error *err)
{
    const struct holding_beginning beginning = {.arguments = arguments, .first = first};
    return client_perform(client, holding_perform, &beginning, err);
}
