/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many objects of one command, some at the same time. Each has its own verdict; the exit status is that of the worst.
 * What is printed or written down is so under one mutex.
 */
#ifndef OSCOMMIT_TOOL_BATCH_H
#define OSCOMMIT_TOOL_BATCH_H

#include "cli/session.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH_JOBS = 8, BATCH_JOBS_MAX = 64 };

struct batch_item {
    char *name;          /* relative to the folder or prefix */
    uint64_t length;     /* of the source, as it was listed */
    char etag[128];      /* of a source in a store, as it was listed */
    const char *refusal; /* why it cannot be copied, as an end of "NAME "; NULL: it can */
    bool is_marker;      /* stands for a folder, and is left out */
};

struct batch_items {
    struct batch_item *list; /* by name */
    size_t count;
    size_t room;
};

/* Takes the name over. False: no memory; then the name was freed. */
bool batch_items_add(struct batch_items *items, char *name, uint64_t length);
/* Sorts by name, and refuses files whose name is that of a folder of others. */
void batch_items_sort(struct batch_items *items);
void batch_items_clear(struct batch_items *items);

/* How many ended how. */
struct batch_counts {
    uint64_t committed;
    uint64_t done;
    uint64_t unchanged;
    uint64_t conflicts;
    uint64_t unknown;
    uint64_t failed;
};

struct batch {
    struct session *session;
    const struct batch_items *items;
    /* Does one item, with the mutex free, and gives its status. Runs on several threads. */
    enum status (*work)(struct batch *batch, const struct batch_item *item);
    void *context;

    pthread_mutex_t mutex; /* of what follows, and of the output */
    size_t next;
    struct batch_counts counts;
    enum status worst;
    bool has_asked;  /* something was sent: the status is no longer that of bad usage, of which nothing is */
    bool is_stopped; /* no item is begun any more */
    uint64_t not_begun;
};

/* Does all items, `jobs` at a time. The worst status. */
enum status batch_run(struct batch *batch, unsigned jobs);

/* Of two statuses the one that needs somebody's attention first: 4, 5, 1, 77, 69, 66, 3, 74, 0. */
enum status batch_worse(enum status a, enum status b);

void batch_lock(struct batch *batch);
void batch_unlock(struct batch *batch);
void batch_stop(struct batch *batch); /* with the mutex held */

/* The last line: how many ended how. */
void batch_print_summary(struct batch *batch, const char *url);

#endif
