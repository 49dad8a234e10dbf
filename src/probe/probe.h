/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the probe share. A probe runs on the calling thread and asks one question after another, each in
 * batches of requests that are under way together. It touches only keys below a prefix of its own, remembers each key
 * and upload before it asks for it, and removes them at its end. What may be said is for profile/evidence.h.
 */
#ifndef OSCOMMIT_PROBE_PROBE_H
#define OSCOMMIT_PROBE_PROBE_H

#include "client/client.h"
#include "profile/evidence.h"
#include "profile/profile.h"

enum { PROBE_WRITERS_MAX = 256, PROBE_TEXT_SIZE = 64, PROBE_KEY_SIZE = S3_KEY_MAX + 1 };
#define PROBE_METADATA "oscommit-probe"
#define PROBE_NONCE    "00000000000000000000000000000000" /* as long as a guard's */

/* As the caller gave them. */
struct probe_arguments {
    const os_probe_options *options;
    const os_call *call;
    char **ret_profile;
};
os_code probe_store(os_client *client, const struct probe_arguments *arguments, os_error *err); /* os_store_probe */

/* A key, or an upload of it, that must not stay. */
struct probe_trace {
    char *key;
    char *upload_id; /* NULL: the object */
    bool gone;
};

struct probe {
    os_client *client;
    os_probe_options options;
    os_call call;
    uint64_t deadline_ms;  /* monotonic */
    bool may_have_written; /* any of its requests */
    bool cleaning;         /* the caller's cancellation is not listened to any more */
    char prefix[PROBE_KEY_SIZE];
    uint32_t serial; /* of keys and bodies */
    struct probe_trace *traces;
    size_t trace_count, trace_cap;
    struct profile *profile;
    uint32_t question;            /* which one, for the progress */
    uint32_t marked[S3_MARK_END]; /* answers that had this mark; [0]: the store's own without any */
    struct evidence_tally date;   /* of answers: written: it had a Date; held: it had none */
    char server[PROBE_TEXT_SIZE];
    bool applied_409;                    /* a write that was answered 409 stood there afterwards */
    char code_409[PROFILE_REQUESTS][64]; /* what came with 409 */
    os_error *err;
    os_code code; /* OK, or why the probe ends early; every step does nothing then */
};

/* ------------------------------------------------------------------------------------------------ probe_batch.c */

/* What is kept of an answer. */
struct probe_answer {
    os_code code;
    bool sent, complete, result_document;
    int status;
    char service_code[64];
    struct s3_object object;
    struct s3_upload_id upload_id;
    struct s3_part part;
    enum s3_versioning versioning;
    char metadata[PROBE_TEXT_SIZE]; /* HEAD: of PROBE_METADATA; "" if none */
    os_error error;
};

struct probe_batch;
struct probe_ask {
    struct store_request request; /* the deadline is set here */
    bool presigned;               /* as an attempt, signed at sign_s for length_s */
    uint64_t sign_s;
    uint32_t length_s;
    struct probe_answer answer;

    struct probe_batch *batch;
    struct store_op *op;
    struct store_attempt *attempt;
};

/* Ends the probe with a sentence. */
void probe_fail(struct probe *probe, os_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sends all, waits for all. False when the probe has ended (probe->code); then nothing may be concluded. */
bool probe_run(struct probe *probe, struct probe_ask *asks, size_t count);
bool probe_succeeded(const struct probe_answer *answer); /* a whole answer that says that it was done */
/* The store's own refusal, with a name: no proxy's. */
bool probe_explained(const struct probe_answer *answer);

/* ------------------------------------------------------------------------------------------------ probe_scratch.c */

void probe_new_key(struct probe *probe, char *ret /* PROBE_KEY_SIZE */);   /* remembered for the end */
void probe_new_body(struct probe *probe, char *ret /* PROBE_TEXT_SIZE */); /* no two alike */
void probe_note_upload(struct probe *probe, const char *key, const char *upload_id);
void probe_upload_done(struct probe *probe, const char *upload_id); /* completed: nothing to abort */
void probe_clean(struct probe *probe);

/* An object put without a condition, its ETag taken; tried again a few times. False: it did not succeed. */
struct probe_object {
    char key[PROBE_KEY_SIZE];
    char body[PROBE_TEXT_SIZE];
    char etag[128];
};
bool probe_put(struct probe *probe, struct probe_object *objects, size_t count);         /* keys and bodies as given */
bool probe_new_objects(struct probe *probe, struct probe_object *objects, size_t count); /* new keys, new bodies */

/* What is there. */
struct probe_read {
    const char *key;
    bool known; /* it was read, or is certainly not there */
    bool there;
    char text[PROBE_TEXT_SIZE];
};
bool probe_read(struct probe *probe, struct probe_read *reads, size_t count);

/* ------------------------------------------------------------------------------------------------ probe_write.c */

/* One write of any kind, made ready but for its last request, which a condition may be put on. */
struct probe_write {
    enum profile_request kind;
    char key[PROBE_KEY_SIZE];
    char body[PROBE_TEXT_SIZE];
    struct probe_object source; /* COPY, RENAME */
    struct s3_upload_id upload; /* COMPLETE */
    struct s3_part part;
    struct s3_part_name part_name;
    struct probe_ask ask;
};
/* Keys are given; makes sources and uploads. False when that did not succeed. */
bool probe_writes_prepare(struct probe *probe, struct probe_write *writes, size_t count, enum profile_request kind);
/* A part, and the Complete of an upload that has been begun. */
bool probe_upload_whole(struct probe *probe, struct probe_write *write, const struct s3_upload_id *upload);
/* On the last request: if absent (by a vendor's header, where it is one), or if it is this version. */
void probe_condition(struct probe_write *write, enum s3_vendor_condition vendor, const char *etag);
/* Sends them all at once, reads each key, and adds to the tally. `before` says what was there (NULL: nothing). */
bool probe_writes_judge(struct probe *probe, struct probe_write *writes, size_t count,
                        const struct probe_object *before, struct evidence_tally *tally);
struct evidence_write probe_evidence(const struct probe_write *write, const struct probe_read *read,
                                     const struct probe_object *before);

/* ------------------------------------------------------------------------------------------------ probe_beside.c */

/* A question that is asked beside the others, on a thread and below a prefix of its own. */
struct probe_beside {
    struct probe probe;
    struct profile profile;
    os_error err;
    struct thread thread;
    os_cancel *cancel;
    bool running;
    bool ran;
};
/* All three do nothing where the options leave held bodies out. `ret` must stay until it is cleaned. */
void probe_beside_begin(const struct probe *probe, struct probe_beside *ret);
/* Waits for it, or cancels it where the probe has `failed` already; takes its answer over. */
void probe_beside_end(struct probe *probe, struct probe_beside *beside, bool failed);
/* Removes what it wrote, until the probe's own deadline. */
void probe_beside_clean(const struct probe *probe, struct probe_beside *beside);

/* ------------------------------------------------------------------------------------------------ the questions */

void probe_ask_first(struct probe *probe); /* reachable at all; ETags, versions */
void probe_ask_uploads(struct probe *probe);
void probe_ask_rename(struct probe *probe); /* is RenameObject there? */
void probe_ask_metadata(struct probe *probe);
void probe_ask_conditions(struct probe *probe); /* each request, both conditions; the copy's source; vendors */
void probe_ask_races(struct probe *probe);
void probe_ask_expiry(struct probe *probe);
void probe_ask_stalled(struct probe *probe); /* over a minute: beside the others, by probe_beside.c */
void probe_ask_checksums(struct probe *probe);

#endif
