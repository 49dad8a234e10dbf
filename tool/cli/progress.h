/* SPDX-License-Identifier: Apache-2.0 */
/* One line on a terminal that says how far long work is; nothing where stderr is no terminal. Safe from any thread. */
#ifndef OSCOMMIT_TOOL_PROGRESS_H
#define OSCOMMIT_TOOL_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    pthread_mutex_t mutex;
    bool on;
    bool drawn;
    const char *label;
    const char *unit;  /* NULL: bytes */
    char own_unit[64]; /* of progress_report */
    uint64_t started_ms;
    uint64_t drawn_ms; /* when it was last drawn */
    uint64_t done;
    uint64_t total;
};

/* `wanted`: false switches it off, whatever stderr is. `label` is borrowed. */
void progress_start(struct progress *progress, bool wanted, const char *label);

/* An os_progress_fn; `context` is the struct progress. */
void progress_update(void *context, uint64_t done, uint64_t total);

/* What is counted from now on, instead of bytes: "objects". Borrowed. */
void progress_count(struct progress *progress, const char *unit);

/* Both at once; the unit is copied, and may say more: "s, 812 calls, 33 faults". */
void progress_report(struct progress *progress, const char *unit, uint64_t done, uint64_t total);

/* Draws what is known, after the first second: work that is quick shows nothing. */
void progress_tick(void *context);

/* Takes the line away, before something else is printed. */
void progress_clear(struct progress *progress);
void progress_end(struct progress *progress);

/* The line itself, without its start and end. */
void progress_format(const struct progress *progress, uint64_t now_ms, char *ret, size_t ret_size);

#endif
