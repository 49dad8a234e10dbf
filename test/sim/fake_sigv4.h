/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signature Version 4 from the service's side: judges the bytes of a request, in the header and in the query form. A
 * second reading of the specification beside src/aws/sigv4.c, of which it uses nothing. Reads no clock; knows no
 * service beyond its name. Source: Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
 */
#ifndef OSCOMMIT_TEST_SIM_FAKE_SIGV4_H
#define OSCOMMIT_TEST_SIM_FAKE_SIGV4_H

#include "sim/fake_http.h"

#include <stdbool.h>
#include <stdint.h>

enum fake_sigv4_verdict {
    FAKE_SIGV4_OK = 1,
    FAKE_SIGV4_NO_MEMORY,
    FAKE_SIGV4_MISSING,       /* not signed at all */
    FAKE_SIGV4_MALFORMED,     /* a part of it is absent, unreadable, or for another day, service or region */
    FAKE_SIGV4_UNKNOWN_KEY,   /* an access key that never was in force */
    FAKE_SIGV4_INVALID_TOKEN, /* a session token that never was in force with this key */
    FAKE_SIGV4_EXPIRED_TOKEN, /* right, by credentials that have been replaced */
    FAKE_SIGV4_UNSIGNED,      /* host or an x-amz- header is not signed, or a signed one is not there */
    FAKE_SIGV4_SKEWED,        /* header form: signed too long ago, or for too far in the future */
    FAKE_SIGV4_EXPIRED,       /* query form: X-Amz-Date + X-Amz-Expires has passed */
    FAKE_SIGV4_NOT_YET,       /* query form: X-Amz-Date is too far in the future */
    FAKE_SIGV4_MISMATCH,      /* the signature is another */
    FAKE_SIGV4_PAYLOAD        /* the body does not have the hash that was signed */
};

struct fake_sigv4;

/* `skew_s`: how far a signature's time may be from the service's. NULL: no memory. */
struct fake_sigv4 *fake_sigv4_new(const char *region, const char *service, int64_t skew_s);
void fake_sigv4_free(struct fake_sigv4 *sigv4);

/* The credentials in force from now on; a NULL or empty token: none is wanted. The ones before are remembered. */
bool fake_sigv4_rotate(struct fake_sigv4 *sigv4, const char *access_key, const char *secret_key,
                       const char *session_token);

struct fake_sigv4_times {
    uint64_t signed_ms; /* X-Amz-Date */
    uint64_t ends_ms;   /* query form: the last instant at which it is good; else UINT64_MAX */
};

/* At `now_ms` (epoch). `ignores_expiry`: X-Amz-Expires is not held against now. ret_times may be NULL; it is filled
 * when the verdict is OK, EXPIRED, NOT_YET or SKEWED. */
enum fake_sigv4_verdict fake_sigv4_judge(struct fake_sigv4 *sigv4, const struct fake_request *request, uint64_t now_ms,
                                         bool ignores_expiry, struct fake_sigv4_times *ret_times);

#endif
