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
        .together = store->together != 0 && row_call_remembers(call->client),
    };
}

os_code persistence_begin(struct persistence *call)
{
    os_document_store store;
    uint64_t now_ms = clock_monotonic_ms();
    os_code code = row_call_check(call->client, &call->error);
    if (code == OS_OK)
        code = versioned_copy(call->arguments->store, &store, sizeof(store), "os_document_store", &call->error);
    if (code == OS_OK)
        code = check_store(&store, &call->error);
    if (code == OS_OK)
        code = arguments_take_call(call->arguments->call, &call->call, &call->error);
    if (code != OS_OK)
        return code;
    take_store(call, &store);
    call->deadline_monotonic_ms = now_ms + call->call.deadline_ms;
    return OS_OK;
}

os_code persistence_about(struct persistence *call, os_code code, const char *id, const char *name)
{
    const os_error why = call->error;
    if (code == OS_ERR_ARGUMENT || code == OS_ERR_TOO_LARGE || code == OS_ERR_PROTOCOL)
        (void)error_set(&call->error, code, "Document \"%.100s\" of \"%.100s\": %.700s", name, id, why.message);
    return code;
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
    call->set.limits = call->call;
    call->set.deadline_monotonic_ms = call->deadline_monotonic_ms;
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

/* None keeps what an earlier call has left in it. */
static os_code clear_results(const struct persistence_arguments *arguments, os_error *err)
{
    os_document_result *results = arguments->ret_results;
    if (results == NULL && arguments->result_count > 0)
        return error_set(err, OS_ERR_ARGUMENT, "There is no place for the results: it is NULL.");
    for (size_t i = 0; i < arguments->result_count; i++)
        if (results[i].size != sizeof(*results))
            return error_set(err, OS_ERR_ARGUMENT,
                             "A result has a wrong size: set each one with OS_DOCUMENT_RESULT_INIT.");
    for (size_t i = 0; i < arguments->result_count; i++)
        results[i] = (os_document_result){.size = sizeof(*results)};
    return OS_OK;
}

/* Where nothing was sent. What a ticket is of stays unknown. */
static void refuse_results(const struct persistence_arguments *arguments, const os_error *why)
{
    for (size_t i = 0; i < arguments->result_count; i++) {
        os_document_result *result = &arguments->ret_results[i];
        if (result->verdict != 0)
            continue;
        result->verdict = arguments->is_of_ticket ? OS_UNKNOWN : OS_NOT_EXECUTED;
        result->error = *why;
    }
}

os_code persistence_call(os_client *client, const struct persistence_arguments *arguments, persistence_step_fn first,
                         os_error *err)
{
    const struct beginning beginning = {.arguments = arguments, .first = first};
    os_error own;
    os_code code = clear_results(arguments, &own);
    if (code == OS_OK) {
        code = client_perform(client, perform, &beginning, &own);
        if (code != OS_OK)
            refuse_results(arguments, &own);
    }
    if (err != NULL)
        *err = own;
    return code;
}
