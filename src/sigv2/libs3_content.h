/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata and content headers in libs3's form. */
#ifndef OSCOMMIT_SIGV2_LIBS3_CONTENT_H
#define OSCOMMIT_SIGV2_LIBS3_CONTENT_H

#include "s3/request.h"

#include <libs3.h>

enum {
    LIBS3_OWN_METADATA = 3,                       /* of a guard: nonce, what was replaced, fencing token */
    LIBS3_METADATA_MAX = 100 - LIBS3_OWN_METADATA /* more are not read either (libs3_peek.c) */
};

struct libs3_content {
    S3PutProperties properties;
    S3NameValue metadata[LIBS3_METADATA_MAX + LIBS3_OWN_METADATA];
    char filename[128];
};

/* Borrows the strings of `content`, which s3_build_put has found fit to be sent. OS_ERR_UNSUPPORTED for what libs3
 * cannot say: the message names the header. */
os_code libs3_content_fill(const struct s3_content *content, struct libs3_content *ret, os_error *err);

#endif
