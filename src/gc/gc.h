/* SPDX-License-Identifier: Apache-2.0 */
/* What gc.c, gc_uploads.c and gc_records.c share: one os_gc under way, on the calling thread. */
#ifndef OSCOMMIT_GC_GC_H
#define OSCOMMIT_GC_GC_H

#include "client/ledger_call.h"
#include "client/store_call.h"

/* As the caller gave them. */
struct gc_arguments {
    const os_gc_options *options;
    const os_call *call;
    os_garbage_fn each;
    void *context;
    os_gc_result *ret;
};
os_code gc_run(os_client *client, const struct gc_arguments *arguments, os_error *err); /* os_gc */

enum { GC_DAY_S = 24 * 60 * 60 };

struct gc_upload {
    char *key; /* whole object key */
    char *id;
    int64_t initiated_s;
    bool doomed; /* found, or removed */
};

struct gc {
    os_client *client;
    os_gc_options options;
    os_call call; /* its deadline is set anew before each request: see gc_call */
    uint64_t deadline_monotonic_ms;
    os_garbage_fn each;
    void *context;
    char *prefix;         /* whole */
    char *path_prefix;    /* the same in records (T4) */
    size_t root_length;   /* of what stands before a caller's key in an object key */
    size_t record_length; /* of what stands before an object key in a record's path */
    struct kept_rows rows;
    struct gc_upload *uploads;
    size_t upload_count;
    size_t upload_cap;
    bool no_memory;
    uint64_t date_s;
    os_gc_result result;
    os_error *err;
};

/* The caller's os_call, with what is left of its time. */
const os_call *gc_call(struct gc *gc);

/* Tells the caller, and counts. OS_ERR_STOPPED when it does not want to hear more. `garbage->key` is a whole object key
 * here. */
os_code gc_tell(struct gc *gc, const os_garbage *garbage);

/* Fills gc->uploads: what the store lists under the prefix, and of the keys whose record names an upload. */
os_code gc_collect_uploads(struct gc *gc);
os_code gc_judge_uploads(struct gc *gc);
void gc_free_uploads(struct gc *gc);

os_code gc_judge_records(struct gc *gc);

#endif
