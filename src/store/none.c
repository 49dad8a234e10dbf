/* SPDX-License-Identifier: Apache-2.0 */
/* The store of a client that was given none, as one for leases is: it says so to whatever is asked of it. */
#include "store/store.h"

#include "base/error.h"
#include "store/worker_op.h"

#include <assert.h>
#include <stdlib.h>

struct none_store {
    struct store store;
    struct loop *loop;
};

static os_code refuse(os_error *err)
{
    return error_set(err, OS_ERR_CONFIG,
                     "The client has no store: store_url is missing; write s3://bucket[/prefix] or file:///root.");
}

static os_code none_check_key(struct store *store, const char *key, os_error *err)
{
    (void)store;
    (void)key;
    return refuse(err);
}

static void none_execute(struct store_op *op)
{
    op->answer.code = refuse(&op->answer.error);
}

static const struct blocking_kind none_kind = {.execute = none_execute};

static struct store_op *none_start(struct store *store, const struct store_request *request, store_done_fn done,
                                   void *context)
{
    struct none_store *none = (struct none_store *)store;
    return blocking_op_start(none->loop, store, request, &none_kind, NULL, done, context);
}

/* No guard begins, as each looks at its key first. */
static os_code none_prepare(struct store *store, const struct store_request *request, uint64_t date_s,
                            uint32_t length_s, struct store_attempt **ret, os_error *err)
{
    (void)store;
    (void)request;
    (void)date_s;
    (void)length_s;
    (void)ret;
    return refuse(err);
}

static void none_attempt_free(struct store *store, struct store_attempt *attempt)
{
    (void)store;
    assert(attempt == NULL);
    (void)attempt;
}

static void none_cancel(struct store *store, struct store_op *op)
{
    (void)store;
    blocking_op_cancel(op);
}

static void none_free(struct store *store)
{
    free(store);
}

static const struct store_vtable none_vtable = {
    .check_key = none_check_key,
    .start = none_start,
    .prepare = none_prepare,
    .attempt_free = none_attempt_free,
    .cancel = none_cancel,
    .free = none_free,
};

os_code none_store_new(const struct store_config *config, struct store **ret, os_error *err)
{
    struct none_store *none = calloc(1, sizeof(*none));
    if (none == NULL)
        return error_no_memory(err);
    none->store.vtable = &none_vtable;
    none->loop = config->loop;
    *ret = &none->store;
    return OS_OK;
}
