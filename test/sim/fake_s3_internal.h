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
    FAKE_S3_ETAG_SIZE = 48,
    FAKE_S3_PARTS_MAX = 10000,
    FAKE_S3_PART_MIN = 5 << 20 /* of all but the last */
};

struct fake_object {              /* one version of a key */
    char etag[FAKE_S3_ETAG_SIZE]; /* with quotes; "": a deletion */
    char *nonce;
    char *tags; /* as x-amz-tagging has them */
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

struct fake_part {
    uint32_t number;
    char etag[FAKE_S3_ETAG_SIZE];
    unsigned char digest[16];
    char *body;
    size_t body_len;
    uint64_t applied_ms;
};

struct fake_upload { /* its parts are gone when it is not open any more */
    char id[32];
    char *key;
    char *nonce;
    char *tags;
    char *head; /* header lines that the object will have */
    size_t head_len;
    struct fake_part *parts; /* by number */
    size_t part_count;
    size_t part_cap;
    enum fake_s3_upload_state state;
    bool spoiled; /* FAKE_S3_409_UNDECIDED */
    uint64_t initiated_ms;
    uint64_t serial; /* of the version that it made */
};

struct fake_s3 {
    struct fake_s3_options options;
    struct fake_sigv4 *sigv4;
    struct fake_key *keys; /* sorted by bytes */
    size_t key_count;
    size_t key_cap;
    struct fake_upload *uploads; /* in the order of their beginning */
    size_t upload_count;
    size_t upload_cap;
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
void fake_object_free(const struct fake_object *object); /* what it holds */
void fake_store_free(struct fake_s3 *s3);

/* ------------------------------------------------------------------------------------------ what it holds (upload) */

/* Of this key and id, in any state; NULL: none. */
struct fake_upload *fake_upload_find(const struct fake_s3 *s3, const char *key, struct text encoded_id);
const struct fake_part *fake_upload_part(const struct fake_upload *upload, uint32_t number);
void fake_upload_close(struct fake_upload *upload, enum fake_s3_upload_state state);
void fake_uploads_free(struct fake_s3 *s3);

/* ---------------------------------------------------------------------------------------------------- conditions */

/* True: the write may be done. Otherwise the answer is made. `upload`: what is to be completed, or NULL. */
bool fake_s3_condition_holds(struct fake_s3 *s3, enum fake_s3_write write, struct fake_upload *upload);
bool fake_s3_is_etag(struct text wanted, const char *held); /* with or without quotes; "*" is any */

/* ------------------------------------------------------------------------------------------------- writing (object) */

#define FAKE_S3_NONCE "x-amz-meta-oscommit-nonce"
bool fake_s3_md5(struct fake_s3 *s3, const void *data, size_t len, unsigned char ret[16]); /* false: no memory */
/* `parts`: 0, or how many an object was made of. */
void fake_s3_make_etag(const struct fake_s3 *s3, const unsigned char digest[16], size_t parts,
                       char ret[FAKE_S3_ETAG_SIZE]);
bool fake_s3_digest_fits(struct fake_s3 *s3, const unsigned char digest[16]); /* false: the answer is made */
/* The header lines that the object keeps, into scratch. False: the answer is made. */
bool fake_s3_collect_head(struct fake_s3 *s3);
struct text fake_s3_nonce_of(const struct fake_s3 *s3); /* of the request in hand */
struct text fake_s3_tags_of(const struct fake_s3 *s3);
/* What a reader asks for, by versionId where it says one. NULL: the answer is made. */
const struct fake_object *fake_s3_find_asked(struct fake_s3 *s3);
char *fake_s3_copy_bytes(const void *data, size_t len); /* with a NUL behind them */
/* Of x-amz-copy-source, with its If-Match. NULL: the answer is made. `ret_to_itself` may be NULL. */
const struct fake_object *fake_s3_find_source(struct fake_s3 *s3, struct text source, bool *ret_to_itself);
/* "bytes=0-9", "bytes=5-". False: another form. `ret_count` is 0 behind the end. */
bool fake_s3_read_range(struct text text, uint64_t length, uint64_t *ret_first, uint64_t *ret_count);

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
void fake_s3_list_versions(struct fake_s3 *s3);
void fake_s3_get_tags(struct fake_s3 *s3);
void fake_s3_get_versioning(struct fake_s3 *s3);
/* Requests of a multipart upload. `id`: its parameter, encoded. */
void fake_s3_create_upload(struct fake_s3 *s3);
void fake_s3_upload_part(struct fake_s3 *s3, struct text id, struct text number);
void fake_s3_complete_upload(struct fake_s3 *s3, struct text id);
void fake_s3_abort_upload(struct fake_s3 *s3, struct text id);
void fake_s3_list_parts(struct fake_s3 *s3, struct text id);
void fake_s3_list_uploads(struct fake_s3 *s3);
void fake_s3_no_such_upload(struct fake_s3 *s3);

#endif
