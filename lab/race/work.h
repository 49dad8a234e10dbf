/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a racing process does: its calls, each told to the parent before it begins and after it has returned
 * (call.c), and the order in which it makes them (work.c). Knows its client and the pipe to its parent, and
 * nothing of other processes or of faults.
 */
#ifndef OSCOMMIT_LAB_RACE_WORK_H
#define OSCOMMIT_LAB_RACE_WORK_H

#include "cli/session.h"
#include "race/bank.h"
#include "race/line.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { RACE_SLOTS_MAX = 64, RACE_FRONT_FD = 3 };

/* Where the fleet is, in a page that all processes share: by time, each name is raced for by all, and none lags behind.
 * Name number `next * slots + slot` of a kind is the one that is open. Where somebody has been at it for long, a dead
 * process mostly holds its record: a few wait for that, the others open the next name. */
struct race_front {
    uint64_t slots;
    _Atomic uint64_t next[RACE_KINDS][RACE_SLOTS_MAX];
    _Atomic uint64_t since_us[RACE_KINDS][RACE_SLOTS_MAX]; /* somebody is at it since then; 0: nobody */
};

struct race_worker;

/* What came of something, by its ticket; `asked` counts the questions. True: no later one is answered otherwise. */
typedef bool race_ask_fn(struct race_worker *worker, const char *ticket, unsigned asked, struct race_message *message);

struct race_worker {
    struct session session;
    const char *prefix;
    uint64_t lease_count; /* leases that are raced for; 0: objects are */
    uint64_t lease_ttl_s;
    struct bank bank; /* accounts 0: no transactions race */
    race_ask_fn *ask; /* NULL: tickets are of objects */
    char id[RACE_ID_SIZE];
    struct race_task task;
    struct race_front *front;
    uint64_t random;
    bool has_source;
    char source_value[RACE_VALUE_SIZE];
    bool trouble_reported;
    bool remark_reported;
    bool stop; /* no further call: interrupted, the parent gone, or a cause that must be mended */
};

/* ------------------------------------------------------------------------------------------------ call.c */

struct race_seen {
    bool present;
    char etag[128];
    char value[RACE_VALUE_SIZE];
    char body[RACE_CONTENT_MAX];
    size_t len;
};

struct race_write {
    enum history_operation operation;
    const char *name;
    uint64_t call;                /* race_next_call */
    const struct race_seen *seen; /* the version that is expected; NULL: absent */
    const char *body;             /* of a put */
    size_t len;
    const char *source;          /* of a copy: its name */
    char value[RACE_VALUE_SIZE]; /* what will stand there; "": nothing */
};

void race_send(struct race_worker *worker, const struct race_message *message);
void race_send_kind(struct race_worker *worker, enum race_message_kind kind);
void race_send_text(struct race_worker *worker, const char *line, size_t len);
void race_report_trouble(struct race_worker *worker, const os_error *error);
void race_pause_shortly(struct race_worker *worker);
void race_pause_ms(struct race_worker *worker, uint64_t ms); /* shorter if a signal comes */
bool race_may_try_again(os_code code);
void race_take_failure(struct race_worker *worker, const os_error *error); /* stops where it would be the same again */

uint64_t race_next_call(struct race_worker *worker);

/* Says how a call has ended, of which `end` has what is known but for kind and time; and settles it where it is unknown and has a
 * ticket. Gives the settled verdict. */
os_verdict race_end_call(struct race_worker *worker, struct race_message *end, const char *ticket,
                         const os_error *error);

/* Makes the call, and settles it where it is unknown. Gives the settled verdict. */
os_verdict race_write(struct race_worker *worker, const struct race_write *write);

/* Reads an object of the race. False: not known, which was said. */
bool race_read(struct race_worker *worker, const char *name, struct race_seen *ret);

/* Asks until it is settled; also for a call that an earlier process of the lane has left behind. */
os_verdict race_settle(struct race_worker *worker, uint64_t call, const char *ticket);

/* ------------------------------------------------------------------------------------------------ work.c */

void race_work(struct race_worker *worker);

/* ------------------------------------------------------------------------------------------------ contend.c */

void race_contend(struct race_worker *worker);

/* ------------------------------------------------------------------------------------------------ trade.c */

void race_trade(struct race_worker *worker);

race_ask_fn race_ask_of_transaction;

#endif
