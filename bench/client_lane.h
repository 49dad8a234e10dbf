/* SPDX-License-Identifier: Apache-2.0 */
/* A lane is one of the operations in flight: it begins its next operation when the last one has ended. */
#ifndef BENCH_CLIENT_LANE_H
#define BENCH_CLIENT_LANE_H

#include "client.h"
#include "measure.h"

#include <pthread.h>
#include <stdbool.h>

enum { KEY_SIZE = 256 };

struct lane {
    const struct settings *settings;
    os_client *client;
    pthread_t thread; /* of blocking calls */
    unsigned number;
    uint64_t serial;
    uint64_t begun_us;
    uint64_t until_us;
    char etag[128]; /* MODE_UPDATE: what stands there */
    char *body;
    struct samples samples;
    bool failed;
    char error[256];
};

/* The next operation, to its end. */
void lane_step(struct lane *lane);

/* All operations until the lane's time is over are started and not waited for: each in the completion of the one before
 * it. They end when `ended` is called, on the client's thread. For MODE_CREATE, MODE_UPDATE and MODE_COPY. */
typedef void (*lane_ended_fn)(void *context);
struct lane_run {
    struct lane *lane;
    lane_ended_fn ended;
    void *context;
};
void lane_run(struct lane_run *run); /* lives until `ended` */

#endif
