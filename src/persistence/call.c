/* SPDX-License-Identifier: Apache-2.0 */
#include "persistence/call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"

#include <stdlib.h>
#include <string.h>

#define EMBEDDED_TABLE "documents"

enum { PARALLEL_MOST = 100 };

/* ------------------------------------------------------------------------------------------------ arguments */

static os_code check_number(const char *name, uint32_t number, uint32_t most, os_error *err)
{
    if (number <= most)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT, "%s of the store of documents is %u; it is 1 to %u, or 0 for the default.",
                     name, number, most);
}

static os_code check_store(const os_document_store *store, os_error *err)
{
    if (store->size != sizeof(*store))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The store of documents has a wrong size: set it with OS_DOCUMENT_STORE_INIT.");
    if (store->models != OS_DOCUMENT_SEPARATE && store->models != OS_DOCUMENT_COMBINED)
        return error_set(err, OS_ERR_ARGUMENT, "`models` of the store of documents is neither of the two ways.");
    if (store->spelling != OS_DOCUMENT_TAGS && store->spelling != OS_DOCUMENT_FIELDS)
        return error_set(err, OS_ERR_ARGUMENT, "`spelling` of the store of documents is neither of the two spellings.");
    os_code code = check_number("max_read_batch", store->max_read_batch, ROWS_AT_ONCE_MAX, err);
    return code == OS_OK ? check_number("parallelism", store->parallelism, PARALLEL_MOST, err) : code;
}

static const char *default_table(const os_client *client)
{
    return client->settings.ledger_scheme == SETTINGS_SQLITE ? EMBEDDED_TABLE : client->settings.table;
}

static void take_store(struct persistence *call, const os_document_store *store)
{
    const char *table = store->table != NULL ? store->table : default_table(call->client);
    call->store = (struct persistence_store){
        .table = {.name = table, .keys = {DOCUMENT_PARTITION, DOCUMENT_SORT}},
        .models = store->models,
        .spelling = store->spelling == OS_DOCUMENT_FIELDS ? DOCUMENT_FIELDS : DOCUMENT_TAGS,
        .max_read_batch = store->max_read_batch != 0 ? store->max_read_batch : ROWS_AT_ONCE_MAX,
        .parallelism = store->parallelism != 0 ? store->parallelism : 1,
        .keeps_all = store->keeps_all != 0,
    };
}

os_code persistence_begin(struct persistence *call)
{
    static const os_document_store defaults = OS_DOCUMENT_STORE_INIT;
    const os_document_store *store = call->arguments->store != NULL ? call->arguments->store : &defaults;
    struct clock_reading now;
    clock_read(&now);
    os_code code = row_call_check(call->client, &call->error);
    if (code == OS_OK)
        code = check_store(store, &call->error);
    if (code == OS_OK)
        code = arguments_take_call(call->arguments->call, &call->call, &call->error);
    if (code != OS_OK)
        return code;
    take_store(call, store);
    call->deadline_monotonic_ms = now.monotonic_ms + call->call.deadline_ms;
    return OS_OK;
}

size_t persistence_kinds(const struct persistence_store *store, enum document_kind ret[2])
{
    bool is_combined = store->models == OS_DOCUMENT_COMBINED;
    ret[0] = is_combined ? DOCUMENT_COMBINED : DOCUMENT_REPORTED;
    ret[1] = DOCUMENT_DESIRED;
    return is_combined ? 1 : 2;
}

/* ------------------------------------------------------------------------------------------------ steps */

static enum steps_next persistence_step(struct steps *steps)
{
    struct persistence *call = container_of(steps, struct persistence, steps);
    return call->step(call);
}

enum steps_next persistence_over(struct persistence *call, os_code code)
{
    call->code = code;
    if (code == OS_OK)
        error_clear(&call->error);
    return STEPS_OVER;
}

static os_call what_is_left(const struct persistence *call)
{
    os_call left = call->call;
    struct clock_reading now;
    clock_read(&now);
    bool is_over = now.monotonic_ms >= call->deadline_monotonic_ms;
    left.deadline_ms = is_over ? 1 : call->deadline_monotonic_ms - now.monotonic_ms;
    return left;
}

static void drop_calls(struct persistence *call)
{
    row_set_free(&call->set);
    free(call->set.calls);
    call->set = (struct row_set){.count = 0};
}

struct row_call *persistence_calls(struct persistence *call, size_t count, const char *name)
{
    drop_calls(call);
    call->set.calls = calloc(count, sizeof(*call->set.calls));
    if (call->set.calls == NULL)
        return NULL;
    call->set.count = count;
    for (size_t i = 0; i < count; i++) {
        call->set.calls[i].client = call->client;
        call->set.calls[i].name = name;
    }
    return call->set.calls;
}

enum steps_next persistence_ask(struct persistence *call, persistence_step_fn next)
{
    call->set.parallel = call->store.parallelism;
    call->set.limits = what_is_left(call);
    row_set_prepare(&call->set);
    call->step = next;
    call->steps.wait = &call->set.sync;
    return STEPS_WAIT;
}

/* ------------------------------------------------------------------------------------------------ the call */

struct beginning {
    const struct persistence_arguments *arguments;
    persistence_step_fn first;
};

static os_code perform(os_client *client, const void *context, os_error *err)
{
    const struct beginning *beginning = context;
    struct persistence call;
    memset(&call, 0, sizeof(call));
    call.client = client;
    call.steps.client = client;
    call.steps.step = persistence_step;
    call.arguments = beginning->arguments;
    call.step = beginning->first;
    steps_run(&call.steps);
    drop_calls(&call);
    if (call.drop != NULL)
        call.drop(&call);
    free(call.work);
    *err = call.error;
    return call.code;
}

os_code persistence_call(os_client *client, const struct persistence_arguments *arguments, persistence_step_fn first,
                         os_error *err)
{
    const struct beginning beginning = {.arguments = arguments, .first = first};
    return client_perform(client, perform, &beginning, err);
}
