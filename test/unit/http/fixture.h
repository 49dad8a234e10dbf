/* SPDX-License-Identifier: Apache-2.0 */
/* A server and an engine for each test. */
#ifndef OSCOMMIT_TEST_UNIT_HTTP_FIXTURE_H
#define OSCOMMIT_TEST_UNIT_HTTP_FIXTURE_H

#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <stdlib.h>

struct fixture {
    struct http_server *server;
    struct http_engine *engine;
};

static inline int fixture_open(void **state, uint32_t max_connections)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fixture->server = http_server_start(NULL);
    fixture->engine = probe_engine(max_connections, NULL);
    *state = fixture;
    return 0;
}

static inline int fixture_tear_down(void **state)
{
    struct fixture *fixture = *state;
    http_engine_free(fixture->engine);
    http_server_stop(fixture->server);
    free(fixture);
    return 0;
}

#endif
