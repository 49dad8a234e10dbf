/* SPDX-License-Identifier: Apache-2.0 */
/* The client's life: opened, its one I/O thread, closed; and the small things that its files share. */
#include "client/client_internal.h"

#include "base/error.h"
#include "client/own_profile.h"
#include "client/run.h"
#include "client/store_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLIENT_CLOSE_PATIENCE_MS = 5000 };

/* ------------------------------------------------------------------------------------------------ sync */

static void sync_job(struct loop_job *job)
{
    struct sync *sync = (struct sync *)((char *)job - offsetof(struct sync, job));
    sync->start(sync);
}

os_code sync_run(os_client *client, struct sync *sync, os_error *err)
{
    if (!monitor_init(&sync->monitor))
        return error_no_memory(err);
    sync->finished = false;
    sync->job.run = sync_job;
    loop_post(client->loop, &sync->job);
    monitor_enter(&sync->monitor);
    while (!sync->finished)
        monitor_wait(&sync->monitor);
    monitor_leave(&sync->monitor);
    monitor_destroy(&sync->monitor);
    return OS_OK;
}

void sync_finish(struct sync *sync)
{
    monitor_enter(&sync->monitor);
    sync->finished = true;
    monitor_wake(&sync->monitor); /* inside: the waiter destroys it right after */
    monitor_leave(&sync->monitor);
}

/* ------------------------------------------------------------------------------------------------ shared */

void client_background(os_client *client, int change)
{
    monitor_enter(&client->idle);
    client->background_count = change > 0 ? client->background_count + 1 : client->background_count - 1;
    if (client->background_count == 0)
        monitor_wake(&client->idle);
    monitor_leave(&client->idle);
}

/* E10 */
static enum date_belief judge_date(os_client *client, const struct store_answer *answer,
                                   const struct clock_reading *sent)
{
    struct clock_reading now;
    clock_read(&now);
    bool doubting = client->dates.doubting;
    enum date_belief belief = dates_judge(&client->dates, answer->date_s, sent, &now, client->settings.guard.margin_s);
    if (belief == DATE_DOUBTED && !doubting)
        log_line(&client->log, OS_LOG_WARN,
                 "The store's Date is second %llu, which is %s; it is not believed until other answers agree. See that "
                 "the clocks of the store's front ends are set, and that nothing on the way writes Date.",
                 (unsigned long long)answer->date_s,
                 client->dates.known ? "later than what was answered before and the time since"
                                     : "far ahead of this machine's time");
    return belief;
}

void client_note_date(os_client *client, const struct store_answer *answer, const struct clock_reading *sent)
{
    if (store_answer_names_version(answer))
        client->versioned = true;
    if (store_answer_names_version(answer) && answer->status == 404 && answer->object.delete_marker)
        client->names_markers = true;
    client->belief = answer->has_date ? judge_date(client, answer, sent) : DATE_NONE;
}

struct asking {
    struct sync sync;
    os_client *client;
    bool known;
    uint64_t date_s;
};

static void read_time(struct sync *sync)
{
    struct asking *asking = (struct asking *)sync;
    asking->known = asking->client->dates.known;
    asking->date_s = asking->client->dates.date_s;
    sync_finish(sync);
}

os_code client_store_time(os_client *client, uint64_t *ret_s, os_error *err)
{
    struct asking asking = {.sync = {.start = read_time}, .client = client};
    os_code code = sync_run(client, &asking.sync, err);
    if (code != OS_OK)
        return code;
    if (!asking.known)
        return error_set(err, OS_ERR_PROTOCOL, "No answer of the store had a Date header, so its time is not known.");
    *ret_s = asking.date_s;
    return OS_OK;
}

bool client_recent_date(const os_client *client, const struct clock_reading *now)
{
    return client->dates.known && clock_elapsed_max(&client->dates.clock, now) < GUARD_RECENT_DATE_MS;
}

void client_note_request(os_client *client, const char *operation, const char *key, const struct clock_reading *sent,
                         int status, os_code code)
{
    struct clock_reading now;
    clock_read(&now);
    uint64_t duration_ms = clock_elapsed_max(sent, &now);
    char http[24] = "";
    if (status != 0) /* no answer, or one that is not HTTP's: of a local store, of a ledger */
        snprintf(http, sizeof(http), "HTTP %d, ", status);
    log_line(&client->log, OS_LOG_DEBUG, "%s%s%s: %s%s, %llu ms", operation, key[0] ? " " : "", key, http,
             os_code_text(code), (unsigned long long)duration_ms);
    os_metric metric = {
        .size = sizeof(metric),
        .kind = OS_METRIC_REQUEST,
        .operation = operation,
        .duration_us = duration_ms * 1000,
        .http_status = status,
    };
    client_tell_metric(client, &metric);
}

os_code client_object_key(const os_client *client, const char *key, char **ret, os_error *err)
{
    if (key == NULL || key[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The object key is empty; give 1 to 1,024 bytes of UTF-8.");
    const char *prefix = client->settings.prefix ? client->settings.prefix : "";
    size_t size = strlen(prefix) + strlen(key) + 1;
    char *whole = malloc(size);
    if (whole == NULL)
        return error_no_memory(err);
    snprintf(whole, size, "%s%s", prefix, key);
    os_code code = client->store->vtable->check_key(client->store, whole, err);
    if (code != OS_OK) {
        free(whole);
        return code;
    }
    *ret = whole;
    return OS_OK;
}

void client_way_rules(const os_client *client, struct way_rules *ret)
{
    const struct settings *settings = &client->settings;
    bool takes_uploads = settings->profile == NULL || settings->profile->uploads != PROFILE_NO;
    *ret = (struct way_rules){
        .guard = settings->mode,
        .condition_headers = settings->condition_headers,
        .profile = settings->profile,
        .unprofiled = settings->unprofiled,
        .has_ledger = client->ledger != NULL,
        .has_conditions = settings->store_scheme == SETTINGS_S3 && settings->signature == OS_SIGNATURE_V4,
        .has_uploads = client->store->has_uploads && takes_uploads,
        .copies_whole = client->store->is_local,
        .keeps_stalled_bodies = settings->guard.stalled_body_s == GUARD_STALLED_BODY_FOR_EVER,
        .stage_above = settings->stage_above,
        .at_once_bytes = atomic_load_explicit(&client->store->at_once_bytes, memory_order_relaxed),
    };
}

char *client_record_path(const os_client *client, const char *object_key)
{
    const char *prefix = client->settings.record_prefix ? client->settings.record_prefix : "";
    size_t size = strlen(prefix) + strlen(object_key) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", prefix, object_key);
    return path;
}

os_code client_record_path_of(const os_client *client, const char *key, char **ret, os_error *err)
{
    char *whole = NULL;
    if (key == NULL)
        return OS_OK;
    os_code code = client_object_key(client, key, &whole, err);
    if (code != OS_OK)
        return code;
    *ret = client_record_path(client, whole);
    free(whole);
    return *ret ? OS_OK : error_no_memory(err);
}

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

static os_code open_store(os_client *client, struct credentials *keys, os_error *err)
{
    const struct settings *settings = &client->settings;
    struct store_config config = {
        .loop = client->loop,
        .endpoint = &settings->s3_endpoint,
        .bucket = settings->bucket,
        .addressing = settings->addressing,
        .credentials = keys,
        .ca_file = settings->ca_file,
        .user_agent = settings->user_agent,
        .stall_ms = settings->request_timeout_ms,
        .marks = told_marks(settings->profile),
        .root = settings->root,
    };
    if (settings->store_scheme == SETTINGS_FILE)
        return local_store_new(&config, &client->store, err);
    if (settings->signature == OS_SIGNATURE_V2)
        return sigv2_store_new(&config, &client->store, err);
    return s3_store_new(&config, &client->store, err);
}

static os_code open_ledger(os_client *client, struct credentials *keys, os_error *err)
{
    const struct settings *settings = &client->settings;
    struct ledger_config config = {
        .loop = client->loop,
        .endpoint = &settings->dynamodb_endpoint,
        .table = settings->table,
        .credentials = keys,
        .stall_ms = settings->request_timeout_ms,
        .description = settings->table,
    };
    if (settings->ledger_scheme == SETTINGS_SQLITE)
        return local_ledger_new(&config, &client->ledger, err);
    if (settings->ledger_scheme == SETTINGS_DYNAMODB)
        return dynamo_ledger_new(&config, &client->ledger, err);
    credentials_free(keys);
    return OS_OK;
}

static os_code open_parts(os_client *client, struct credentials *store_keys, struct credentials *ledger_keys,
                          os_error *err)
{
    struct http_engine_options http = {
        .ca_file = client->settings.ca_file,
        .user_agent = client->settings.user_agent,
        .connect_timeout_ms = client->settings.connect_timeout_ms,
        .max_connections = client->settings.max_connections,
    };
    os_code code = loop_new(&http, &client->loop, err);
    if (code == OS_OK)
        code = open_store(client, store_keys, err);
    if (code != OS_OK) {
        if (client->store == NULL)
            credentials_free(store_keys);
        credentials_free(ledger_keys);
        return code;
    }
    code = open_ledger(client, ledger_keys, err);
    if (code != OS_OK)
        credentials_free(ledger_keys);
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
    log_line(&client->log, OS_LOG_WARN,
             "Requests to http://%s%s%s go unencrypted to another machine: who is on the way can read objects, records "
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
                 settings->mode == OS_GUARD_AUTO ? "what that proves, without records"
                                                 : way_guard_name(settings->mode));
}

/* Section 7. Those that leave the endpoint out have the profile, and need no record: nothing would keep the two apart.
 */
static void warn_of_missed_profile(os_client *client)
{
    const struct settings *settings = &client->settings;
    bool bare = settings->profile == NULL && settings->condition_headers != OS_ON;
    if (settings->store_scheme == SETTINGS_S3 && settings->signature == OS_SIGNATURE_V4 && client->ledger && bare &&
        own_profile_is_missed(&settings->s3_endpoint, settings->bucket))
        log_line(
            &client->log, OS_LOG_WARN,
            "The endpoint %s is given, so guarded writes go under records and carry no condition. A client without "
            "this ledger that leaves the endpoint out writes by Amazon S3's conditions alone, and neither sees the "
            "other. Leave the endpoint out in both, or set store_profile=aws and guard=both here.",
            settings->s3_endpoint.host);
}

static os_code open_client(os_client *client, const os_options *options, os_error *err)
{
    struct credentials *store_keys = NULL;
    struct credentials *ledger_keys = NULL;
    os_code code = settings_new(options, &client->settings, &store_keys, &ledger_keys, err);
    client->log.fn = client->settings.log ? client_tell_log : NULL;
    client->log.context = client;
    client->log.level = client->settings.log_level;
    if (code == OS_OK)
        code = open_parts(client, store_keys, ledger_keys, err);
    if (code == OS_OK)
        client->thread_running = thread_start(&client->thread, io_thread, client);
    if (code == OS_OK && !client->thread_running)
        code = error_set(err, OS_ERR_NO_MEMORY,
                         "The client's I/O thread could not be started: the system's limit on threads is reached.");
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

void os_client_close(os_client *client)
{
    if (client == NULL || client_is_forked(client))
        return;
    if (client->thread_running && client_is_inside(client))
        return; /* the call, or callback, that this one is in could never end */
    if (client->thread_running) {
        os_cancel_trigger(client->closing);
        client_wait_for_calls(client);
        wait_for_background(client);
        loop_stop(client->loop);
        thread_join(&client->thread);
        run_free_all(client);
        release_free_all(client);
        fence_check_free(client);
    }
    if (client->loop)
        loop_drain(client->loop);
    if (client->ledger)
        client->ledger->vtable->free(client->ledger);
    if (client->store)
        client->store->vtable->free(client->store);
    loop_free(client->loop);
    settings_free(&client->settings);
    log_destroy(&client->log);
    os_cancel_free(client->closing);
    monitor_destroy(&client->idle);
    free(client);
}
