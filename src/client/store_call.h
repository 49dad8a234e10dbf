/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the store, from the calling thread: started on the loop, repeated where that is harmless, ended by
 * deadline or cancellation. */
#ifndef OSCOMMIT_CLIENT_STORE_CALL_H
#define OSCOMMIT_CLIENT_STORE_CALL_H

#include "client/client.h"
#include "loop/op.h"
#include "store/source_metadata.h"

struct store_call {
    struct sync sync;
    os_client *client;
    struct store_request request; /* set by the caller; the deadline is set here */
    os_call call;
    bool may_repeat;   /* reads: after 5xx, throttling and network failures */
    uint64_t grace_ms; /* cancellation and closing only make its deadline come so soon; 0: they end it */
    struct source_metadata *source_metadata; /* HEAD: where the metadata and content headers go; NULL: nowhere */
    bool delivered;                          /* a byte of a GET has reached the caller's sink: no repetition any more */

    struct op op;
    struct clock_reading sent;
    struct store_op *under_way;

    uint32_t requests; /* that were made */
    os_code code;
    os_error error;
    bool no_upload;       /* the store said NoSuchUpload */
    bool may_lack_bucket; /* a HEAD without an object; nothing has shown yet that there is a bucket */
    struct s3_object object;
    char content_type[256];
};

/* Its sync is ready to begin. Until it is over, its code is OS_ERR_NO_MEMORY: it could not begin. */
os_code store_call_prepare(struct store_call *store_call, os_client *client, const os_call *call, os_error *err);
/* Its code; *err is filled. */
os_code store_call_code(const struct store_call *store_call, os_error *err);
/* Both, and what is between. Blocks. */
os_code store_call_run(struct store_call *store_call, os_client *client, const os_call *call, os_error *err);

/* Whether an upload of a whole object key is open: OS_OK, or OS_ERR_NOT_FOUND. OS_ERR_PROTOCOL: a 404 without
 * NoSuchUpload, which says nothing of it (R14). Blocks. */
os_code store_call_upload_state(os_client *client, const char *key, const char *id, const os_call *call, os_error *err);

/* The caller's os_object, as far as it goes. NULL is fine. */
void store_call_export_object(const struct store_call *store_call, os_object *ret);

#endif
