/* SPDX-License-Identifier: Apache-2.0 */
#include "store/source_metadata.h"

#include "base/error.h"

#include <string.h>

static bool copy_headers(const struct http_headers *from, struct http_headers *ret)
{
    for (size_t i = 0; i < from->count; i++)
        if (!http_headers_add(ret, from->list[i].name, from->list[i].value))
            return false;
    return true;
}

os_code carried_take(struct carried *carried, const struct http_response *head, os_error *err)
{
    carried_free(carried);
    struct http_response own;
    memset(&own, 0, sizeof(own));
    own.status = head->status;
    if (!copy_headers(&head->headers, &carried->headers)) {
        carried_free(carried);
        return error_no_memory(err);
    }
    own.headers = carried->headers;
    if (!s3_content_of(&own, carried->list, CARRIED_METADATA_MAX, &carried->content)) {
        carried_free(carried);
        return error_set(err, OS_ERR_UNSUPPORTED, "The source of the copy has more than %d metadata entries.",
                         CARRIED_METADATA_MAX);
    }
    for (size_t i = 0; i < carried->content.metadata_count; i++)
        carried->metadata_bytes += strlen(carried->list[i].name) + strlen(carried->list[i].value);
    return OS_OK;
}

void carried_free(struct carried *carried)
{
    http_headers_free(&carried->headers);
    memset(carried, 0, sizeof(*carried));
}

bool carried_has_room(const struct carried *carried, const char *nonce)
{
    return carried->metadata_bytes + strlen(S3_NONCE_METADATA) + strlen(nonce) <= S3_METADATA_MAX;
}
