/* SPDX-License-Identifier: Apache-2.0 */
/* Many operations in flight, for a time. */
#include "client_lane.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK_SIZE = 256 * 1024 };

static void *lane_work(void *context)
{
    struct lane *lane = context;
    while (!lane->failed && measure_now_us() < lane->until_us)
        lane_step(lane);
    return NULL;
}

/* Each lane on a thread of its own. */
static bool run_blocking(struct lane *lanes, unsigned count)
{
    pthread_attr_t attributes;
    unsigned started = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    while (started < count && pthread_create(&lanes[started].thread, &attributes, lane_work, &lanes[started]) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(lanes[i].thread, NULL);
    pthread_attr_destroy(&attributes);
    return started == count;
}

struct still_running {
    pthread_mutex_t mutex;
    pthread_cond_t none;
    unsigned count;
};

static void one_ended(void *context)
{
    struct still_running *running = context;
    pthread_mutex_lock(&running->mutex);
    if (--running->count == 0)
        pthread_cond_signal(&running->none);
    pthread_mutex_unlock(&running->mutex);
}

/* All lanes on the client's own thread. */
static bool run_started(struct lane *lanes, unsigned count)
{
    struct still_running running = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, count};
    struct lane_run *runs = calloc(count, sizeof(*runs));
    if (runs == NULL)
        return false;
    for (unsigned i = 0; i < count; i++) {
        runs[i] = (struct lane_run){&lanes[i], one_ended, &running};
        lane_run(&runs[i]);
    }
    pthread_mutex_lock(&running.mutex);
    while (running.count > 0)
        pthread_cond_wait(&running.none, &running.mutex);
    pthread_mutex_unlock(&running.mutex);
    free(runs);
    return true;
}

static bool run_phase(struct lane *lanes, const struct settings *settings, double seconds)
{
    uint64_t until_us = measure_now_us() + (uint64_t)(seconds * 1e6);
    for (unsigned i = 0; i < settings->in_flight; i++)
        lanes[i].until_us = until_us;
    return settings->started ? run_started(lanes, settings->in_flight) : run_blocking(lanes, settings->in_flight);
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

int run_load(os_client *client, const struct settings *settings)
{
    struct lane *lanes = make_lanes(client, settings);
    struct samples all = {0};
    unsigned count = settings->in_flight;
    const char *error = "";
    unsigned failed = 0;
    if (lanes == NULL || !prepare(client, settings) || !run_phase(lanes, settings, settings->warm))
        return 1;
    for (unsigned i = 0; i < count; i++)
        lanes[i].samples.count = 0;
    measure_wait_for_go();
    struct measure measure = measure_begin();
    if (!run_phase(lanes, settings, settings->seconds))
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
