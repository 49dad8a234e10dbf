/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accounts of a race: what every process said, what was read back, and whether it adds up. Pure; knows no process
 * and no store.
 */
#ifndef OSCOMMIT_TOOL_RACE_TALLY_H
#define OSCOMMIT_TOOL_RACE_TALLY_H

#include "latency.h"
#include "race_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_NO_WINNER = -1 };

struct race_key {
    int32_t winner; /* the first process that committed it */
    uint16_t winners;
    uint16_t conflicts;
    uint16_t not_executed; /* by a last call */
    uint16_t unsettled;    /* unknown, and os_resolve did not decide */
};

struct race_writer {
    uint64_t next_key; /* creations are told in order */
    uint64_t won;
    uint64_t increments;
    bool blocked; /* an unknown increment was left unsettled: no further one was tried */
};

/* One phase: creations or increments. Calls count by their first verdict. */
struct race_phase {
    uint64_t calls;
    uint64_t committed;
    uint64_t conflicts;
    uint64_t not_executed;
    uint64_t unknown;
    uint64_t settled_committed; /* of the unknown ones */
    uint64_t settled_other;
    uint64_t unsettled;
    uint64_t takeovers;
    uint64_t requests;
    uint64_t elapsed_ms;
    struct latency latency;
};

struct race_tally {
    unsigned writers;
    uint64_t keys;
    uint64_t updates; /* of each writer */
    struct race_key *key;
    struct race_writer *writer;
    struct race_phase creations;
    struct race_phase increments;

    unsigned lost_writers;  /* ended early, or said something that is no message */
    bool read_back;         /* the figures below were taken */
    uint64_t objects_right; /* content is the announced winner's, or rightly absent */
    uint64_t objects_wrong;
    bool counter_read;
    uint64_t counter_found;
};

bool race_tally_init(struct race_tally *tally, unsigned writers, uint64_t keys,
                     uint64_t updates); /* false: no memory */
void race_tally_free(struct race_tally *tally);

/* A creation or an increment of one writer. False: it contradicts what the writer said before, or its task. */
bool race_tally_add(struct race_tally *tally, unsigned writer, const struct race_message *message);

/* What was read back for a key: `writer` whose content it has; RACE_NO_WINNER: nothing is there; `foreign`: other
 * bytes. */
void race_tally_object(struct race_tally *tally, uint64_t key, int32_t writer, bool foreign);

uint64_t race_tally_committed(const struct race_phase *phase); /* at once, or settled so */
uint64_t race_tally_created(const struct race_tally *tally);   /* keys with exactly one winner */

enum race_judgement {
    RACE_EXACT,      /* everything was done, and adds up */
    RACE_INCOMPLETE, /* nothing contradicts, but not everything was done */
    RACE_UNSETTLED,  /* nothing contradicts, but an outcome is still unknown */
    RACE_BROKEN      /* two winners, a lost update, foreign content ... */
};

/* `ret` takes the sentence for it. */
enum race_judgement race_tally_judge(const struct race_tally *tally, char *ret, size_t ret_size);
const char *race_judgement_name(enum race_judgement judgement);

#endif
