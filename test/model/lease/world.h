/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of leases: two or three handles (real machines of src/lease), one item and the item of the epochs, a foreign
 * implementation, and everything that is on its way between them. A plain struct without pointers, zero where nothing is
 * said, so that it can be copied, packed and hashed as bytes. What may happen next is choice.h; what must hold is
 * oracle.h; README.md tells what all this stands for.
 */
#ifndef OSCOMMIT_MODEL_LEASE_WORLD_H
#define OSCOMMIT_MODEL_LEASE_WORLD_H

#include "finding.h"

#include "lease/lease.h"

enum { HANDLES = 3, FLIGHTS = 8, MASK_ALL = 7 };

/* Where all clocks begin. */
enum { LEASE_START_MS = 1000000 };

/* What may still go wrong, or happen, how often. */
enum budget {
    BUDGET_NEXT = 0, /* time goes on until a timer fires */
    BUDGET_TICK,     /* config.tick_ms pass */
    BUDGET_LEAP,     /* config.leap_ms pass */
    BUDGET_LOSE,     /* an answer is lost; what was not served yet stays on its way */
    BUDGET_DUP,      /* a request gets a second copy, which L9 forbids every layer below */
    BUDGET_THROTTLE,
    BUDGET_REFUSE,
    BUDGET_BLIND, /* a failed condition without the item */
    BUDGET_CRASH,
    BUDGET_STOP,
    BUDGET_DETACH,
    BUDGET_RELEASE,
    BUDGET_TTL,
    BUDGET_BREAK,   /* somebody deletes the item */
    BUDGET_FOREIGN, /* a step of the foreign implementation */
    BUDGET_SUSPEND, /* time passes and one handle's MONOTONIC stands */
    BUDGET_FREEZE,  /* time passes and all clocks of one handle stand */
    BUDGET_SET,     /* one handle's REALTIME jumps by an hour */
    BUDGETS
};

/* A budget of time that does not shrink. */
enum { UNLIMITED = UINT8_MAX };

struct config {
    const char *name;
    const char *about;
    const char *expects; /* the violation that must be found; NULL: none may be */
    unsigned handles;
    uint64_t ttl_s;
    uint32_t poll_ms;
    unsigned fencing;       /* mask of handles */
    unsigned once;          /* mask of handles */
    unsigned adopts;        /* mask of handles: what A has detached (L11) */
    unsigned rate[HANDLES]; /* of the clocks, in percent; 0: 100 */
    int wall_s[HANDLES];    /* by how much REALTIME is wrong in the beginning */
    unsigned may_be_frozen; /* mask of handles */
    bool holder_may_be_frozen;
    bool may_overlap; /* only tokens are looked at */
    bool foreign;
    int foreign_wall_s;
    uint64_t foreign_ttl_s;
    bool no_dates;
    bool whole;       /* a request is served and answered at one instant */
    uint64_t grid_ms; /* timers fire at whole multiples of it */
    uint64_t tick_ms;
    uint64_t leap_ms;
    uint64_t horizon_ms; /* the world ends */
    bool quick;
    uint8_t budget[BUDGETS];
};

struct flight {
    uint8_t kind; /* 0: none */
    uint8_t who;
    uint8_t awaited; /* its handle waits for the answer */
    uint8_t served;
    uint8_t outcome;
    uint8_t reserved[3];
    int64_t date_s;
    uint64_t epoch;
    struct lease_item item;
    struct lease_request request;
};

/* What an answer showed first, for the oracle's own count. */
struct sight {
    char version[LEASE_VERSION_SIZE];
    uint8_t reserved[7];
    struct clock_reading since;
    uint64_t ttl_ms;
};

struct handle {
    struct lease lease;
    struct sight sight;
    uint64_t timer_ms; /* by its MONOTONIC */
    uint64_t mono_stood_ms;
    uint64_t all_stood_ms;
    int64_t set_s; /* REALTIME was set by so much */
    bool has_timer;
    bool is_started;
    bool is_dead;
    bool was_held;      /* as of the last step */
    bool has_late_take; /* one that nobody waited for was applied */
    bool takes_ripe;    /* the TAKE under way was asked when sight was ripe */
    bool was_lost;      /* its time was over */
    bool is_detached;   /* nothing steps any more, and what it said is believed until its time is over */
};

struct foreign {
    bool holds;
    uint8_t reserved[7];
    uint64_t count; /* of its versions */
    uint64_t expiry_s;
};

struct world {
    uint64_t now_ms; /* true time, which is the service's */
    struct lease_item item;
    uint64_t epoch;
    uint64_t last_token; /* the largest that was announced */
    struct foreign foreign;
    struct handle handles[HANDLES];
    struct flight flights[FLIGHTS];
    uint8_t budget[BUDGETS];
    char last_holder; /* where somebody adopts: the letter of whoever was announced last */
    uint8_t reserved[5];
};

/* What a search saw. */
struct tally {
    uint64_t held; /* worlds in which somebody holds */
};

/* The letter of its nonce. */
char world_letter(unsigned h);
uint64_t world_date_s(const struct world *world);
uint64_t world_foreign_s(const struct world *world); /* by the foreign implementation's wall clock */
struct clock_reading world_clock(const struct world *world, unsigned h);
/* The true time at which this handle's MONOTONIC will show that, if it runs. */
uint64_t world_time_of(const struct world *world, unsigned h, uint64_t monotonic_ms);
bool world_foreign_believes(const struct world *world);
bool world_believes(const struct world *world, unsigned h);

#endif
