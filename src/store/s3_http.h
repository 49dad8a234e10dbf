/* SPDX-License-Identifier: Apache-2.0 */
/* What s3.c sends, and what it makes of the answers: from a store_request to HTTP, and back. Sends nothing. */
#ifndef OSCOMMIT_STORE_S3_HTTP_H
#define OSCOMMIT_STORE_S3_HTTP_H

#include "http/engine.h"
#include "store/store.h"

/* A request that has not been signed, with the body that the library itself writes (COMPLETE). */
struct s3_store_http {
    struct http_request request;
    struct buf body; /* request.body borrows from it */
};
void s3_store_http_init(struct s3_store_http *http);
void s3_store_http_free(struct s3_store_http *http); /* back to empty */

/* `ret` is empty before; it is freed by the caller either way. */
os_code s3_store_build(const struct s3_target *target, const struct store_request *request, struct s3_store_http *ret,
                       os_error *err);

/* `ret` borrows from `result`. What came without a mark counts only where `marks` is NONE (E9). */
void s3_store_read(const struct store_request *request, const char *bucket, const struct http_result *result,
                   enum store_marks marks, struct store_answer *ret);

#endif
