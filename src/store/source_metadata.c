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

os_code source_metadata_take(struct source_metadata *source_metadata, const struct http_response *head, os_error *err)
{
    source_metadata_free(source_metadata);
    struct http_response own;
    memset(&own, 0, sizeof(own));
    own.status = head->status;
    if (!copy_headers(&head->headers, &source_metadata->headers)) {
        source_metadata_free(source_metadata);
        return error_no_memory(err);
    }
    own.headers = source_metadata->headers;
    if (!s3_content_of(&own, source_metadata->list, SOURCE_METADATA_MAX, &source_metadata->content)) {
        source_metadata_free(source_metadata);
        return error_set(err, OS_ERR_UNSUPPORTED, "The source of the copy has more than %d metadata entries.",
                         SOURCE_METADATA_MAX);
    }
    return OS_OK;
}

void source_metadata_free(struct source_metadata *source_metadata)
{
    http_headers_free(&source_metadata->headers);
    memset(source_metadata, 0, sizeof(*source_metadata));
}
