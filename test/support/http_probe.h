/* SPDX-License-Identifier: Apache-2.0 */
/* One request through the HTTP engine, and what became of it, for tests of the engine. */
#ifndef OSCOMMIT_TEST_HTTP_PROBE_H
#define OSCOMMIT_TEST_HTTP_PROBE_H

#include "http/engine.h"

struct probe {
    struct http_request request;
    struct http_start start; /* start.done belongs to the probe; change the rest before probe_start */
    uint64_t id;

    bool done;
    os_code code;
    bool sent;
    bool answered_in_part;
    int status;
    struct http_headers headers;
    struct buf body;
    char message[256];
    uint64_t duration_us;
    uint64_t sent_us;
    bool tail_kept;
    uint64_t acknowledged_bytes;
    uint32_t segment_bytes;
    void (*after)(struct probe *probe); /* called within `done` */
    void *after_context;
};

/* An engine for loopback, or the end of the program. ca_file may be NULL. */
struct http_engine *probe_engine(uint32_t max_connections, const char *ca_file);

/* scheme "http"; a body of `length` bytes from memory when data is not NULL, with a deadline of two minutes. */
void probe_init(struct probe *probe, const char *method, const char *host, const char *path, const void *data,
                size_t length);
void probe_free(struct probe *probe);

void probe_start(struct http_engine *engine, struct probe *probe);    /* fails the test when it is refused */
void probe_wait(struct http_engine *engine, struct probe *probe);     /* polls until it is done */
void http_probe_run(struct http_engine *engine, struct probe *probe); /* both */

/* init, run; keeps the result in *probe, which the caller frees. */
void probe_get(struct http_engine *engine, struct probe *probe, const char *host, const char *path);

uint64_t probe_now_ms(void);

#endif
