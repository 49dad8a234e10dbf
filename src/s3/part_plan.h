/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an object is cut into parts: a pure function of its length and the size of part that was asked for. Facts: S3
 * user guide, "Amazon S3 multipart upload limits": parts 1 to 10,000, of 5 MiB (but the last) to 5 GiB. The largest
 * object here is 5 TiB, which every store with parts takes. Knows no request and no buffer.
 */
#ifndef OSCOMMIT_S3_PART_PLAN_H
#define OSCOMMIT_S3_PART_PLAN_H

#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

#define PART_SIZE_MIN     (UINT64_C(5) << 20)
#define PART_SIZE_MAX     (UINT64_C(5) << 30)
#define PART_SIZE_DEFAULT (UINT64_C(16) << 20)
#define PART_COPY_DEFAULT (UINT64_C(512) << 20) /* nothing of it passes through here: larger, for fewer requests */
#define PART_TOTAL_MAX    (UINT64_C(5) << 40)
#define PART_GRAIN        UINT64_C(4096) /* what a size that had to grow is a multiple of: pages of a file stay whole */
enum {
    PART_COUNT_MAX = 10000,
    PART_STEADY_COUNT = 1000 /* so many parts of a stream have the size that was asked for, before they grow */
};

struct part_plan {
    uint64_t total;     /* bytes; of a stream the most that fits */
    uint64_t part_size; /* of the first part, where it is not the last */
    uint64_t growth;    /* by so much each part behind PART_STEADY_COUNT is larger than the one before it */
    uint32_t count;     /* of a stream: at most; an empty object has one part, of no bytes */
};

/* A `part_size` of 0 is the default. OS_ERR_ARGUMENT for one outside of PART_SIZE_MIN to PART_SIZE_MAX,
 * OS_ERR_TOO_LARGE over PART_TOTAL_MAX. */

/* A body, or the source of a copy (UploadPartCopy), of known length: equal parts and one last, of part_size, or of the
 * smallest size above it with which PART_COUNT_MAX parts suffice. Sizes of equal parts are what every store takes. */
os_code part_plan_body(uint64_t total, uint64_t part_size, struct part_plan *ret, os_error *err);
os_code part_plan_copy(uint64_t total, uint64_t part_size, struct part_plan *ret, os_error *err);

/*
 * A stream of unknown length. It ends in any part, which may be empty only if it is the first; a stream that goes on
 * behind the last part is too large.
 *
 * Growing: PART_STEADY_COUNT parts of part_size, then each larger than the one before by the same amount, so that the
 * parts together hold PART_TOTAL_MAX. With 16 MiB: 16 MiB up to 16,000 MiB in, then 132 KiB more with each part, up to
 * 1.15 GiB at the end: buffers grow with the square root of the length. With `uniform` all parts have part_size, and
 * the stream holds PART_COUNT_MAX of them: for stores that refuse unequal parts (Cloudflare R2).
 */
os_code part_plan_stream(uint64_t part_size, bool uniform, struct part_plan *ret, os_error *err);

/* The bytes of part `number`, 1 to count; of a stream: the most that it can hold. False for another number. */
bool part_plan_range(const struct part_plan *plan, uint32_t number, uint64_t *ret_offset, uint64_t *ret_length);
/* The longest part: what a buffer for any part must hold. */
uint64_t part_plan_largest(const struct part_plan *plan);

#endif
