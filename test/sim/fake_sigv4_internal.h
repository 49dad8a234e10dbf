/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the fake's SigV4 share: its state, and what a request says of its signature. */
#ifndef OSCOMMIT_TEST_SIM_FAKE_SIGV4_INTERNAL_H
#define OSCOMMIT_TEST_SIM_FAKE_SIGV4_INTERNAL_H

#include "sim/fake_sigv4.h"

#include <openssl/evp.h>

enum {
    FAKE_HASH_SIZE = 32,
    FAKE_HASH_HEX = 64,
    FAKE_SIGNED_MAX = 128, /* names in SignedHeaders */
    FAKE_CANONICAL_MAX = 512 << 10,
    FAKE_PARTS_MAX = 64 << 10,
    FAKE_EXPIRES_MAX = 604800
};

#define FAKE_ALGORITHM "AWS4-HMAC-SHA256"

struct fake_keys {
    char *access;
    char *secret;
    char *token; /* "": none */
};

struct fake_sigv4 {
    char *region;
    char *service;
    bool is_s3;
    int64_t skew_s;
    struct fake_keys *keys; /* the last is in force */
    size_t key_count;
    EVP_MD *sha256;
    EVP_MD_CTX *hash;
    EVP_MAC *mac;
    EVP_MAC_CTX *hmac;
    /* The signing key that was derived last. */
    size_t derived_for; /* index in keys */
    char derived_day[9];
    unsigned char derived[FAKE_HASH_SIZE];
    /* Kept from one request to the next. */
    struct buf canonical;
    struct buf parts; /* what of the request had to be decoded */
    struct buf query;
    struct buf to_sign;
};

/* What a request says of its signature. */
struct fake_claim {
    bool in_query;
    struct text access;
    struct text day;
    struct text region;
    struct text service;
    struct text date;
    struct text signed_headers;
    struct text signature;
    struct text token;
    int64_t date_s;
    int64_t expires_s;
    struct text signed_names[FAKE_SIGNED_MAX];
    size_t signed_count;
};

/* What the request claims. False: it cannot be read, or is no SigV4. The slices are of the request and of
 * sigv4->parts. */
bool fake_claim_from_header(const struct fake_request *request, struct text authorization, struct fake_claim *ret);
bool fake_claim_from_query(struct fake_sigv4 *sigv4, const struct fake_request *request, struct fake_claim *ret);

/* host and every x-amz- header is named by the claim, and every header that it names is there. */
bool fake_claim_covers(const struct fake_request *request, const struct fake_claim *claim);
/* Into sigv4->canonical. False: an escape is broken, or no memory (!buf_ok). */
bool fake_canonical_request(struct fake_sigv4 *sigv4, const struct fake_request *request,
                            const struct fake_claim *claim, struct text payload);

#endif
