/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and MD5 over OpenSSL EVP. */
#ifndef OSCOMMIT_BASE_DIGEST_H
#define OSCOMMIT_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SHA256_SIZE = 32,
    MD5_SIZE = 16,
    MD5_ETAG_SIZE = 35 /* two quotes, 32 digits, a NUL */
};

/* False when the digest is not to be had (out of memory; MD5 in a FIPS configuration). */
bool sha256_digest(const void *data, size_t len, unsigned char *ret); /* SHA256_SIZE bytes */
bool md5_digest(const void *data, size_t len, unsigned char *ret);    /* MD5_SIZE bytes */
bool sha256_hex(const void *data, size_t len, char *ret);             /* 65 bytes, lower case */
bool md5_hex(const void *data, size_t len, char *ret);                /* 33 bytes, lower case */

/* The digest of what comes in pieces, "SHA1", "SHA256" or "MD5". A failure on the way is told at the end. */
struct digest_stream {
    void *context; /* NULL: none was begun */
    bool failed;
};
bool digest_stream_begin(struct digest_stream *stream, const char *name); /* false: not to be had; nothing to free */
void digest_stream_add(struct digest_stream *stream, const void *data, size_t len);
bool digest_stream_end(struct digest_stream *stream, unsigned char *ret /* SHA256_SIZE */, size_t *ret_len);
/* An ETag as S3 makes them: the MD5 of the bytes in hex, in double quotes. A name for bytes, no protection against a
 * forger. */
bool digest_stream_etag(struct digest_stream *stream, char *ret /* MD5_ETAG_SIZE */);
void digest_stream_free(struct digest_stream *stream);

#endif
