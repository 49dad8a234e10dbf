/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens connections ahead. Requests that ask for nothing go to store and ledger all at once, so that each gets a
 * connection of its own; beside them the client finds out what its first guarded call would wait for.
 */
#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "client/fence_check.h"
#include "client/ledger_call.h"
#include "plain/call.h"

#include <stdlib.h>

static const char nowhere[] = STORE_NOWHERE "warm";

struct plain_warm {
    struct sync sync;
    os_client *client;
    char *key;
    char *path;
    struct store_call *heads;
    size_t head_count;
    struct ledger_call *gets;
    size_t get_count;
    struct op waiting; /* for the fence check, as long as the call may take */
    struct fence_waiter fences;
    os_call call;
    size_t open_count; /* what has not ended */
    os_error error;    /* the first */
};

static void free_warm(struct plain_warm *warm)
{
    free(warm->key);
    free(warm->path);
    free(warm->heads);
    free(warm->gets);
    free(warm);
}

static void note_error(struct plain_warm *warm, const os_error *error)
{
    if (warm->error.code == OS_OK)
        warm->error = *error;
}

static void one_ended(struct plain_warm *warm)
{
    if (--warm->open_count == 0)
        sync_finish(&warm->sync);
}

/* An answer came, so there is a connection. What it says of an object that is nowhere says nothing of others. */
static bool is_answer(os_code code)
{
    return code == OS_OK || code == OS_ERR_NOT_FOUND || code == OS_ERR_DENIED || code == OS_ERR_SERVICE ||
           code == OS_ERR_THROTTLED;
}

static void head_ended(struct sync *sync)
{
    struct plain_warm *warm = sync->context;
    const struct store_call *head = container_of(sync, struct store_call, sync);
    if (!is_answer(head->code))
        note_error(warm, &head->error);
    one_ended(warm);
}

static void get_ended(struct sync *sync)
{
    struct plain_warm *warm = sync->context;
    os_error error;
    if (ledger_call_outcome(container_of(sync, struct ledger_call, sync), &error) != LEDGER_OK)
        note_error(warm, &error);
    one_ended(warm);
}

/* ------------------------------------------------------------------------------------------------ the fence check */

static void fences_ended(struct plain_warm *warm)
{
    op_end(&warm->waiting);
    one_ended(warm);
}

static void fences_ready(struct fence_waiter *waiter)
{
    fences_ended(container_of(waiter, struct plain_warm, fences));
}

static void fences_refused(struct fence_waiter *waiter, const os_error *error)
{
    struct plain_warm *warm = container_of(waiter, struct plain_warm, fences);
    note_error(warm, error);
    fences_ended(warm);
}

static void fences_interrupted(struct op *op, enum op_reason reason)
{
    struct plain_warm *warm = container_of(op, struct plain_warm, waiting);
    os_error error;
    const os_error *trouble = fence_check_leave(warm->client, &warm->fences);
    (void)error_set(&error, op_reason_code(reason), "Warming up was ended: %s.%s%.500s", op_reason_clause(reason),
                    trouble ? " Last trouble: " : "", trouble ? trouble->message : "");
    note_error(warm, &error);
    fences_ended(warm);
}

static void wait_for_fences(struct plain_warm *warm)
{
    const struct op_limits limits = client_limits(warm->client, &warm->call);
    warm->fences = (struct fence_waiter){.ready = fences_ready, .refused = fences_refused, .is_nowhere = true};
    if (op_begin(&warm->waiting, &limits, NULL, fences_interrupted)) {
        fence_check_wait(warm->client, &warm->fences, warm->key);
        return;
    }
    (void)error_no_memory(&warm->error);
    one_ended(warm);
}

/* ------------------------------------------------------------------------------------------------ the steps */

static void warm_start(struct sync *sync)
{
    struct plain_warm *warm = container_of(sync, struct plain_warm, sync);
    error_clear(&warm->error);
    warm->open_count = 1 + 1 + warm->head_count + warm->get_count; /* this function, the fence check, ... */
    wait_for_fences(warm);
    for (size_t i = 0; i < warm->head_count; i++)
        sync_begin(&warm->heads[i].sync, head_ended, warm);
    for (size_t i = 0; i < warm->get_count; i++)
        sync_begin(&warm->gets[i].sync, get_ended, warm);
    one_ended(warm);
}

/* Files and SQLite have no connections; one look at a table shows that it is there. */
static bool count_requests(struct plain_warm *warm, uint32_t connections)
{
    const os_client *client = warm->client;
    uint32_t most = client->settings.max_connections;
    size_t count = connections == 0 ? 1 : connections < most ? connections : most;
    warm->head_count = client->store->is_local ? 0 : count;
    warm->get_count = client->ledger == NULL ? 0 : client->ledger->is_local ? 1 : count;
    warm->heads = calloc(warm->head_count + 1, sizeof(*warm->heads));
    warm->gets = calloc(warm->get_count + 1, sizeof(*warm->gets));
    warm->path = client_record_path(client, warm->key);
    return warm->heads != NULL && warm->gets != NULL && warm->path != NULL;
}

static os_code prepare_requests(struct plain_warm *warm, const os_call *call, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < warm->head_count && code == OS_OK; i++) {
        warm->heads[i].request = (struct store_request){.verb = STORE_HEAD, .key = warm->key};
        code = store_call_prepare(&warm->heads[i], warm->client, call, err);
    }
    for (size_t i = 0; i < warm->get_count && code == OS_OK; i++) {
        warm->gets[i].request = (struct ledger_request){.verb = LEDGER_GET,
                                                        .path = warm->path,
                                                        .etag = RECORD_ETAG_CREATE,
                                                        .try_ms = warm->client->settings.request_timeout_ms};
        code = ledger_call_prepare(&warm->gets[i], warm->client, call, err);
    }
    return code;
}

static enum steps_next warm_ended(struct plain *plain)
{
    struct plain_warm *warm = plain->warm;
    plain->warm = NULL;
    plain->error = warm->error;
    free_warm(warm);
    return plain_over(plain, plain->error.code);
}

enum steps_next plain_warm(struct plain *plain)
{
    const os_call *call = plain->arguments->call;
    struct plain_warm *warm = calloc(1, sizeof(*warm));
    if (warm == NULL)
        return plain_refuse_unstarted(plain);
    warm->client = plain->client;
    warm->sync.start = warm_start;
    os_code code = client_object_key(plain->client, nowhere, &warm->key, &plain->error);
    if (code == OS_OK)
        code = arguments_take_call(call, &warm->call, &plain->error);
    if (code == OS_OK && !count_requests(warm, plain->arguments->connections))
        code = error_no_memory(&plain->error);
    if (code == OS_OK)
        code = prepare_requests(warm, call, &plain->error);
    if (code != OS_OK) {
        free_warm(warm);
        return plain_over(plain, code);
    }
    (void)error_no_memory(&warm->error); /* where it cannot begin */
    plain->warm = warm;
    plain->step = warm_ended;
    plain->steps.wait = &warm->sync;
    return STEPS_WAIT;
}
