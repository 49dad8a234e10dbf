/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: one of the two small interfaces in the middle. Head, get, put, copy, delete, list on one key; implemented
 * by S3 over the HTTP engine (s3.c), by the module of Signature V2 (sigv2.c) and by the embedded file store
 * (file.c). Asynchronous by shape: start with a deadline, complete later with an answer, on the loop's thread.
 * Decides nothing about verdicts.
 */
#ifndef OSCOMMIT_STORE_STORE_H
#define OSCOMMIT_STORE_STORE_H

#include "credentials/credentials.h"
#include "loop/loop.h"
#include "s3/answer_mark.h"
#include "s3/multipart_request.h"
#include "s3/multipart_response.h"
#include "s3/request.h"
#include "s3/response.h"
#include "s3/version_response.h"

#include <stdatomic.h>

enum store_verb {
    STORE_HEAD = 1,
    STORE_GET,
    STORE_PUT,
    STORE_COPY,
    STORE_DELETE,
    STORE_LIST,
    STORE_HEAD_BUCKET,
    STORE_CREATE_UPLOAD, /* the verbs of a multipart upload (R14, R15); OS_ERR_UNSUPPORTED without has_uploads */
    STORE_UPLOAD_PART,
    STORE_UPLOAD_PART_COPY,
    STORE_COMPLETE,
    STORE_ABORT_UPLOAD,
    STORE_LIST_PARTS,
    STORE_LIST_UPLOADS,
    STORE_RENAME, /* the verbs that not every store has: OS_ERR_UNSUPPORTED then */
    STORE_GET_TAGS,
    STORE_LIST_VERSIONS,
    STORE_GET_VERSIONING
};

typedef int (*store_sink_fn)(void *context, const void *data, size_t length); /* 0: go on */

/* The rest of a request about a multipart upload. Borrowed like the request. */
struct store_upload {
    const char *id;                           /* all but CREATE_UPLOAD and LIST_UPLOADS */
    const struct s3_creation *creation;       /* CREATE_UPLOAD; its content has the nonce */
    uint32_t part_number;                     /* UPLOAD_PART, UPLOAD_PART_COPY: 1 to 10,000 */
    uint64_t part_offset;                     /* UPLOAD_PART, UPLOAD_PART_COPY: where its bytes stand in the object */
    const struct s3_body_sums *sums;          /* UPLOAD_PART; NULL: none. The bytes are request.body */
    const struct s3_part_source *part_source; /* UPLOAD_PART_COPY */
    const struct s3_part_name *parts;         /* COMPLETE: all, in the order of their numbers */
    size_t part_count;
    const struct s3_completion *completion; /* COMPLETE; NULL: nothing. Not its condition: request.condition counts */
    uint32_t after_part;                    /* LIST_PARTS */
    uint32_t max_parts;                     /* 0: the store's default */
    s3_part_fn each_part;                   /* NULL: they are not wanted */
    struct s3_parts_page *parts_page;       /* filled on success */
    const struct s3_list_uploads_options *listed; /* LIST_UPLOADS */
    s3_upload_fn each_upload;
    struct s3_uploads_page *uploads_page; /* filled on success */
    void *each_context;
};

/* What is wanted. Everything is borrowed until `done` or store_cancel. Keys are whole object keys (prefix included). */
struct store_request {
    enum store_verb verb;
    const char *key;
    const char *version_id;                 /* HEAD, GET, DELETE, GET_TAGS: of this version. NULL: of the current one */
    const char *source_key;                 /* COPY, RENAME */
    const char *source_etag;                /* COPY, RENAME: pins the source version */
    const char *source_version_id;          /* COPY: NULL: the current one */
    struct http_body body;                  /* PUT, UPLOAD_PART */
    const struct s3_content *content;       /* PUT; COPY: metadata and content headers to write instead of the source's
                                               (REPLACE), NULL: carry over */
    const struct s3_attributes *attributes; /* PUT, COPY; NULL: none. Of an upload they are in its creation */
    const char *nonce;    /* PUT, COPY: the guard's; NULL: none. Also set in content->nonce where content is given.
                          RENAME: the client token */
    const char *fencing;  /* COPY: the caller's token (L10); NULL: none. Also set in content->fencing where content is
                             given */
    const char *replaced; /* PUT, COPY, beside the nonce: that of the version which is replaced; NULL: not known */
    const char *history;  /* the same: S3_HISTORY_HEADER; stores that are not of S3 leave it out (N4.1) */
    struct s3_condition condition; /* PUT, COPY, DELETE, COMPLETE, RENAME (R7) */
    uint64_t offset, count;        /* GET */
    store_sink_fn sink;            /* GET */
    void *sink_context;
    http_progress_fn progress; /* PUT */
    void *progress_context;
    struct s3_list_options list;                     /* LIST: one page */
    s3_list_fn each;                                 /* LIST */
    s3_tag_fn each_tag;                              /* GET_TAGS */
    s3_version_fn each_version;                      /* LIST_VERSIONS */
    void *each_context;                              /* of these three */
    struct s3_list_page *page;                       /* LIST: filled on success */
    const struct s3_list_versions_options *versions; /* LIST_VERSIONS: one page */
    struct s3_versions_page *versions_page;          /* LIST_VERSIONS: filled on success */
    struct store_upload upload;
    uint64_t deadline_monotonic_ms; /* absolute */
};

/* A key that is nowhere begins so; 16 random hex digits follow (E9). */
#define STORE_NOWHERE ".oscommit-nowhere-"

/* Whether the store puts a mark on each of its answers (E9; s3/answer_mark.h). */
enum store_marks {
    STORE_MARKS_UNKNOWN = 0, /* it finds out by itself */
    STORE_MARKS_NONE,
    STORE_MARKS_ALL /* what comes without one is another's */
};

/* What came of it. Borrowed for the callback. */
struct store_answer {
    os_code code;  /* OS_OK: the store did what was asked (2xx, and a result document for COPY). Else the mapped code,
                      with `error` filled */
    bool sent;     /* at least one byte of the request may have left (for local stores: may have been applied) */
    bool tried;    /* also where no connection came about; not where its keys or memory were missing */
    bool complete; /* an answer came whole, and the store may have written it (E9) */
    bool foreign;  /* one came that another wrote: what it says is in `error` alone */
    enum s3_mark mark;
    int status;    /* HTTP status, or what S3 would have said: 200, 404, 403, 500 ...; 0: no answer */
    bool has_date; /* S3 time */
    bool dateless; /* the answer came without a Date header */
    uint64_t date_s;
    bool tail_kept;          /* it was too slow: its tail never left (R6) */
    uint64_t tail_rate;      /* and so many bytes of it were delivered in a second */
    uint64_t sent_ms;        /* how long it took from the first byte on; 0: no byte left */
    bool result_document;    /* COPY, COMPLETE: read, and no error */
    struct s3_error service; /* what the store said of a failure */
    struct s3_object object; /* HEAD, GET, PUT, COPY, COMPLETE, DELETE (delete_marker and version_id) on success. HEAD
                                of an absent key: code OS_ERR_NOT_FOUND, status 404 */
    struct s3_upload_id upload_id;        /* CREATE_UPLOAD on success */
    struct s3_part part;                  /* UPLOAD_PART, UPLOAD_PART_COPY on success; with its number */
    enum s3_versioning versioning;        /* GET_VERSIONING on success */
    char content_type[256];               /* HEAD, GET */
    const struct http_response *response; /* HEAD, GET over HTTP: the headers; else NULL */
    os_error error;                       /* a whole sentence, naming the object */
};
typedef void (*store_done_fn)(void *context, const struct store_answer *answer);

/* How an attempt is sent (R6). */
struct store_sending {
    uint64_t deadline_monotonic_ms; /* then the connection is aborted */
    uint32_t user_timeout_ms;       /* the kernel may try no longer to deliver what it was given */
    enum http_tail tail;
    struct clock_reading tail_clock; /* HELD_BACK, with the next two: as in http_start */
    uint64_t tail_before_ms;
    uint32_t late_segment_ms;
};

struct store_op;      /* a request under way */
struct store_attempt; /* a guarded write, built and signed, that has not been sent (R2) */

struct store {
    const struct store_vtable *vtable;
    bool has_fence; /* an expired attempt may be refused (E7 finds out); false: never (libs3) */
    bool is_local;
    bool has_uploads;                    /* multipart uploads */
    struct credentials *credentials;     /* NULL: it signs nothing */
    bool has_attributes;                 /* knows what tags, storage classes and encryption are, at least */
    atomic_uint_least32_t at_once_bytes; /* bodies of so many bytes arrive at once with usual headers (F3) */
};

struct store_vtable {
    /* What the store itself says of a key, before anything is sent. */
    os_code (*check_key)(struct store *store, const char *key, os_error *err);
    /* Starts; `done` is called exactly once, later, unless the op is cancelled first. NULL when out of memory (done is
     * not called). One quiet repetition is made where the answer is definite and asks for it: wrong region (301/307/400
     * with the right one), ExpiredToken, RequestTimeTooSkewed. Nothing else is repeated. A PUT, COPY or DELETE started
     * here is a plain, unguarded one, still never sent twice by a lower layer. */
    struct store_op *(*start)(struct store *store, const struct store_request *request, store_done_fn done,
                              void *context);
    /* Builds and signs an attempt (query form) at `date_s` for `length_s`, with the keys that are there: a store that
     * has answered before has some. The request stays borrowed while the attempt lives. */
    os_code (*prepare)(struct store *store, const struct store_request *request, uint64_t date_s, uint32_t length_s,
                       struct store_attempt **ret, os_error *err);
    /* How it travels: the allowance (F2) counts on it. */
    void (*delivery)(struct store *store, const struct store_attempt *attempt, struct http_delivery *ret);
    /* Sends it, once (R6); the same attempt may be sent again after its done (R7's 409). */
    struct store_op *(*send)(struct store *store, struct store_attempt *attempt, const struct store_sending *sending,
                             store_done_fn done, void *context);
    void (*attempt_free)(struct store *store,
                         struct store_attempt *attempt); /* NULL is fine; not while it is being sent */
    void (*cancel)(struct store *store,
                   struct store_op *op); /* done is not called any more; a running write is aborted */
    /* E7: two presigned HEADs of `key` that differ only in their date. `live`: signed at `at_s`; else its signature
     * ended then. */
    struct store_op *(*probe_expiry)(struct store *store, const char *key, uint64_t at_s, bool live,
                                     uint64_t deadline_monotonic_ms, store_done_fn done, void *context);
    void (*free)(struct store *store); /* no op may be under way */
};

struct store_config { /* borrowed during ..._new only, but for loop */
    struct loop *loop;
    const struct endpoint *endpoint;
    const char *bucket;
    os_addressing addressing;
    struct credentials *credentials; /* borrowed until the store is freed */
    const char *ca_file;
    const char *user_agent;
    uint64_t stall_ms; /* request_timeout_ms */
    enum store_marks marks;
    const char *root; /* local */
};
os_code s3_store_new(const struct store_config *config, struct store **ret, os_error *err);
os_code sigv2_store_new(const struct store_config *config, struct store **ret,
                        os_error *err); /* OS_ERR_UNSUPPORTED without the module */
/* Refuses everything: the client has no store. */
os_code none_store_new(const struct store_config *config, struct store **ret, os_error *err);
os_code local_store_new(const struct store_config *config, struct store **ret, os_error *err);

#endif
