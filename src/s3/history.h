/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of an object's metadata that names the writes which led to it (N4.1): pairs of a nonce and the hash of the
 * ETag that its write replaced, the own pair first, under a hash of bucket and key. Anybody may have written it: what is
 * not formed so, or is of another object, counts as absent.
 */
#ifndef OSCOMMIT_S3_HISTORY_H
#define OSCOMMIT_S3_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

enum {
    S3_HISTORY_PAIRS = 8,
    S3_HISTORY_HASH_SIZE = 17,                                  /* 64 bits in hex, and a NUL */
    S3_HISTORY_SIZE = 17 + S3_HISTORY_PAIRS * (32 + 1 + 16 + 1) /* with its NUL */
};

/* False: no digest is to be had. */
bool s3_history_place(const char *bucket, const char *key, char ret[S3_HISTORY_HASH_SIZE]);
bool s3_history_hash(const char *etag, char ret[S3_HISTORY_HASH_SIZE]); /* or the mark of a creation, `*` */

typedef void (*s3_history_fn)(void *context, const char *nonce, const char *etag_hash);
/* Calls `each` with the pairs of `value`, which may be NULL, in their order. */
void s3_history_read(const char *value, const char *place, s3_history_fn each, void *context);

/* The own pair, and as many of those of `base`, which may be NULL, as there is room for. */
void s3_history_write(const char *place, const char *nonce, const char *etag_hash, const char *base,
                      char ret[S3_HISTORY_SIZE]);
/* Leaves the own pair alone. */
void s3_history_shorten(char *value);

#endif
