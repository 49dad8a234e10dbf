/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/multipart_response.h"

#include "s3/answer_document.h"
#include "s3/metadata.h"
#include "s3/multipart_part.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ fields of parts */

bool part_take_etag(struct text text, char *ret /* S3_ETAG_SIZE */)
{
    text = text_trim(text);
    return text.len > 0 && xml_can_carry(text) && text_copy(text, ret, S3_ETAG_SIZE);
}

bool part_take_sum(const char *element, struct text text, struct s3_sum *ret)
{
    enum s3_checksum checksum = s3_checksum_of_element(element);
    if (checksum == S3_CHECKSUM_NONE || ret->checksum != S3_CHECKSUM_NONE)
        return true;
    ret->checksum = checksum;
    return text_copy(text_trim(text), ret->text, sizeof(ret->text));
}

/* ------------------------------------------------------------------------------------------------ create */

static bool create_element(void *context, const char *path, struct text text)
{
    struct s3_upload_id *id = context;
    if (strcmp(path, "UploadId") != 0)
        return true;
    return text_copy(text_trim(text), id->text, sizeof(id->text)) && s3_is_upload_id(id->text);
}

os_code s3_parse_create_upload(const struct http_response *response, struct s3_upload_id *ret,
                               struct s3_error *ret_error, os_error *err)
{
    struct s3_upload_id id = {.text = ""};
    const struct answer_document document = {.root = "InitiateMultipartUploadResult",
                                             .other_root = "InitiateMultipartUpload", /* rclone 1.76 */
                                             .each = create_element,
                                             .context = &id,
                                             .of = "the new upload"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    if (code == OS_OK && id.text[0] == '\0')
        return answer_unusable(err, "it names no upload id");
    if (code == OS_OK)
        *ret = id;
    return code;
}

/* ------------------------------------------------------------------------------------------------ parts */

os_code s3_parse_part(const struct http_response *response, struct s3_part *ret, os_error *err)
{
    struct s3_part part;
    memset(&part, 0, sizeof(part));
    const char *etag = http_headers_get(&response->headers, "etag");
    if (etag == NULL || !part_take_etag(text_from(etag), part.etag))
        return answer_unusable(err, "a part must be answered with an ETag of at most 127 bytes of UTF-8");
    for (int i = S3_CHECKSUM_NONE + 1; i < S3_CHECKSUM_END; i++) {
        enum s3_checksum checksum = (enum s3_checksum)i;
        const char *text = http_headers_get(&response->headers, s3_checksum_header(checksum));
        if (text && !part_take_sum(s3_checksum_element(checksum), text_from(text), &part.sum))
            return answer_unusable(err, "its checksum is too long");
    }
    *ret = part;
    return OS_OK;
}

static bool part_copy_element(void *context, const char *path, struct text text)
{
    struct s3_part *part = context;
    if (strcmp(path, "ETag") == 0)
        return part_take_etag(text, part->etag);
    if (strcmp(path, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &part->last_modified_s);
    return part_take_sum(path, text, &part->sum);
}

os_code s3_parse_part_copy(const struct http_response *response, struct s3_part *ret, struct s3_error *ret_error,
                           os_error *err)
{
    struct s3_part part;
    memset(&part, 0, sizeof(part));
    const struct answer_document document = {.root = "CopyPartResult",
                                             .other_root = "CopyObjectResult", /* s3proxy 4.1 */
                                             .each = part_copy_element,
                                             .context = &part,
                                             .of = "the copy of a part"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    if (code == OS_OK && part.etag[0] == '\0')
        return answer_unusable(err, "it names no ETag of the part");
    if (code == OS_OK)
        *ret = part;
    return code;
}

/* ------------------------------------------------------------------------------------------------ complete */

static bool completed_element(void *context, const char *path, struct text text)
{
    struct s3_completed *completed = context;
    if (strcmp(path, "ETag") == 0)
        return text_copy(text_trim(text), completed->etag, sizeof(completed->etag));
    return part_take_sum(path, text, &completed->sum);
}

os_code s3_parse_completed(const struct http_response *response, struct s3_completed *ret, struct s3_error *ret_error,
                           os_error *err)
{
    struct s3_completed completed;
    memset(&completed, 0, sizeof(completed));
    const struct answer_document document = {.root = "CompleteMultipartUploadResult",
                                             .each = completed_element,
                                             .context = &completed,
                                             .of = "the end of an upload"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    if (code == OS_OK)
        code = metadata_version_id(http_headers_get(&response->headers, "x-amz-version-id"), completed.version_id,
                                   sizeof(completed.version_id), err);
    if (code == OS_OK)
        *ret = completed;
    return code;
}
