/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the fake S3 share: what it holds, and the request that it is answering. */
#ifndef OSCOMMIT_TEST_SIM_FAKE_S3_INTERNAL_H
#define OSCOMMIT_TEST_SIM_FAKE_S3_INTERNAL_H

#include "sim/fake_http.h"
#include "sim/fake_s3.h"
#include "sim/fake_sigv4.h"

#include <openssl/evp.h>

enum {
    FAKE_S3_KEY_MAX = 1024,
    FAKE_S3_METADATA_MAX = 2048,
    FAKE_S3_PAGE_MAX = 1000,
    FAKE_S3_SKEW_S = 900,
    FAKE_S3_ETAG_SIZE = 40
};

struct fake_object {              /* one version of a key */
    char etag[FAKE_S3_ETAG_SIZE]; /* with quotes; "": a deletion */
    char *nonce;
    char *head; /* header lines that are given back with it */
    size_t head_len;
    char *body;
    size_t body_len;
    uint64_t applied_ms;
    uint64_t serial;
};

struct fake_key {
    char *key;
    struct fake_object *versions;
    size_t count;
    size_t cap;
};

struct fake_s3 {
    struct fake_s3_options options;
    struct fake_sigv4 *sigv4;
    struct fake_key *keys; /* sorted by bytes */
    size_t key_count;
    size_t key_cap;
    uint64_t serial;
    uint64_t requests;
    EVP_MD *md5;
    EVP_MD_CTX *md5_hash;
    /* Of the request in hand. */
    struct fake_request request;
    struct fake_answer answer;
    struct buf key; /* decoded */
    struct buf scratch;
    uint64_t applied_ms;
    bool contended;
    bool no_memory;
};

/* ------------------------------------------------------------------------------------------ what it holds (store) */

struct fake_key *fake_store_find(const struct fake_s3 *s3, const char *key);
/* Where `key` is or would be. */
size_t fake_store_position(const struct fake_s3 *s3, const char *key);
/* The version that a reader sees; NULL: none, or deleted. */
const struct fake_object *fake_store_current(const struct fake_s3 *s3, const char *key);
/* By the serial that a version id stands for. */
const struct fake_object *fake_store_version(const struct fake_s3 *s3, const char *key, uint64_t serial);
/* A version to be filled; the strings are given to the store, also on failure. False: no memory. */
bool fake_store_add(struct fake_s3 *s3, const char *key, const struct fake_object *object);
void fake_store_free(struct fake_s3 *s3);

/* ------------------------------------------------------------------------------------------------------- answers */

/* Starts the answer: Date and the ids are on it. */
void fake_s3_begin(struct fake_s3 *s3, int status);
/* An error document. `extra`: more elements, or NULL. */
void fake_s3_fail(struct fake_s3 *s3, int status, const char *code, const char *message, const char *extra);
void fake_s3_no_such_key(struct fake_s3 *s3);
void fake_s3_escape(struct buf *out, const char *text);
void fake_s3_version_header(struct fake_s3 *s3, uint64_t serial);

/* Object requests, after the signature; the key is in s3->key. */
void fake_s3_get(struct fake_s3 *s3, bool is_head);
void fake_s3_put(struct fake_s3 *s3);
void fake_s3_copy(struct fake_s3 *s3, struct text source);
void fake_s3_delete(struct fake_s3 *s3);
void fake_s3_list(struct fake_s3 *s3);

#endif
