/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a racing process and its parent tell each other: JSON objects, one a line, at most RACE_LINE_MAX bytes with the
 * line end. {"race":KIND, ...} with fields that are named as in a history (history/jsonl.h); each kind has all of its
 * fields and no other. Times are microseconds of CLOCK_MONOTONIC. Pure.
 */
#ifndef OSCOMMIT_LAB_RACE_LINE_H
#define OSCOMMIT_LAB_RACE_LINE_H

#include "history/history.h"
#include "oscommit.h"
#include "race/content.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_LINE_MAX = 16 * 1024, RACE_TEXT_MAX = 512, RACE_RULE_MAX = 8, RACE_GUARD_MAX = 8 };

enum race_message_kind {
    /* From the process. */
    RACE_MESSAGE_READY = 1,
    RACE_MESSAGE_CALL,     /* sent before the call, because the process may be killed in it */
    RACE_MESSAGE_END,      /* the call has returned */
    RACE_MESSAGE_TICKET,   /* of an unknown call. From the parent: settle it, an earlier process has left it */
    RACE_MESSAGE_SETTLED,  /* os_resolve has settled it; unknown: for good (R13, row F) */
    RACE_MESSAGE_READ,     /* what a read saw */
    RACE_MESSAGE_PROGRESS, /* so many of a kind are done by this lane; the last one was given up */
    RACE_MESSAGE_DONE,     /* nothing more to do */
    RACE_MESSAGE_TROUBLE,  /* why it stops */
    RACE_MESSAGE_REMARK,   /* what does not stop it */
    /* From the parent. */
    RACE_MESSAGE_TASK,
    RACE_MESSAGE_BEGIN
};

/* What a process of a lane has to do. Exactly one of `until_us` and the four counts is in force. */
struct race_task {
    uint64_t lane;
    uint64_t life; /* which process of the lane this is, from 0 */
    uint64_t seed;
    uint64_t until_us; /* CLOCK_MONOTONIC; 0: by counts */
    uint64_t count[RACE_KINDS];
    uint64_t done[RACE_KINDS]; /* by the lane's earlier processes */
    uint64_t serial;           /* of the last call that the lane has begun */
    bool etags_are_md5;        /* of this store, as the race's first write has shown */
};

struct race_message {
    enum race_message_kind kind;
    uint64_t call;
    enum history_operation operation;
    char key[RACE_NAME_SIZE];
    char expected[RACE_VALUE_SIZE];
    char value[RACE_VALUE_SIZE];
    uint64_t start_us;
    uint64_t end_us; /* also of SETTLED */
    os_verdict verdict;
    uint64_t generation;
    uint64_t attempts;
    uint64_t requests;
    uint64_t guards;
    uint64_t waited_ms;
    bool took_over;
    char rule[RACE_RULE_MAX];
    char guard[RACE_GUARD_MAX]; /* "record", "native", "both"; "": none */
    uint64_t item;              /* PROGRESS: a race_kind */
    uint64_t done;
    bool given_up;
    struct race_task task;
    char text[RACE_TEXT_MAX]; /* parsed: without control characters */
    const char *ticket;       /* TICKET: borrowed from its owner; parsed: from the line */
};

/* Writes the line with its end, and gives its length; 0: it is too long for a line, or there is no memory. */
size_t race_line_format(const struct race_message *message, char ret[RACE_LINE_MAX]);

/* `line` has no line end; a ticket is unpacked in it. False: it is not a message, or there is no memory. */
bool race_line_parse(char *line, struct race_message *ret);

/* Gathers bytes of a pipe into lines. */
struct race_reader {
    char data[RACE_LINE_MAX];
    size_t len;
};

/* Takes bytes from *data up to a line end. True and a NUL-terminated `ret` when a line is complete; `*ret_too_long`
 * when one never ends, and then nothing more can be trusted. */
bool race_reader_take(struct race_reader *reader, const char **data, size_t *len, char ret[RACE_LINE_MAX],
                      bool *ret_too_long);

#endif
