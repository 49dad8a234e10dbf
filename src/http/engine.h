/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many HTTP requests at once over one libcurl multi handle, on one thread. Knows nothing of S3 or DynamoDB. Everything
 * but http_engine_wakeup must be called on the thread that runs the engine.
 *
 * What it promises for a request marked `once` (R6): it leaves at most one time on at most one connection (libcurl
 * sends again when a reused connection dies before the first answer byte; this engine does not let it), and when its
 * deadline passes or it is cancelled the connection is aborted (SO_LINGER 0: a reset, and what the kernel still held is
 * dropped), with TCP_USER_TIMEOUT keeping the kernel from delivering late. How the tail of its body travels is said by
 * http_start.tail: a store never has the whole of a request later than the allowance of docs/rules.md, F2, says.
 *
 * Redirects are never followed, and no answer but the final one counts (1xx are skipped).
 */
#ifndef OSCOMMIT_HTTP_ENGINE_H
#define OSCOMMIT_HTTP_ENGINE_H

#include "base/clock.h"
#include "base/http_message.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

struct http_engine;

struct http_engine_options { /* strings borrowed during http_engine_new only */
    const char *ca_file;     /* NULL: the system's */
    const char *user_agent;
    uint64_t connect_timeout_ms;
    uint32_t max_connections; /* per host; an eighth of them, but at least one of several, is kept from bulk */
};

os_code http_engine_new(const struct http_engine_options *options, struct http_engine **ret, os_error *err);
/* Cancels what runs: each callback gets OS_ERR_CANCELLED. Not from a callback. */
void http_engine_free(struct http_engine *engine);

/* How a request travels (F2 to F4). */
struct http_delivery {
    uint64_t wire_bytes; /* headers and body, with what TLS adds: at most */
    /* The end of the headers and the whole body arrive together, so that neither a slow link nor a process that is
     * stopped can keep a store waiting for the rest: there is no body, or all fits into one segment of the connection,
     * over TLS into one record. */
    bool at_once;
};
/* `segment_bytes`: what the connections to this host were seen to send in a segment (http_result); 0: not known. */
void http_engine_delivery(const struct http_engine *engine, const struct http_request *request, uint64_t segment_bytes,
                          struct http_delivery *ret);
/* The same of an engine with this user agent. */
void http_delivery_of(const struct http_request *request, const char *user_agent, uint64_t segment_bytes,
                      struct http_delivery *ret);

/* How the tail of a body leaves. */
enum http_tail {
    HTTP_TAIL_FREE = 0, /* as it comes */
    HTTP_TAIL_AT_ONCE,  /* with all the rest (http_delivery.at_once): on a connection that would part them, nothing is
                           sent */
    HTTP_TAIL_HELD_BACK /* it waits in user space until all before it has been acknowledged, and is handed over only
                           while less than tail_before_ms have passed since tail_clock by the clock that advanced most.
                           Else the connection is reset: the request is never whole. A process that is killed resets it
                           as well */
};

/* How a request ended as far as the transport goes. */
struct http_result {
    /* OS_OK: a complete answer came. Else NETWORK, TLS, DEADLINE (also a stall), CANCELLED, PROTOCOL (over a limit, cut
     * short, no HTTP), BODY (the file has another length), IO, STOPPED (by the sink), ARGUMENT (a host that is none),
     * NO_MEMORY */
    os_code code;
    /* At least one byte of the request may have left: with code != OK it may be applied. False is certain. */
    bool sent;
    bool answered_in_part;       /* status and headers came, the body did not come whole */
    bool tail_kept;              /* HELD_BACK: the tail never left */
    uint64_t acknowledged_bytes; /* HELD_BACK: of the body, when it ended */
    uint64_t sent_us;            /* of duration_us: since the first byte may have left */
    uint32_t segment_bytes;      /* that the connection sends in a segment; 0: none, or TLS */
    /* Borrowed for the callback; take its parts by copying. Status 0 if the headers did not come whole. */
    struct http_response *response;
    uint64_t duration_us;
    /* Why, in a clause without capital and full stop; names the host, never a URL with a signature in it. */
    char message[256];
};
typedef void (*http_done_fn)(void *context, const struct http_result *result);
typedef int (*http_sink_fn)(void *context, const void *data, size_t length); /* 0: go on; else OS_ERR_STOPPED */
typedef os_code (*http_approve_fn)(void *context, const struct http_response *response);
typedef void (*http_progress_fn)(void *context, uint64_t sent_bytes, uint64_t total_bytes);

struct http_start {
    struct http_request *request; /* borrowed, with its body, until done */
    bool once;                    /* R6, see above */
    bool bulk;                    /* may take as long as its bytes do, and waits where too many of the kind run */
    uint32_t user_timeout_ms;     /* TCP_USER_TIMEOUT; 0: the kernel's */
    enum http_tail tail;
    struct clock_reading tail_clock;
    uint64_t tail_before_ms;
    uint32_t late_segment_ms;       /* HELD_BACK: TCP_USER_TIMEOUT of the tail; 0: user_timeout_ms */
    uint64_t deadline_monotonic_ms; /* absolute; 0: none */
    uint64_t stall_ms;              /* no byte in either direction for so long: OS_ERR_DEADLINE; 0: off */
    size_t body_max;                /* of an answer kept in memory */
    bool loopback;                  /* use no proxy */
    bool secret;                    /* the answer has keys: what was kept of it is wiped */
    /* Asked once, when the final answer's headers are here and before any of its body is given on: OS_OK, or the code
     * that the request ends with. May be NULL. */
    http_approve_fn approve;
    void *approve_context;
    /* NULL: into response->body. Used only for a 2xx answer; error bodies always go to response->body. */
    http_sink_fn sink;
    void *sink_context;
    http_progress_fn progress; /* may be NULL */
    void *progress_context;
    /* Exactly once, from http_engine_poll, http_engine_cancel or http_engine_free; never from http_engine_start. */
    http_done_fn done;
    void *done_context;
};

/* Starts a request; nothing is sent before the next http_engine_poll. *ret_id is its handle until `done` and never used
 * again. May be called from any callback. On failure `done` is not called: OS_ERR_BODY (the file is not `length` bytes
 * long), OS_ERR_IO, OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY, OS_ERR_CANCELLED (the engine is being freed). */
os_code http_engine_start(struct http_engine *engine, const struct http_start *start, uint64_t *ret_id, os_error *err);
/* Unknown ids are ignored. May be called from any callback; from a sink or a progress function it takes effect
 * as soon as that has returned. */
void http_engine_cancel(struct http_engine *engine, uint64_t id);

/* Moves everything on; returns when something ended, after timeout_ms, or on a wake-up. Not from a callback. */
void http_engine_poll(struct http_engine *engine, uint64_t timeout_ms);
void http_engine_wakeup(struct http_engine *engine); /* from any thread */

/* One more request that is not bulk would find a connection at once, to whatever host. */
bool http_engine_has_room(const struct http_engine *engine);
uint64_t http_engine_ended_count(const struct http_engine *engine); /* requests, since it was made */

/* For a loop of somebody else's, which waits in place of http_engine_poll: a descriptor that becomes readable when there
 * is something to do, and the time on the monotonic clock at which there will be anyway (UINT64_MAX: never). Whoever
 * begins to wait says so first: wakeups are not heard by the descriptor before. */
int http_engine_fd(const struct http_engine *engine);
uint64_t http_engine_due_ms(struct http_engine *engine);
void http_engine_await(struct http_engine *engine);

#endif
