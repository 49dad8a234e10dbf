/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An S3-like store in memory, from the bytes of a request to the bytes of an answer (HTTP/1.1, headers and body). It
 * verifies SigV4 from those bytes (header and query form, expiry, payload hash) with code of its own, and keeps every
 * version ever written, for the oracles. Deterministic: it reads no clock, has no randomness and knows nothing of
 * faults of the network, processes, or the library.
 */
#ifndef OSCOMMIT_TEST_SIM_FAKE_S3_H
#define OSCOMMIT_TEST_SIM_FAKE_S3_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What becomes of If-None-Match and If-Match, by the request that carries them. */
enum fake_s3_write { FAKE_S3_PUT, FAKE_S3_COPY, FAKE_S3_COMPLETE, FAKE_S3_DELETE, FAKE_S3_WRITES };
enum fake_s3_condition {
    FAKE_S3_ENFORCED = 0,
    FAKE_S3_IGNORED, /* taken and not looked at */
    FAKE_S3_REFUSED  /* 501, whether the condition holds or not */
};
/* What a conditional request is told while `contended` is said. */
enum fake_s3_409 {
    FAKE_S3_409_NONE = 0,
    FAKE_S3_409_UNDECIDED, /* ConditionalRequestConflict, whether the condition holds or not; an upload that was to be
                              completed is good for nothing afterwards */
    FAKE_S3_409_FINAL      /* FileAlreadyExists, instead of a 412 */
};

/* How this store differs from a well-behaved one. */
struct fake_s3_options {
    const char *bucket;
    const char *region;
    const char *access_key;
    const char *secret_key;
    const char *session_token; /* NULL: none is wanted */
    enum fake_s3_condition conditions[FAKE_S3_WRITES];
    enum fake_s3_409 answer_409;
    bool missing_is_412;       /* If-Match where nothing is: 412, and not 404 */
    bool ignores_expiry;       /* X-Amz-Expires is not looked at (E7: no fences) */
    bool checks_expiry_at_end; /* at the instant of application, not of admission */
    bool random_etag;          /* ETags that are no MD5 (as with SSE-KMS) */
    bool blanks_first;         /* a 200 of CompleteMultipartUpload begins with blanks */
    bool completes_again;      /* a second Complete of an upload: 200 with what the first one made, and not 404 */
    bool aborts_gone;          /* AbortMultipartUpload of what is not open (any more): 204, and not 404 */
    uint64_t versions_page;    /* ListObjectVersions gives so many at most; 0: 1,000 */
    bool versioned;            /* answers name versions (x-amz-version-id) and delete markers; copies may name one */
};

struct fake_s3;

struct fake_s3 *fake_s3_new(const struct fake_s3_options *options); /* strings are copied; NULL: no memory */
void fake_s3_free(struct fake_s3 *s3);

/* One whole request. `admitted_ms`: S3 time (epoch) when its first bytes arrived, for expiry and skew; `applied_ms`:
 * when the write takes effect and the answer is made (Date, Last-Modified); never before admitted_ms. Always gives an
 * answer; bytes that are no request get 400. `ret_answer` is initialised by the caller; it is emptied and filled.
 * Content-Length is on every answer but a 204, which has no body (RFC 9110, section 8.6). False: no memory. */
bool fake_s3_handle(struct fake_s3 *s3, const char *request, size_t length, uint64_t admitted_ms, uint64_t applied_ms,
                    bool contended, struct buf *ret_answer);

/* The credentials in force from now on; requests signed with others get ExpiredToken. */
bool fake_s3_rotate(struct fake_s3 *s3, const char *access_key, const char *secret_key, const char *session_token);

struct fake_s3_version { /* borrowed until the next handle */
    const char *etag;    /* with its quotes; NULL: the object was deleted */
    const char *nonce;   /* x-amz-meta-oscommit-nonce; "": none */
    uint64_t fencing;    /* x-amz-meta-oscommit-fencing; 0: none */
    uint64_t applied_ms;
    uint64_t serial; /* counts all writes of the store */
    const char *body;
    size_t body_len;
};
/* Every version of a key, oldest first, deletions included. */
size_t fake_s3_version_count(const struct fake_s3 *s3, const char *key);
struct fake_s3_version fake_s3_version_at(const struct fake_s3 *s3, const char *key, size_t index);

enum fake_s3_upload_state { FAKE_S3_OPEN = 1, FAKE_S3_COMPLETED, FAKE_S3_ABORTED };
struct fake_s3_upload { /* borrowed until the next handle */
    const char *id;
    const char *key;
    const char *nonce; /* what the object would have; "": none */
    enum fake_s3_upload_state state;
    uint64_t serial; /* of the version that it made; 0: none */
};
/* Every upload ever begun, in that order. */
size_t fake_s3_upload_count(const struct fake_s3 *s3);
struct fake_s3_upload fake_s3_upload_at(const struct fake_s3 *s3, size_t index);

/* The digest of everything it holds, for replay checks. */
uint64_t fake_s3_digest(const struct fake_s3 *s3);

#endif
