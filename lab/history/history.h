/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What several writers did to some keys, call by call: who called what, when it began and when it returned, with which
 * verdict; which faults met it; and what stood there at the end. Or what processes believed of leases, or which
 * transactions they ran. Knows nothing of stores, processes or of how the calls were made: the race, the simulator and
 * `check` share it.
 *
 * Times are microseconds of one clock that all writers share, from the start of the run. A value is an ETag with its
 * quotes; "" is "no object". Every string of a call is owned by the history (history_text), and equal strings are one
 * pointer, so that values and keys may be compared by address.
 */
#ifndef OSCOMMIT_LAB_HISTORY_H
#define OSCOMMIT_LAB_HISTORY_H

#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum history_operation {
    HISTORY_PUT_IF_ABSENT = 1,
    HISTORY_PUT_IF_MATCH,
    HISTORY_COPY_IF_ABSENT,
    HISTORY_COPY_IF_MATCH,
    HISTORY_DELETE_IF_MATCH,
    HISTORY_READ /* a HEAD or GET; `expected` is unused, `value` is what was seen */
};

#define HISTORY_NEVER UINT64_MAX

struct history_call {
    uint64_t id;     /* unique in the history, from 1 */
    uint32_t writer; /* the lane, from 0; one process after another may fill it */
    enum history_operation operation;
    const char *key;
    const char *expected; /* the value that must be there; "": absent */
    const char *value;    /* what the call writes, or a read saw; "": absent */
    uint64_t start_us;
    uint64_t end_us;     /* HISTORY_NEVER: the writer died in it */
    os_verdict verdict;  /* of the call itself; OS_UNKNOWN where it never returned */
    os_verdict settled;  /* after os_resolve; the same as `verdict` where nothing was resolved */
    uint64_t settled_us; /* when os_resolve returned; 0: not resolved */
    const char *rule;    /* that gave the verdict ("R9", "R13.E"); "": not told */
    const char *message; /* of the error; "": none */
    uint64_t generation;
    uint32_t attempts;
    uint32_t requests;
    uint32_t guards;
    uint64_t waited_ms;
    bool took_over;
    const char *guard; /* "record", "native" or "both"; "": not told */
};

enum history_event_kind {
    HISTORY_PAUSE = 1,  /* SIGSTOP to SIGCONT */
    HISTORY_KILL,       /* SIGKILL */
    HISTORY_START,      /* a process begins to fill the lane */
    HISTORY_SLOW,       /* a request or an answer was held for a while */
    HISTORY_LOST_REPLY, /* applied, the answer dropped */
    HISTORY_LATE,       /* delivered once more, or after its sender had given up */
    HISTORY_5XX,        /* applied or not, answered with 5xx */
    HISTORY_THROTTLE    /* refused by the ledger's throttle, HTTP 400 */
};

struct history_event {
    enum history_event_kind kind;
    uint32_t writer;
    uint64_t start_us;
    uint64_t end_us;  /* the same where it has no length */
    const char *what; /* the request that it met ("PUT key-00003", "PutItem"); "": none */
};

/* What was read back when all was over. */
struct history_final {
    const char *key;
    const char *value; /* "": nothing is there */
    uint64_t at_us;
    int64_t versions; /* object versions, delete markers not counted; -1: not known */
};

/* What a process that competes for leases says, and what is done to it. lease_judge.h says what each means. */
enum history_lease_kind {
    HISTORY_LEASE_WAITS = 1, /* it begins to ask for the lease */
    HISTORY_LEASE_HELD,      /* it believes that it holds the lease, until `until_us` */
    HISTORY_LEASE_UNTIL,     /* it believes so until then, and no longer when it said before */
    HISTORY_LEASE_LOST,      /* it has seen that it is over */
    HISTORY_LEASE_RELEASED,  /* it is about to release it */
    HISTORY_LEASE_LET_GO,    /* os_lease_release has returned OS_OK */
    HISTORY_LEASE_KILLED,    /* the process is gone */
    HISTORY_LEASE_PAUSED,    /* it stands still */
    HISTORY_LEASE_RESUMED    /* it is about to go on */
};

struct history_lease {
    enum history_lease_kind kind;
    const char *who;   /* a process; another one has another name */
    const char *key;   /* the lease; "": every one of that process */
    uint64_t at_us;    /* HISTORY_NEVER: not told, which UNTIL alone may do */
    uint64_t until_us; /* HISTORY_NEVER: not told */
    bool has_token;
    uint64_t token;
};

/* One thing that a transaction read or wrote. A key is a register or a list, and always the same. */
enum history_item_kind {
    HISTORY_ITEM_READ = 1, /* of a register: `value` was seen */
    HISTORY_ITEM_LIST,     /* of a list: the elements were seen, the oldest first */
    HISTORY_ITEM_WRITE,    /* of a register: `value` replaces `expected` */
    HISTORY_ITEM_APPEND    /* to a list: `value` */
};

struct history_item {
    enum history_item_kind kind;
    const char *key;
    const char *expected; /* "": absent */
    const char *value;    /* "": absent, which only a read may see */
    const char *const *element;
    size_t element_count;
    bool has_amount; /* the number in a register, for the sums */
    int64_t amount;
};

struct history_transaction {
    uint64_t id;     /* unique among transactions, from 1 */
    uint32_t writer; /* the lane, from 0 */
    uint64_t start_us;
    uint64_t end_us;                 /* HISTORY_NEVER: the writer died in it */
    os_verdict verdict;              /* OS_UNKNOWN where it never returned */
    os_verdict settled;              /* the same as `verdict` where nothing was resolved */
    uint64_t settled_us;             /* 0: not resolved */
    const char *message;             /* of the error; "": none */
    const struct history_item *item; /* writes in their order */
    size_t item_count;
};

/* Whoever reads all of these registers at once sees amounts of this sum. */
struct history_sum {
    int64_t sum;
    const char *const *key;
    size_t key_count;
};

struct history; /* grows; one thread */

struct history *history_new(void); /* NULL: no memory */
void history_free(struct history *history);

/* The one copy of `text` that the history owns; NULL: no memory. */
const char *history_text(struct history *history, const char *text);

/* Copies; strings may be anybody's and are taken over by history_text. False: no memory. */
bool history_add_call(struct history *history, const struct history_call *call);
bool history_add_event(struct history *history, const struct history_event *event);
bool history_add_final(struct history *history, const struct history_final *final);
bool history_add_lease(struct history *history, const struct history_lease *lease);
bool history_add_transaction(struct history *history, const struct history_transaction *transaction);
bool history_add_sum(struct history *history, const struct history_sum *sum);

/* A fact about the run for people ("store", "faults", "started" ...), in the order in which they were given. */
bool history_add_fact(struct history *history, const char *name, const char *value);

size_t history_call_count(const struct history *history);
const struct history_call *history_call_at(const struct history *history, size_t index); /* until the next add */
size_t history_event_count(const struct history *history);
const struct history_event *history_event_at(const struct history *history, size_t index);
size_t history_final_count(const struct history *history);
const struct history_final *history_final_at(const struct history *history, size_t index);
size_t history_lease_count(const struct history *history);
const struct history_lease *history_lease_at(const struct history *history, size_t index);
size_t history_transaction_count(const struct history *history);
const struct history_transaction *history_transaction_at(const struct history *history, size_t index);
size_t history_sum_count(const struct history *history);
const struct history_sum *history_sum_at(const struct history *history, size_t index);
size_t history_fact_count(const struct history *history);
void history_fact_at(const struct history *history, size_t index, const char **ret_name, const char **ret_value);

/* "put_if_absent", "pause", "not executed" ...; "?" for what is none. */
const char *history_operation_name(enum history_operation operation);
const char *history_event_name(enum history_event_kind kind);
const char *history_verdict_name(os_verdict verdict);
const char *history_lease_name(enum history_lease_kind kind);
/* The other way; false, and *ret untouched: no such name. */
bool history_operation_of(const char *name, enum history_operation *ret);
bool history_event_of(const char *name, enum history_event_kind *ret);
bool history_verdict_of(const char *name, os_verdict *ret);
bool history_lease_of(const char *name, enum history_lease_kind *ret);

#endif
