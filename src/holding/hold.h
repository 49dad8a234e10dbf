/* SPDX-License-Identifier: Apache-2.0 */
/* One lease as its driver has it. What the parts of this folder share; nobody else includes it. */
#ifndef OSCOMMIT_HOLDING_HOLD_H
#define OSCOMMIT_HOLDING_HOLD_H

#include "client/absence.h"
#include "holding/holding.h"
#include "holding/lease_item.h"
#include "loop/op.h"

/* Nobody has it any more, and it ends in the background. */
enum hold_let_go {
    HOLD_WANTED = 0,
    HOLD_LEFT,      /* its client closes: it is freed with the others */
    HOLD_POSTED,    /* its job is on the way, and frees it where the client was closed before */
    HOLD_RELEASING, /* the release frees it, or else the close */
};

struct os_lease {
    os_client *client; /* NULL: it was closed, and nothing happens any more */
    int process;       /* that acquired it: a child that was forked has not, and its lock may be held for ever */
    char name[LEASE_NAME_MAX + 1];
    char epoch_name[LEASE_NAME_MAX + sizeof(LEASE_EPOCH_SUFFIX)];
    char owner[LEASE_OWNER_MAX + 1];
    struct lease_holder holder;
    os_lease_changed_fn changed;
    void *context;

    /* Of the loop's thread alone. */
    struct lease lease;
    struct lease_wire wire; /* the request under way, or the last one */
    struct table_op *table_op;
    struct clock_reading sent;
    struct loop_timer timer;     /* the machine's */
    struct loop_timer not_begun; /* a request for which there was no memory */
    struct loop_timer parting;   /* of an acquisition that was stopped */
    bool is_listed;
    struct os_lease *next; /* of the client's */
    struct os_lease *previous;
    bool drop_is_unclear; /* a DROP of the release may have been done */
    bool was_gone;        /* the release found that the item was not ours any more */
    os_error error;       /* why the last request that failed did so; OS_OK: none has */
    char other[320];      /* who was seen to hold it, for a sentence */
    /* The call that waits for it to be held, or to be over; NULL: none. */
    struct sync *waiting;
    struct op op; /* of that call */
    struct absence absence;
    enum op_reason interrupted;
    bool was_interrupted;

    struct monitor
        monitor;        /* of what follows, and of `client`; a step is made under it. Woken when that becomes NULL */
    struct lease shown; /* as it was after the last step, for whoever asks */
    bool was_told_lost; /* to somebody who asked: it stays so, whatever the clock of the next step says */
    struct clock_reading told; /* when somebody asked last, or was told so */
    bool is_telling;           /* `changed` runs */
    enum hold_let_go let_go;
    struct loop_job let_go_job;
    struct sync let_go_sync;
};

/* hold.c: any thread. */
bool hold_is_of_parent(const os_lease *lease); /* and this process a child that was forked */
void hold_free(os_lease *hold);

/* hold.c: loop's thread. */
void hold_step(os_lease *hold, enum lease_event_kind kind);
/* Whoever waits does so until this says true. */
bool hold_has_settled(const os_lease *hold);
/* Begins to wait: a deadline, a cancellation and the closing are a STOP. False: no memory. */
bool hold_await(os_lease *hold, struct sync *sync, const os_call *call);
/* The same of what nobody waits for: the closing leaves it a moment. */
bool hold_await_in_background(os_lease *hold, struct sync *sync);
void hold_list(os_lease *hold);
void hold_unlist(os_lease *hold);
void hold_quiet(os_lease *hold); /* no timer and no request any more */

#endif
