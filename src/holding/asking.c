/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are one request to the table: an item is read; the table is made, checked. */
#include "holding/hold.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "client/arguments.h"
#include "client/inside.h"

#include <string.h>

struct asking {
    struct sync sync;
    os_client *client;
    enum table_verb verb;
    os_call call;
    struct op op;
    struct item key; /* of a GET */
    struct table_op *table_op;
    os_lease_info info; /* what a GET read */
    os_code code;
    os_error error;
};

static void asking_over(struct asking *asking)
{
    op_end(&asking->op);
    sync_finish(&asking->sync);
}

static void take_info(const struct item *item, os_lease_info *ret)
{
    struct lease_item lease;
    lease_item_of(item, &lease);
    ret->token = lease.token;
    ret->held = lease.held;
    if (!lease.held)
        return;
    ret->foreign = lease.ttl_ms == 0;
    ret->expiry_s = lease.expiry_s > INT64_MAX ? INT64_MAX : (int64_t)lease.expiry_s;
    ret->ttl_ms = lease.ttl_ms;
    memcpy(ret->version, lease.version, sizeof(lease.version));
    (void)TEXT_COPY_STR(item_text_of(item, LEASE_AT_OWNER), ret->owner);
}

/* A table that is to be made or checked is one that a person waits for: he learns what is wrong with it at once. */
static bool asks_again(const struct asking *asking, const struct table_answer *answer)
{
    if (asking->verb == TABLE_GET)
        return answer->outcome == TABLE_THROTTLED || answer->outcome == TABLE_AMBIGUOUS;
    return answer->outcome == TABLE_THROTTLED && answer->error.code == OS_ERR_THROTTLED;
}

/* As far as anybody knows it is not there. */
static bool is_elsewhere(const struct table_answer *answer)
{
    os_code code = answer->error.code;
    return answer->foreign || code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE || code == OS_ERR_TLS ||
           (code == OS_ERR_PROTOCOL && answer->error.http_status == 0);
}

static void was_answered(void *context, const struct table_answer *answer)
{
    struct asking *asking = context;
    asking->table_op = NULL;
    asking->error = answer->error;
    asking->code = answer->outcome == TABLE_OK ? OS_OK : answer->error.code;
    if (answer->outcome == TABLE_OK && asking->verb == TABLE_GET)
        take_info(answer->found ? answer->item : NULL, &asking->info);
    if (is_elsewhere(answer))
        table_add_hint(asking->client->ledger, &asking->error);
    if (asks_again(asking, answer))
        op_pause(&asking->op);
    else
        asking_over(asking);
}

static void ask_table(struct op *op)
{
    struct asking *asking = container_of(op, struct asking, op);
    struct table *table = asking->client->ledger;
    struct table_request request = {.verb = asking->verb,
                                    .schema = &lease_schema,
                                    .item = asking->verb == TABLE_GET ? &asking->key : NULL,
                                    .deadline_monotonic_ms = op->deadline_monotonic_ms};
    asking->table_op = table->vtable->start(table, &request, was_answered, asking);
    if (asking->table_op == NULL) {
        asking->code = error_no_memory(&asking->error);
        asking_over(asking);
    }
}

static void asking_interrupted(struct op *op, enum op_reason reason)
{
    struct asking *asking = container_of(op, struct asking, op);
    struct table *table = asking->client->ledger;
    os_error last = asking->error;
    if (asking->table_op != NULL)
        table->vtable->cancel(table, asking->table_op);
    asking->code = error_set(&asking->error, op_reason_code(reason), "The %s: %s.%s%.500s",
                             asking->verb == TABLE_GET ? "lease could not be read" : "request to the table was ended",
                             op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "", last.message);
    asking_over(asking);
}

static void begin_to_ask(struct sync *sync)
{
    struct asking *asking = container_of(sync, struct asking, sync);
    struct op_limits limits = client_limits(asking->client, &asking->call);
    if (op_begin(&asking->op, &limits, ask_table, asking_interrupted)) {
        ask_table(&asking->op);
        return;
    }
    asking->code = error_no_memory(&asking->error);
    sync_finish(sync);
}

static os_code run_asking(struct asking *asking, const os_call *call, os_error *err)
{
    os_code code = holding_need_table(asking->client, err);
    if (code == OS_OK)
        code = arguments_take_call(call, &asking->call, err);
    if (code == OS_OK)
        code = sync_run(asking->client, &asking->sync, err);
    if (code != OS_OK)
        return code;
    if (asking->code != OS_OK)
        *err = asking->error;
    return asking->code;
}

/* ---------------------------------------------------------------------------------------------------------- read */

struct read_arguments {
    const char *name;
    const os_call *call;
    os_lease_info *ret;
};

static os_code read_lease(os_client *client, const void *context, os_error *err)
{
    const struct read_arguments *arguments = context;
    struct asking reading = {.sync.start = begin_to_ask, .client = client, .verb = TABLE_GET};
    os_code code = holding_check_name(arguments->name, err);
    if (code != OS_OK)
        return code;
    reading.key.values[LEASE_AT_KEY] = item_text(arguments->name);
    code = run_asking(&reading, arguments->call, err);
    if (code == OS_OK)
        versioned_give(&reading.info, sizeof(reading.info), arguments->ret);
    return code;
}

os_code holding_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret, os_error *err)
{
    const struct read_arguments arguments = {name, call, ret};
    if (ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_read needs a place for what it reads: `ret` is NULL.");
    return client_perform(client, read_lease, &arguments, err);
}

/* --------------------------------------------------------------------------------------------------------- table */

static os_code make_table(os_client *client, const void *call, os_error *err)
{
    struct asking making = {.sync.start = begin_to_ask, .client = client, .verb = TABLE_CREATE};
    return run_asking(&making, call, err);
}

static os_code check_table(os_client *client, const void *call, os_error *err)
{
    struct asking checking = {.sync.start = begin_to_ask, .client = client, .verb = TABLE_CHECK};
    return run_asking(&checking, call, err);
}

os_code holding_table_create(os_client *client, const os_call *call, os_error *err)
{
    return client_perform(client, make_table, call, err);
}

os_code holding_table_check(os_client *client, const os_call *call, os_error *err)
{
    return client_perform(client, check_table, call, err);
}
