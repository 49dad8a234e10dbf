/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nonce came with an ETag that the store said of a key (R3.6): the newest of each key, and of so many keys as were
 * used last. So a replacement's record can say what it sees before the HEAD has shown it.
 */
#ifndef OSCOMMIT_CLIENT_KNOWN_VERSIONS_H
#define OSCOMMIT_CLIENT_KNOWN_VERSIONS_H

#include "commit/version.h"

#include <stdbool.h>
#include <stdint.h>

enum { KNOWN_VERSIONS_SETS = 256, KNOWN_VERSIONS_WAYS = 4 };

struct known_version {
    char *key; /* NULL: free */
    uint64_t used;
    char etag[VERSION_ETAG_SIZE];
    char nonce[RECORD_NONCE_SIZE]; /* "": it has none */
    char *history;                 /* N4.1: as it stands in its metadata; NULL: none is known */
};

/* All zero is empty. Not for two threads. */
struct known_versions {
    struct known_version (*sets)[KNOWN_VERSIONS_WAYS];
    uint64_t uses;
    uint32_t nonces_lost; /* versions in a row that were seen without the nonce that they were written with */
};

/* Copies all three. Without memory, or of an ETag or a nonce that is too long, nothing is remembered. */
void known_versions_note(struct known_versions *known, const char *key, const char *etag, const char *nonce);
/* What is known of this version as well, copied; NULL, or longer than one of ours: nothing. Of one that is not known it does nothing. */
void known_versions_note_history(struct known_versions *known, const char *key, const char *etag, const char *history);
/* NULL: not known. Valid until the next note. */
const char *known_versions_history(const struct known_versions *known, const char *key, const char *etag);
/* "" if the version has none; NULL: not known. Valid until the next note. */
const char *known_versions_nonce(struct known_versions *known, const char *key, const char *etag);
void known_versions_free(struct known_versions *known);

#endif
