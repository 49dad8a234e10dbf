/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One key's calls as obligations of a register, which holds one value and is absent at first. Values are small numbers,
 * 0 for "no object". Calls that never took effect and prove nothing (not executed; a read that saw nothing for sure)
 * are left out. Internal to the judge.
 */
#ifndef OSCOMMIT_LAB_JUDGE_KEY_H
#define OSCOMMIT_LAB_JUDGE_KEY_H

#include "history/history.h"

#define JUDGE_NO_OP UINT32_MAX

enum judge_kind {
    JUDGE_WRITE, /* must turn `from` into `to` between start and end */
    JUDGE_MAYBE, /* may do so, once, at any time after start */
    JUDGE_SEES,  /* must find `from` there */
    JUDGE_MISSES /* must find something else than `from` there */
};

struct judge_op {
    const struct history_call *call; /* NULL: the final value */
    enum judge_kind kind;
    uint32_t from;
    uint32_t to;
    uint64_t start;
    uint64_t end; /* HISTORY_NEVER: of a MAYBE, and of the final value, which comes after everything */
};

struct judge_key {
    const char *key;
    const struct history_call **call; /* all of the key's, ordered by start */
    size_t call_count;
    struct judge_op *op; /* ordered by start; the final value is the last one */
    size_t op_count;
    const char **value; /* by number */
    size_t value_count;
    size_t writes;         /* JUDGE_WRITEs that make a version: all but deletes */
    size_t maybes;         /* JUDGE_MAYBEs that do */
    bool has_final;        /* the last op is the final value */
    const char *end_value; /* NULL without has_final */
    int64_t versions;      /* -1: not known */
};

/* `key->call` and `key->end_value` are given, the rest is filled in. False: no memory; free it all the same. */
bool judge_key_build(struct judge_key *key);
void judge_key_free(struct judge_key *key);

/* The number of a value that stands in a call of the key, or is its end value. */
uint32_t judge_key_number(const struct judge_key *key, const char *value);

/* When the effect, or the lack of it, was certain: the end of the call or of its settlement. */
uint64_t judge_end_of(const struct history_call *call);

static inline bool judge_op_makes_version(const struct judge_op *op)
{
    return op->to != 0;
}

#endif
