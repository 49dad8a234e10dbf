/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a GET on its way to its receiver: nothing is given on that was not asked for, and the end tells whether
 * all of it came (s3/read_check.h). */
#ifndef OSCOMMIT_STORE_S3_GET_H
#define OSCOMMIT_STORE_S3_GET_H

#include "s3/read_check.h"
#include "store/store.h"

struct s3_store_get {
    const struct store_request *request; /* borrowed */
    struct s3_read_check check;
    os_error refused; /* code OS_OK: it was not */
    const enum store_marks *marks;
    bool no_sum;  /* no sum of the store's is compared */
    bool doubted; /* nothing was given on, as nobody knows yet whose it is (E9) */
};

os_code s3_store_get_approve(void *get, const struct http_response *response); /* http_approve_fn */
int s3_store_get_take(void *get, const void *data, size_t length);             /* http_sink_fn */
/* The answer as far as the headers say; changed where the bytes are not what they should be. */
void s3_store_get_end(struct s3_store_get *get, struct store_answer *answer);
void s3_store_get_free(struct s3_store_get *get);

#endif
