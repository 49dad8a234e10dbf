/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the engines of the processes and the two services: every request is a few events (it arrives, it is handled,
 * its answer arrives), and each of them may go wrong in the ways that the seed has.
 */
#ifndef OSCOMMIT_TEST_SIM_NETWORK_H
#define OSCOMMIT_TEST_SIM_NETWORK_H

#include "sim/engine.h"
#include "sim/world.h"

/* The hosts of the two endpoints. */
#define NETWORK_S3     "s3.sim"
#define NETWORK_DYNAMO "dynamodb.sim"
#define NETWORK_BUCKET "bucket"
#define NETWORK_TABLE  "records"
#define NETWORK_LEASES "leases"
#define NETWORK_REGION "us-east-1"

/* The number of the process's next request, for faults. */
uint64_t network_occasion(const struct process *process);
enum network_request {
    NETWORK_READ,
    NETWORK_ATTEMPT, /* a write of an object */
    NETWORK_STAGING, /* a write that no reader sees: an upload's beginning, its parts, its abort */
    NETWORK_LEDGER,
    NETWORK_ROWS /* a write of rows: as an attempt, sent once */
};
enum network_request network_request_of(const struct world *world, const struct http_request *request);

/* How it travels (F2 to F4). */
enum network_body {
    NETWORK_BODY_AT_ONCE,
    NETWORK_BODY_FREE,     /* the kernel delivers it as slowly as the link is, whatever becomes of its sender */
    NETWORK_BODY_HELD_BACK /* all but its tail: then engine_tail_is_due, and network_tail */
};

/* Bytes are copied; the answer comes by engine_receive. */
void network_send(struct process *process, struct http_engine *engine, uint64_t transfer, enum network_request kind,
                  enum network_body body, const struct buf *bytes);
/* The tail leaves, or never will. Nothing, where none is waited for. */
void network_tail(struct world *world, const struct http_engine *engine, uint64_t transfer, bool leaves);
/* The process has died: its connections are reset. */
void network_forget(const struct process *process);
/* What meets the process between its look at the clock and the write of the tail. On the process's own thread. */
void network_strike_tail(struct process *process, uint64_t occasion);

/* What meets the process itself at this request, before or after it is sent: it
 * stops, its clock is set, it dies (then this does not return). On the process's own thread. */
void network_strike_process(struct process *process, uint64_t occasion, enum network_request request, bool after);

#endif
