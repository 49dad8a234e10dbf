/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a history can be true: for each key, is there an order of the calls that respects their times and in which
 * every verdict is right? (Linearizability of a register with compare-and-set, after Wing and Gong, with the memory of
 * Lowe; see judge.c.) Pure.
 *
 *   committed      took effect once between its start and its end, and the expectation held at that instant
 *   conflict       never took effect, and at some instant between start and end the expectation did not hold
 *   not executed   never took effect
 *   unknown        took effect at most once, at any instant after its start, or never
 *
 * A settled verdict replaces the first one: the effect or its absence then lies between start and settled_us, but
 * a conflict that os_resolve found may rest on anything until then. A read that is committed saw the value at some
 * instant of its own; any other read says nothing. The final value is a read after everything; an unknown write may
 * still take effect behind it.
 *
 * Every key is absent at first: a run has a prefix of its own. Start and end belong to a call, so calls that touch at
 * one microsecond overlap. Values may come again (A, B, A); nothing is taken for unique that is not.
 */
#ifndef OSCOMMIT_LAB_JUDGE_H
#define OSCOMMIT_LAB_JUDGE_H

#include "history/history.h"

enum judge_violation {
    JUDGE_NONE = 0,
    JUDGE_NOT_LINEARIZABLE, /* no order of the key's calls explains their verdicts */
    JUDGE_TWO_WINNERS,      /* two committed creations without a delete between, or two committed writes under one
                               expectation that was true once only: the plain case, named as such */
    JUDGE_LOST_COMMIT,      /* a committed write is contradicted by the end state alone */
    JUDGE_FALSE_CONFLICT, /* a write told as conflict or not executed is what stands there, or what another call saw */
    JUDGE_VERSIONS,       /* the bucket holds another number of versions than writes took effect */
    JUDGE_BAD_HISTORY     /* contradicts itself: an end before its start, two calls of one id */
};

struct judge_finding {
    enum judge_violation violation;
    const char *key;     /* of the history */
    uint64_t call;       /* the call that cannot be explained; 0: none in particular */
    uint64_t other_call; /* its counterpart; 0: none */
    char sentence[512];  /* what cannot be, in words */
};

struct judge_result {
    size_t keys;
    size_t calls;
    size_t refused;          /* keys with a finding */
    size_t undecided;        /* keys that needed more than the bound of steps */
    bool gave_up;            /* there are such keys: they are neither accepted nor refused */
    const char *gave_up_key; /* the first of them; NULL: none */
    size_t finding_count;
    struct judge_finding finding[32]; /* the first ones, one or more for each key that is refused */
};

/* True: every key has been judged; `ret->finding_count` 0 and not `ret->gave_up` mean accepted. False: no memory. */
bool judge_history(const struct history *history, struct judge_result *ret);
/* The same with a bound of steps for each key; judge_history has JUDGE_STEPS_MAX, some seconds. */
bool judge_history_within(const struct history *history, uint64_t steps_max, struct judge_result *ret);
#define JUDGE_STEPS_MAX UINT64_C(50000000)

/* "call 12 (writer 3, put_if_match, 1.203000 s to 1.250000 s, conflict)": at most 200 bytes. */
void judge_describe(const struct history_call *call, char *ret, size_t ret_size);
const char *judge_violation_name(enum judge_violation violation); /* "two winners" ... */

#endif
