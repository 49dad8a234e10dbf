/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world that the explorer explores: up to three writers (calls of real guards, or peers), one object of one store,
 * the rows of one ledger, and everything that is on its way between them. A plain struct without pointers, zero where
 * nothing is said, so that it can be copied, packed and hashed as bytes. What may happen next is choice.h; what must
 * hold is oracle.h; README.md tells what all this stands for.
 */
#ifndef OSCOMMIT_MODEL_WORLD_H
#define OSCOMMIT_MODEL_WORLD_H

#include "finding.h"

#include "commit/guard.h"

#include <stdbool.h>
#include <stdint.h>

enum { WRITERS = 3, GUARDS = 3, FLIGHTS = 12, VERSIONS = 8, PAIRS = 3 };

/* When the calls begin; and by how much earlier "long ago" is: more than what N1 asks for. */
enum { START_S = 1000, LONG_AGO_S = 400 };

/* ETags by number. As a row's key, ETAG_NONE is "*". */
enum { ETAG_NONE = 0, ETAG_A, ETAG_B, ETAG_C, ETAG_D, ETAG_COUNT };

/* Who made the version that stands: a writer's number + 1, or one of these. */
enum { MAKER_FIRST = 0, MAKER_OUTSIDER = 200 };

/* A forger reads the record of `expected` and has somebody resolve a ticket that it wrote for that (R17). */
enum call_kind { CALL_NONE = 0, CALL_GUARD, CALL_PEER, CALL_FORGER };

/* What may still go wrong, or happen, how often. */
enum budget {
    BUDGET_TICK = 0, /* a second passes */
    BUDGET_LEAP,     /* config.leap_s pass */
    BUDGET_EON,      /* config.eon_s pass */
    BUDGET_LOSE,     /* an answer is lost; what was not served yet stays on its way */
    BUDGET_DUP,      /* a PutItem gets a second copy */
    BUDGET_DUP_SEND, /* an attempt gets a second copy, which R6 forbids every layer below */
    BUDGET_THROTTLE,
    BUDGET_BLIND, /* a failed condition without the item */
    BUDGET_409,
    BUDGET_REFUSE,
    BUDGET_DENY,
    BUDGET_TOKEN,
    BUDGET_SKEWED,
    BUDGET_NOT_SENT,
    BUDGET_CRASH,
    BUDGET_STOP, /* the caller's deadline */
    BUDGET_TTL,
    BUDGET_OUTSIDER,
    BUDGET_SUSPEND, /* time passes and one writer's MONOTONIC stands */
    BUDGET_FREEZE,  /* time passes and all clocks of one writer stand */
    BUDGET_SET,     /* one writer's REALTIME jumps */
    BUDGET_FAST,    /* a front end that is `margin` ahead answers a HEAD */
    BUDGET_RESOLVE, /* an `unknown` is resolved from its ticket */
    BUDGET_GC,      /* an outsider aborts an upload, as a lifecycle rule does */
    BUDGET_LOOK,    /* V4.2: a second without an answer to an attempt */
    BUDGETS
};

/* What one writer wants. */
struct call_plan {
    enum call_kind kind;
    enum guard_operation operation;
    uint8_t expected; /* ETAG_NONE: absent */
    uint8_t ours;
    uint8_t guards;   /* how many guards the call may start */
    bool no_nonce;    /* COPY: the metadata has no room for it */
    bool recent;      /* R3: a Date is at hand, R1 and R3 go out together; native: no HEAD comes first */
    bool knows;       /* R3.6: the nonce of the object in the beginning is known, where its ETag is expected */
    uint8_t knows_of; /* the same of what this call (from 1 on) has made, if it had by then; 0: of none */
    bool told;        /* R12.11: it begins with its key's record, as that was released last */
    bool by_record;   /* with `native`: it has a record all the same (M1.3, M2.5) */
    bool bare;        /* with `headers`: its condition does not go along, or the store does not look at it */
    bool unpromised;  /* with `forward_only`: it does not know of the promise */
};

enum { STALLED_FOR_EVER = 255 };

struct config {
    const char *name;
    const char *about;
    struct call_plan calls[WRITERS];
    uint8_t base;     /* the object's ETag in the beginning; ETAG_NONE: absent */
    bool base_nonce;  /* and it carries somebody's nonce */
    bool base_fresh;  /* and it was written in the second in which the calls begin */
    uint8_t length_s; /* 0: 1, as of the next two */
    uint8_t allowance_s;
    uint8_t margin_s;
    uint8_t body_s;         /* attempts do not arrive at once: so many seconds at the least rate; 0: they do */
    uint8_t stalled_s;      /* with body_s: how long the store waits for the rest, as the guards are told */
    uint8_t late_segment_s; /* and how long the tail may be on its way */
    uint8_t store_work_s; /* what the store really takes for a request that it has (by_operation: a COPY); 0: as told */
    bool by_operation;    /* what the guards are told goes by the operation (F2.2), not by allowance_s */
    bool source_unpinned; /* and they know that the store copies what the source has become (F2.11) */
    uint8_t store_stalled_s; /* how long it really waits; 0: as told; STALLED_FOR_EVER */
    uint8_t link_late_s;     /* how late a segment really is; 0: as told */
    bool kernel_drains;      /* nothing is held back: the kernel delivers what it was given, however slow the link */
    uint16_t recheck_ms;     /* 0: 500 */
    uint16_t leap_s;
    uint16_t eon_s;
    enum guard_409 answer_409;
    bool no_fences;
    bool release_always;
    bool etag_known;
    bool etag_wrong;     /* with it: what is predicted is not what the store makes; nobody else writes under it */
    bool headers;        /* condition headers go along and are honoured */
    bool never_expires;  /* the store takes an attempt however late it comes */
    bool late_in_bound;  /* ... but none comes later than timeout x rate after its date */
    bool whole;          /* serving and answering are one step: fewer schedules */
    bool versioned;      /* the bucket keeps versions: each has an id */
    bool versioned_late; /* it does from some time on: somebody turns versioning on; not with `versioned` */
    bool versions_known; /* all writers know of `versioned` before they begin (R16) */
    bool native;         /* all calls are in native mode, but for those `by_record`; with `headers` */
    bool base_old;       /* the object was written long before the calls begin (N1) */
    bool upload_dates;   /* what a Complete makes is dated by its upload, which was created long before (AWS) */
    bool abort_accepts;  /* the abort of a completed upload is accepted (MinIO) */
    bool late_dates;     /* a HEAD is answered with the Date of its end, not of its reading; not with `whole` */
    bool early_ttl;      /* TTL may delete a peer's record three seconds after it was written */
    bool peer_late;      /* a peer's PUT may land at any time */
    bool peer_slow;      /* time passes between a peer's HEAD and its PutItem */
    bool outsider_same;  /* outsiders put the first bytes back */
    bool forward_only;   /* N4; with `native` */
    bool forgets_pairs;  /* and writers do not know those of what they replace */
    bool stale_pairs;    /* and know only those that the object had when they began, of the ETag that they expect */
    const char *expects; /* name of the violation that must be found; NULL: none may be */
    const char *only;    /* name of the one that counts: a promise is broken, and not all can be kept */
    bool quick;
    bool tiny;
    uint8_t budget[BUDGETS];
};

struct object {
    uint32_t modified_s;
    uint8_t exists;
    uint8_t etag;
    uint8_t maker;
    uint8_t guard;
    uint8_t has_nonce;
    uint8_t version;           /* of a versioned bucket, a delete marker's too; 0: "null" */
    uint8_t replaced;          /* R12.9: nonce_code of what it says that it replaced; 0: it says nothing */
    uint8_t pair_nonce[PAIRS]; /* N4: nonce_code, the own pair first; 0: none */
    uint8_t pair_over[PAIRS];  /* the ETag that it replaced */
    uint8_t reserved[3];
};

struct row {
    struct record record;
    uint8_t present;
    uint8_t reserved[7];
};

enum flight_kind {
    FLIGHT_NONE = 0,
    FLIGHT_HEAD,
    FLIGHT_SOURCE,
    FLIGHT_SIGN,
    FLIGHT_GET,
    FLIGHT_QUERY,
    FLIGHT_PUT,  /* of a record */
    FLIGHT_SEND, /* the attempt */
    FLIGHT_PARTS,
    FLIGHT_ABORT,
    FLIGHT_VERSIONS /* the list, and a HEAD of each that may be ours: at one instant, as versions do not change */
};

/* The upload of a writer's Complete; its number in records is the writer's + 1. */
enum upload_state { UPLOAD_IS_OPEN = 0, UPLOAD_IS_ABORTED, UPLOAD_IS_COMPLETED };

struct upload {
    uint32_t aborted_s;
    uint8_t state; /* enum upload_state */
    uint8_t reserved[3];
};

/* A request, or its answer, on its way. */
struct flight {
    struct clock_reading sent; /* HEAD: the writer's clocks when it was asked for; SEND: when its Date was */
    struct record record;      /* PUT: to be written; PUT, GET served: what was found */
    struct record_condition condition;
    struct object object; /* HEAD served; VERSIONS served: ours */
    uint32_t date_s;      /* HEAD, VERSIONS served; SEND: of the signature */
    uint32_t sent_s;      /* SEND; HEAD: the largest Date that was known when it was asked for */
    uint32_t moved_s;     /* SEND: when its last byte arrived, or its tail was let go */
    uint32_t tail_ms;     /* SEND: its tail may be handed over so long after `sent` */
    uint8_t kind;
    uint8_t writer;
    uint8_t guard;
    uint8_t awaited; /* somebody waits for the answer */
    uint8_t served;  /* only the answer is still on its way */
    uint8_t row;     /* PUT, GET; PARTS, ABORT: whose upload */
    uint8_t outcome; /* served: head_outcome, ledger_outcome, attempt_answer, upload_outcome, versions_outcome */
    uint8_t found;
    uint8_t saw_ours; /* QUERY served */
    uint8_t locked;
    uint8_t after_seen;  /* HEAD: asked for after the record that is being waited for was first shown */
    uint8_t after_put;   /* HEAD: asked for after the last PutItem was answered */
    uint8_t after_abort; /* HEAD: asked for after the abort of the holder's upload was answered */
    uint8_t is_release;  /* PUT */
    uint8_t length_s;    /* SEND */
    uint8_t phase;       /* SEND: enum send_phase (link.h) */
    uint8_t replaced;    /* SEND: as of the object that it makes */
    uint8_t reserved[7];
};

enum writer_state {
    WRITER_IDLE = 0, /* its next guard may start */
    WRITER_RUNNING,
    WRITER_DONE,
    /* a peer's */
    PEER_CHECKED, /* its HEAD was good; the PutItem follows */
    PEER_WAITING, /* somebody else's record */
    PEER_POLLED,  /* the same, and a HEAD was good */
    PEER_LEASED,
    PEER_SENT
};

/* The explorer's own books on a writer, kept from what goes in and out of it. */
struct book {
    struct record seen; /* somebody else's record, as it was shown last */
    struct clock_reading first_seen;
    struct record put;               /* what it asked to have written last */
    struct clock_reading head_sent;  /* when the HEAD answered last was asked for */
    struct clock_reading sign_sent;  /* when that was asked for whose Date was signed */
    struct clock_reading lease;      /* when `put` was first sent */
    struct clock_reading answered;   /* when its last PutItem, or the GetItem after it, was answered */
    struct clock_reading aborted_at; /* when the abort of the upload in `seen` was answered */
    uint32_t largest_date_s;         /* of all answers */
    uint32_t head_date_s;            /* the same when the HEAD answered last was asked for */
    uint32_t sign_date_s;
    uint32_t creation_generation; /* T3.10: of the record that it read beside its attempt */
    uint8_t has_seen;
    uint8_t head_after_seen; /* the HEAD answered last was asked for after `seen` was first shown */
    uint8_t head_good;       /* and the expectation held */
    uint8_t acquired;        /* a PutItem of `put` was applied at some time */
    uint8_t sent;
    uint8_t out;            /* a copy is unanswered, or was answered so that it may be applied */
    uint8_t head_after_put; /* the HEAD answered last was asked for after that */
    uint8_t continued;      /* R4: `put` continues an older item of its own */
    uint8_t sign_length_s;
    uint8_t proof;            /* R13, row A: this round has shown a record with `saw` = its nonce */
    uint8_t aborted;          /* R14: the upload in `seen` is aborted, or gone */
    uint8_t head_after_abort; /* and the HEAD answered last was asked for after that */
    uint8_t sign_replaced;    /* nonce_code of what the signed attempt says */
    uint8_t shown;            /* R12.9: nonce_code of the object that the HEAD answered last showed; 0: none */
    uint8_t shown_replaced;
    uint8_t later;     /* R3.7: a COPY is signed after its record was written */
    uint8_t polled;    /* R11: the record in `seen` was */
    uint8_t uncertain; /* N4.3: one copy at least has no definite answer */
    uint8_t creation;  /* T3.10: nonce_code of that record; 0: none was found */
    uint8_t reserved[5];
};

struct writer {
    struct guard guard;
    struct guard_ticket ticket; /* of an `unknown` that waits to be resolved */
    struct book book;
    int64_t monotonic_lag_ms;
    int64_t boottime_lag_ms;
    int64_t realtime_lag_ms;
    struct record peer_seen;
    uint64_t peer_clock_ms; /* MONOTONIC when `peer_seen` was seen, or before the PutItem was sent */
    uint8_t state;
    uint8_t number; /* of the guard that runs or is next */
    uint8_t timer;
    uint8_t started;
    uint8_t broken;    /* the expectation was broken at some time since the call began */
    uint8_t resolving; /* an `unknown` is to be, or is being, resolved */
    uint8_t verdict[GUARDS];
    uint8_t applied[GUARDS];
    uint8_t known_pair_nonce[PAIRS]; /* with `stale_pairs` */
    uint8_t known_pair_over[PAIRS];
    uint8_t reserved[6];
};

struct world {
    uint64_t s3_ms;
    struct object object;
    struct object history[VERSIONS]; /* of a bucket that keeps versions: all that were ever made, delete markers too */
    struct row rows[ETAG_COUNT];
    struct writer writers[WRITERS];
    struct flight flights[FLIGHTS];
    struct upload uploads[WRITERS];
    struct record released; /* of the releases that were applied, the last one; with `told` */
    uint8_t budget[BUDGETS];
    uint8_t outsider_last; /* the last change of the object was an outsider's */
    uint8_t versions;      /* ids given out */
    uint8_t history_count;
    uint8_t keeps_versions;
    uint8_t released_row; /* of `released`, from 1 on; 0: none was */
    uint8_t reserved[3];
};

/* What a search saw. */
struct tally {
    uint64_t verdicts[5]; /* final ones, by enum verdict, over all final worlds */
};

/* Only what becomes of the object and of verdicts counts, not the rules of a guard taken by themselves. */
extern bool consequences_only;

uint32_t world_date(const struct world *world);
struct clock_reading world_clocks(const struct world *world, unsigned w);
/* It may be applied although nobody waits for its answer. */
bool flight_writes(const struct flight *flight);
/* The upload was aborted, but this Complete may have been admitted before, and is applied within the allowance. */
bool complete_is_admitted(const struct world *world, const struct flight *send);
/* To be called when `object` was changed, before anybody is told: gives it its id, and keeps it. */
void world_keep_version(struct world *world);
bool world_holds(uint8_t expected, const struct object *object);
struct flight *world_new_flight(struct world *world, enum flight_kind kind, unsigned w);

const char *etag_text(uint8_t etag); /* ETAG_NONE: "*" */
uint8_t etag_number(const char *text);
/* Of the guard that runs or is next; every guard of one upload has the same. */
void own_nonce(const struct world *world, unsigned w, char ret[RECORD_NONCE_SIZE]);
void nonce_text(unsigned maker, unsigned guard, char ret[RECORD_NONCE_SIZE]);
uint8_t nonce_code(const char *nonce); /* of such a text, from 1 on; 0 of "" */
void nonce_of_code(uint8_t code, char ret[RECORD_NONCE_SIZE]);
uint8_t object_nonce_code(const struct object *object);
void object_version_of(const struct object *object, struct object_version *ret);

bool call_is_native(unsigned w);
bool call_has_condition(unsigned w);
bool call_is_promised(unsigned w); /* N4 */
void settings_of(unsigned w, struct guard_settings *ret);

#endif
