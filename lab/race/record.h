/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a race say, as calls and events of a history. A call is known from its start, so one whose
 * process was killed in it is not lost, and a ticket that a process left behind is kept for the next one. Knows no
 * process and no store. Everything but race_record_event is for one thread.
 */
#ifndef OSCOMMIT_LAB_RACE_RECORD_H
#define OSCOMMIT_LAB_RACE_RECORD_H

#include "history/history.h"
#include "race/line.h"

#include <pthread.h>
#include <stdbool.h>

struct race_entry {
    struct history_call call; /* its strings are the history's */
    size_t transaction;       /* index + 1 of the one in the history that it is; 0: it is a call of its own */
    char *ticket;             /* of an unknown call that is not settled; else NULL */
};

struct race_event {
    enum history_event_kind kind;
    uint32_t lane;
    uint64_t start_us;
    uint64_t end_us;
    char what[RACE_NAME_SIZE + 16];
};

enum { RACE_EVENT_KINDS = HISTORY_THROTTLE + 1 };

struct race_record {
    struct history *history;
    uint64_t origin_us; /* CLOCK_MONOTONIC at the start: times of the history count from there */
    struct race_entry *entry;
    size_t count;
    size_t room;
    size_t open[RACE_WRITERS_MAX]; /* index + 1 of the call in which a lane is; 0: in none */
    bool no_memory;

    pthread_mutex_t mutex; /* of the events */
    struct race_event *event;
    size_t event_count;
    size_t event_room;
    uint64_t met[RACE_EVENT_KINDS]; /* events of each kind */
    bool event_lost;                /* no memory for one */
};

bool race_record_init(struct race_record *record, uint64_t origin_us); /* false: no memory */
void race_record_free(struct race_record *record);

/* CALL, END, TICKET, SETTLED and READ of a lane. False: it contradicts what was said before, or no memory. */
bool race_record_message(struct race_record *record, unsigned lane, const struct race_message *message);

/* A transaction that the lane has begun, and that stands in the history without its end: END, TICKET and SETTLED are then of
 * it. The same as of CALL. */
bool race_record_transaction(struct race_record *record, unsigned lane, uint64_t id, uint64_t start_us, size_t index);

/* The lane's process is gone: the call in which it was will never return. */
void race_record_gone(struct race_record *record, unsigned lane);

/* The next unsettled call of a lane from `*cursor` on, which starts at 0; NULL: there is none. */
const struct race_entry *race_record_next_ticket(const struct race_record *record, unsigned lane, size_t *cursor);

/* From any thread. Times are CLOCK_MONOTONIC. */
void race_record_event(struct race_record *record, enum history_event_kind kind, unsigned lane, uint64_t start_us,
                       uint64_t end_us, const char *what);

/* How many of a kind there were so far; from any thread. */
uint64_t race_record_met(struct race_record *record, enum history_event_kind kind);

/* Hands everything over to the history; no message is taken afterwards. False: no memory. */
bool race_record_finish(struct race_record *record);

#endif
