/* SPDX-License-Identifier: Apache-2.0 */
/* The small things that the rooms above share: a call on the I/O thread, dates, keys, the notes of requests. */
#include "client/client.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "store/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RETRY_TOLD_MS = 5000 };

/* ------------------------------------------------------------------------------------------------ sync */

static void sync_job(struct loop_job *job)
{
    struct sync *sync = container_of(job, struct sync, job);
    sync->start(sync);
}

os_code sync_run(os_client *client, struct sync *sync, os_error *err)
{
    if (!monitor_init(&sync->monitor))
        return error_no_memory(err);
    sync->finished = false;
    sync->followed_by = NULL;
    sync->job.run = sync_job;
    loop_post(client->loop, &sync->job);
    monitor_enter(&sync->monitor);
    while (!sync->finished)
        monitor_wait(&sync->monitor);
    monitor_leave(&sync->monitor);
    monitor_destroy(&sync->monitor);
    return OS_OK;
}

void sync_begin(struct sync *sync, void (*followed_by)(struct sync *sync), void *context)
{
    sync->followed_by = followed_by;
    sync->context = context;
    sync->start(sync);
}

void sync_finish(struct sync *sync)
{
    if (sync->followed_by) {
        sync->followed_by(sync);
        return;
    }
    monitor_enter(&sync->monitor);
    sync->finished = true;
    monitor_wake(&sync->monitor); /* inside: the waiter destroys it right after */
    monitor_leave(&sync->monitor);
}

/* ------------------------------------------------------------------------------------------------ shared */

struct op_limits client_limits(const os_client *client, const os_call *call)
{
    return (struct op_limits){
        .loop = client->loop, .cancel = call->cancel, .closing = client->closing, .deadline_ms = call->deadline_ms};
}

void client_background(os_client *client, int change)
{
    monitor_enter(&client->idle);
    client->background_count = change > 0 ? client->background_count + 1 : client->background_count - 1;
    if (client->background_count == 0)
        monitor_wake(&client->idle);
    monitor_leave(&client->idle);
}

bool client_background_enter(os_client *client)
{
    monitor_enter(&client->idle);
    bool closing = cancel_triggered(client->closing);
    client->background_count += !closing;
    monitor_leave(&client->idle);
    return !closing;
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
                 "The store's Date is second %llu, which is %s; the client ignores it until other answers agree. Check "
                 "that the clocks of the store's front ends are set, and that no proxy replaces the Date header.",
                 (unsigned long long)answer->date_s,
                 client->dates.known ? "later than the previous answers and the time since then allow"
                                     : "far ahead of this machine's clock");
    return belief;
}

void client_note_date(os_client *client, const struct store_answer *answer, const struct clock_reading *sent)
{
    if (store_answer_names_version(answer))
        client->versioned = true;
    if (store_answer_names_version(answer) && answer->status == 404 && answer->object.delete_marker)
        client->told.names_markers = true;
    client->belief = answer->has_date ? judge_date(client, answer, sent) : DATE_NONE;
}

struct asking {
    struct sync sync;
    os_client *client;
    bool known;
    uint64_t date_s;
};

static void client_read_time(struct sync *sync)
{
    struct asking *asking = container_of(sync, struct asking, sync);
    asking->known = asking->client->dates.known;
    asking->date_s = asking->client->dates.date_s;
    sync_finish(sync);
}

os_code client_store_time(os_client *client, uint64_t *ret_s, os_error *err)
{
    struct asking asking = {.sync = {.start = client_read_time}, .client = client};
    os_code code = sync_run(client, &asking.sync, err);
    if (code != OS_OK)
        return code;
    if (!asking.known)
        return error_set(err, OS_ERR_PROTOCOL,
                         "No answer of the store had a Date header, so the store's time is unknown.");
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
    client_report_metric(client, &metric);
}

void client_note_retry(os_client *client, const os_error *error)
{
    struct clock_reading now;
    clock_read(&now);
    if (client->pace.retry_told_ms != 0 && now.monotonic_ms - client->pace.retry_told_ms < RETRY_TOLD_MS)
        return;
    client->pace.retry_told_ms = now.monotonic_ms;
    log_line(&client->log, OS_LOG_INFO, "%s It is tried again.", error->message);
}

os_code client_object_key(const os_client *client, const char *key, char **ret, os_error *err)
{
    if (key == NULL || key[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The object key is empty; give 1 to 1,024 bytes of UTF-8.");
    const char *prefix = client->settings.prefix ? client->settings.prefix : "";
    char *whole = text_join(prefix, key);
    if (whole == NULL)
        return error_no_memory(err);
    os_code code = client->store->vtable->check_key(client->store, whole, err);
    if (code != OS_OK) {
        free(whole);
        return code;
    }
    *ret = whole;
    return OS_OK;
}

void client_write_plan_rules(const os_client *client, struct write_plan_rules *ret)
{
    const struct settings *settings = &client->settings;
    bool takes_uploads = settings->profile == NULL || settings->profile->uploads != PROFILE_NO;
    *ret = (struct write_plan_rules){
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

os_code client_may_put(const os_client *client, bool create, os_error *err)
{
    const struct write_plan_params put = {.operation = PLAN_PUT, .create = create};
    struct write_plan_rules rules;
    struct write_plan plan;
    os_error error;
    client_write_plan_rules(client, &rules);
    if (write_plan_choose(&rules, &put, &plan, &error) != OS_ERR_CONFIG)
        return OS_OK;
    if (err != NULL)
        *err = error;
    return OS_ERR_CONFIG;
}

char *client_record_path(const os_client *client, const char *object_key)
{
    return text_join(client->settings.record_prefix ? client->settings.record_prefix : "", object_key);
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
