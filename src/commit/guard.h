/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard: one run of the protocol for one guarded operation, as a step machine. An event and the time go in; the
 * requests that should be made, the verdict, and the next deadline come out. It reads no clock, makes no request,
 * allocates nothing; its whole state is one plain struct without pointers, which can be copied, compared and hashed as
 * bytes.
 *
 *   guard_init(&guard, &settings, &start);       or guard_init_resolve, from a ticket
 *   guard_step(&guard, &(struct guard_event){.kind = GUARD_EVENT_START, .now = ...}, &actions);
 *   while (!guard_finished(&guard)) { do what `actions` says; wait for an answer or for actions.timer_ms;
 * guard_step(...); }
 *
 * Of each kind of request at most one is under way. The driver answers each with exactly one event, or stops answering
 * when the guard has finished. A guard can have given its verdict (GUARD_DO_VERDICT) and still not be finished: then it
 * waits for the answer of a PutItem, to release the record that it may have made.
 *
 * The parts, each of which knows only those after it: guard.c (dispatch), guard_acquire.c (R1, R3-R5), guard_contend.c
 * (R11, R12, R14), guard_sign.c (R2), guard_attempt.c (R6-R10), guard_resolve.c (R13, R14), guard_native.c (N1-N3),
 * guard_versions.c (R16), guard_ticket.c (R17), guard_core.c (what all share, and how a guard ends: V1-V5, T3).
 */
#ifndef OSCOMMIT_COMMIT_GUARD_H
#define OSCOMMIT_COMMIT_GUARD_H

#include "base/backoff.h"
#include "base/clock.h"
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
};

/* What one guard is for (G1). */
struct guard_start {
    enum guard_operation operation;
    const char *expected_etag;         /* NULL: absent */
    const char *our_etag;              /* with settings.etag_known: the ETag that our write makes; not for DELETE */
    const char *nonce;                 /* 32 hex digits, new for every guard; COMPLETE: that of the upload's creation,
                                          the same for every guard of one upload */
    uint64_t generation;               /* random; cut to 48 bits (T2) */
    uint64_t seed;                     /* of the jitter */
    uint64_t upload;                   /* COMPLETE: number of the upload id (record_upload_number) */
    uint32_t part_count;               /* COMPLETE: decides how long the store may be at it */
    bool parts_in_doubt;               /* COMPLETE: a part was not answered: a copy of it may come late (R14) */
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
};

/* ------------------------------------------------------------------------------------------------ events */

enum guard_event_kind {
    GUARD_EVENT_START = 1,
    GUARD_EVENT_HEAD,         /* answer to GUARD_DO_HEAD */
    GUARD_EVENT_SOURCE,       /* answer to GUARD_DO_SOURCE */
    GUARD_EVENT_SIGNED,       /* answer to GUARD_DO_SIGN */
    GUARD_EVENT_RECORD_PUT,   /* answer to GUARD_DO_RECORD_PUT */
    GUARD_EVENT_RECORD_GET,   /* answer to GUARD_DO_RECORD_GET */
    GUARD_EVENT_RECORD_QUERY, /* answer to GUARD_DO_RECORD_QUERY */
    GUARD_EVENT_ATTEMPT,      /* answer to GUARD_DO_SEND */
    GUARD_EVENT_PARTS,        /* answer to GUARD_DO_PARTS */
    GUARD_EVENT_ABORTED,      /* answer to GUARD_DO_ABORT */
    GUARD_EVENT_VERSIONS,     /* answer to GUARD_DO_VERSIONS */
    GUARD_EVENT_TIMER,        /* actions.timer_ms has passed */
    GUARD_EVENT_STOP          /* the caller's deadline or cancellation */
};

enum head_outcome {
    HEAD_ANSWERED = 1, /* the version, maybe absent, and a Date */
    HEAD_FAILED = 2,   /* no answer, 5xx, throttled: ask again */
    HEAD_REFUSED = 3   /* denied or bad: asking again will not help */
};

/* What the store says of an upload (R14). */
enum upload_outcome {
    UPLOAD_OPEN = 1,    /* PARTS: it is still open */
    UPLOAD_ABORTED = 2, /* ABORTED: accepted; some stores say so of an upload that is completed already (MinIO) */
    UPLOAD_GONE = 3,    /* NoSuchUpload: completed, or aborted before */
    UPLOAD_UNCLEAR = 4, /* no answer, 5xx, throttled: ask again */
    UPLOAD_REFUSED = 5  /* denied: asking again will not help */
};

/* What the versions of the key say (R16). */
enum versions_outcome {
    VERSIONS_OURS = 1,    /* one of them has our nonce: event.version */
    VERSIONS_OTHERS = 2,  /* all were looked at, none is ours or can hide it, and the bucket keeps every version */
    VERSIONS_UNCLEAR = 3, /* no answer, 5xx, throttled: ask again */
    VERSIONS_HIDDEN = 4   /* denied, no such list, too many, or one that can hide ours */
};

/* One entry of the list of versions (R16). Strings are borrowed. */
struct listed_version {
    const char *version_id;
    const char *etag;        /* "" of a delete marker */
    int64_t last_modified_s; /* 0 if unreadable */
    bool is_delete_marker;
};
enum {
    GUARD_VERSION_ASK = 1 << 0,  /* a HEAD of it can show our nonce: guard_classify_version */
    GUARD_VERSION_HIDES = 1 << 1 /* with it the list does not prove that we are not in it */
};

/* Row A's and "locked"'s evidence from records other than the one of our own key. */
struct guard_evidence {
    bool saw_ours; /* one of them has `saw` = our nonce */
    bool locked;   /* one of them may still be written under */
};

struct guard_event {
    enum guard_event_kind kind;
    struct clock_reading now; /* after the answer was received */
    bool has_date; /* HEAD, SOURCE, ATTEMPT, PARTS, ABORTED, VERSIONS: the store's Date (of the last answer) */
    uint64_t date_s;
    enum head_outcome head;               /* HEAD, SOURCE */
    struct object_version version;        /* HEAD; VERSIONS_OURS */
    bool versioned;                       /* HEAD: it names a version, or a delete marker, by an id of its own */
    uint64_t source_bytes;                /* SOURCE */
    bool signed_ok;                       /* SIGNED */
    bool at_once;                         /* SIGNED: it arrives at once: one segment, over TLS one record */
    uint64_t wire_bytes;                  /* SIGNED: of the whole request on the wire, at most */
    enum ledger_outcome ledger;           /* RECORD_PUT, RECORD_GET, RECORD_QUERY */
    bool found;                           /* RECORD_GET with LEDGER_OK */
    struct record record;                 /* RECORD_PUT with LEDGER_CONFLICT, RECORD_GET when found */
    struct guard_evidence evidence;       /* RECORD_QUERY: of all rows, by guard_classify_record */
    enum attempt_answer attempt;          /* ATTEMPT */
    enum upload_outcome upload;           /* PARTS, ABORTED */
    enum versions_outcome versions;       /* VERSIONS */
    char attempt_etag[VERSION_ETAG_SIZE]; /* ATTEMPT_OK: what the store said, may be "" */
    char attempt_version_id[VERSION_ID_SIZE];
};

/* ---------------------------------------------------------------------------------------------- what to do */

enum {
    GUARD_DO_HEAD = 1 << 0,       /* HEAD the destination */
    GUARD_DO_SOURCE = 1 << 1,     /* HEAD the source of a COPY */
    GUARD_DO_SIGN = 1 << 2,       /* sign the attempt at actions.sign_date_s for actions.sign_length_s, keep it (R2) */
    GUARD_DO_RECORD_PUT = 1 << 3, /* PutItem actions.record on actions.condition */
    GUARD_DO_RECORD_GET = 1 << 4, /* consistent GetItem of our key, or of (path, "*") when actions.get_our_etag */
    GUARD_DO_RECORD_QUERY = 1 << 5, /* consistent Query of the partition; weigh each row with guard_classify_record */
    GUARD_DO_SEND =
        1 << 6, /* send the signed attempt, once, with actions.send_deadline_ms; then abort the connection (R6) */
    GUARD_DO_RELEASE =
        1 << 7, /* PutItem actions.release on actions.release_condition, in the background, no event wanted (T3) */
    GUARD_DO_VERDICT = 1 << 8,      /* the verdict is there: guard_verdict() */
    GUARD_DO_REPORT_LEASE = 1 << 9, /* a record with a timeout over an hour is being waited for: tell somebody (R12) */
    GUARD_DO_PARTS = 1 << 10,       /* ListParts of the own upload: is it still open? (R14) */
    GUARD_DO_ABORT = 1 << 11,       /* abort the upload actions.upload of the record seen last (R14) */
    GUARD_DO_VERSIONS = 1 << 12     /* list the versions of the key, and look at them (R16): weigh each with
                                       guard_classify_listed, those to be asked by a HEAD with guard_classify_version; what
                                       the     last HEAD showed must be in the list */
};

struct guard_actions {
    unsigned what;
    uint64_t sign_date_s;
    uint32_t sign_length_s;
    bool sign_renewed; /* E2: with renewed credentials, same date and length */
    bool get_our_etag; /* DELETE */
    uint64_t upload;
    struct record record;
    struct record_condition condition;
    struct record release;
    struct record_condition release_condition;
    uint64_t send_deadline_ms;  /* from now */
    uint64_t send_allowance_ms; /* the kernel may try no longer to deliver it (TCP_USER_TIMEOUT) */
    bool send_at_once;          /* the record counts on it: else nothing is sent */
    /* Otherwise the end of the body is held back until all before it is acknowledged, and handed over only while less
     * than send_tail_ms have passed since send_clock, by the clock that advanced most. */
    struct clock_reading send_clock;
    uint64_t send_tail_ms;
    bool has_timer;
    uint64_t timer_ms; /* from now; replaces an earlier timer, which a step without one leaves running */
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
    GUARD_SIGNING_AGAIN,    /* E2: ExpiredToken */
    GUARD_CONTEND_FIRST,    /* R3 met another's record while R1's HEAD was still under way */
    GUARD_CONTEND_WAITING,  /* R11: back-off */
    GUARD_CONTEND_READING,  /* R11: GetItem */
    GUARD_CONTEND_CHECKING, /* R11: HEAD */
    GUARD_CONTEND_ABORTING, /* R14: abort of the dead holder's upload */
    GUARD_RESOLVE_HEAD,     /* R13: first HEAD of a round */
    GUARD_RESOLVE_OWN,      /* R13: GetItem of our record */
    GUARD_RESOLVE_OTHERS,   /* R13: GetItem of (path, our ETag), or Query */
    GUARD_RESOLVE_PARTS,    /* R14: ListParts of our upload */
    GUARD_RESOLVE_AGAIN,    /* R13: the HEAD that counts */
    GUARD_RESOLVE_VERSIONS, /* R16: the list of versions */
    GUARD_RESOLVE_WAITING,  /* R13: back-off between rounds */
    GUARD_NATIVE_PARTS,     /* N2: ListParts of our upload */
    GUARD_NATIVE_HEAD,      /* N1-N3: the HEAD of a round */
    GUARD_NATIVE_VERSIONS,  /* R16: the list of versions */
    GUARD_NATIVE_WAITING,   /* back-off between rounds */
    GUARD_ORPHANED,         /* verdict given, a PutItem still unanswered (R3) */
    GUARD_FINISHED
};

/* Why a guard ended; decides the error and whether the call starts a new guard. */
enum guard_reason {
    GUARD_REASON_NONE = 0,
    GUARD_REASON_WRITTEN,     /* R9 */
    GUARD_REASON_PROVEN,      /* V4, R13.A, R16 */
    GUARD_REASON_EXPECTATION, /* a HEAD showed it broken */
    GUARD_REASON_OVERTAKEN,   /* R13.C, R13.E, R16 */
    GUARD_REASON_RECORD_GONE, /* again */
    GUARD_REASON_TOO_LATE,    /* again: R4, R6 */
    GUARD_REASON_EXPIRED,     /* again: R13.D, R13.B after 409s, R14, R16, N1, N2 */
    GUARD_REASON_STAGE_AGAIN, /* the upload is of no more use: abort it, stage the parts again, new guard (R7, R14) */
    GUARD_REASON_NOT_SENT,    /* again: no byte of the attempt left */
    GUARD_REASON_SKEWED,      /* again: E2 */
    GUARD_REASON_UNMET,       /* R13.B: the store refused the condition although the very version is there */
    GUARD_REASON_REFUSED,     /* R8: the driver has the store's error */
    GUARD_REASON_HEAD_REFUSED,
    GUARD_REASON_SOURCE, /* source missing, changed or denied */
    GUARD_REASON_SOURCE_TOO_LARGE,
    GUARD_REASON_SIGN_FAILED,
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
    RULE_N3
};

/* What of our record is in the ledger, as far as we know; what a release has to undo (T3). */
enum guard_hold {
    GUARD_HOLDS_NOTHING = 0,
    GUARD_HOLDS_OLDER, /* R4: condition.seen, an older item of ours, until the PutItem on it is applied */
    GUARD_HOLDS_MAYBE, /* a PutItem of ours may have been applied unseen */
    GUARD_HOLDS_RECORD
};

/* COPY: what is known of the source. */
enum guard_source {
    GUARD_SOURCE_OPEN = 0,
    GUARD_SOURCE_FOUND,
    GUARD_SOURCE_REFUSED /* and the destination's HEAD is still to come */
};

/* R16: what is known of the bucket. */
enum guard_versioning {
    GUARD_UNVERSIONED = 0,
    GUARD_VERSIONED_NOW,   /* it has versions, or may have: asking for their list is worth it */
    GUARD_VERSIONED_BEFORE /* it had them before the attempt was sent: what is not in their list was never made */
};

struct guard {
    struct guard_settings settings;
    struct backoff backoff;

    /* What it is for. */
    uint32_t operation;
    uint32_t state;                        /* enum guard_state */
    uint32_t verdict;                      /* enum verdict; 0: none yet */
    uint32_t reason;                       /* enum guard_reason */
    uint32_t rule;                         /* enum guard_rule */
    uint32_t awaiting;                     /* GUARD_DO_... of requests under way */
    char expected_etag[VERSION_ETAG_SIZE]; /* "": absent */
    char our_etag[VERSION_ETAG_SIZE];      /* "": not predicted */
    char nonce[RECORD_NONCE_SIZE];
    bool resolving;     /* from a ticket: never makes an attempt */
    bool own_same;      /* R17: in this round our key's record was the ticket's, in every attribute */
    bool own_alive;     /* R17: and a record with our nonce was, whose fence has not passed */
    uint8_t hold;       /* enum guard_hold */
    uint8_t source;     /* enum guard_source */
    uint8_t versioning; /* enum guard_versioning */
    uint8_t reserved[2];
    uint64_t source_bytes;

    /* S3 time (G4). */
    uint64_t d0_s;
    struct clock_reading d0_clock;   /* read before the request that D0 answers was sent */
    struct clock_reading head_clock; /* read before the HEAD under way was sent */
    uint64_t largest_date_s;
    uint64_t head_date_s; /* the largest Date received before the HEAD under way was sent */

    /* The object. */
    struct object_version base;       /* of the last HEAD before we send; native: absent where there was none */
    struct object_version found;      /* what broke the expectation, or what we made; R16: what the last HEAD showed */
    struct clock_reading check_clock; /* before R1's HEAD was sent (R5) */

    /* Our record. */
    struct record ours;
    struct record_condition condition; /* of the PutItem of `ours` */
    struct clock_reading lease_clock;  /* before its first send */

    /* Another writer's record (R11). */
    struct record seen;
    struct clock_reading first_seen;
    struct clock_reading poll_clock;    /* read before this poll's GetItem and HEAD */
    struct clock_reading aborted_clock; /* R14: after the answer that its upload is aborted, or gone */

    /* R13's round. */
    uint32_t answered_409;
    uint32_t send_count;

    uint32_t part_count;
    uint32_t signed_length_s; /* of the attempt's signature, from D0 on */
    uint64_t wire_bytes;      /* of what was signed before the record was written, which counts on it */

    bool at_once;  /* the same: it arrives at once */
    bool together; /* R1 and R3 went out together */
    bool checked;  /* R1's HEAD has shown the expectation to hold */
    bool took_over;
    bool renewed;     /* E2: signed again once */
    bool not_applied; /* R13: definitely not applied */
    bool dead;        /* R13: S3 time was past fence + margin before the round's first HEAD was sent */
    bool lease_reported;
    bool own_is_foreign; /* R13: our key's record has a nonce that is not ours */
    bool saw_ours;       /* R13, row A */
    bool locked;         /* R13: our ETag is locked */
    bool began_changed;  /* R13: the HEAD that began the round showed another version than `base` */
    bool upload_aborted; /* R14: the upload of the record in g->seen is aborted, or gone */
    bool upload_open;    /* R14, N2: ListParts has said so of our dead Complete */
    bool parts_in_doubt; /* R14: what is open may have been completed, and opened again by a late part */
    bool came_too_late;  /* E6: R6 found too little left of the signature, or an answer says that it is over */
};

void guard_init(struct guard *guard, const struct guard_settings *settings, const struct guard_start *start);
/* Begins at R13. Settings and ticket give the margin, whichever is larger; the ticket gives the rest, as far as it is
 * believed (R17). */
void guard_init_resolve(struct guard *guard, const struct guard_settings *settings, const struct guard_ticket *ticket,
                        uint64_t seed);

/* One event in; *ret_actions is what to do now. An event that is not awaited only lends its Date. */
void guard_step(struct guard *guard, const struct guard_event *event, struct guard_actions *ret_actions);

bool guard_finished(const struct guard *guard);
enum verdict guard_verdict(const struct guard *guard); /* VERDICT_NONE until it is given */
/* The call should start a new guard while its deadline allows; for a COMPLETE on the same upload, with the same nonce.
 * After GUARD_REASON_STAGE_AGAIN that would be in vain: a new upload is needed first, and this is false. */
bool guard_try_again(const struct guard *guard);
bool guard_expired(const struct guard *guard); /* E6: it came too late; the next guard doubles its length */
/* The verdict says that the attempt was lost, and rests on its being dead: no answer said so. */
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
