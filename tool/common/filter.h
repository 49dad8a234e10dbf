/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes new bytes of old ones: those on its stdin, these from its stdout. It has been run well only if it
 * ended with status 0; what it wrote before another end is not used.
 */
#ifndef OSCOMMIT_TOOL_FILTER_H
#define OSCOMMIT_TOOL_FILTER_H

#include "cli/session.h"

#include <sys/types.h>

enum filter_end {
    FILTER_DONE = 0,
    FILTER_STATUS,    /* it ended with status `code` */
    FILTER_SIGNAL,    /* signal `code` ended it */
    FILTER_BROKEN,    /* it could not be run, fed or read: errno `code` */
    FILTER_TOO_LARGE, /* it wrote more than `most` */
    FILTER_STOPPED,   /* a signal ended the command */
    FILTER_LATE
};

struct filter {
    const struct session *session;
    char *const *program; /* and its arguments; ends with NULL */
    const char *url;
    uint64_t most;        /* bytes of its output */
    uint64_t deadline_ms; /* on the monotonic clock */

    char *output; /* of the last run; own */
    size_t length;
    size_t capacity;
    enum filter_end end;
    int code;

    pid_t child;
    int child_fd; /* a pidfd: readable when it has ended */
    int to_child; /* -1: closed */
    int from_child;
    const char *rest; /* of what it is still to be given */
    size_t rest_length;
};

void filter_init(struct filter *ret, const struct session *session, char *const *program, const char *url);
void filter_clear(struct filter *filter);

/* Runs it; it is not there any more afterwards. True: FILTER_DONE. */
bool filter_run(struct filter *filter, const os_current *current);

/* Why the last run was not done, in place of what the library knows of it. */
void filter_explain(const struct filter *filter, os_error *error);

#endif
