/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into a lease and what comes out: events, and the requests that it asks for. */
#ifndef OSCOMMIT_LEASE_LEASE_EVENT_H
#define OSCOMMIT_LEASE_LEASE_EVENT_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

enum { LEASE_NONCE_SIZE = 33, LEASE_VERSION_SIZE = 129 };

/* The states and what is in them are compared and hashed as bytes: no gap is left that nobody sets. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* What the table has under the key. */
struct lease_item {
    bool found;
    bool held; /* it has lease_version; one without is free */
    char version[LEASE_VERSION_SIZE];
    uint8_t reserved[5];
    uint64_t expiry_s; /* lease_expiry */
    uint64_t ttl_ms;   /* 0: another implementation's, which L2 calls foreign */
    uint64_t token;    /* 0: none */
};

/* ------------------------------------------------------------------------------------------------ what to do */

enum lease_request_kind {
    LEASE_TAKE = 1, /* L2. With fencing: adds 1 to the token */
    LEASE_EXTEND,   /* on on_version: version, expiry_s, ttl_ms are written */
    LEASE_DROP,     /* on on_version: deleted; with fencing all but key and token is removed */
    LEASE_READ,     /* consistent */
    LEASE_EPOCH,    /* adds 1 to the item of the epochs, which no TTL removes */
    LEASE_TOKEN     /* on on_version, if no larger one stands there: token is written */
};

struct lease_request {
    enum lease_request_kind kind;
    char version[LEASE_VERSION_SIZE];    /* TAKE, EXTEND: what is written */
    char on_version[LEASE_VERSION_SIZE]; /* the condition; TAKE: "" when only what is free or foreign may be taken */
    uint8_t reserved[2];
    uint64_t now_s;    /* TAKE: a foreign item whose expiry is before it may be taken; 0: none */
    uint64_t expiry_s; /* TAKE, EXTEND */
    uint64_t ttl_ms;   /* TAKE, EXTEND */
    uint64_t token;    /* TOKEN */
    uint64_t try_ms;   /* how long its answer is waited for; then the outcome is AMBIGUOUS */
};

#pragma GCC diagnostic pop

struct lease_actions {
    bool send;
    struct lease_request request;
    bool has_timer;    /* without one none is wanted any more */
    uint64_t timer_ms; /* from now; replaces the one before */
    bool changed;      /* lease_status is another one than after the step before */
};

/* ------------------------------------------------------------------------------------------------ events */

enum lease_event_kind {
    LEASE_EVENT_START = 1,
    LEASE_EVENT_ANSWER,  /* to the request under way */
    LEASE_EVENT_TIMER,   /* actions.timer_ms has passed; one that comes too early or twice does no harm */
    LEASE_EVENT_RELEASE, /* the caller is through */
    LEASE_EVENT_STOP     /* the caller's deadline or cancellation; of one that holds nothing is asked */
};

enum lease_outcome {
    LEASE_OK = 1,
    LEASE_CONFLICT,       /* the condition failed; event.item is what stands there */
    LEASE_CONFLICT_BLIND, /* the condition failed, and the answer does not say on what */
    LEASE_THROTTLED,      /* certainly not done; asking again may help */
    LEASE_AMBIGUOUS,      /* no answer, or none that says what was done; it may still be done later */
    LEASE_REFUSED         /* certainly not done; asking again will not help */
};

struct lease_event {
    enum lease_event_kind kind;
    struct clock_reading now; /* after the answer was received */
    enum lease_outcome outcome;
    struct lease_item item; /* CONFLICT; OK of READ, and of a fenced TAKE: the new item */
    uint64_t epoch;         /* OK of EPOCH: the new number, which nobody else was or will be given */
    bool has_date;          /* the service's Date came with the answer */
    int64_t date_s;
};

#endif
