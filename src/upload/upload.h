/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A multipart upload (R15): created, filled with parts in parallel, each sent as often as it takes, and left open for a
 * Complete that somebody else makes; or aborted. From the calling thread, which reads the body (upload_body.h) while
 * the loop's thread sends. Long work without a lease: knows nothing of guards, records and verdicts.
 */
#ifndef OSCOMMIT_UPLOAD_UPLOAD_H
#define OSCOMMIT_UPLOAD_UPLOAD_H

#include "client/body.h"
#include "client/client.h"
#include "commit/record.h"

/* The source of a copy, in the same bucket. */
struct upload_source {
    const char *key;
    const char *etag;       /* the version that is copied; NULL: any */
    const char *version_id; /* NULL: the current one */
    uint64_t length;        /* of that version */
};

/* What is to be uploaded. Borrowed until uploaded_free. */
struct upload_params {
    const char *name;                   /* of the public function, for sentences */
    const char *key;                    /* whole object key */
    struct s3_creation creation;        /* content headers, metadata, tags ...; checksum is set here */
    const char *nonce;                  /* goes into its metadata; NULL: none */
    const struct upload_source *source; /* a copy; else the body */
    struct body *body;
    uint64_t deadline_monotonic_ms;
    os_cancel *cancel;
    os_progress_fn progress;
    void *progress_context;
};

/* An upload that is whole: what its Complete has to say. */
struct uploaded {
    char upload_id[RECORD_UPLOAD_SIZE]; /* "" as long as there is none */
    struct s3_part_name *parts;         /* in order */
    size_t part_count;
    struct s3_completion completion; /* without condition */
    char sum[S3_CHECKSUM_TEXT_SIZE];
    struct s3_part *answers; /* what the names point into */
    uint32_t requests;       /* that were made */
    bool parts_in_doubt;     /* a part was not answered: the store may still be at work on it */
};

/* Creates the upload and sends every part. Blocks. On failure nothing is sent any more, but ret->upload_id may name an
 * upload that is to be aborted. OS_ERR_DEADLINE, OS_ERR_CANCELLED, OS_ERR_SOURCE (it changed), OS_ERR_TOO_LARGE, the
 * codes of upload_reader_next, and what the store says. `ret` is freed with uploaded_free either way. */
os_code upload_parts(os_client *client, const struct upload_params *params, struct uploaded *ret, os_error *err);
void uploaded_free(struct uploaded *uploaded);
/* OS_ERR_SOURCE: what was to be copied to `key` is another object by now, or none. */
os_code upload_refuse_source(const struct upload_source *source, const char *key, bool is_gone, os_error *err);

enum { UPLOAD_ABORT_MS = 2000, UPLOAD_VERIFY_MS = 500 };

enum upload_abort_outcome {
    UPLOAD_MAY_STAY = 0, /* it may still be there, which is logged; `oscommit gc` finds it */
    UPLOAD_IS_ABORTED,   /* it is gone by our abort; some stores accept that of one that is completed, too */
    UPLOAD_WAS_GONE      /* it was gone before an abort of ours was accepted: completed, or aborted by whomever */
};

struct upload_abort_params {
    const char *upload_id;
    bool parts_in_doubt;            /* look again after UPLOAD_VERIFY_MS */
    uint64_t deadline_monotonic_ms; /* but UPLOAD_ABORT_MS at least */
    os_cancel *cancel;              /* like the client's closing: UPLOAD_ABORT_MS from then on */
};

/* Aborts an upload and asks whether it is gone; again where the answer is unclear, until the deadline; where it is
 * clear and still not NoSuchUpload, for UPLOAD_ABORT_MS. Blocks. Never of an upload whose Complete may have been
 * applied. */
enum upload_abort_outcome upload_abort(os_client *client, const char *key, const struct upload_abort_params *params);

#endif
