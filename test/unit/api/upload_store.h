/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted S3 store of one object and one upload at a time. Its clock stands still but at each Complete, which ages
 * it by more than any attempt lives: what was not answered is dead at once. The first Complete is not answered, unless
 * the script says how.
 */
#ifndef OSCOMMIT_TEST_API_UPLOAD_STORE_H
#define OSCOMMIT_TEST_API_UPLOAD_STORE_H

#include "oscommit.h"
#include "support/http_server.h"

#include <pthread.h>
#include <stdbool.h>

#define UPLOAD_STORE_FIRST_ETAG "\"11111111111111111111111111111111\""
#define UPLOAD_STORE_OTHER_ETAG "\"22222222222222222222222222222222\""
#define UPLOAD_STORE_OURS_ETAG  "\"33333333333333333333333333333333-1\""
#define UPLOAD_STORE_OURS_ID    "version-of-ours"
#define UPLOAD_STORE_OURS       3 /* bytes, of all objects but OBJECT_CUT */

enum upload_store_object {
    OBJECT_ABSENT = 0,
    OBJECT_FIRST,   /* that of FIRST_ETAG */
    OBJECT_TOUCHED, /* the same bytes, written a minute later */
    OBJECT_TORN,    /* the first, beside the nonce of the last upload */
    OBJECT_OTHER,
    OBJECT_OURS,     /* with the nonce of the last upload */
    OBJECT_CUT,      /* the same, and a byte is missing */
    OBJECT_UNSIZED,  /* the same, and nobody says how many bytes it has */
    OBJECT_REPLACING /* another's, which says that it has replaced what had the nonce of the last upload */
};

enum upload_store_reply {
    REPLY_DONE = 0, /* an upload that is gone: NoSuchUpload */
    REPLY_LOST,     /* done, and the connection closed without an answer */
    REPLY_UNAVAILABLE,
    REPLY_DENIED,
    REPLY_NO_UPLOAD, /* said of an upload that was open until then */
    REPLY_STAYS,     /* accepted; the upload stays until the next one */
    REPLY_BARE_404,  /* without a code: of the bucket, or of a middlebox */
    REPLY_INVALID_PART
};

struct upload_script {
    bool native; /* the client's creates */
    enum upload_store_object at_first;
    enum upload_store_object at_complete; /* from the first Complete on */
    enum upload_store_object at_abort;    /* from the first abort on */
    enum upload_store_object at_last;     /* from the second HEAD after it on; ABSENT: as before */
    bool part_lost;                       /* the first UploadPart is not answered */
    bool closed;                          /* the first Complete closes the upload */
    enum upload_store_reply parts;        /* to ListParts, before the first abort */
    enum upload_store_reply abort;
    enum upload_store_reply look;     /* to a HEAD, from the first abort on */
    enum upload_store_reply first;    /* to the first Complete; DONE: it is lost */
    enum upload_store_reply complete; /* to the second; DONE: the object is ours */
};

/* What has come of it. */
struct upload_store_seen {
    bool open; /* the upload */
    unsigned creations;
    unsigned parts;
    unsigned completes;
    unsigned aborts;
    unsigned looks; /* HEADs of the object since the first abort */
};

struct upload_store {
    struct http_server *server;
    os_cancel *cancel;
    pthread_mutex_t mutex; /* of the rest */
    struct upload_script script;
    struct upload_store_seen seen;
    enum upload_store_object object;
    char nonce[64];
};

/* `cancel` is triggered by the first Complete; NULL: nothing is. */
void upload_store_start(struct upload_store *ret, const struct upload_script *script, os_cancel *cancel);
void upload_store_stop(struct upload_store *store);

struct upload_store_seen upload_store_seen(struct upload_store *store);
void upload_store_allow_aborts(struct upload_store *store);
void upload_store_refuse_looks(struct upload_store *store);

#endif
