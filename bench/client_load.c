/* SPDX-License-Identifier: Apache-2.0 */
/* Many operations in flight. A lane is one of them: it begins its next operation when the last one has ended. */
#include "client.h"
#include "measure.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SIZE = 256, STACK_SIZE = 256 * 1024 };

struct lane {
    const struct settings *settings;
    os_client *client;
    pthread_t thread;
    unsigned number;
    uint64_t serial;
    uint64_t until_us;
    char etag[128]; /* MODE_UPDATE: what stands there */
    char *body;
    struct samples samples;
    bool failed;
    char error[256];
};

/* No two writes of a run have the same bytes, which would be the same ETag. */
static os_body lane_body(struct lane *lane)
{
    size_t len = lane->settings->bytes;
    memset(lane->body, '.', len);
    snprintf(lane->body, len, "%ld %u %" PRIu64, (long)getpid(), lane->number, lane->serial);
    return (os_body)OS_BODY_MEMORY(lane->body, len);
}

/* ----------------------------------------------------------------------------------------------------- operations */

static os_verdict lane_create(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    os_body body = lane_body(lane);
    snprintf(key, sizeof(key), "%s/%u-%" PRIu64, lane->settings->prefix, lane->number, lane->serial);
    return os_put_if_absent(lane->client, key, &body, NULL, NULL, ret, err);
}

static os_verdict lane_copy(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    char source[KEY_SIZE];
    snprintf(source, sizeof(source), "%s/source", lane->settings->prefix);
    snprintf(key, sizeof(key), "%s/%u-%" PRIu64, lane->settings->prefix, lane->number, lane->serial);
    return os_copy_if_not_exists(lane->client, source, key, NULL, NULL, ret, err);
}

static os_verdict lane_update(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    os_body body = lane_body(lane);
    snprintf(key, sizeof(key), "%s/lane-%u", lane->settings->prefix, lane->number);
    os_verdict verdict = lane->etag[0] != '\0'
                             ? os_put_if_match(lane->client, key, lane->etag, &body, NULL, NULL, ret, err)
                             : os_put_if_absent(lane->client, key, &body, NULL, NULL, ret, err);
    memcpy(lane->etag, ret->etag, sizeof(lane->etag));
    return verdict;
}

/* Reads, adds one, commits; what os_update will do by itself. */
static os_verdict lane_increment_once(struct lane *lane, const char *key, os_result *ret, os_error *err)
{
    void *data = NULL;
    size_t len = 0;
    char text[32];
    os_sink sink = OS_SINK_INIT;
    os_object object = OS_OBJECT_INIT;
    sink.ret_data = &data;
    sink.ret_length = &len;
    if (os_get(lane->client, key, &sink, NULL, &object, err) != OS_OK)
        return OS_NOT_EXECUTED;
    snprintf(text, sizeof(text), "%llu", strtoull(data, NULL, 10) + 1);
    os_free(data);
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    return os_put_if_match(lane->client, key, object.etag, &body, NULL, NULL, ret, err);
}

static os_verdict lane_increment(struct lane *lane, os_result *ret, os_error *err)
{
    char key[KEY_SIZE];
    os_verdict verdict;
    snprintf(key, sizeof(key), "%s/counter", lane->settings->prefix);
    do {
        os_result_clear(ret);
        verdict = lane_increment_once(lane, key, ret, err);
    } while (verdict == OS_CONFLICT && measure_now_us() < lane->until_us);
    return verdict;
}

static os_verdict lane_operate(struct lane *lane, os_result *ret, os_error *err)
{
    switch (lane->settings->mode) {
    case MODE_UPDATE: return lane_update(lane, ret, err);
    case MODE_COPY: return lane_copy(lane, ret, err);
    case MODE_COUNTER: return lane_increment(lane, ret, err);
    default: return lane_create(lane, ret, err);
    }
}

/* ---------------------------------------------------------------------------------------------------------- lanes */

static void lane_step(struct lane *lane)
{
    os_result result = OS_RESULT_INIT;
    os_error error;
    uint64_t begun_us = measure_now_us();
    lane->serial++;
    os_verdict verdict = lane_operate(lane, &result, &error);
    if (verdict == OS_COMMITTED) {
        samples_add(&lane->samples, measure_now_us() - begun_us);
    } else if (verdict != OS_CONFLICT || lane->settings->mode != MODE_COUNTER) { /* a counter's time may be over */
        lane->failed = true;
        snprintf(lane->error, sizeof(lane->error), "%s: %.200s", os_verdict_name(verdict), error.message);
    }
    os_result_clear(&result);
}

static void *lane_work(void *context)
{
    struct lane *lane = context;
    while (!lane->failed && measure_now_us() < lane->until_us)
        lane_step(lane);
    return NULL;
}

/* Runs all lanes for a time, each on a thread of its own. When there is a non-blocking call (os_start_*), lanes without
 * threads belong here: one thread that begins a lane's next operation in the completion of its last one. */
static bool run_phase(struct lane *lanes, unsigned count, double seconds)
{
    pthread_attr_t attributes;
    unsigned started = 0;
    uint64_t until_us = measure_now_us() + (uint64_t)(seconds * 1e6);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    for (unsigned i = 0; i < count; i++)
        lanes[i].until_us = until_us;
    while (started < count && pthread_create(&lanes[started].thread, &attributes, lane_work, &lanes[started]) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(lanes[i].thread, NULL);
    pthread_attr_destroy(&attributes);
    return started == count;
}

/* What is copied, and what is counted. An update begins with a create in its first, unmeasured steps. */
static bool prepare(os_client *client, const struct settings *settings)
{
    char key[KEY_SIZE];
    os_error error;
    os_body body = OS_BODY_MEMORY("0", 1);
    if (settings->mode != MODE_COPY && settings->mode != MODE_COUNTER)
        return true;
    snprintf(key, sizeof(key), "%s/%s", settings->prefix, settings->mode == MODE_COPY ? "source" : "counter");
    if (os_put(client, key, &body, NULL, NULL, NULL, &error) == OS_OK)
        return true;
    fprintf(stderr, "bench_client: %s\n", error.message);
    return false;
}

static struct lane *make_lanes(os_client *client, const struct settings *settings)
{
    struct lane *lanes = calloc(settings->in_flight, sizeof(*lanes));
    for (unsigned i = 0; lanes != NULL && i < settings->in_flight; i++) {
        lanes[i] = (struct lane){.settings = settings, .client = client, .number = i, .body = malloc(settings->bytes)};
        if (lanes[i].body == NULL)
            abort();
    }
    return lanes;
}

static void wait_for_go(void)
{
    char line[16];
    printf("ready\n");
    fflush(stdout);
    (void)!fgets(line, sizeof(line), stdin);
}

int run_load(os_client *client, const struct settings *settings)
{
    struct lane *lanes = make_lanes(client, settings);
    struct samples all = {0};
    unsigned count = settings->in_flight;
    const char *error = "";
    unsigned failed = 0;
    if (lanes == NULL || !prepare(client, settings) || !run_phase(lanes, count, settings->warm))
        return 1;
    for (unsigned i = 0; i < count; i++)
        lanes[i].samples.count = 0;
    wait_for_go();
    struct measure measure = measure_begin();
    if (!run_phase(lanes, count, settings->seconds))
        return 1;
    measure_end(&measure);
    for (unsigned i = 0; i < count; i++) {
        samples_merge(&all, &lanes[i].samples);
        failed += lanes[i].failed;
        error = lanes[i].failed ? lanes[i].error : error;
        free(lanes[i].body);
    }
    measure_report(&measure, &all, failed, error);
    free(all.us);
    free(lanes);
    return 0;
}
