/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that somebody else sends: signed in the query, and handed out as a URL. */
#ifndef OSCOMMIT_STORE_S3_PRESIGN_H
#define OSCOMMIT_STORE_S3_PRESIGN_H

#include "base/buf.h"
#include "s3/request.h"
#include "store/store.h"

struct s3_presign {
    const char *method; /* "GET", "HEAD" or "PUT" */
    const char *key;
    const char *version_id;        /* GET, HEAD; NULL: the current one */
    struct s3_condition condition; /* PUT */
    const char *content_type;      /* PUT; NULL: not signed */
    uint32_t expires_s;
};

/* `store` is one over S3 with signature v4. Signed at the time that the store is believed to have. `ret_headers` gets a
 * line "name: value\n" for each header that the request must have. Loop's thread. */
os_code s3_store_presign(struct store *store, const struct s3_presign *presign, struct buf *ret_url,
                         struct buf *ret_headers, os_error *err);

#endif
