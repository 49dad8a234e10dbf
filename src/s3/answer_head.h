/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the head of an HTTP/1.x answer out of raw bytes, for the libs3 driver. Pure; knows no socket. */
#ifndef OSCOMMIT_S3_ANSWER_HEAD_H
#define OSCOMMIT_S3_ANSWER_HEAD_H

#include "base/http_message.h"

enum answer_head_outcome {
    ANSWER_HEAD_WHOLE = 1, /* status and headers of the final answer */
    ANSWER_HEAD_CUT,       /* it has begun, and more is needed */
    ANSWER_HEAD_NONE,      /* nothing final has begun: empty, or whole 1xx answers only */
    ANSWER_HEAD_FOREIGN,   /* this is no HTTP/1.x answer */
    ANSWER_HEAD_NO_MEMORY
};

/* WHOLE: fills status and headers of `ret` (initialised by the caller) and says where the body begins. Interim answers
 * (1xx) are skipped; so is a line that is no header. Headers that exceed the limits of http_headers make it FOREIGN. */
enum answer_head_outcome answer_head_read(struct text bytes, struct http_response *ret, size_t *ret_body_offset);

#endif
