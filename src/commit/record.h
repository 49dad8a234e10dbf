/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record (path, etag) that a writer holds while its attempt can be applied (protocol T1-T6), as plain data, and the
 * few steps that are taken on it. Path and etag are the ledger's key and stand beside it. Knows no wire format but the
 * attribute names.
 */
#ifndef OSCOMMIT_COMMIT_RECORD_H
#define OSCOMMIT_COMMIT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define RECORD_PATH        "path"
#define RECORD_ETAG        "etag"
#define RECORD_GENERATION  "generation"
#define RECORD_TIMEOUT     "timeout"
#define RECORD_TTL         "ttl"
#define RECORD_NONCE       "nonce"
#define RECORD_FENCE       "fence"
#define RECORD_SAW         "saw"
#define RECORD_UPLOAD      "upload"
#define RECORD_BUCKET      "bucket" /* T4.3: a remark beside the record, on which nothing rests */
#define RECORD_ETAG_CREATE "*"      /* the sort key under the expectation "absent" */

enum {
    RECORD_NONCE_SIZE = 33
}; /* 128 bits in hex and a NUL; a longer nonce is not one of ours: the record is unreadable */

/* An upload id, as the store gave it; a longer one is unreadable. The protocol only asks whether there is one and
 * which: it knows them by number (record_upload_number), whoever speaks to the store and the ledger by their text. */
enum { RECORD_UPLOAD_SIZE = 1025 };

/* A longer name is none of a bucket. */
enum { RECORD_BUCKET_SIZE = 64 };

struct record {
    uint64_t generation;
    uint64_t timeout_ms; /* 0: released (T3) */
    uint64_t ttl_s;      /* epoch seconds */
    uint64_t fence_s;    /* epoch seconds of S3 time; meaningless without has_fence */
    uint64_t upload;     /* R14: of the Complete that is attempted; 0: the attempt is none */
    bool has_fence;
    char nonce[RECORD_NONCE_SIZE]; /* "": none, written by the peer */
    char saw[RECORD_NONCE_SIZE];   /* "": none */
};

/* What a person can do about an item that is no record, for sentences. */
#define RECORD_MEND                                                                                              \
    "It blocks every writer: look at it with `oscommit table show`, and find out who else writes to the table. " \
    "When no writer of this key is running, replace it with `oscommit table release --force`."

/* On what a PutItem of a record depends. */
enum record_condition_kind {
    RECORD_IF_ABSENT = 1, /* R3: attribute_not_exists(path) */
    RECORD_IF_SEEN = 2,   /* R12: generation, ttl and nonce (or its absence) are as seen */
    RECORD_IF_HELD = 3,   /* T3: generation and nonce are ours */
    RECORD_IF_SAME = 4    /* R17: it is `seen`, in every attribute, and names no upload */
};

struct record_condition {
    enum record_condition_kind kind;
    struct record seen; /* IF_SEEN: generation, ttl_s, nonce; IF_HELD: generation, nonce; IF_SAME: all of it */
};

/* What a ledger says to a request. The same words for PutItem and GetItem. */
enum ledger_outcome {
    LEDGER_OK = 1,             /* PutItem applied; GetItem answered (the record may be absent) */
    LEDGER_CONFLICT = 2,       /* PutItem only: the condition failed, here is the item */
    LEDGER_CONFLICT_BLIND = 3, /* the condition failed, and the answer has no item (R4: GetItem) */
    LEDGER_THROTTLED = 4,      /* definitely not applied, try again later (E1) */
    LEDGER_AMBIGUOUS = 5,      /* no answer, 5xx, wrong crc: may have been applied */
    LEDGER_REFUSED = 6,        /* definitely not applied, and trying again will not help */
    LEDGER_UNREADABLE = 7      /* there is an item, but it is no record (T1) */
};

/* Copies field by field, so that equal records are equal as bytes. */
void record_copy(struct record *ret, const struct record *from);

/* Equal ids have equal numbers, "" has 0 and no other has. */
uint64_t record_upload_number(const char *upload_id);

/* T3: what releasing `held` writes. `ttl_s` is the fresh one (T5). */
void record_released(const struct record *held, uint64_t ttl_s, struct record *ret);

/* Is what a guard of this library writes as its nonce. A peer's record has none; and what a service sent in the place of
 * one proves nothing. */
bool record_is_nonce(const char *nonce);

/* R12's comparison: generation, ttl and nonce are equal. */
bool record_same_holder(const struct record *a, const struct record *b);

/* Equal in every attribute (of an upload id its number). */
bool record_same(const struct record *a, const struct record *b);

/* R12, no fence: how long a contender waits, timeout x max_clock_skew_rate; saturates. */
uint64_t record_bound_ms(uint64_t timeout_ms, uint32_t rate);

/* T5: date_s + the larger of the setting and 10 x timeout x rate. */
uint64_t record_ttl(uint64_t date_s, uint64_t ttl_setting_s, uint64_t timeout_ms, uint32_t rate);

#endif
