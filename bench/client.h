/* SPDX-License-Identifier: Apache-2.0 */
/* bench_client: this library beside bench_peer and bench_native (peer/src), which take the same arguments. */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <oscommit.h>

#include <stdbool.h>
#include <stdint.h>

enum client_mode { MODE_CREATE, MODE_UPDATE, MODE_COPY, MODE_COUNTER, MODE_LINES };

struct settings {
    enum client_mode mode;
    const char *folder; /* an embedded store, which is made there; else these of S3 and DynamoDB */
    const char *store_endpoint;
    const char *ledger_endpoint; /* that of the store, if none is given */
    const char *bucket;
    const char *table;
    const char *prefix;
    const char *guard;   /* "record", "native" ... [auto] */
    const char *profile; /* of the store [none] */
    const char *ca_file; /* PEM [the system's] */
    bool started;        /* os_start_..., from one thread; else blocking calls, each on a thread of its own */
    unsigned in_flight;
    size_t bytes;
    size_t stage_above; /* 0: by default */
    bool records_by_bucket;
    bool forward_only;
    double seconds;
    double warm;
};

/* Both return the status of the program. */
int run_load(os_client *client, const struct settings *settings);
int run_lines(os_client *client);

#endif
