/* SPDX-License-Identifier: Apache-2.0 */
#include "support/leases.h"

#include "support/checks.h"
#include "support/raw_service.h"

#include <stdio.h>
#include <string.h>

enum { PATIENCE_MS = 120000 };

static bool is_embedded(const struct fixture *f)
{
    return f->ledger_endpoint[0] == '\0';
}

enum kind { LEASES, LOCKS };

static const char *table_of(const struct fixture *f, enum kind kind)
{
    static char tables[2][80];
    snprintf(tables[kind], sizeof(tables[kind]), "%s-of-%s", kind == LEASES ? "leases" : "locks", f->table);
    return tables[kind];
}

static const char *url_of(const struct fixture *f, enum kind kind)
{
    static char url[400];
    if (is_embedded(f))
        snprintf(url, sizeof(url), "sqlite://%s/.oscommit/ledger.db", f->store_url + strlen("file://"));
    else
        snprintf(url, sizeof(url), "dynamodb://%s", table_of(f, kind));
    return url;
}

static void make_table_once(const struct fixture *f, enum kind kind)
{
    static char made[2][80];
    const char *table = table_of(f, kind);
    if (is_embedded(f) || strcmp(made[kind], table) == 0)
        return;
    assert_true(raw_make_table(f->ledger_endpoint, table, kind == LEASES ? "key" : "lockId", "S", NULL));
    snprintf(made[kind], sizeof(made[kind]), "%s", table);
}

static os_client *client_at(const struct fixture *f, const char *ledger_url, os_options options)
{
    os_options of_fixture = fixture_options(f);
    options.ledger_url = ledger_url;
    options.no_environment = 1;
    if (options.dynamodb_endpoint == NULL)
        options.dynamodb_endpoint = of_fixture.dynamodb_endpoint;
    options.dynamodb_region = of_fixture.s3_region;
    options.access_key_id = of_fixture.access_key_id;
    options.secret_access_key = of_fixture.secret_access_key;
    return fixture_client(&options);
}

os_client *leases_client_at(const struct fixture *f, const char *ledger_url)
{
    os_options options = OS_OPTIONS_INIT;
    return client_at(f, ledger_url, options);
}

static os_client *client_of(const struct fixture *f, enum kind kind, os_options options)
{
    make_table_once(f, kind);
    return client_at(f, url_of(f, kind), options);
}

os_client *leases_client_with(const struct fixture *f, os_options options)
{
    return client_of(f, LEASES, options);
}

os_client *locks_client_with(const struct fixture *f, os_options options)
{
    return client_of(f, LOCKS, options);
}

os_client *locks_client(const struct fixture *f)
{
    os_options options = OS_OPTIONS_INIT;
    return locks_client_with(f, options);
}

os_client *leases_client(const struct fixture *f)
{
    os_options options = OS_OPTIONS_INIT;
    return leases_client_with(f, options);
}

os_client *leases_direct_client(const struct fixture *f)
{
    os_options options = OS_OPTIONS_INIT;
    options.dynamodb_endpoint = f->ledger_endpoint;
    return leases_client_with(f, options);
}

static void count_requests(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST)
        atomic_fetch_add((atomic_int *)context, 1);
}

os_options leases_count_requests(atomic_int *requests)
{
    os_options options = OS_OPTIONS_INIT;
    options.metric = count_requests;
    options.metric_context = requests;
    return options;
}

/* -------------------------------------------------------------------------------------------------------- calls */

os_lease *leases_acquire(os_client *client, const char *name, const os_lease_options *options)
{
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, name, options, NULL, &lease, &error), OS_OK, &error);
    assert_non_null(lease);
    return lease;
}

void leases_release(os_lease *lease)
{
    os_error error;
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
}

os_code leases_try(os_client *client, const char *name, os_error *error)
{
    os_lease *lease = NULL;
    os_code code = os_lease_acquire(client, name, NULL, NULL, &lease, error);
    assert_int_equal(lease != NULL, code == OS_OK);
    if (lease != NULL)
        leases_release(lease);
    return code;
}

os_lease_info leases_read(os_client *client, const char *name)
{
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, name, NULL, &info, &error), OS_OK, &error);
    return info;
}

/* ------------------------------------------------------------------------------------------------------ the item */

void leases_put_item(const struct fixture *f, json_t *item)
{
    assert_true(raw_put_item(f->ledger_endpoint, table_of(f, LEASES), item));
}

void locks_put_item(const struct fixture *f, json_t *item)
{
    assert_true(raw_put_item(f->ledger_endpoint, table_of(f, LOCKS), item));
}

void leases_delete_item(const struct fixture *f, const char *name)
{
    json_t *request = json_pack("{s:s,s:{s:{s:s}}}", "TableName", table_of(f, LEASES), "Key", "key", "S", name);
    assert_int_equal(raw_dynamo(f->ledger_endpoint, "DeleteItem", request, NULL), 200);
}

/* -------------------------------------------------------------------------------------------------------- waiter */

static void *wait_for_it(void *context)
{
    struct lease_waiter *waiter = context;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    options.wait = 1;
    call.deadline_ms = PATIENCE_MS;
    waiter->code = os_lease_acquire(waiter->client, waiter->name, &options, &call, &waiter->lease, &waiter->error);
    waiter->held_ms = now_ms();
    return NULL;
}

void lease_waiter_start(struct lease_waiter *waiter)
{
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_it, waiter), 0);
}

void lease_waiter_join(struct lease_waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    CHECK_CODE(waiter->code, OS_OK, &waiter->error);
}
