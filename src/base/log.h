/* SPDX-License-Identifier: Apache-2.0 */
/* The client's log line: formatted once, handed to the callback one at a time. Knows nothing of files or terminals. */
#ifndef OSCOMMIT_BASE_LOG_H
#define OSCOMMIT_BASE_LOG_H

#include "oscommit.h"

#include <pthread.h>

struct log {
    os_log_fn fn; /* NULL: silent */
    void *context;
    os_log_level level;
    pthread_mutex_t mutex;
};

int log_init(struct log *log, os_log_fn fn, void *context, os_log_level level); /* 0, or an errno */
void log_destroy(struct log *log);
void log_line(struct log *log, os_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* log may be NULL */

#endif
