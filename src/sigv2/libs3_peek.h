/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees the answer that libs3 is about to read: status, headers, and a short body, by looking at what lies in the socket
 * without taking it (MSG_PEEK). libs3 2.0 says too little of an answer, and some of it wrong (libs3_driver.h). Possible
 * because https is refused, and because libs3 reads only when it is told to.
 *
 * A call that sends may read as well, and the answer may have come in between. So a gate is kept shut while the tap has
 * not seen what lies there: libcurl asks poll before it reads, and poll is silent below SO_RCVLOWAT. Two gaps stay: a
 * connection that stands at once (loopback) may be answered within the very call that made it, and an answer whose
 * connection the server closes is let through. An answer that was missed is known as such (`answered` is false), and so
 * is one that comes behind it on the same connection (`overread`).
 */
#ifndef OSCOMMIT_SIGV2_LIBS3_PEEK_H
#define OSCOMMIT_SIGV2_LIBS3_PEEK_H

#include "base/http_message.h"

struct libs3_peek {
    /* what the request is, set by the caller */
    bool no_body;       /* HEAD: none follows the answer's headers */
    bool want_body;     /* also of a 2xx (COPY's result document) */
    bool wait_for_body; /* all of a 2xx's must lie there before libs3 reads, as it takes half of it for the whole (LIST)
                         */
    bool sends_nothing; /* it has no body: libs3 need not see a 100 */
    /* what came */
    bool answered;   /* `answer` holds status and headers of the final answer */
    bool whole_body; /* and its body, or that has come where it was only waited for */
    bool no_memory;  /* it came, and could not be kept */
    bool overread;   /* libs3 had read what was not looked at: what came is perhaps the answer to a second copy */
    struct http_response answer;
    /* the tap's own */
    bool over; /* nothing more to look for */
    bool held;
    size_t seen;   /* bytes, at the last look while held */
    size_t wanted; /* bytes, while held */
    size_t passed; /* bytes of 1xx answers */
    char *bytes;
};

enum libs3_peek_step {
    LIBS3_PEEK_NOTHING = 1, /* nothing has come: libs3 may write, and must not read */
    LIBS3_PEEK_PASS,        /* let libs3 read */
    LIBS3_PEEK_HOLD,        /* more must come first: libs3 must not be called; libs3_peek_open lets poll tell of it */
    LIBS3_PEEK_ABORT        /* libs3 must not see this: it would send the request again */
};

bool libs3_peek_init(struct libs3_peek *peek); /* false when out of memory */
void libs3_peek_free(struct libs3_peek *peek);
enum libs3_peek_step libs3_peek_head(struct libs3_peek *peek, int fd);
void libs3_peek_open(const struct libs3_peek *peek, int fd);  /* before our poll */
void libs3_peek_close(const struct libs3_peek *peek, int fd); /* before a call of libs3 that must not read */

#endif
