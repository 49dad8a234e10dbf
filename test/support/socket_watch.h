/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees every send() and setsockopt() of the test's thread: a program that links this has them before libc's, also for
 * libcurl. Other threads (the test server's) are not watched.
 */
#ifndef OSCOMMIT_TEST_SOCKET_WATCH_H
#define OSCOMMIT_TEST_SOCKET_WATCH_H

#include <stddef.h>
#include <sys/types.h>

enum { SOCKET_WATCH_SENDS_MAX = 256 };

struct socket_watch {
    size_t sends;
    size_t asked[SOCKET_WATCH_SENDS_MAX]; /* bytes that were to be sent */
    ssize_t sent[SOCKET_WATCH_SENDS_MAX]; /* what send() returned */
    unsigned user_timeout_ms;             /* as last set on any socket */
    unsigned user_timeout_calls;
    unsigned resets;     /* SO_LINGER with 0 s */
    unsigned resets_off; /* and without it */
    size_t sends_before_reset;
};

void socket_watch_begin(void); /* from zero */
void socket_watch_end(void);
const struct socket_watch *socket_watch(void); /* of this thread */
size_t socket_watch_sent_bytes(void);
ssize_t socket_watch_last_send(void); /* of two at least */

#endif
