/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a part that its own answer and a list write alike. */
#ifndef OSCOMMIT_S3_MULTIPART_PART_H
#define OSCOMMIT_S3_MULTIPART_PART_H

#include "s3/multipart_response.h"

/* An ETag that a Complete can name: false for an empty one, one that does not fit, or that XML cannot carry. */
bool part_take_etag(struct text text, char *ret /* S3_ETAG_SIZE */);
/* An element of any name; takes it if it is the first that is a checksum. False when that does not fit. */
bool part_take_sum(const char *element, struct text text, struct s3_sum *ret);

#endif
