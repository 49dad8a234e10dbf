/* SPDX-License-Identifier: Apache-2.0 */
#include "race/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool race_record_init(struct race_record *record, uint64_t origin_us)
{
    memset(record, 0, sizeof(*record));
    (void)pthread_mutex_init(&record->mutex, NULL);
    record->origin_us = origin_us;
    record->history = history_new();
    return record->history != NULL;
}

void race_record_free(struct race_record *record)
{
    for (size_t i = 0; i < record->count; i++)
        free(record->entry[i].ticket);
    free(record->entry);
    free(record->event);
    history_free(record->history);
    (void)pthread_mutex_destroy(&record->mutex);
    memset(record, 0, sizeof(*record));
}

/* Room for one more of `size` bytes. */
static bool grow_array(void **array, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room == 0 ? 256 : *room * 2;
    void *more;

    if (count < *room)
        return true;
    more = reallocarray(*array, wanted, size);
    if (more == NULL)
        return false;
    *array = more;
    *room = wanted;
    return true;
}

static uint64_t since_origin(const struct race_record *record, uint64_t time_us)
{
    return time_us > record->origin_us ? time_us - record->origin_us : 0;
}

/* Gives the new entry, or NULL without memory. */
static struct race_entry *append_entry(struct race_record *record, unsigned lane, const struct race_message *message)
{
    void *array = record->entry;
    struct race_entry *entry;
    struct history_call *call;

    if (!grow_array(&array, record->count, &record->room, sizeof(record->entry[0]))) {
        record->no_memory = true;
        return NULL;
    }
    record->entry = array;
    entry = &record->entry[record->count];
    memset(entry, 0, sizeof(*entry));
    call = &entry->call;
    call->id = message->call;
    call->writer = lane;
    call->start_us = since_origin(record, message->start_us);
    call->key = history_text(record->history, message->key);
    call->expected = history_text(record->history, message->expected);
    call->value = history_text(record->history, message->value);
    call->rule = history_text(record->history, "");
    call->message = call->rule;
    call->guard = call->rule;
    if (call->key == NULL || call->expected == NULL || call->value == NULL || call->rule == NULL) {
        record->no_memory = true;
        return NULL;
    }
    record->count++;
    return entry;
}

static bool record_call(struct race_record *record, unsigned lane, const struct race_message *message)
{
    struct race_entry *entry;

    if (record->open[lane] != 0)
        return false;
    entry = append_entry(record, lane, message);
    if (entry == NULL)
        return false;
    entry->call.operation = message->operation;
    entry->call.end_us = HISTORY_NEVER;
    entry->call.verdict = OS_UNKNOWN;
    entry->call.settled = OS_UNKNOWN;
    record->open[lane] = record->count;
    return true;
}

static bool record_read(struct race_record *record, unsigned lane, const struct race_message *message)
{
    struct race_entry *entry;

    if (message->end_us < message->start_us)
        return false;
    entry = append_entry(record, lane, message);
    if (entry == NULL)
        return false;
    entry->call.operation = HISTORY_READ;
    entry->call.end_us = since_origin(record, message->end_us);
    entry->call.verdict = OS_COMMITTED;
    entry->call.settled = OS_COMMITTED;
    return true;
}

static struct race_entry *open_entry_of(struct race_record *record, unsigned lane, uint64_t call)
{
    struct race_entry *entry = record->open[lane] == 0 ? NULL : &record->entry[record->open[lane] - 1];

    return entry != NULL && entry->call.id == call ? entry : NULL;
}

static bool take_words(struct race_record *record, const struct race_message *message, struct history_call *call)
{
    const char *rule = history_text(record->history, message->rule);
    const char *text = history_text(record->history, message->text);
    const char *guard = history_text(record->history, message->guard);

    if (rule == NULL || text == NULL || guard == NULL) {
        record->no_memory = true;
        return false;
    }
    call->guard = guard;
    call->rule = rule;
    call->message = text;
    return true;
}

static bool record_end(struct race_record *record, unsigned lane, const struct race_message *message)
{
    struct race_entry *entry = open_entry_of(record, lane, message->call);
    struct history_call *call;

    if (entry == NULL)
        return false;
    call = &entry->call;
    call->end_us = since_origin(record, message->end_us);
    call->verdict = message->verdict;
    call->settled = message->verdict;
    call->generation = message->generation;
    call->attempts = (uint32_t)message->attempts;
    call->requests = (uint32_t)message->requests;
    call->guards = (uint32_t)message->guards;
    call->waited_ms = message->waited_ms;
    call->took_over = message->took_over;
    record->open[lane] = 0;
    return call->end_us >= call->start_us && (entry->ticket == NULL || message->verdict == OS_UNKNOWN) &&
           take_words(record, message, call);
}

static bool record_ticket(struct race_record *record, unsigned lane, const struct race_message *message)
{
    struct race_entry *entry = open_entry_of(record, lane, message->call);

    if (entry == NULL || entry->ticket != NULL)
        return false;
    entry->ticket = strdup(message->ticket);
    record->no_memory = record->no_memory || entry->ticket == NULL;
    return entry->ticket != NULL;
}

static bool record_settled(struct race_record *record, unsigned lane, const struct race_message *message)
{
    for (size_t i = record->count; i > 0; i--) { /* mostly the last one of its lane */
        struct race_entry *entry = &record->entry[i - 1];
        if (entry->call.writer == lane && entry->call.id == message->call) {
            if (entry->ticket == NULL)
                return false;
            free(entry->ticket);
            entry->ticket = NULL;
            entry->call.settled = message->verdict;
            entry->call.settled_us = since_origin(record, message->end_us);
            entry->call.requests += (uint32_t)message->requests;
            return take_words(record, message, &entry->call);
        }
    }
    return false;
}

bool race_record_transaction(struct race_record *record, unsigned lane, uint64_t id, uint64_t start_us, size_t index)
{
    const struct race_message message = {.kind = RACE_MESSAGE_CALL, .call = id, .start_us = start_us};

    if (!record_call(record, lane, &message))
        return false;
    record->entry[record->count - 1].transaction = index + 1;
    return true;
}

bool race_record_message(struct race_record *record, unsigned lane, const struct race_message *message)
{
    if (lane >= RACE_WRITERS_MAX)
        return false;
    switch (message->kind) {
    case RACE_MESSAGE_CALL: return record_call(record, lane, message);
    case RACE_MESSAGE_END: return record_end(record, lane, message);
    case RACE_MESSAGE_TICKET: return record_ticket(record, lane, message);
    case RACE_MESSAGE_SETTLED: return record_settled(record, lane, message);
    case RACE_MESSAGE_READ: return record_read(record, lane, message);
    default: return false;
    }
}

void race_record_gone(struct race_record *record, unsigned lane)
{
    record->open[lane] = 0;
}

const struct race_entry *race_record_next_ticket(const struct race_record *record, unsigned lane, size_t *cursor)
{
    while (*cursor < record->count) {
        const struct race_entry *entry = &record->entry[(*cursor)++];
        if (entry->call.writer == lane && entry->ticket != NULL)
            return entry;
    }
    return NULL;
}

void race_record_event(struct race_record *record, enum history_event_kind kind, unsigned lane, uint64_t start_us,
                       uint64_t end_us, const char *what)
{
    void *array;

    (void)pthread_mutex_lock(&record->mutex);
    array = record->event;
    if (grow_array(&array, record->event_count, &record->event_room, sizeof(record->event[0]))) {
        struct race_event *event;
        record->event = array;
        event = &record->event[record->event_count++];
        *event = (struct race_event){.kind = kind,
                                     .lane = lane,
                                     .start_us = since_origin(record, start_us),
                                     .end_us = since_origin(record, end_us)};
        (void)snprintf(event->what, sizeof(event->what), "%s", what);
        record->met[kind]++;
    } else {
        record->event_lost = true;
    }
    (void)pthread_mutex_unlock(&record->mutex);
}

uint64_t race_record_met(struct race_record *record, enum history_event_kind kind)
{
    uint64_t met;

    (void)pthread_mutex_lock(&record->mutex);
    met = record->met[kind];
    (void)pthread_mutex_unlock(&record->mutex);
    return met;
}

/* A transaction keeps its number, which its values name. */
static bool hand_over(struct race_record *record, size_t index)
{
    const struct race_entry *entry = &record->entry[index];
    struct history_call call = entry->call;

    if (entry->transaction != 0) {
        const struct history_transaction end = {.end_us = call.end_us,
                                                .verdict = call.verdict,
                                                .settled = call.settled,
                                                .settled_us = call.settled_us,
                                                .message = call.message};
        return history_end_transaction(record->history, entry->transaction - 1, &end);
    }
    call.id = index + 1; /* the workers' own numbers have gaps; people count from 1 */
    return history_add_call(record->history, &call);
}

bool race_record_finish(struct race_record *record)
{
    bool good = !record->no_memory && !record->event_lost;

    for (size_t i = 0; i < record->count && good; i++)
        good = hand_over(record, i);
    (void)pthread_mutex_lock(&record->mutex);
    for (size_t i = 0; i < record->event_count && good; i++) {
        const struct race_event *event = &record->event[i];
        struct history_event added = {.kind = event->kind,
                                      .writer = event->lane,
                                      .start_us = event->start_us,
                                      .end_us = event->end_us,
                                      .what = event->what};
        good = history_add_event(record->history, &added);
    }
    (void)pthread_mutex_unlock(&record->mutex);
    return good;
}
