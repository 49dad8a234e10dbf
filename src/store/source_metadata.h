/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata and content headers of a COPY's source, kept from its HEAD until the attempt is built (G3: a
 * COPY always replaces). */
#ifndef OSCOMMIT_STORE_SOURCE_METADATA_H
#define OSCOMMIT_STORE_SOURCE_METADATA_H

#include "s3/request.h"
#include "s3/response.h"

enum { SOURCE_METADATA_MAX = 100 };

struct source_metadata {
    struct http_headers headers; /* own copy: the strings that content and list point into */
    os_metadata list[SOURCE_METADATA_MAX];
    struct s3_content content;
};

/* From the HEAD of the source. OS_ERR_UNSUPPORTED when it has more metadata than can be carried. */
os_code source_metadata_take(struct source_metadata *source_metadata, const struct http_response *head, os_error *err);
void source_metadata_free(struct source_metadata *source_metadata);

#endif
