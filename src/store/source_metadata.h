/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata and content headers of a COPY's source, kept from its HEAD until the attempt is built (G3: a
 * COPY always replaces). */
#ifndef OSCOMMIT_STORE_SOURCE_METADATA_H
#define OSCOMMIT_STORE_SOURCE_METADATA_H

#include "s3/request.h"
#include "s3/response.h"

enum { CARRIED_METADATA_MAX = 100 };

struct carried {
    struct http_headers headers; /* own copy: the strings that content and list point into */
    os_metadata list[CARRIED_METADATA_MAX];
    struct s3_content content;
    size_t metadata_bytes;
};

/* From the HEAD of the source. OS_ERR_UNSUPPORTED when it has more metadata than can be carried. */
os_code carried_take(struct carried *carried, const struct http_response *head, os_error *err);
void carried_free(struct carried *carried);

/* Whether the nonce fits beside the metadata within S3's limit of 2 KB. */
bool carried_has_room(const struct carried *carried, const char *nonce);

#endif
