/* SPDX-License-Identifier: Apache-2.0 */
/* A call on objects without a guard, step after step (client/steps.h): what the parts of this folder share. */
#ifndef OSCOMMIT_PLAIN_CALL_H
#define OSCOMMIT_PLAIN_CALL_H

#include "base/buf.h"
#include "client/body.h"
#include "client/store_call.h"
#include "plain/get_file.h"
#include "plain/plain.h"

struct plain_get {
    os_sink sink;
    struct buf memory;
    struct get_file file;
    os_error local; /* what went wrong on this side */
};

/* What a put has made of its arguments. */
struct plain_put {
    struct s3_content content;
    struct s3_attributes attributes;
    struct body body;
};

struct listing;       /* list.c */
struct plain_warm;    /* warm.c */
struct plain_presign; /* presign.c */

struct plain {
    struct steps steps;
    plain_step_fn step; /* the next one */
    os_client *client;
    const struct plain_arguments *arguments;
    os_code code; /* what came of it */
    os_error error;
    struct store_call store_call;
    os_call call;                   /* what is left of the caller's */
    uint64_t deadline_monotonic_ms; /* of the whole call, once it was taken */
    char *key;                      /* whole; own */
    struct plain_get get;
    struct plain_put put;
    struct listing *listing; /* own */
    void (*free_listing)(struct listing *listing);
    struct plain_warm *warm;       /* own, until its requests have ended */
    struct plain_presign *presign; /* own, until it is signed */
    void (*over)(struct plain *plain);
};

/* A call that nobody waits for: prepared on any thread, begun on the loop's, where `over` is called when its code is
 * there. `plain` and `arguments` live until then; plain_free belongs to it. */
void plain_init(struct plain *ret, os_client *client, const struct plain_arguments *arguments, plain_step_fn first);
void plain_start(struct plain *plain, void (*over)(struct plain *plain));
void plain_free(struct plain *plain);

/* ------------------------------------------------------------------------------------------------ steps */

/* The ends of a step: the call is over, with what plain->error says unless it is OS_OK ... */
enum steps_next plain_over(struct plain *plain, os_code code);
/* ... or its request goes to the store, whose answer plain_answer gives to `next` ... */
enum steps_next plain_ask(struct plain *plain, const os_call *call, plain_step_fn next);
os_code plain_answer(struct plain *plain);
/* ... or `next` may block. */
enum steps_next plain_block(struct plain *plain, plain_step_fn next);

/* table.c: `step` does the whole call on a thread that may block. */
enum steps_next plain_table_block(struct plain *plain, plain_step_fn step);

enum steps_next plain_refuse_unstarted(struct plain *plain); /* for want of memory */

/* The caller's call, whose time begins now ... */
os_code plain_take_call(struct plain *plain);
/* ... and what is left of it: reading a stream, sending parts, or waiting for a thread has used some. */
void plain_take_time(struct plain *plain);
/* The whole key, and the request has it. */
os_code plain_take_key(struct plain *plain);
/* What the caller wants to know of the object. */
void plain_give_object(const struct plain *plain);

#endif
