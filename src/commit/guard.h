/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard: one run of the protocol for one guarded operation, as a step machine. An event and the time go in; the
 * requests that should be made, the verdict, and the next deadline come out. It reads no clock, makes no request,
 * allocates nothing; its whole state is one plain struct without pointers, which can be copied, compared and hashed as
 * bytes.
 *
 *   guard_init(&guard, &settings, &start);       or guard_init_resolve, from a ticket
 *   guard_step(&guard, &(struct guard_event){.kind = GUARD_EVENT_START, .now = ...}, &actions);
 *   while (!guard_finished(&guard)) {
 *       do what `actions` says; wait for an answer or for actions.timer_ms; guard_step(...);
 *   }
 *
 * Of each kind of request at most one is under way. The driver answers each with exactly one event, or stops answering
 * when the guard has finished. A guard can have given its verdict (GUARD_DO_VERDICT) and still not be finished: then it
 * waits for the answer of a PutItem, to release the record that it may have made.
 *
 * The parts, each of which knows only those after it: guard.c (dispatch), guard_acquire.c (R1, R3-R5), guard_contend.c
 * (R11, R12, R14), guard_sign.c (R2), guard_forward.c (N4), guard_attempt.c (R6-R10), guard_resolve.c (R13, R14),
 * guard_native.c (N1-N3),
 * guard_versions.c (R16), guard_ticket.c (R17), guard_core.c (what all share, and how a guard ends: V1-V5, T3).
 */
#ifndef OSCOMMIT_COMMIT_GUARD_H
#define OSCOMMIT_COMMIT_GUARD_H

#include "base/backoff.h"
#include "commit/guard_event.h"
#include "commit/record.h"
#include "commit/verdict.h"
#include "commit/version.h"

#include <stdbool.h>
#include <stdint.h>

enum guard_operation { GUARD_PUT = 1, GUARD_COPY = 2, GUARD_DELETE = 3, GUARD_COMPLETE = 4 };

/* What excludes other writers: a record in the ledger, with or without condition headers beside it (R7); or the store
 * alone, which was seen to enforce the condition of this operation, even in a race. */
enum guard_mode { GUARD_MODE_RECORD = 0, GUARD_MODE_NATIVE = 1 };

/* What a 409 means on this store (R7). */
enum guard_409 { GUARD_409_AMBIGUOUS = 0, GUARD_409_SEND_AGAIN = 1, GUARD_409_FINAL = 2 };

/* Protocol constants that are not settings (R13, "fresh"). */
enum { GUARD_EVIDENCE_S = 600, GUARD_EVIDENCE_CLOCKS_S = 60 };
/* R3: R1 and R3 may go out together when the store answered less than this ago. */
enum { GUARD_RECENT_DATE_MS = 2000 };
/* Native: how old the Date may be that an attempt is signed at without a HEAD before it. */
enum { GUARD_NATIVE_DATE_MS = 600 * 1000 };
/* V4.2: how long an attempt may be without an answer before the object is looked at; and between looks, at most. */
enum { GUARD_LOOK_MS = 1000, GUARD_LOOK_MAX_MS = 4000 };
/* R13.19: between two rounds about an attempt that may live. */
enum { GUARD_ROUND_MAX_MS = 2000 };
/* R11.2: between two polls of a holder that has been at it for long. */
enum { GUARD_POLL_MAX_MS = 4000 };
/* R3.7: the source of a COPY that is not known yet is expected to be no larger. */
#define GUARD_COPY_EXPECTED_BYTES (UINT64_C(64) << 20)
/* N1: no request that writes one object is under way for longer; a CopyObject of 5 GiB takes 133 s. */
enum { GUARD_NATIVE_SETTLED_S = 300 };
/* R16: until when after D0 a list of versions is whole: lifecycle rules remove a version a day after its end. */
enum { GUARD_VERSIONS_S = 20 * 3600 };
/* E6. */
enum { GUARD_LENGTH_MAX_S = 60 };
/* F2, for guard_settings: how long stores were seen to wait for the rest of a body, where a profile does not
 * say; and one that waits for ever. */
enum { GUARD_STALLED_BODY_S = 65 };
#define GUARD_STALLED_BODY_FOR_EVER UINT32_MAX
/* CopyObject's limit (Amazon S3 API Reference, "CopyObject"). */
#define GUARD_COPY_MAX_BYTES (UINT64_C(5) << 30)

struct guard_settings {
    uint64_t timeout_ms; /* as set; T6 may raise what is written */
    uint64_t ttl_s;
    uint64_t recheck_after_ms;
    uint32_t max_clock_skew_rate;
    uint32_t length_s;
    uint32_t work_s;         /* how long the store is busy with a request that it has whole; 0: by operation */
    uint32_t complete_s;     /* COMPLETE: at least so long, where it goes by operation */
    uint32_t stalled_body_s; /* how long the store waits for the rest of a body; GUARD_STALLED_BODY_FOR_EVER */
    uint32_t late_segment_s; /* how long what was handed to the kernel may still take to arrive, once it is given up */
    uint64_t minimum_rate;   /* bytes per second, at which what does not arrive at once has to be delivered */
    uint32_t margin_s;
    uint32_t commit_ms;   /* R11.5: how long an attempt takes here; 0: not known */
    uint32_t answer_409;  /* enum guard_409 */
    bool fences;          /* E7 */
    bool release_always;  /* R9 */
    bool etag_known;      /* "our ETag" can be predicted, or so it seems (R13) */
    bool native;          /* GUARD_MODE_NATIVE */
    bool modified_tells;  /* N1: no request leaves an object with a Last-Modified from before it came to this key
                             (RenameObject does) */
    bool native_writers;  /* others write the same keys in native mode: what no record says proves nothing (R13) */
    bool versioned;       /* R16: the bucket was seen to have versions, before the guard began */
    bool versions_likely; /* R16: it may have: asking for their list is worth it, and proves no more than it would */
    bool forward_only; /* N4: the caller's promise that the key is never deleted, and never takes earlier bytes again */
    bool source_unpinned; /* F2.11: the store copies what the source has become meanwhile */
    uint8_t reserved[6];
};

/* What one guard is for (G1). */
struct guard_start {
    enum guard_operation operation;
    const char *expected_etag;         /* NULL: absent */
    const char *our_etag;              /* PUT: the MD5 of the body as an ETag, where it is known; NULL or "": it is not.
                                          With settings.etag_known the ETag that the write makes */
    const char *nonce;                 /* 32 hex digits, new for every guard; COMPLETE: that of the upload's creation,
                                          the same for every guard of one upload */
    uint64_t generation;               /* random; cut to 48 bits (T2) */
    uint64_t seed;                     /* of the jitter */
    uint64_t upload;                   /* COMPLETE: number of the upload id (record_upload_number) */
    uint64_t fencing;                  /* L10: the caller's token; 0: none */
    uint32_t part_count;               /* COMPLETE: decides how long the store may be at it */
    bool parts_in_doubt;               /* COMPLETE: a part was not answered: a copy of it may come late (R14) */
    const struct record *released;     /* R12.11: of our key, as a release that was applied left it; NULL: none known */
    const char *known_nonce;           /* R3.6: of the version with expected_etag, "" if it has none; NULL: not known */
    bool has_recent_date;              /* R3: an answer of the store is less than 2 s old; native: than 10 min */
    uint64_t recent_date_s;            /* the largest Date received so far */
    struct clock_reading recent_clock; /* read before the request that it answered was sent */
};

/* What settles an unknown later (R13, "ticket"). */
struct guard_ticket {
    enum guard_operation operation;
    bool native;
    bool native_writers;
    bool versioned;                        /* R16: the bucket had versions before the attempt was sent */
    char expected_etag[VERSION_ETAG_SIZE]; /* "*": absent */
    char our_etag[VERSION_ETAG_SIZE];      /* "": not predicted */
    struct record
        record; /* generation, fence, ttl, nonce, upload of our record; native: of the one that was not written */
    uint64_t d0_s;
    uint32_t margin_s;
    struct object_version base; /* the version of the last HEAD before we sent */
    bool not_applied;           /* a definite 412 or final 409 was received */
    bool parts_in_doubt;        /* R14 */
    bool forward_only;          /* N4 */
    bool has_length;            /* V4.4: of what was sent; kept by the driver, no guard looks at it */
    uint64_t length;
    bool half; /* V4.8: only a part was shown; kept by the driver, which says so with each HEAD */
};

/* ---------------------------------------------------------------------------------------------------- state */

enum guard_state {
    GUARD_NEW = 0,
    GUARD_CHECKING,         /* R1, and R3 beside it */
    GUARD_SIGNING,          /* R2 */
    GUARD_ACQUIRING,        /* R3, R4: PutItem under way, or waiting to send it again */
    GUARD_ACQUIRE_READING,  /* R4: GetItem after a blind conflict */
    GUARD_RECHECKING,       /* R5 */
    GUARD_SENDING,          /* R6 */
    GUARD_SEND_WAITING,     /* R7: 409, waiting to send the same request again */
    GUARD_SIGNING_AGAIN,    /* E2: ExpiredToken; R3.7: a COPY whose source is known by now */
    GUARD_CONTEND_FIRST,    /* R3 met another's record while R1's HEAD was still under way */
    GUARD_CONTEND_WAITING,  /* R11: back-off */
    GUARD_CONTEND_READING,  /* R11: GetItem */
    GUARD_CONTEND_CHECKING, /* R11: HEAD */
    GUARD_CONTEND_ABORTING, /* R14: abort of the dead holder's upload */
    GUARD_RESOLVE_HEAD,     /* R13: first HEAD of a round */
    GUARD_RESOLVE_OWN,      /* R13: GetItem of our record */
    GUARD_RESOLVE_OTHERS,   /* R13: GetItem of (path, our ETag), or Query */
    GUARD_RESOLVE_PARTS,    /* R14, N2: ListParts of our upload */
    GUARD_RESOLVE_AGAIN,    /* R13: the HEAD that counts; N1 to N3: the only one of a round */
    GUARD_RESOLVE_VERSIONS, /* R16: the list of versions */
    GUARD_RESOLVE_WAITING,  /* R13: back-off between rounds */
    GUARD_ORPHANED,         /* verdict given, a PutItem still unanswered (R3) */
    GUARD_CLEARING,         /* verdict given, GetItem of the record of what was deleted (T3.10) */
    GUARD_FINISHED
};

/* Why a guard ended; decides the error and whether the call starts a new guard. */
enum guard_reason {
    GUARD_REASON_NONE = 0,
    GUARD_REASON_WRITTEN,      /* R9 */
    GUARD_REASON_PROVEN,       /* V4, R13.A, R16 */
    GUARD_REASON_EXPECTATION,  /* a HEAD showed it broken */
    GUARD_REASON_OVERTAKEN,    /* R13.C, R13.E, R16 */
    GUARD_REASON_RECORD_GONE,  /* again */
    GUARD_REASON_TOO_LATE,     /* again: R4, R6 */
    GUARD_REASON_EXPIRED,      /* again: R13.D, R13.B after 409s, R14, R16, N1, N2 */
    GUARD_REASON_UPLOAD_AGAIN, /* the upload is of no more use: abort it, upload the parts again, new guard (R7, R14) */
    GUARD_REASON_NOT_SENT,     /* again: no byte of the attempt left */
    GUARD_REASON_SKEWED,       /* again: E2 */
    GUARD_REASON_MISTAKEN,     /* again: R3.6, the version has another nonce than was known */
    GUARD_REASON_UNMET,        /* R13.B: the store refused the condition although the very version is there */
    GUARD_REASON_REFUSED,      /* R8: the driver has the store's error */
    GUARD_REASON_HEAD_REFUSED,
    GUARD_REASON_SOURCE, /* source missing, changed or denied */
    GUARD_REASON_SOURCE_TOO_LARGE,
    GUARD_REASON_SIGN_FAILED,
    GUARD_REASON_SAME_ETAG, /* N4.4 */
    GUARD_REASON_LEDGER_REFUSED,
    GUARD_REASON_UNREADABLE_RECORD,
    GUARD_REASON_ABORT_REFUSED, /* R14: the store does not let us abort the holder's upload */
    GUARD_REASON_STOPPED,       /* deadline or cancellation */
    GUARD_REASON_BUSY,          /* the same, while another writer held the record */
    GUARD_REASON_NO_EVIDENCE,   /* R13.F, N3 */
    GUARD_REASON_FALSE_TICKET   /* R17: the stored record contradicts the ticket */
};

/* Which rule, or row of R13, gave the verdict. */
enum guard_rule {
    GUARD_RULE_NONE = 0,
    RULE_R1,
    RULE_R2,
    RULE_R3,
    RULE_R4,
    RULE_R5,
    RULE_R6,
    RULE_R7,
    RULE_R8,
    RULE_R9,
    RULE_R11,
    RULE_V3,
    RULE_V4,
    RULE_E2,
    RULE_R13_A,
    RULE_R13_B,
    RULE_R13_C,
    RULE_R13_D,
    RULE_R13_E,
    RULE_R13_F,
    RULE_R14,
    RULE_R16,
    RULE_R17,
    RULE_N1,
    RULE_N2,
    RULE_N3,
    RULE_N4
};

/* What of our record is in the ledger, as far as we know; what a release has to undo (T3). */
enum guard_hold {
    GUARD_HOLDS_NOTHING = 0,
    GUARD_HOLDS_OLDER, /* R4: condition.seen, an older item of ours, until the PutItem on it is applied */
    GUARD_HOLDS_MAYBE, /* a PutItem of ours may have been applied unseen */
    GUARD_HOLDS_RECORD
};

/* R1: how far the look at the object is. */
enum guard_check_stage {
    GUARD_CHECK_FIRST = 0, /* its HEAD comes first, and gives D0 */
    GUARD_CHECK_BESIDE,    /* R3: D0 is known, its HEAD goes out beside the PutItem */
    GUARD_CHECK_DONE       /* the expectation holds; native, with a recent Date: the store itself will look */
};

/* COPY: what is known of the source. */
enum guard_source {
    GUARD_SOURCE_OPEN = 0,
    GUARD_SOURCE_FOUND,
    GUARD_SOURCE_REFUSED /* and the destination's HEAD is still to come */
};

/* R13: what a round knows of the attempt. */
enum guard_life {
    GUARD_LIFE_LEFT = 0,     /* it may still be applied */
    GUARD_LIFE_OVER,         /* dead: S3 time was past fence + margin before the round's first HEAD was sent */
    GUARD_LIFE_OVER_CHANGED, /* the same, and that HEAD showed another version than check.base */
    GUARD_LIFE_OVER_OPEN,    /* R14, N2: the same, and ListParts says that its upload is open */
    GUARD_LIFE_OVER_UNCLEAR  /* N2: the same, and ListParts was not answered */
};

/* R13, R17: what a round has found in the place of our record. */
enum guard_own_row {
    GUARD_ROW_OF_NOBODY = 0, /* nothing that counts: none, a peer's, our own */
    GUARD_ROW_FOREIGN,       /* one with a nonce that is not ours */
    GUARD_ROW_ALIVE,         /* from a ticket: with our nonce, and a fence that has not passed */
    GUARD_ROW_AS_TICKET      /* from a ticket: the ticket's in every attribute, and not alive */
};

/* R16: what is known of the bucket. */
enum guard_versioning {
    GUARD_UNVERSIONED = 0,
    GUARD_VERSIONED_NOW,   /* it has versions, or may have: asking for their list is worth it */
    GUARD_VERSIONED_BEFORE /* it had them before the attempt was sent: what is not in their list was never made */
};

/*
 * The state, in parts: who writes one is said beside it. No gap is left that nobody sets, as the bytes of a guard are
 * compared and hashed.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* The write that is guarded, as guard_start or a ticket tells it. Never changed. */
struct guard_write {
    enum guard_operation operation;
    uint32_t part_count;
    uint64_t fencing;                      /* L10; 0: none */
    char expected_etag[VERSION_ETAG_SIZE]; /* "": absent */
    char our_etag[VERSION_ETAG_SIZE];      /* "": not predicted */
    char nonce[RECORD_NONCE_SIZE];
    bool parts_in_doubt; /* R14: what is open may have been completed, and opened again by a late part */
    bool from_ticket;    /* never makes an attempt, begins at R13 */
    bool keeps_bytes;    /* N4.4: what it would write is what it expects to be there */
    uint8_t reserved[4];
};

/* G4: S3 time, of every answer and every HEAD (guard.c, guard_core.c). */
struct guard_time {
    uint64_t largest_date_s;
    uint64_t head_date_s;            /* the largest Date received before the HEAD under way was sent */
    struct clock_reading head_clock; /* read before the HEAD under way was sent */
};

/* R1, R5: what is known before anything is sent (guard_acquire.c; a takeover begins it anew, guard_contend.c). */
struct guard_check {
    struct object_version base; /* of the last HEAD before we send; native: absent where there was none */
    uint64_t date_s;            /* of the HEAD that showed it; R5's aside */
    struct clock_reading clock; /* read before that was sent */
    uint64_t source_bytes;      /* at most */
    enum guard_check_stage stage;
    enum guard_source source;
    char known_nonce[RECORD_NONCE_SIZE]; /* R3.6: of the version that is expected, before the HEAD shows it */
    bool knows_nonce;
    uint8_t reserved[6];
};

/* R2: what was signed, and counts for the fence (guard_sign.c). */
struct guard_signature {
    uint64_t d0_s;
    struct clock_reading d0_clock; /* read before the request that D0 answers was sent */
    uint64_t wire_bytes;           /* of what was signed before the record was written, which counts on it */
    uint32_t length_s;             /* from D0 on */
    bool at_once;                  /* as wire_bytes: it arrives at once */
    bool made;                     /* R3.7: a COPY may be signed after its record was written */
    bool renewed;                  /* E2: signed again once */
    uint8_t reserved[1];
};

/* R3, R4, T3: our record (guard_acquire.c, guard_sign.c). */
struct guard_own {
    struct record record;
    struct record_condition condition; /* of its PutItem */
    struct clock_reading lease_clock;  /* before its first send */
    enum guard_hold hold;
    bool took_over;
    uint8_t reserved[3];
};

/* R11, R12, R14: another writer's record (guard_contend.c). T3.10: that of what is deleted, once it is read. */
struct guard_holder {
    struct record record;
    struct clock_reading first_seen; /* without a fence: or after its upload was aborted (R14) */
    bool upload_aborted;             /* R14: it is, or gone */
    bool lease_reported;
    bool just_met; /* R11.5: no HEAD was sent since it was first seen */
    uint8_t reserved[5];
};

/* R6 to R8: the copies that were sent, and how they were answered (guard_attempt.c). */
struct guard_attempt {
    uint32_t send_count;
    uint32_t answered_409;
    bool not_applied;    /* definitely */
    bool came_too_late;  /* E6: R6 found too little left of the signature, or an answer says that it is over */
    bool overtaken;      /* V4.2: a look has shown the expectation broken: no other copy is sent */
    uint8_t looks;       /* how often the pause between two has grown */
    bool uncertain;      /* N4.3: one copy at least has no definite answer */
    bool pause_due;      /* N4.3: before another copy is sent */
    bool creation_found; /* T3.10: `holder` has the record of what is deleted */
    bool records_read;   /* R13.18: one round was whole */
    uint8_t reserved[4];
};

/* R13: what one round has shown (guard_resolve.c, guard_native.c, guard_ticket.c). */
struct guard_round {
    enum guard_life life;
    enum guard_own_row own_row;
    bool locked; /* our ETag is */
    bool part;   /* V4.8: of our write only a part was seen */
    uint8_t reserved[2];
};

/* V1 to V5: how it ended (guard_core.c). */
struct guard_outcome {
    struct object_version found; /* what broke the expectation, or what we made; R16: what the last HEAD showed */
    enum verdict verdict;        /* NONE: not yet */
    enum guard_reason reason;
    enum guard_rule rule;
    uint8_t reserved[4];
};

struct guard {
    struct guard_settings settings;
    struct backoff backoff;
    enum guard_state state;
    uint32_t awaiting; /* GUARD_DO_... of requests under way */
    struct guard_write write;
    struct guard_time time;
    struct guard_check check;
    struct guard_signature signature;
    struct guard_own own;
    struct guard_holder holder;
    struct guard_attempt attempt;
    struct guard_round round;
    struct guard_outcome outcome;
    enum guard_versioning versioning; /* R16 (guard_versions.c) */
    uint8_t reserved[4];
};

#pragma GCC diagnostic pop

void guard_init(struct guard *guard, const struct guard_settings *settings, const struct guard_start *start);
/* Begins at R13. Settings and ticket give the margin, whichever is larger; the ticket gives the rest, as far as it is
 * believed (R17). */
void guard_init_resolve(struct guard *guard, const struct guard_settings *settings, const struct guard_ticket *ticket,
                        uint64_t seed);

/* One event in; *ret_actions is what to do now. An event that is not awaited only lends its Date. */
void guard_step(struct guard *guard, const struct guard_event *event, struct guard_actions *ret_actions);

/* V4.6: a Complete that is under way, of which a store shows the metadata beside the object that was there before. */
bool guard_shows_torn(const struct guard *guard, const struct object_version *version);

bool guard_finished(const struct guard *guard);
enum verdict guard_verdict(const struct guard *guard); /* VERDICT_NONE until it is given */
/* The call should start a new guard while its deadline allows; for a COMPLETE on the same upload, with the same nonce.
 * After GUARD_REASON_UPLOAD_AGAIN that would be in vain: a new upload is needed first, and this is false. */
bool guard_try_again(const struct guard *guard);
bool guard_expired(const struct guard *guard); /* E6: it came too late; the next guard doubles its length */
/* The verdict says that the attempt was lost, and rests on its being dead: no answer said so, and no pair (N4). */
bool guard_by_fence(const struct guard *guard);
const char *guard_rule_name(const struct guard *guard); /* "R9", "R13.E" ... */
void guard_ticket_of(const struct guard *guard, struct guard_ticket *ret);
/* R17: the round that gave the verdict on a ticket has shown that its Complete is dead, and that the stored record,
 * which names its upload, is the ticket's: the upload may be aborted. */
bool guard_owns_upload(const struct guard *guard);

/* RECORD_QUERY: adds what one row of the partition says. `etag` is the row's sort key. An update may leave the ETag as
 * it was: the row of our own key counts like any other. */
void guard_classify_record(const struct guard *guard, const char *etag, const struct record *record,
                           struct guard_evidence *evidence);

/* N4, HEAD: adds what one of the pairs says that an object carries. `over_base`: the ETag that it names is the expected
 * one, or the mark of a creation where absence is expected. */
void guard_classify_pair(const struct guard *guard, const char *nonce, bool over_base, struct guard_history *history);

/* VERSIONS: what an entry of the list is good for, GUARD_VERSION_...; 0: it is another's. */
unsigned guard_classify_listed(const struct guard *guard, const struct listed_version *listed);
/* The same after a HEAD of it. VERSIONS_OURS, VERSIONS_OTHERS: it is another's, or VERSIONS_HIDDEN. */
enum versions_outcome guard_classify_version(const struct guard *guard, const struct object_version *version);

/* How long the store may be busy with a request that it has whole, by operation (F2). `amount`: the
 * bytes of a COPY's source; of a COMPLETE its parts. */
uint32_t guard_work_s(enum guard_operation operation, uint64_t amount);
/* For how long after D0 + length the end of a request of so many bytes may be handed over (R6). */
uint32_t guard_delivery_s(const struct guard_settings *settings, uint64_t wire_bytes);
/* The allowance of this guard: after D0 + length + allowance what was signed has been applied or never will be. */
uint32_t guard_allowance_s(const struct guard *guard);

/* The sort key of our record: "*" or the expected ETag. */
const char *guard_record_etag(const struct guard *guard);

#endif
