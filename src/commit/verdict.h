/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which answer of the store to an attempt means what (R7-R10, E2). One table; nothing else in the library decides this.
 */
#ifndef OSCOMMIT_COMMIT_VERDICT_H
#define OSCOMMIT_COMMIT_VERDICT_H

#include <stdbool.h>

enum verdict {
    VERDICT_NONE = 0,
    VERDICT_COMMITTED = 1,
    VERDICT_CONFLICT = 2,
    VERDICT_NOT_EXECUTED = 3,
    VERDICT_UNKNOWN = 4
};

enum attempt_answer {
    ATTEMPT_OK = 1,       /* V2: a definite success, result document included */
    ATTEMPT_PRECONDITION, /* 412, or 404 for If-Match on an absent key: this copy was not applied */
    ATTEMPT_409,          /* what it means is in the store's profile (R7) */
    ATTEMPT_REFUSED,      /* R8: this copy was not applied, for a reason of its own */
    ATTEMPT_DENIED,  /* as REFUSED, but an expired signature is answered like this too: definite only while it surely
                        lives */
    ATTEMPT_EXPIRED, /* it came too late: the signature has expired, or its tail could not leave in time (R6). Never
                        definite (R8) */
    ATTEMPT_TOKEN_EXPIRED, /* E2: renew the credentials, same date and length */
    ATTEMPT_SKEWED,        /* E2: RequestTimeTooSkewed */
    ATTEMPT_NOT_SENT,      /* no byte left this machine */
    ATTEMPT_AMBIGUOUS      /* R10 */
};

/* What is known of an answer. Strings are never NULL. */
struct attempt_reply {
    bool sent;      /* at least one byte may have left */
    bool complete;  /* status, headers and body came whole */
    bool tail_kept; /* its tail did not leave: it was too slow (R6) */
    int status;
    const char *code;    /* the store's error code; "" if the answer has none */
    const char *message; /* its message */
    bool is_copy;        /* COPY, COMPLETE: a 2xx counts only with its result document */
    bool is_complete;
    bool result_document; /* that document was read, and is no error */
    bool has_if_match;    /* R7: If-Match went along */
};

enum attempt_answer verdict_classify(const struct attempt_reply *reply);

#endif
