/* SPDX-License-Identifier: Apache-2.0 */
/* One version of an object as a HEAD shows it: what R1 remembers and what R13 compares. Plain data, no padding left
 * unset. */
#ifndef OSCOMMIT_COMMIT_VERSION_H
#define OSCOMMIT_COMMIT_VERSION_H

#include "commit/record.h"

#include <stdbool.h>
#include <stdint.h>

enum { VERSION_ETAG_SIZE = 128, VERSION_ID_SIZE = 256 };

struct object_version {
    int64_t last_modified_s;
    uint64_t fencing;                 /* L10: the token of the write that made it; 0: none */
    char etag[VERSION_ETAG_SIZE];     /* verbatim, with quotes */
    char version_id[VERSION_ID_SIZE]; /* "" on an unversioned bucket */
    char nonce[RECORD_NONCE_SIZE];    /* of the guarded write that made it; "" if none */
    char replaced[RECORD_NONCE_SIZE]; /* of the version that this write replaced, as far as it knew; "" if it did not */
    bool exists;                      /* a delete marker counts as absent */
};

/* Copies field by field, so that equal versions are equal as bytes. */
void version_copy(struct object_version *ret, const struct object_version *from);

/* L10: it was written with a newer token than `token`; 0: none, which nothing holds back. */
bool version_is_fenced(const struct object_version *version, uint64_t token);

/* R13, "the very version": both absent, or ETag, Last-Modified, version id and nonce all equal. */
bool version_same(const struct object_version *a, const struct object_version *b);

/* V4.6: it is `base` but for the nonce, which is ours: a store that writes the metadata first may be at the rest yet.
 * While the base is not known, and so not there, the expected ETag stands for it; "" or "*": a creation. */
bool version_is_torn(const struct object_version *version, const char *nonce, const struct object_version *base,
                     const char *expected_etag);

/* V4.4: how much of a write a HEAD shows that has its nonce. */
enum version_extent {
    VERSION_WHOLE = 0, /* or nobody knows how many bytes were sent */
    VERSION_CUT,
    VERSION_UNSIZED /* it does not say how many bytes there are: nothing tells a part from the whole */
};
enum version_extent version_extent_of(bool sized, uint64_t bytes, bool sent_known, uint64_t sent_bytes);

/* R12.9: the guarded write with this nonce was applied: it made this version, or the one before. Never of what is no nonce
 * of ours. */
bool version_shows_nonce(const struct object_version *version, const char *nonce);

/* Names one version and no other. "null" is what a bucket without versions, or whose versioning is suspended, calls one
 * after another. NULL, as an empty one, names none. */
bool version_is_own_id(const char *version_id);

/* By the form of its ETag: 32 hex digits, not of an upload's parts. */
bool version_is_of_one_part(const char *etag);

#endif
