/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write plan: which request performs the write and which mechanism excludes other writers (docs/rules.md, M1
 * to M4). Pure: from what a client was told and what its store's profile says.
 *
 * Verdicts rest on what other writers leave behind, so that a fleet must agree on its plans, key by key. With
 * OS_GUARD_AUTO the record is given up for creates only where every request that creates is proven, and for
 * replacements and deletions only where every request of both kinds is: a DELETE under the record, on a store that
 * ignores its condition, would delete what a native writer has just put there.
 */
#ifndef OSCOMMIT_CLIENT_PLAN_H
#define OSCOMMIT_CLIENT_PLAN_H

#include "commit/guard.h"
#include "oscommit.h"
#include "profile/profile.h"
#include "s3/request.h"

enum write_plan_operation {
    PLAN_PUT = 1,
    PLAN_COPY,
    PLAN_DELETE,
    PLAN_RENAME,  /* by one request; a refusal says nothing of a copy followed by a delete */
    PLAN_COMPLETE /* of an upload whose parts are there already */
};

enum write_plan_request {
    PLAN_PUT_OBJECT = 1,
    PLAN_COPY_OBJECT,
    PLAN_COMPLETE_UPLOAD, /* over UploadPart, or UploadPartCopy */
    PLAN_DELETE_OBJECT,
    PLAN_RENAME_OBJECT
};

/* The same for all calls of a client. */
struct write_plan_rules {
    os_guard guard;
    os_toggle condition_headers;
    const struct profile *profile; /* NULL: none */
    const char *unprofiled;        /* with none: a sentence for who may miss it, with a space before it; or NULL */
    bool has_ledger;
    bool has_conditions;       /* requests can carry them; not over libs3, nor to the embedded store */
    bool has_uploads;          /* multipart uploads */
    bool copies_whole;         /* a COPY is one request whatever its size (embedded store) */
    bool keeps_stalled_bodies; /* the store waits for the rest of a body for ever */
    uint64_t stage_above;      /* 0: by default */
    uint64_t at_once_bytes;    /* bodies of so many arrive at once with their headers (F3), as far as is known */
};

struct write_plan_params {
    enum write_plan_operation operation;
    bool create;    /* expects nothing there; else If-Match */
    uint64_t bytes; /* PUT: of the body; COPY: of the source, 0 while it is not known */
};

struct write_plan {
    enum write_plan_request request;
    os_guard guard;                  /* RECORD, NATIVE or BOTH */
    bool conditional;                /* If-None-Match: * or If-Match goes along */
    enum s3_vendor_condition vendor; /* goes along instead */
    enum guard_409 answer_409;
    bool native_writers; /* others may write these keys without leaving a record */
};

/* OS_OK; OS_ERR_CONFIG (the record is needed, and there is no ledger); OS_ERR_UNSUPPORTED (no proven request);
 * OS_ERR_TOO_LARGE (it would have to go in parts, and cannot). The sentences say what to change. */
os_code write_plan_choose(const struct write_plan_rules *rules, const struct write_plan_params *params,
                          struct write_plan *ret, os_error *err);

/* Bodies of more bytes go in parts, whatever is known of the store. `stage_above`: 0: by default. */
uint64_t write_plan_body_most(uint64_t stage_above);

/* Guarded: bodies (COPY: sources) of more bytes go in parts (R15). */
uint64_t write_plan_multipart_above(const struct write_plan_rules *rules, enum write_plan_operation operation,
                                    bool create);

/* What goes with the request; `etag` is the expected one, NULL: absent. */
void write_plan_condition(const struct write_plan *plan, const char *etag, struct s3_condition *ret);

const char *write_plan_request_name(enum write_plan_request request); /* "PutObject" ...; "" for none */
const char *write_plan_guard_name(os_guard guard);                    /* "record", "native", "both"; "none" for AUTO */

/* Is PutObject with If-None-Match: *, by itself, known to leave alone what is there, and may it be sent? */
bool write_plan_creates_only(const struct write_plan_rules *rules);

#endif
