/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are one request: what stands under the name of a lease; the table, made or checked. */
#include "holding/call.h"
#include "holding/lease_item.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

static void fill_info(const struct item *item, os_lease_info *ret)
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

static void take_info(void *context, const struct item *item)
{
    fill_info(item, context);
}

static enum steps_next lease_was_read(struct holding *holding)
{
    os_code code = holding_answer(holding);
    if (code == OS_OK)
        versioned_give(&holding->read.info, sizeof(holding->read.info), holding->arguments->ret_info);
    return holding_over(holding, code);
}

enum steps_next holding_read_lease(struct holding *holding)
{
    const struct holding_arguments *arguments = holding->arguments;
    struct holding_asking *asking = &holding->asking;
    os_code code = lease_check_name(arguments->name, &holding->error);
    if (code == OS_OK && arguments->ret_info == NULL)
        code = error_set(&holding->error, OS_ERR_ARGUMENT,
                         "os_lease_read needs a place for what it reads: `ret` is NULL.");
    if (code == OS_OK)
        code = holding_need_table(holding);
    if (code == OS_OK)
        code = holding_take_call(holding);
    if (code != OS_OK)
        return holding_over(holding, code);
    holding->read.key.values[LEASE_AT_KEY] = item_text(arguments->name);
    asking->request = (struct table_request){.verb = TABLE_GET, .schema = &lease_schema, .item = &holding->read.key};
    asking->repeats = ASKING_UNTIL_CLEAR;
    asking->name = "reading of the lease";
    asking->take = take_info;
    asking->context = &holding->read.info;
    return holding_ask(holding, lease_was_read);
}

/* ---------------------------------------------------------------------------------------------------------- list */

struct lease_row {
    char name[LEASE_NAME_MAX + sizeof(LEASE_EPOCH_SUFFIX)];
    os_lease_info info;
};

/* An item that counts epochs is no lease. */
static bool fill_row(void *context, const struct item *item, void *ret)
{
    struct lease_row *row = ret;
    (void)context;
    if (!TEXT_COPY_STR(item_text_of(item, LEASE_AT_KEY), row->name) || lease_check_name(row->name, NULL) != OS_OK)
        return false;
    row->info.size = sizeof(row->info);
    fill_info(item, &row->info);
    return true;
}

static int give_row(void *context, const void *given)
{
    const struct holding_arguments *arguments = context;
    const struct lease_row *row = given;
    return arguments->each_lease(arguments->each_context, row->name, &row->info);
}

enum steps_next holding_list_leases(struct holding *holding)
{
    const struct holding_arguments *arguments = holding->arguments;
    if (arguments->each_lease == NULL)
        return holding_over(holding, error_set(&holding->error, OS_ERR_ARGUMENT,
                                               "os_lease_list needs a callback that receives the leases."));
    holding->listing = (struct holding_listing){.schema = &lease_schema,
                                                .row_size = sizeof(struct lease_row),
                                                .fill = fill_row,
                                                .give = give_row,
                                                .context = (void *)arguments};
    return holding_ask_for_list(holding);
}

/* --------------------------------------------------------------------------------------------------------- table */

enum steps_next holding_create_leases(struct holding *holding)
{
    return holding_ask_of_table(holding, TABLE_CREATE, &lease_schema);
}

enum steps_next holding_check_leases(struct holding *holding)
{
    return holding_ask_of_table(holding, TABLE_CHECK, &lease_schema);
}
