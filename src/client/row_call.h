/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request for rows: repeated where that is safe, ended by deadline or cancellation. On the loop's thread; several of
 * one client at once.
 */
#ifndef OSCOMMIT_CLIENT_ROW_CALL_H
#define OSCOMMIT_CLIENT_ROW_CALL_H

#include "client/absence.h"
#include "loop/op.h"
#include "table/row_service.h"

/* Of what may be done twice, as that is as doing it once. */
#define ROW_CALL_ALWAYS UINT64_MAX

struct row_call {
    os_client *client; /* which has rows */
    struct row_request request;
    uint64_t
        repeats_unclear_ms; /* what may have been done is sent again for so long after the first request; 0: never */
    const char *name;       /* for a sentence: "The <name> was ended: its deadline passed." */
    void (*done)(struct row_call *call);
    void *context; /* of `done` */
    /* What came of it. */
    struct row_answer answer; /* the last one, its own; its outcome is 0 where none came */
    bool is_lost;             /* of a write: it may have been done although no answer said so, or may still be */
    os_error error;           /* OS_OK where the answer is TABLE_OK or a conflict */
    /* Its own. */
    struct op op;
    struct row_op *under_way;
    bool was_sent;
    struct clock_reading first; /* before the first request was sent */
    struct clock_reading sent;  /* the same of the last one */
    struct absence absence;
};

/* `client`, `request`, `name` and `done` are set, all else is zero. `limits` are what is left of the caller's call: with no
 * time left, or when it is cancelled, nothing is sent. `done` is called once, perhaps before this returns; then comes
 * row_call_free. A write leaves this machine once for each answer that is seen here: a repetition below, that nobody sees,
 * would find what the first has written, and call it a conflict. */
void row_call_start(struct row_call *call, const os_call *limits);
void row_call_free(struct row_call *call);

/* Why nothing may begin: these are the limits of row_call_start. 0: it may. */
enum op_reason row_call_why_not(const os_client *client, const os_call *limits);

/* X5, X7: the service of the client's table keeps the tokens of transactions. */
bool row_call_remembers(const os_client *client);
/* X5: it says that the token was used with other parameters. DynamoDB Local says so at random of a request that is the
 * same: whether that was applied is not known. */
bool row_call_is_mismatch(const struct row_answer *answer);

/* The client must be one whose ledger can have rows. OS_ERR_CONFIG. */
os_code row_call_check(const os_client *client, os_error *err);

#endif
