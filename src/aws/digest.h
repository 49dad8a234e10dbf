/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and MD5 over OpenSSL EVP. */
#ifndef OSCOMMIT_AWS_DIGEST_H
#define OSCOMMIT_AWS_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_SIZE = 32, MD5_SIZE = 16 };

/* False when the digest is not to be had (out of memory; MD5 in a FIPS configuration). */
bool sha256_digest(const void *data, size_t len, unsigned char *ret); /* SHA256_SIZE bytes */
bool md5_digest(const void *data, size_t len, unsigned char *ret);    /* MD5_SIZE bytes */
bool sha256_hex(const void *data, size_t len, char *ret);             /* 65 bytes, lower case */
bool md5_hex(const void *data, size_t len, char *ret);                /* 33 bytes, lower case */

#endif
