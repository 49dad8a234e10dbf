/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AWS Signature Version 4 in both forms: in the Authorization header, and in the query string with an expiry (the form
 * that R2 rests on). Works on a whole http_request in place. Reads no clock: the time of signing is an argument.
 */
#ifndef OSCOMMIT_AWS_SIGV4_H
#define OSCOMMIT_AWS_SIGV4_H

#include "base/digest.h"
#include "base/http_message.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIGV4_ACCESS_KEY_ID_MAX = 255, SIGV4_SECRET_MAX = 507, SIGV4_SESSION_TOKEN_MAX = 14336 }; /* bytes */

struct sigv4_keys {
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token; /* NULL or "" if none */
};

/* A signer for one region and service. Holds EVP objects fetched once and the signing key of the last (day, secret).
 * Not thread-safe. */
struct sigv4_signer;
/* NULL when out of memory, or when a name is too long (over 63 and 31 bytes). */
struct sigv4_signer *sigv4_signer_new(const char *region, const char *service);
void sigv4_signer_free(struct sigv4_signer *signer);

#define SIGV4_UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"
#define SIGV4_EMPTY_SHA256     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Adds x-amz-date, x-amz-content-sha256 (service "s3" only), x-amz-security-token and authorization, in place of old
 * ones; sorts the query; signs every header that is there, and host. `payload_sha256` is 64 hex digits or
 * SIGV4_UNSIGNED_PAYLOAD. False when out of memory or over a limit; the request is then of no more use. */
bool sigv4_sign_header(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                       const char *payload_sha256, struct http_request *request);

/* Adds X-Amz-Algorithm ... X-Amz-SignedHeaders to the query, with X-Amz-Date = now_s and X-Amz-Expires = expires_s (1
 * to 604,800), sorts it, and puts X-Amz-Signature behind it; signs every header that is there, and host. The payload is
 * UNSIGNED-PAYLOAD for service "s3", else the hash of the body, which must be in memory. For a request that is not
 * signed yet. False as above, and when expires_s is out of its range. */
bool sigv4_sign_query(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s, uint32_t expires_s,
                      struct http_request *request);

/* OS_OK where the request, not signed yet, has room for its signature in the query or in the headers; else
 * OS_ERR_ARGUMENT with the sizes. Some hundred bytes below the limits it may refuse already. */
os_code sigv4_check_size(const struct sigv4_keys *keys, const struct http_request *request, bool in_query,
                         os_error *err);

/* The stages, apart, so that a test names the one that fails. */
bool sigv4_canonical_request(const struct http_request *request, const char *payload_sha256, struct buf *ret,
                             struct buf *ret_signed_headers);
bool sigv4_string_to_sign(const char *region, const char *service, int64_t now_s, const char *canonical_request,
                          struct buf *ret);

#endif
