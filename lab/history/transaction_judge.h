/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether transactions were strictly serializable: is there one order of them that respects their times and in which
 * every read sees what was written last? Pure.
 *
 *   committed      took effect once between its start and its end: at one instant its reads and its expectations held,
 *                  and all its writes were made
 *   conflict       never took effect
 *   not executed   never took effect
 *   unknown        took effect once, at any instant after its start, or never. It did if somebody saw what it wrote
 *
 * A settled verdict replaces the first one, and the time until settled_us counts as part of the transaction. Each read
 * of a transaction that did not return `committed` counts for itself as well: its value was there at some instant
 * between start and end.
 *
 * A value names its write, so the order of a key's versions is forced: each write tells which one it replaced, and the
 * elements of a list stand in the order of their appends. From that follows which transaction comes before which (Adya
 * 1999; for lists, Kingsbury and Alvaro 2020). There is an order if and only if nothing comes before itself. The time
 * is n log n.
 */
#ifndef OSCOMMIT_LAB_TRANSACTION_JUDGE_H
#define OSCOMMIT_LAB_TRANSACTION_JUDGE_H

#include "history/history.h"

enum transaction_violation {
    TRANSACTION_BAD_HISTORY = 1,   /* it contradicts itself, so nothing else is judged */
    TRANSACTION_ABORTED_READ,      /* G1a: what a conflict, or one that was not executed, wrote was seen */
    TRANSACTION_INTERMEDIATE_READ, /* G1b: what its own writer replaced, or was still to append to, was seen */
    TRANSACTION_MADE_UP,           /* a value was seen that nobody wrote */
    TRANSACTION_LOST_UPDATE,       /* two took effect that replaced one value */
    TRANSACTION_APPLIED_TWICE,     /* a list shows one element twice */
    TRANSACTION_ORDERS,            /* two reads show the elements of a list in different orders */
    TRANSACTION_G0,                /* a cycle of writes */
    TRANSACTION_G1C,               /* a cycle of writes and reads of them */
    TRANSACTION_G_SINGLE,          /* one read of a version that was replaced closes the cycle: read skew */
    TRANSACTION_G2_ITEM,           /* several do: write skew */
    TRANSACTION_REAL_TIME,         /* there is an order, but none that respects the times */
    TRANSACTION_AMOUNT,            /* a read shows another amount than was written */
    TRANSACTION_SUM                /* the amounts that one transaction read have another sum */
};

enum { TRANSACTION_STEPS = 6, TRANSACTION_FINDINGS = 16 };

struct transaction_finding {
    enum transaction_violation violation;
    uint64_t transaction;              /* one of those that it is about; 0: none in particular */
    char sentence[768];                /* what cannot be, in words */
    size_t step_count;                 /* of a cycle; 0: it is none */
    char step[TRANSACTION_STEPS][640]; /* the first of them: who comes before whom, and why */
};

struct transaction_result {
    size_t transactions;
    size_t keys;
    size_t by_verdict[OS_UNKNOWN + 1]; /* after settlement; without those that follow */
    size_t seen;                       /* unknown, but what it wrote was seen: committed */
    size_t violations;
    size_t finding_count;
    struct transaction_finding finding[TRANSACTION_FINDINGS]; /* the first violations */
};

/* False: no memory. */
bool judge_transactions(const struct history *history, struct transaction_result *ret);

const char *transaction_violation_name(
    enum transaction_violation violation); /* "lost update", "write skew (G2-item)" */

#endif
