/* SPDX-License-Identifier: Apache-2.0 */
/* What a test waits for: that another thread, or another process, has come to a point. */
#ifndef OSCOMMIT_TEST_EVENT_H
#define OSCOMMIT_TEST_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct event {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    unsigned set; /* so often, and not taken by a wait */
};
#define EVENT_INIT                                             \
    {                                                          \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 \
    }

void event_set(struct event *event); /* may be waited for as often as it was set */
void event_wait(struct event *event);
/* Takes nothing: waits until it was set so often; false after a minute and a half. */
bool event_reaches(struct event *event, unsigned times);
unsigned event_count(struct event *event);

/* Waits until a folder has a file whose name begins with no dot; false after a minute and a half. */
bool folder_gets_a_file(const char *path);
bool folder_has_a_file(const char *path);

uint64_t now_ms(void); /* CLOCK_MONOTONIC */

#endif
