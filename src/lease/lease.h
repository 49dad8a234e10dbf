/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lease: one handle's hold on an item of a table, for as long as it is extended, as a step machine. An event and the
 * time go in; the request that should be made, the next deadline, and what the handle may believe come out. It reads no
 * clock, makes no request, allocates nothing; its whole state is one plain struct without pointers, which can be
 * copied, compared and hashed as bytes.
 *
 *   lease_init(&lease, &settings);
 *   lease_step(&lease, &(struct lease_event){.kind = LEASE_EVENT_START, .now = ...}, &actions);
 *   while (!lease_finished(&lease)) {
 *       do what `actions` says; wait for an answer or for actions.timer_ms; lease_step(...);
 *   }
 *
 * At most one request is under way. The driver answers each with exactly one event, or stops answering when the lease
 * has finished. It sends each request once: no layer below may send it again (L9).
 *
 * The rules:
 * L1 Every TAKE and EXTEND writes a version that was never sent before. Whose it is, its nonce tells.
 * L2 A TAKE is one conditional write, and the poll as well. It takes what is free; a foreign item whose expiry has
 *    passed; an item of ours that was seen unchanged for as long as its own ttl; and at once what has our nonce.
 * L3 A TAKE each poll_ms, or sooner: exactly when what was seen becomes ripe. `once`: an answer that shows the lease
 *    in the hands of one who lives, or may, ends it.
 * L4 An OK of TAKE or EXTEND gives time, counted from the send of that request by the clock that advanced most.
 * L5 It is extended at a third of the ttl.
 * L6 HELD, AT_RISK and LOST follow from the clocks at any time; LOST is final.
 * L7 A release drops what is ours, on its version, when no request is under way.
 * L8 With fencing, a lease is announced with a token that is larger than every one announced before. Time that is over
 *    before it is announced is won by another TAKE, with another token.
 * L9 What arrives late cannot harm: a version is written once at most, and all but a TAKE depend on one.
 * L11 Who adopts a lease has it when an EXTEND says so, on a version of its nonce that the item shows.
 *
 * The parts, each of which knows only those after it: lease.c (dispatch, the clocks of a step), lease_take.c (L2, L3, L8),
 * lease_adopt.c (L11), lease_hold.c (L5), lease_leave.c (L7), lease_core.c (L1, L4, L6, and what all share).
 */
#ifndef OSCOMMIT_LEASE_LEASE_H
#define OSCOMMIT_LEASE_LEASE_H

#include "lease/lease_event.h"

/* L5, L3: the first pause after an unclear answer; it doubles up to poll_ms. */
enum { LEASE_PAUSE_MS = 250 };
/* L4: what of the ttl is not used, as clocks differ in rate; and at least. */
enum { LEASE_MARGIN_DIVISOR = 20, LEASE_MARGIN_MIN_MS = 500 };
/* L2: an item is waited out for as long at least. */
enum { LEASE_RIPE_MIN_MS = 1000 };
/* L11.3: of no handle the ttl becomes larger by an item. */
enum { LEASE_TTL_MOST_S = 86400 };
enum { LEASE_TRY_MIN_MS = 500, LEASE_TRY_MAX_MS = 5000 };
/* L8: a token is epoch << 32 | n; from this n on a new epoch is asked for. */
#define LEASE_TOKEN_N_MAX (UINT64_C(1) << 31)

/* What a handle may believe. */
enum lease_status {
    LEASE_ACQUIRING = 1,
    LEASE_BUSY,    /* `once`: another holds it, seen.item says who */
    LEASE_STOPPED, /* the caller gave up acquiring */
    LEASE_HELD,
    LEASE_AT_RISK,   /* held, but not extended when it should have been */
    LEASE_LOST,      /* another may hold it */
    LEASE_RELEASING, /* the last requests of a release, or of a handle that was stopped or has failed */
    LEASE_RELEASED,
    LEASE_FAILED /* a request was refused before anything was held */
};

enum lease_phase {
    LEASE_PHASE_NEW = 0,
    LEASE_PHASE_SEEKING,  /* L2, L3 */
    LEASE_PHASE_TAKEN,    /* L4, L8: the item is ours, time or token is missing */
    LEASE_PHASE_ADOPTING, /* L11 */
    LEASE_PHASE_HOLDING,  /* L5 */
    LEASE_PHASE_LOST,     /* L6 */
    LEASE_PHASE_LEAVING,  /* L7 */
    LEASE_PHASE_OVER
};

/* What of ours may stand in the item, as far as the answers tell. */
enum lease_own {
    LEASE_OWN_NOTHING = 0,
    LEASE_OWN_MAYBE, /* a TAKE was not answered clearly */
    LEASE_OWN_ITEM
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct lease_settings {
    uint64_t ttl_s;
    uint32_t poll_ms;
    bool once;
    bool fencing;
    char nonce[LEASE_NONCE_SIZE];     /* 32 hex digits, new for every handle but one that adopts */
    char adopted[LEASE_VERSION_SIZE]; /* L11: a version of this nonce, with which another process held it; "": none */
    uint64_t version_count;           /* L1: versions are counted from here on; one that adopts: random */
};

/* L2: the last item that an answer showed, and since when it was there. */
struct lease_seen {
    struct lease_item item;
    struct clock_reading since; /* receipt of the answer that showed this version first */
};

/* L4: what an OK gives. */
struct lease_term {
    struct clock_reading since; /* the send of the request that was answered OK */
    uint64_t usable_ms;
};

/* The service's time, from its last Date. */
struct lease_date {
    uint64_t date_s;
    struct clock_reading sent;     /* the request whose answer brought it */
    struct clock_reading received; /* that answer */
    bool known;
    bool absent; /* a clear answer came without one: there is nothing but the own wall clock */
    uint8_t reserved[6];
};

/* When the phase's next request is due, while none is under way. */
struct lease_due {
    struct clock_reading since;
    uint64_t delay_ms;
    uint32_t pause_ms; /* the next back-off; 0: not begun */
    bool set;
    uint8_t reserved[3];
};

struct lease {
    struct lease_settings settings;
    enum lease_phase phase;
    enum lease_own own;
    enum lease_status end;   /* LEAVING, OVER: what it becomes, or is */
    enum lease_status shown; /* after the last step */
    uint64_t version_count;
    char current[LEASE_VERSION_SIZE]; /* own: what it has; MAYBE: what was sent last */
    char handle[LEASE_VERSION_SIZE];  /* L11.1: with which it was held first */
    bool token_is_ready;              /* L8: it may be announced */
    bool is_announced;                /* it was held once */
    uint8_t reserved[4];
    uint64_t token;              /* L8: 0 while there is none */
    struct lease_request flight; /* the request under way; kind 0: none */
    struct clock_reading sent;
    struct lease_seen seen;
    struct lease_term term;
    struct lease_date date;
    struct lease_due due;
};

#pragma GCC diagnostic pop

void lease_init(struct lease *lease, const struct lease_settings *settings);

/* One event in; *ret_actions is what to do now. */
void lease_step(struct lease *lease, const struct lease_event *event, struct lease_actions *ret_actions);

enum lease_status lease_status(const struct lease *lease, const struct clock_reading *now);
/* For how long the handle may still believe that it holds; 0 when it does not. */
uint64_t lease_remaining_ms(const struct lease *lease, const struct clock_reading *now);
/* L8: of one that holds, or held; 0: without fencing, or not yet. */
uint64_t lease_token(const struct lease *lease);
/* Nothing is asked for any more, and no event changes anything but RELEASE, which turns the status into RELEASED. */
bool lease_finished(const struct lease *lease);
/* L7: it has finished, and an item of ours may stand there until its ttl is over. */
bool lease_left_behind(const struct lease *lease);
/* L1: the version was sent by this handle. */
bool lease_wrote(const struct lease *lease, const char *version);
/* L11: by this handle, or by one that the lease was passed on to, or had it before. */
bool lease_has_nonce(const struct lease *lease, const char *version);

#endif
