/* SPDX-License-Identifier: Apache-2.0 */
/* ETags as S3 makes them: the MD5 of the bytes in hex, in double quotes. A name for bytes, no protection against a
 * forger. */
#ifndef OSCOMMIT_LOCAL_MD5_H
#define OSCOMMIT_LOCAL_MD5_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>

enum { MD5_ETAG_SIZE = 35 }; /* two quotes, 32 digits, a NUL */

struct md5 {
    EVP_MD_CTX *context;
};

/* NULL where the installation forbids MD5. Fetched once per store, and freed with EVP_MD_free. */
EVP_MD *md5_fetch(void);

bool md5_start(struct md5 *md5, const EVP_MD *algorithm); /* false: out of memory, or refused */
bool md5_add(struct md5 *md5, const void *data, size_t len);
bool md5_etag(struct md5 *md5, char *ret); /* ret holds MD5_ETAG_SIZE; nothing may be added any more */
void md5_free(struct md5 *md5);

#endif
