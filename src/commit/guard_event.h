/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into a guard and what comes out: events, and the requests that it asks for. */
#ifndef OSCOMMIT_COMMIT_GUARD_EVENT_H
#define OSCOMMIT_COMMIT_GUARD_EVENT_H

#include "base/clock.h"
#include "commit/record.h"
#include "commit/verdict.h"
#include "commit/version.h"

#include <stdbool.h>
#include <stdint.h>

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

/* N4: what the pairs of an object say, each a nonce and the ETag that its write replaced. */
struct guard_history {
    bool shows_ours; /* our nonce is among them: our write was applied */
    bool overtaken;  /* the write of another nonce replaced what we expect */
};

struct guard_event {
    enum guard_event_kind kind;
    struct clock_reading now; /* after the answer was received */
    bool has_date; /* HEAD, SOURCE, ATTEMPT, PARTS, ABORTED, VERSIONS: the store's Date (of the last answer) */
    uint64_t date_s;
    enum head_outcome head;        /* HEAD, SOURCE */
    struct object_version version; /* HEAD; VERSIONS_OURS; SOURCE: its ETag alone, which is pinned */
    struct guard_history history;  /* HEAD: of all pairs, by guard_classify_pair */
    bool part_seen;        /* HEAD that has not ANSWERED: it, or one before, shows but a part of our write (V4.8) */
    bool versioned;        /* HEAD: it names a version, or a delete marker, by an id of its own */
    uint64_t source_bytes; /* SOURCE */
    bool signed_ok;        /* SIGNED */
    bool at_once;          /* SIGNED: it arrives at once: one segment, over TLS one record */
    uint64_t wire_bytes;   /* SIGNED: of the whole request on the wire, at most */
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
    /* Consistent Query of the partition: each row goes through guard_classify_record. */
    GUARD_DO_RECORD_QUERY = 1 << 5,
    /* Send the signed attempt, once, with actions.send_deadline_ms; then abort the connection (R6). */
    GUARD_DO_SEND = 1 << 6,
    /* PutItem actions.release on actions.release_condition, in the background; no event is wanted (T3). */
    GUARD_DO_RELEASE = 1 << 7,
    GUARD_DO_VERDICT = 1 << 8,      /* the verdict is there: guard_verdict() */
    GUARD_DO_REPORT_LEASE = 1 << 9, /* a record with a timeout over an hour is being waited for: tell somebody (R12) */
    GUARD_DO_PARTS = 1 << 10,       /* ListParts of the own upload: is it still open? (R14) */
    GUARD_DO_ABORT = 1 << 11,       /* abort the upload actions.upload of the record seen last (R14) */
    /* List the versions of the key (R16). Each goes through guard_classify_listed; those that it wants asked get a
     * HEAD, and go through guard_classify_version. What the last HEAD showed must be in the list. */
    GUARD_DO_VERSIONS = 1 << 12,
    /* As GUARD_DO_RELEASE, of the record (path, "*"): actions.creation on actions.creation_condition (T3.10). */
    GUARD_DO_RELEASE_CREATION = 1 << 13
};

struct guard_actions {
    unsigned what;
    uint64_t sign_date_s;
    uint32_t sign_length_s;
    bool sign_renewed;                     /* E2: with renewed credentials, same date and length */
    char sign_replaced[RECORD_NONCE_SIZE]; /* G3.5: goes with the attempt; "": nothing is known */
    bool get_our_etag;                     /* DELETE */
    uint64_t upload;
    struct record record;
    struct record_condition condition;
    struct record release;
    struct record_condition release_condition;
    struct record creation;
    struct record_condition creation_condition;
    uint64_t send_deadline_ms;  /* from now */
    uint64_t send_allowance_ms; /* the kernel may try no longer to deliver it (TCP_USER_TIMEOUT) */
    bool send_at_once;          /* the record counts on it: else nothing is sent */
    /* Otherwise the end of the body is held back until all before it is acknowledged, and handed over only while less
     * than send_tail_ms have passed since send_clock, by the clock that advanced most. */
    struct clock_reading send_clock;
    uint64_t send_tail_ms;
    unsigned drop; /* GUARD_DO_... under way that are not waited for any longer; this step may ask for another HEAD */
    bool has_timer;
    uint64_t timer_ms; /* from now; replaces an earlier timer, which a step without one leaves running */
};

#endif
