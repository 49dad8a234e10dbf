/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the table: repeated where that is safe, ended by deadline or cancellation. */
#ifndef OSCOMMIT_HOLDING_ASKING_H
#define OSCOMMIT_HOLDING_ASKING_H

#include "client/absence.h"
#include "loop/op.h"

/* When it is sent again. */
enum asking_repeats {
    ASKING_ONCE_DONE = 0, /* only when it was certainly not done, and is put off: a person waits for what is wrong */
    ASKING_UNTIL_CLEAR,   /* also when nothing says whether it was done: doing it twice is as doing it once */
    ASKING_NOT_TWICE      /* when it was certainly not done */
};

struct holding_asking {
    struct sync sync;
    os_client *client;
    struct table_request request;
    enum asking_repeats repeats;
    const char *name; /* for a sentence: "The <name>: its deadline passed." */
    /* Loop's thread: the item of an answer that has one. */
    void (*take)(void *context, const struct item *item);
    void (*restart)(void *context); /* before each request; NULL: nothing is to be done then */
    void *context;
    /* Requests of one client that have the same go one after another, in order of arrival; NULL: at once. It stays until the
     * sync has finished. */
    const char *turn;
    struct holding_asking *next_in_turn;
    os_call call;
    struct op op;
    struct table_op *table_op;
    struct clock_reading sent;
    struct absence absence;
    enum table_outcome outcome; /* of the last answer; 0: none came */
    os_error error;
};

/* `client`, `request`, `repeats`, `name` and, if wanted, `take` are set. Its sync is then what a step waits for
 * (client/steps.h). `call` is what is left of the caller's. */
void asking_prepare(struct holding_asking *asking, const os_call *call);
/* After that. OS_OK where the table has answered: TABLE_OK or a conflict is in `outcome`. */
os_code asking_code(const struct holding_asking *asking, os_error *err);

/* Both, and the wait between them, on a thread that may block; the client must have a table. */
os_code asking_run(struct holding_asking *asking, const os_call *call, os_error *err);

#endif
