/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are one request: what stands under the name of a lease; the table, made or checked. */
#include "holding/asking.h"
#include "holding/hold.h"
#include "holding/listing.h"

#include "base/error.h"
#include "base/text.h"
#include "client/inside.h"

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

struct read_arguments {
    const char *name;
    const os_call *call;
    os_lease_info *ret;
};

static os_code read_lease(os_client *client, const void *context, os_error *err)
{
    const struct read_arguments *arguments = context;
    os_lease_info info = {0};
    struct item key = {.values = {[LEASE_AT_KEY] = item_text(arguments->name)}};
    struct asking reading = {.client = client,
                             .request = {.verb = TABLE_GET, .schema = &lease_schema, .item = &key},
                             .repeats = ASKING_UNTIL_CLEAR,
                             .name = "reading of the lease",
                             .take = take_info,
                             .context = &info};
    os_code code = holding_check_name(arguments->name, err);
    if (code == OS_OK)
        code = asking_run(&reading, arguments->call, err);
    if (code == OS_OK)
        versioned_give(&info, sizeof(info), arguments->ret);
    return code;
}

os_code holding_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret, os_error *err)
{
    const struct read_arguments arguments = {name, call, ret};
    if (ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_read needs a place for what it reads: `ret` is NULL.");
    return client_perform(client, read_lease, &arguments, err);
}

/* ---------------------------------------------------------------------------------------------------------- list */

struct lease_row {
    char name[LEASE_NAME_MAX + sizeof(LEASE_EPOCH_SUFFIX)];
    os_lease_info info;
};

struct list_arguments {
    const os_call *call;
    os_lease_fn each;
    void *context;
};

/* An item that counts epochs is no lease. */
static bool fill_row(void *context, const struct item *item, void *ret)
{
    struct lease_row *row = ret;
    (void)context;
    if (!TEXT_COPY_STR(item_text_of(item, LEASE_AT_KEY), row->name) || holding_check_name(row->name, NULL) != OS_OK)
        return false;
    row->info.size = sizeof(row->info);
    fill_info(item, &row->info);
    return true;
}

static int give_row(void *context, const void *given)
{
    const struct list_arguments *arguments = context;
    const struct lease_row *row = given;
    return arguments->each(arguments->context, row->name, &row->info);
}

static os_code list_leases(os_client *client, const void *context, os_error *err)
{
    const struct list_arguments *arguments = context;
    struct listing listing = {.schema = &lease_schema,
                              .row_size = sizeof(struct lease_row),
                              .fill = fill_row,
                              .give = give_row,
                              .context = (void *)arguments};
    return listing_run(&listing, client, arguments->call, err);
}

os_code holding_list(os_client *client, const os_call *call, os_lease_fn each, void *context, os_error *err)
{
    const struct list_arguments arguments = {call, each, context};
    if (each == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_list needs a callback that receives the leases.");
    return client_perform(client, list_leases, &arguments, err);
}

/* --------------------------------------------------------------------------------------------------------- table */

os_code holding_table_create(os_client *client, const os_call *call, os_error *err)
{
    return asking_of_table(client, TABLE_CREATE, &lease_schema, call, err);
}

os_code holding_table_check(os_client *client, const os_call *call, os_error *err)
{
    return asking_of_table(client, TABLE_CHECK, &lease_schema, call, err);
}
