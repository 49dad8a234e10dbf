/* SPDX-License-Identifier: Apache-2.0 */
/* One libs3 request on a context of its own, driven until it ends, its deadline passes, or it is cancelled. */
#ifndef OSCOMMIT_SIGV2_LIBS3_RUN_H
#define OSCOMMIT_SIGV2_LIBS3_RUN_H

#include "s3/read_check.h"
#include "sigv2/libs3_driver.h"
#include "sigv2/libs3_peek.h"

#include <libs3.h>
#include <poll.h>

enum { LIBS3_RUN_FDS = 8 };

struct libs3_run {
    const struct libs3_call *call;
    S3RequestContext *context;
    struct libs3_peek peek;
    struct pollfd fds[LIBS3_RUN_FDS];
    nfds_t fd_count;
    int tuned_fd;
    int ear_fd; /* the same connection, kept to hear of its end when libs3 has closed its own; -1: none */

    bool started; /* libs3 has been told to go on at least once */
    bool stood;   /* a connection was seen to stand */
    bool waiting; /* and since libs3 was last called, all that it shows waits for a connection, or for a name */

    os_code ended;  /* OS_OK: by itself, or by an answer that it must not see; else DEADLINE, CANCELLED, NO_MEMORY,
                       NETWORK, PROTOCOL */
    bool closed;    /* the server had closed the connection before libs3 found the end of the answer */
    bool kept;      /* libs3 has kept the connection: so the end of the answer was its end, and no time-out of libs3 */
    uint64_t taken; /* of the connection, when something of the body was given on for the last time */
    bool done;      /* libs3 called its complete callback, with: */
    S3Status status;
    char code[64]; /* what libs3 read from an error document; "" if none */
    char message[512];

    /* what the callbacks of the operations need */
    bool reads;                   /* it changes nothing, so that libs3's own word of a refusal will do */
    const struct http_body *body; /* PUT */
    uint64_t body_offset;
    os_code body_code;
    int body_errno;
    libs3_sink_fn sink; /* GET */
    void *sink_context;
    const char *key;
    uint64_t offset;
    uint64_t count;
    struct s3_read_check read;
    os_error read_error; /* its code is OS_OK where the bytes are those that were asked for */
    bool sink_stopped;
    bool missed;             /* data came before the tap had seen the answer: none of it was given on */
    struct libs3_page *page; /* LIST */
};

/* Starts the request on run->context with `run` as callbackData and libs3_run_response or a handler made of it. */
typedef void (*libs3_begin_fn)(struct libs3_run *run, const void *arguments);

bool libs3_run_init(struct libs3_run *run, const struct libs3_call *call); /* false when out of memory */
bool libs3_run_again(struct libs3_run *run);                               /* as before the request; false likewise */
void libs3_run_free(struct libs3_run *run);
void libs3_run_gave(struct libs3_run *run); /* something of the body was given on */
void libs3_run_until_done(struct libs3_run *run, libs3_begin_fn begin, const void *arguments);
bool libs3_run_sent(const struct libs3_run *run); /* at least one byte may have left */

extern const S3ResponseHandler libs3_run_response;

#endif
