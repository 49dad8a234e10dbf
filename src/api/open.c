/* SPDX-License-Identifier: Apache-2.0 */
/* The client's life: opened, its one I/O thread, closed. */
#include "base/error.h"
#include "client/client.h"
#include "client/fence_check.h"
#include "client/own_profile.h"
#include "client/pool.h"
#include "guarded/driver.h"
#include "holding/holding.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLIENT_CLOSE_PATIENCE_MS = 5000 };

/* ------------------------------------------------------------------------------------------------ open */

static void io_thread(void *context)
{
    os_client *client = context;
    loop_run(client->loop);
}

static enum store_marks told_marks(const struct profile *profile)
{
    if (profile == NULL || profile->answer_mark == PROFILE_MARK_UNKNOWN)
        return STORE_MARKS_UNKNOWN;
    return profile->answer_mark == PROFILE_MARK_NONE ? STORE_MARKS_NONE : STORE_MARKS_ALL;
}

static os_code open_store(os_client *client, os_error *err)
{
    const struct settings *settings = &client->settings;
    struct store_config config = {
        .loop = client->loop,
        .endpoint = &settings->s3_endpoint,
        .bucket = settings->bucket,
        .addressing = settings->addressing,
        .credentials = client->keys.store,
        .ca_file = settings->ca_file,
        .user_agent = settings->user_agent,
        .stall_ms = settings->request_timeout_ms,
        .marks = told_marks(settings->profile),
        .root = settings->root,
    };
    if (settings->store_scheme == SETTINGS_NONE)
        return none_store_new(&config, &client->store, err);
    if (settings->store_scheme == SETTINGS_FILE)
        return local_store_new(&config, &client->store, err);
    if (settings->signature == OS_SIGNATURE_V2)
        return sigv2_store_new(&config, &client->store, err);
    return s3_store_new(&config, &client->store, err);
}

static os_code open_ledger(os_client *client, os_error *err)
{
    const struct settings *settings = &client->settings;
    struct table_config config = {
        .loop = client->loop,
        .endpoint = &settings->dynamodb_endpoint,
        .name = settings->table,
        .reach = settings->table_reach,
        .credentials = client->keys.ledger,
        .stall_ms = settings->request_timeout_ms,
    };
    os_code code = OS_OK;
    if (settings->ledger_scheme == SETTINGS_SQLITE) {
        code = sqlite_table_new(&config, &client->ledger, err);
        return code == OS_OK ? row_sqlite_new(&config, &client->rows, err) : code;
    }
    if (settings->ledger_scheme == SETTINGS_DYNAMODB) {
        code = dynamo_table_new(&config, &client->ledger, err);
        return code == OS_OK ? row_dynamo_new(&config, &client->rows, err) : code;
    }
    return OS_OK;
}

static os_code open_parts(os_client *client, os_error *err)
{
    struct http_engine_options http = {
        .ca_file = client->settings.ca_file,
        .user_agent = client->settings.user_agent,
        .connect_timeout_ms = client->settings.connect_timeout_ms,
        .max_connections = client->settings.max_connections,
    };
    os_code code = loop_new(&http, &client->loop, err);
    if (code == OS_OK)
        code = open_store(client, err); /* with Signature V2 it takes its keys at once, or never */
    if (code == OS_OK)
        code = open_ledger(client, err);
    if (code == OS_OK && client->keys.store != NULL)
        code = credentials_attach(client->keys.store, client->loop, &http, err);
    if (code == OS_OK && client->keys.ledger != NULL)
        code = credentials_attach(client->keys.ledger, client->loop, &http, err);
    return code;
}

static bool goes_in_the_clear(const struct endpoint *endpoint)
{
    return strcmp(endpoint->scheme, "http") == 0 && !endpoint->loopback;
}

/* Once for each client. Signatures show no key, but they hide nothing either, and of a body to S3 they say nothing. */
static void warn_of_plain_http(os_client *client)
{
    const struct settings *settings = &client->settings;
    bool store = settings->store_scheme == SETTINGS_S3 && goes_in_the_clear(&settings->s3_endpoint);
    bool ledger = settings->ledger_scheme == SETTINGS_DYNAMODB && goes_in_the_clear(&settings->dynamodb_endpoint);
    bool both = store && ledger && strcmp(settings->s3_endpoint.host, settings->dynamodb_endpoint.host) != 0;
    if (!store && !ledger)
        return;
    log_line(
        &client->log, OS_LOG_WARN,
        "Requests to http://%s%s%s go unencrypted to another machine. Anybody on the path can read objects, records "
        "and a session token, and change objects (the secret key itself is never sent). Use https:// there.",
        store ? settings->s3_endpoint.host : settings->dynamodb_endpoint.host, both ? " and http://" : "",
        both ? settings->dynamodb_endpoint.host : "");
}

/* Whoever looks for the reason of a verdict finds it in the log. */
static void tell_own_profile(os_client *client)
{
    const struct settings *settings = &client->settings;
    if (settings->profile_is_own)
        log_line(&client->log, OS_LOG_INFO,
                 "The store is Amazon S3's own: its profile is the built-in \"" OWN_PROFILE_NAME
                 "\", and guarded writes go by %s.",
                 settings->mode == OS_GUARD_AUTO ? "the conditions that the profile proves, without records"
                                                 : write_plan_guard_name(settings->mode));
}

/* Section 7. Those that leave the endpoint out have the profile, and need no record: nothing would keep the two apart.
 */
static void warn_of_missed_profile(os_client *client)
{
    const struct settings *settings = &client->settings;
    bool bare = settings->profile == NULL && settings->condition_headers != OS_ON;
    if (settings->store_scheme == SETTINGS_S3 && settings->signature == OS_SIGNATURE_V4 && client->ledger && bare &&
        own_profile_is_missed(&settings->s3_endpoint, settings->bucket))
        log_line(&client->log, OS_LOG_WARN,
                 "The endpoint %s is given, so guarded writes use records and carry no condition. A client that has no "
                 "ledger and names no endpoint uses Amazon S3's conditions alone; neither would notice the other. "
                 "Leave the endpoint out in both, or set store_profile=aws and guard=both here.",
                 settings->s3_endpoint.host);
}

static os_code open_client(os_client *client, const os_options *options, os_error *err)
{
    os_code code = settings_new(options, &client->settings, &client->keys.store, &client->keys.ledger, err);
    client->log.fn = client->settings.log ? client_report_log : NULL;
    client->log.context = client;
    client->log.level = client->settings.log_level;
    if (code == OS_OK)
        code = open_parts(client, err);
    if (code == OS_OK)
        code = pool_new(&client->pool, err);
    if (code == OS_OK)
        client->is_open = client->settings.foreign_loop || thread_start(&client->thread, io_thread, client);
    if (code == OS_OK && !client->is_open)
        code = error_set(err, OS_ERR_NO_MEMORY,
                         "The client's I/O thread could not be started: the system's limit on threads is reached. End "
                         "other threads, or raise the limit.");
    if (code == OS_OK)
        warn_of_plain_http(client);
    if (code == OS_OK)
        tell_own_profile(client);
    if (code == OS_OK)
        warn_of_missed_profile(client);
    if (code == OS_OK && client->settings.check_table)
        code = os_table_check(client, NULL, err);
    return code;
}

static bool init_client(os_client *client)
{
    if (os_cancel_new(&client->closing) != OS_OK)
        return false;
    if (monitor_init(&client->idle)) {
        if (log_init(&client->log, NULL, NULL, OS_LOG_WARN) == 0)
            return true;
        monitor_destroy(&client->idle);
    }
    os_cancel_free(client->closing);
    return false;
}

os_code os_client_open(const os_options *options, os_client **ret, os_error *err)
{
    error_clear(err);
    os_client *client = calloc(1, sizeof(*client));
    if (client == NULL)
        return error_no_memory(err);
    client->process = getpid();
    if (!init_client(client)) {
        free(client);
        return error_no_memory(err);
    }
    os_code code = open_client(client, options, err);
    if (code != OS_OK) {
        os_client_close(client);
        return code;
    }
    *ret = client;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ close */

static void wait_for_background(os_client *client)
{
    struct clock_reading now;
    clock_read(&now);
    monitor_enter(&client->idle);
    bool in_time = true;
    while (client->background_count > 0 && in_time)
        in_time = monitor_wait_until(&client->idle, now.monotonic_ms + CLIENT_CLOSE_PATIENCE_MS);
    monitor_leave(&client->idle);
}

struct closing {
    os_client *client;
    struct loop_timer patience; /* with what goes on in the background */
};

static void patience_ends(struct loop_timer *timer)
{
    (void)timer; /* that it is no longer set is seen by is_quiet */
}

static bool is_quiet(void *context)
{
    const struct closing *closing = context;
    os_client *client = closing->client;
    monitor_enter(&client->idle);
    bool quiet = client->operation_count == 0 && (client->background_count == 0 || !closing->patience.node.inside);
    monitor_leave(&client->idle);
    return quiet;
}

/* On this thread, as nobody else runs the loop. */
static void end_foreign_loop(os_client *client)
{
    struct closing closing = {.client = client, .patience = {.fire = patience_ends}};
    loop_timer_set(client->loop, &closing.patience, CLIENT_CLOSE_PATIENCE_MS);
    loop_run_until(client->loop, is_quiet, &closing);
    loop_timer_clear(client->loop, &closing.patience);
    client_wait_for_calls(client);
}

static void end_thread(os_client *client)
{
    client_wait_for_calls(client);
    client_wait_for_operations(client);
    wait_for_background(client);
    loop_stop(client->loop);
    thread_join(&client->thread);
}

void os_client_close(os_client *client)
{
    if (client == NULL || client_is_forked(client))
        return;
    if (client->is_open && client_is_inside(client))
        return; /* the call, or callback, that this one is in could never end */
    if (client->is_open) {
        os_cancel_trigger(client->closing);
        loop_hurry(client->loop);
        if (client->settings.foreign_loop)
            end_foreign_loop(client);
        else
            end_thread(client);
        driver_free_all(client);
        release_free_all(client);
        holding_detach_all(client);
        fence_check_free(client);
    }
    pool_free(client->pool);
    credentials_stop(client->keys.store);
    credentials_stop(client->keys.ledger);
    if (client->loop)
        loop_drain(client->loop);
    if (client->ledger)
        client->ledger->vtable->free(client->ledger);
    if (client->rows)
        client->rows->vtable->free(client->rows);
    if (client->store)
        client->store->vtable->free(client->store);
    credentials_free(client->keys.store);
    credentials_free(client->keys.ledger);
    loop_free(client->loop);
    known_versions_free(&client->known_versions);
    settings_free(&client->settings);
    log_destroy(&client->log);
    os_cancel_free(client->closing);
    monitor_destroy(&client->idle);
    free(client);
}
