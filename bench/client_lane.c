/* SPDX-License-Identifier: Apache-2.0 */
#include "client_lane.h"

#include <oscommit_async.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No two writes of a run have the same bytes, which would be the same ETag. */
static os_body lane_body(struct lane *lane)
{
    size_t len = lane->settings->bytes;
    memset(lane->body, '.', len);
    snprintf(lane->body, len, "%ld %u %" PRIu64, (long)getpid(), lane->number, lane->serial);
    return (os_body)OS_BODY_MEMORY(lane->body, len);
}

/* An update's lane has a key of its own; a create or a copy takes a new one. */
static void lane_key(const struct lane *lane, char ret[KEY_SIZE])
{
    if (lane->settings->mode == MODE_UPDATE)
        snprintf(ret, KEY_SIZE, "%s/lane-%u", lane->settings->prefix, lane->number);
    else
        snprintf(ret, KEY_SIZE, "%s/%u-%" PRIu64, lane->settings->prefix, lane->number, lane->serial);
}

static void lane_source(const struct lane *lane, char ret[KEY_SIZE])
{
    snprintf(ret, KEY_SIZE, "%s/source", lane->settings->prefix);
}

static void lane_begin(struct lane *lane)
{
    lane->begun_us = measure_now_us();
    lane->serial++;
}

static void lane_end(struct lane *lane, os_verdict verdict, const os_result *result, const os_error *err)
{
    if (verdict == OS_COMMITTED) {
        samples_add(&lane->samples, measure_now_us() - lane->begun_us);
        memcpy(lane->etag, result->etag, sizeof(lane->etag));
    } else if (verdict != OS_CONFLICT || lane->settings->mode != MODE_COUNTER) { /* a counter's time may be over */
        lane->failed = true;
        snprintf(lane->error, sizeof(lane->error), "%s: %.200s", os_verdict_name(verdict), err->message);
    }
}

/* --------------------------------------------------------------------------------------------------------- blocking */

/* Begins nothing after the end of the run. What has begun by then may end: cut off in its write, it would be unknown. */
enum { COUNTER_GRACE_MS = 5000 };

static int add_one(void *context, const os_current *current, os_body *ret)
{
    struct lane *lane = context;
    if (measure_now_us() >= lane->until_us)
        return 1;
    int length = snprintf(lane->body, lane->settings->bytes, "%llu", strtoull(current->data, NULL, 10) + 1);
    *ret = (os_body)OS_BODY_MEMORY(lane->body, (size_t)length);
    return 0;
}

static os_verdict lane_increment(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    os_call call = OS_CALL_INIT;
    uint64_t now_us = measure_now_us();
    call.deadline_ms = (lane->until_us > now_us ? (lane->until_us - now_us) / 1000 : 0) + COUNTER_GRACE_MS;
    snprintf(key, sizeof(key), "%s/counter", lane->settings->prefix);
    os_verdict verdict = os_update(lane->client, key, add_one, lane, NULL, &call, ret, err);
    bool is_over = verdict == OS_NOT_EXECUTED && err->code == OS_ERR_STOPPED;
    return is_over ? OS_CONFLICT : verdict;
}

static os_verdict lane_write(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    os_body body = lane_body(lane);
    lane_key(lane, key);
    if (lane->settings->mode == MODE_UPDATE && lane->etag[0] != '\0')
        return os_put_if_match(lane->client, key, lane->etag, &body, NULL, NULL, ret, err);
    return os_put_if_absent(lane->client, key, &body, NULL, NULL, ret, err);
}

static os_verdict lane_copy(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    char source[KEY_SIZE];
    lane_key(lane, key);
    lane_source(lane, source);
    return os_copy_if_not_exists(lane->client, source, key, NULL, NULL, ret, err);
}

void lane_step(struct lane *lane)
{
    os_result result = OS_RESULT_INIT;
    os_error error;
    os_verdict verdict;
    lane_begin(lane);
    switch (lane->settings->mode) {
    case MODE_COPY: verdict = lane_copy(lane, &result, &error); break;
    case MODE_COUNTER: verdict = lane_increment(lane, &result, &error); break;
    default: verdict = lane_write(lane, &result, &error); break;
    }
    lane_end(lane, verdict, &result, &error);
    os_result_clear(&result);
}

/* ---------------------------------------------------------------------------------------------------------- started */

static os_code start_operation(struct lane *lane, const os_start *start, os_error *err)
{
    char key[KEY_SIZE];
    char source[KEY_SIZE];
    os_body body = lane_body(lane);
    lane_key(lane, key);
    if (lane->settings->mode == MODE_COPY) {
        lane_source(lane, source);
        return os_start_copy_if_not_exists(lane->client, source, key, NULL, start, NULL, err);
    }
    if (lane->settings->mode == MODE_UPDATE && lane->etag[0] != '\0')
        return os_start_put_if_match(lane->client, key, lane->etag, &body, NULL, start, NULL, err);
    return os_start_put_if_absent(lane->client, key, &body, NULL, start, NULL, err);
}

static void on_complete(void *context, os_operation *operation)
{
    struct lane_run *run = context;
    lane_end(run->lane, os_operation_verdict(operation), os_operation_result(operation), os_operation_error(operation));
    os_operation_free(operation);
    lane_run(run);
}

void lane_run(struct lane_run *run)
{
    struct lane *lane = run->lane;
    os_start start = OS_START_INIT;
    os_error error = {.code = OS_OK};
    start.complete = on_complete;
    start.context = run;
    if (!lane->failed && measure_now_us() < lane->until_us) {
        lane_begin(lane);
        if (start_operation(lane, &start, &error) == OS_OK)
            return;
        lane_end(lane, OS_NOT_EXECUTED, NULL, &error);
    }
    run->ended(run->context);
}
