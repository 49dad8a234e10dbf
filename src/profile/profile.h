/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store can do: a plain struct that a probe fills, a file keeps (profile_json.h) and a client asks before it
 * chooses how to guard an operation. Knows no request and no network.
 */
#ifndef OSCOMMIT_PROFILE_PROFILE_H
#define OSCOMMIT_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* profile.source of one that nobody measured: its atomic flags rest on the vendor's word. */
#define PROFILE_SOURCE_DOCUMENTATION "documentation"

/* The longest that a profile may say a Complete takes: as of os_options.allowance_s. */
enum { PROFILE_COMPLETE_MAX_S = 86400 };

/* Requests that can carry a condition on the object that they write or delete. */
enum profile_request { PROFILE_PUT, PROFILE_COPY, PROFILE_COMPLETE, PROFILE_DELETE, PROFILE_RENAME, PROFILE_REQUESTS };

/* What becomes of a condition. Only ENFORCED protects anybody. */
enum profile_condition {
    PROFILE_UNKNOWN = 0, /* not measured, or no two measurements agreed */
    PROFILE_ENFORCED,    /* met: written; unmet: refused, nothing written */
    PROFILE_IGNORED,     /* unmet: written all the same */
    PROFILE_REFUSED,     /* a request with the header is refused, whether met or not (501, 400 ...) */
    PROFILE_UNMEETABLE   /* unmet: refused; but met is refused as well */
};

/* What a 409 to a conditional request means (R7); the values are those of enum guard_409. */
enum profile_409 { PROFILE_409_UNKNOWN = 0, PROFILE_409_UNDECIDED = 1, PROFILE_409_FINAL = 2 };

struct profile_rule {
    enum profile_condition absent; /* If-None-Match: *; of DELETE: nothing */
    enum profile_condition match;  /* If-Match */
    bool absent_atomic;            /* one winner in every round of a race */
    bool match_atomic;
    uint32_t absent_rounds; /* how many rounds that rests on; 0: not raced */
    uint32_t match_rounds;
    int status_unmet;   /* "412"; 0: not seen */
    int status_missing; /* If-Match on an absent key: 404 or 412; 204 of a DELETE that nothing stops; 0: not seen */
    enum profile_409 answer_409;
};

/* A vendor's own header for "if absent"; the values are those of enum s3_vendor_condition. */
struct profile_vendor {
    enum profile_condition put, copy;
    bool put_atomic, copy_atomic;
    uint32_t put_rounds, copy_rounds;
};
enum { PROFILE_VENDORS = 5 /* S3_VENDOR_END */ };

enum profile_expiry {
    PROFILE_EXPIRY_UNKNOWN = 0,
    PROFILE_EXPIRY_NONE,  /* an expired signature is taken: no fence (E7) */
    PROFILE_EXPIRY_START, /* refused when the headers have arrived; a body may come later */
    PROFILE_EXPIRY_END    /* refused when the body has arrived, too */
};

/* What becomes of a request whose headers have come and whose body stalls. */
enum profile_stalled {
    PROFILE_STALLED_UNKNOWN = 0,
    PROFILE_STALLED_CLOSED, /* the store gives it up after stalled_body_s at most */
    PROFILE_STALLED_KEPT    /* it waits for the rest for ever, as far as anybody has waited */
};
/* As for os_options.stalled_body_s. */
enum { PROFILE_STALLED_MAX_S = 86400 };

/* By which header the store shows that an answer is its own (E9). From MARK_AMZ on: the values of enum s3_mark, and 1.
 */
enum profile_mark {
    PROFILE_MARK_UNKNOWN = 0,
    PROFILE_MARK_NONE,
    PROFILE_MARK_AMZ,
    PROFILE_MARK_ALIBABA,
    PROFILE_MARK_TENCENT,
    PROFILE_MARK_GOOGLE,
    PROFILE_MARK_END
};

enum profile_answer { PROFILE_ANSWER_UNKNOWN = 0, PROFILE_YES, PROFILE_NO };

struct profile {
    char name[64];        /* "MinIO" */
    char version[64];     /* of the store, as far as it is known */
    char measured_on[16]; /* "2026-11-22" */
    char source[96];      /* "probe", or "documentation" */
    struct profile_rule rules[PROFILE_REQUESTS];
    enum profile_condition copy_source_match; /* x-amz-copy-source-if-match */
    struct profile_vendor vendors[PROFILE_VENDORS];
    enum profile_expiry expiry;
    enum profile_stalled stalled_body;
    uint32_t stalled_body_s; /* CLOSED; 0: not known */
    enum profile_mark answer_mark;
    enum profile_answer rename_object;     /* RenameObject exists */
    enum profile_answer date_on_all;       /* Date on every answer, errors included */
    enum profile_answer metadata_survives; /* PUT, COPY with REPLACE and multipart keep user metadata */
    enum profile_answer etag_is_md5;
    enum profile_answer versioned; /* the bucket */
    enum profile_answer uploads;   /* multipart uploads work */
    uint32_t complete_s;           /* how long a Complete may take, by the vendor's word; 0: it does not say */
    uint32_t checksums;            /* bit (1 << enum s3_checksum): taken and checked by UploadPart */
};

/* One winner under race and truth in the answer: what GUARD_MODE_NATIVE asks for. `create`: If-None-Match, else
 * If-Match. One that was measured proves from OS_PROBE_PROOF_ROUNDS on; documentation is taken at its word. */
bool profile_proves(const struct profile *profile, enum profile_request request, bool create);
/* The header may go along with a guarded request (R7): it is honoured, or does no harm. */
bool profile_condition_harmless(const struct profile *profile, enum profile_request request, bool create);
/* A vendor (enum s3_vendor_condition) whose header proves "if absent" for PUT or COPY; 0: none. Only one that was raced
 * so often: documentation does not say whether the header is taken beside the nonce (Google's is said not to be). */
int profile_vendor_for(const struct profile *profile, enum profile_request request);

#endif
