/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/metadata.h"

#include "base/digest.h"
#include "base/error.h"
#include "s3/request.h"
#include "s3/response.h"

#include <string.h>

os_code metadata_version_id(const char *header, char *ret, size_t ret_size, os_error *err)
{
    char hex[65];
    if (header == NULL)
        header = "";
    if (text_copy(text_from(header), ret, ret_size))
        return OS_OK;
    if (!sha256_hex(header, strlen(header), hex))
        return error_no_memory(err);
    (void)text_concat(ret, ret_size, "sha256:", hex, NULL);
    return OS_OK;
}

bool metadata_is_reserved(const char *name)
{
    struct text text = text_from(name);
    return text_is_nocase(text, S3_NONCE_METADATA) || text_is_nocase(text, S3_REPLACED_METADATA) ||
           text_is_nocase(text, S3_HISTORY_METADATA) || text_is_nocase(text, S3_FENCING_METADATA);
}

const char *s3_copied_fencing(const struct http_headers *source, const char *own)
{
    return own || http_headers_get(source, S3_FENCING_HEADER) == NULL ? own : "0";
}

bool s3_content_has_room(const struct s3_content *content, const char *nonce, const char *replaced, const char *history)
{
    size_t bytes = nonce ? strlen(S3_NONCE_METADATA) + strlen(nonce) : 0;
    bytes += replaced ? strlen(S3_REPLACED_METADATA) + strlen(replaced) : 0;
    bytes += history ? strlen(S3_HISTORY_METADATA) + strlen(history) : 0;
    bytes += content && content->fencing ? strlen(S3_FENCING_METADATA) + strlen(content->fencing) : 0;
    for (size_t i = 0; content && i < content->metadata_count; i++)
        bytes +=
            strlen(content->metadata[i].name) + (content->metadata[i].value ? strlen(content->metadata[i].value) : 0);
    return bytes <= S3_METADATA_MAX;
}

bool s3_content_of(const struct http_response *head, os_metadata *ret_list, size_t ret_max, struct s3_content *ret)
{
    static const char prefix[] = "x-amz-meta-";
    const struct http_headers *headers = &head->headers;
    memset(ret, 0, sizeof(*ret));
    ret->content_type = http_headers_get(headers, "content-type");
    ret->content_encoding = http_headers_get(headers, "content-encoding");
    ret->content_language = http_headers_get(headers, "content-language");
    ret->content_disposition = http_headers_get(headers, "content-disposition");
    ret->cache_control = http_headers_get(headers, "cache-control");
    ret->expires = http_headers_get(headers, "expires");
    ret->metadata = ret_list;
    for (size_t i = 0; i < headers->count; i++) {
        const struct http_header *header = &headers->list[i];
        if (strncmp(header->name, prefix, sizeof(prefix) - 1) != 0)
            continue;
        const char *name = header->name + sizeof(prefix) - 1;
        if (metadata_is_reserved(name))
            continue;
        if (ret->metadata_count == ret_max)
            return false;
        ret_list[ret->metadata_count].name = name;
        ret_list[ret->metadata_count].value = header->value;
        ret->metadata_count++;
    }
    return true;
}
