/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the answer to a GET is the bytes that were asked for, and all of them: its range, its length, and the sum
 * that the store gives of a whole object. Headers first, so that no wrong byte is given on; then each piece; then the
 * end. Knows no connection.
 */
#ifndef OSCOMMIT_S3_READ_CHECK_H
#define OSCOMMIT_S3_READ_CHECK_H

#include "base/digest.h"
#include "base/http_message.h"
#include "oscommit.h"
#include "s3/checksum.h"

#include <stdbool.h>
#include <stdint.h>

struct s3_read_check {
    bool begun;
    bool has_length; /* else its chunks say where it ends */
    uint64_t length; /* of the bytes to come */
    uint64_t received;
    enum s3_checksum checksum; /* NONE: the store gives no sum of these bytes */
    char sum[S3_CHECKSUM_TEXT_SIZE];
    uint64_t crc;
    struct digest_stream digest;
};

/* With the headers of a 2xx. OS_ERR_PROTOCOL when it has other bytes than were asked for, or does not say where they
 * end; OS_ERR_NO_MEMORY. `count` 0: to the end. Free it in any case. */
os_code s3_read_begin(struct s3_read_check *check, const char *key, const struct http_response *response,
                      uint64_t offset, uint64_t count, os_error *err);
void s3_read_skip_sum(struct s3_read_check *check); /* after it: lengths alone are compared */
void s3_read_add(struct s3_read_check *check, const void *data, size_t length);
/* When all has come. OS_ERR_PROTOCOL when it is less or more than was promised, or has another sum. */
os_code s3_read_end(struct s3_read_check *check, const char *key, os_error *err);
void s3_read_free(struct s3_read_check *check);

#endif
