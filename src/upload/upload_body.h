/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a body that goes in parts, part after part, with the sums that the store checks them against (R15). On the calling
 * thread, which may block here; knows nothing of requests.
 */
#ifndef OSCOMMIT_UPLOAD_UPLOAD_BODY_H
#define OSCOMMIT_UPLOAD_UPLOAD_BODY_H

#include "client/body.h"
#include "s3/multipart_request.h"

#include <sys/stat.h>

struct upload_reader {
    struct body *body;
    enum s3_checksum checksum; /* of each part: CRC64NVME, CRC32C, or SHA256. NONE: Content-MD5 of each part */
    bool bare;                 /* no sums at all */
    uint64_t offset;           /* of the next byte */
    uint64_t crc;              /* of what was read so far; not with SHA256 */
    struct stat before;        /* of a file */
};

/* One part: lent from the caller's memory, or read into a buffer that is kept for the next one. */
struct upload_bytes {
    const void *data;
    uint64_t length;
    char md5_text[25];
    char sum_text[S3_CHECKSUM_TEXT_SIZE];
    struct s3_body_sums sums; /* into the two above */
    void *buffer;
    uint64_t capacity;
};

/* From the beginning. Not for a stream that was read before. OS_ERR_IO. */
os_code upload_reader_init(struct upload_reader *ret, struct body *body, enum s3_checksum checksum, bool bare,
                           os_error *err);
/* The next `most` bytes; fewer at the end, and none behind it. OS_ERR_BODY (a file that changed its size, a stream that
 * broke off), OS_ERR_IO, OS_ERR_NO_MEMORY. */
os_code upload_reader_next(struct upload_reader *reader, uint64_t most, struct upload_bytes *ret, os_error *err);
/* After the last part: that a file was not written to meanwhile. OS_ERR_BODY, OS_ERR_IO. */
os_code upload_reader_end(const struct upload_reader *reader, os_error *err);
/* The sum of the whole, for a CRC: S3 knows no other of an object made of parts. `ret` holds S3_CHECKSUM_TEXT_SIZE. */
void upload_reader_sum(const struct upload_reader *reader, char *ret);

void upload_bytes_free(struct upload_bytes *bytes);

#endif
