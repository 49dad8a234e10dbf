/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of one operation on DynamoDB, one after another: each waits for keys, is built, signed and sent, and its
 * answer is given to the owner. On the loop's thread.
 */
#ifndef OSCOMMIT_TABLE_DYNAMO_CALL_H
#define OSCOMMIT_TABLE_DYNAMO_CALL_H

#include "aws/endpoint.h"
#include "aws/sigv4.h"
#include "credentials/credentials.h"
#include "dynamo/response.h"
#include "loop/loop.h"

/* What all operations on one endpoint share. */
struct dynamo_connection {
    struct loop *loop;
    struct endpoint endpoint;
    struct credentials *credentials; /* borrowed */
    struct sigv4_signer *signer;
    int64_t skew_s; /* the service's clock minus ours (E2) */
    uint64_t stall_ms;
};
/* The credentials are borrowed until the close. False when out of memory. */
bool dynamo_connection_open(struct dynamo_connection *connection, struct loop *loop, const struct endpoint *endpoint,
                            struct credentials *credentials, uint64_t stall_ms);
void dynamo_connection_close(struct dynamo_connection *connection);

struct dynamo_call;

/* One of `answered`, `unanswered`, `failed` follows each dynamo_call_send, and never runs inside of it. */
struct dynamo_caller {
    os_code (*build)(struct dynamo_call *call, os_error *err); /* `http` and `body` */
    void (*answered)(struct dynamo_call *call, const struct http_response *response);
    /* No whole answer. TABLE_THROTTLED: it certainly never left this machine; TABLE_REFUSED: no TLS, and nothing had
     * left on an earlier connection; TABLE_AMBIGUOUS: the rest. */
    void (*unanswered)(struct dynamo_call *call, const struct http_result *result, enum table_outcome outcome);
    void (*failed)(struct dynamo_call *call, const os_error *why); /* nothing was sent */
    void (*cancelled)(struct dynamo_call *call);                   /* nothing is under way any more */
};

struct dynamo_call { /* embedded in the operation, which sets the times and `once` */
    const struct dynamo_caller *caller;
    struct dynamo_connection *connection;
    struct http_request http;
    struct buf body;
    uint64_t deadline_monotonic_ms;
    uint64_t try_ms;   /* each request; 0: until the deadline */
    bool once;         /* no layer below sends it a second time (L9) */
    uint64_t fresh_ms; /* what could only be signed later than this after dynamo_call_send is not sent; 0: any time */
    uint32_t requests; /* sent */
    bool has_date;     /* of the last answer: when the service made it, by its own clock */
    int64_t date_s;
    /* its own */
    uint64_t http_id;
    struct credentials_waiter keys; /* the next request is not sent, for want of keys */
    struct clock_reading asked;     /* by dynamo_call_send */
    bool is_stale;                  /* `failed` for fresh_ms alone */
    bool repeated;
    bool posted; /* failed_job is on its way */
    bool is_cancelled;
    struct loop_job failed_job;
    os_error *failed; /* why nothing was sent; NULL: no memory */
};

void dynamo_call_init(struct dynamo_call *call, const struct dynamo_caller *caller,
                      struct dynamo_connection *connection);
void dynamo_call_free(struct dynamo_call *call); /* nothing is under way */
void dynamo_call_send(struct dynamo_call *call); /* the first request, or the next one */
/* After a definite answer that asks for exactly one repetition (E2): it is under way then. */
bool dynamo_call_repeats(struct dynamo_call *call, const struct dynamo_error *detail);
/* Ends in `cancelled`, perhaps inside of this. */
void dynamo_call_cancel(struct dynamo_call *call);

#endif
