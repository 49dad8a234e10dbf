/* SPDX-License-Identifier: Apache-2.0 */
/* A server and an engine for each test. */
#ifndef OSCOMMIT_TEST_UNIT_HTTP_FIXTURE_H
#define OSCOMMIT_TEST_UNIT_HTTP_FIXTURE_H

#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/socket_watch.h"
#include "support/test.h"

#include <stdlib.h>

struct fixture {
    struct http_server *server;
    struct http_engine *engine;
};

/* The engine trusts the server where that has a certificate. */
static inline void fixture_start(struct fixture *ret, uint32_t max_connections,
                                 const struct http_server_options *options)
{
    ret->server = http_server_start(options);
    ret->engine = probe_engine(max_connections, options && options->tls ? http_server_ca_file(ret->server) : NULL);
}

static inline void fixture_tear_down(struct fixture *fixture)
{
    socket_watch_end();
    http_engine_free(fixture->engine);
    http_server_stop(fixture->server);
}

/* Leaves a connection behind that is kept. */
static inline void fixture_warm_up(struct fixture *fixture)
{
    struct probe probe;
    probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/warm");
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
}

static inline void fixture_init_once(struct fixture *fixture, struct probe *probe, const char *method, const void *data,
                                     size_t length)
{
    probe_init(probe, method, http_server_host(fixture->server), "/attempt", data, length);
    probe->start.once = true;
}

#endif
