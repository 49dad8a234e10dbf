/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc.h"
#include "base/digest.h"
#include "base/error.h"
#include "s3/checksum.h"
#include "store/s3_http.h"

void s3_store_http_init(struct s3_store_http *http)
{
    http_request_init(&http->request);
    buf_init(&http->body, S3_COMPLETION_BODY_MAX);
}

void s3_store_http_free(struct s3_store_http *http)
{
    http_request_free(&http->request);
    buf_free(&http->body);
}

/* ------------------------------------------------------------------------------------------------ objects */

/* The store compares it with what arrived: a body that was changed or cut on the way is refused (BadDigest). */
static os_code add_content_md5(const struct http_body *body, struct http_request *http, os_error *err)
{
    if (body->kind != HTTP_BODY_MEMORY)
        return OS_OK;
    unsigned char digest[MD5_SIZE];
    char encoded[4 * ((MD5_SIZE + 2) / 3) + 1];
    if (!md5_digest(body->data, (size_t)body->length, digest))
        return error_no_memory(err);
    text_base64(digest, sizeof(digest), encoded);
    return http_headers_add(&http->headers, "content-md5", encoded) ? OS_OK : error_no_memory(err);
}

/* Every SDK's own choice, where nobody has made another one. */
static os_code add_crc32(const struct http_body *body, struct http_request *http, os_error *err)
{
    char encoded[CRC32C_TEXT_SIZE];
    if (body->kind != HTTP_BODY_MEMORY)
        return OS_OK;
    crc32c_text(crc32_add(0, body->data, (size_t)body->length), encoded);
    return http_headers_add(&http->headers, s3_checksum_header(S3_CHECKSUM_CRC32), encoded) ? OS_OK
                                                                                            : error_no_memory(err);
}

static os_code build_put(const struct s3_target *target, const struct store_request *request, struct http_request *ret,
                         os_error *err)
{
    struct s3_content content = {0};
    if (request->content)
        content = *request->content;
    if (request->nonce)
        content.nonce = request->nonce;
    content.replaced = request->replaced;
    content.history = request->history;
    os_code code = s3_build_put(target, request->key, &request->body, &content, &request->condition, ret, err);
    if (code == OS_OK)
        code = s3_request_attributes(ret, request->attributes, err);
    if (code == OS_OK && target->sums_puts)
        code = add_crc32(&request->body, ret, err);
    return code == OS_OK ? add_content_md5(&request->body, ret, err) : code;
}

static os_code build_copy(const struct s3_target *target, const struct store_request *request, struct http_request *ret,
                          os_error *err)
{
    struct s3_content content = {0};
    if (request->content)
        content = *request->content;
    if (request->nonce)
        content.nonce = request->nonce;
    if (request->fencing)
        content.fencing = request->fencing;
    content.replaced = request->replaced;
    content.history = request->history;
    bool replace = request->content != NULL || request->nonce != NULL || request->fencing != NULL;
    os_code code = s3_build_copy(target, request->key,
                                 &(struct s3_source){.key = request->source_key,
                                                     .etag = request->source_etag,
                                                     .version_id = request->source_version_id},
                                 replace ? &content : NULL, &request->condition, ret, err);
    return code == OS_OK ? s3_request_attributes(ret, request->attributes, err) : code;
}

static os_code of_version(const struct store_request *request, os_code built, struct http_request *ret, os_error *err)
{
    return built == OS_OK ? s3_request_version(ret, request->version_id, err) : built;
}

static os_code build_rename(const struct s3_target *target, const struct store_request *request,
                            struct http_request *ret, os_error *err)
{
    return s3_build_rename(target, request->key,
                           &(struct s3_source){.key = request->source_key, .etag = request->source_etag},
                           request->nonce, &request->condition, ret, err);
}

/* ------------------------------------------------------------------------------------------------ multipart uploads */

static os_code build_complete(const struct s3_target *target, const struct store_request *request,
                              struct s3_store_http *ret, os_error *err)
{
    const struct store_upload *upload = &request->upload;
    struct s3_completion completion = {0};
    if (upload->completion)
        completion = *upload->completion;
    completion.condition = request->condition;
    os_code code = s3_write_completion(upload->parts, upload->part_count, completion.checksum, &ret->body, err);
    if (code != OS_OK)
        return code;
    return s3_build_complete_upload(target, request->key, upload->id, &ret->body, &completion, &ret->request, err);
}

static os_code build_upload(const struct s3_target *target, const struct store_request *request,
                            struct s3_store_http *ret, os_error *err)
{
    const struct store_upload *upload = &request->upload;
    const struct s3_part_place place = {upload->id, upload->part_number};
    struct http_request *http = &ret->request;
    const char *key = request->key;
    switch (request->verb) {
    case STORE_CREATE_UPLOAD: return s3_build_create_upload(target, key, upload->creation, http, err);
    case STORE_UPLOAD_PART: return s3_build_upload_part(target, key, &place, &request->body, upload->sums, http, err);
    case STORE_UPLOAD_PART_COPY: return s3_build_upload_part_copy(target, key, &place, upload->part_source, http, err);
    case STORE_COMPLETE: return build_complete(target, request, ret, err);
    case STORE_ABORT_UPLOAD: return s3_build_abort_upload(target, key, upload->id, http, err);
    case STORE_LIST_PARTS:
        return s3_build_list_parts(target, key, upload->id, upload->after_part, upload->max_parts, http, err);
    case STORE_LIST_UPLOADS: return s3_build_list_uploads(target, upload->listed, http, err);
    default: break;
    }
    return error_set(err, OS_ERR_ARGUMENT, "Internal error: there is no store request number %d.", (int)request->verb);
}

os_code s3_store_build(const struct s3_target *target, const struct store_request *request, struct s3_store_http *ret,
                       os_error *err)
{
    struct http_request *http = &ret->request;
    const char *key = request->key;
    switch (request->verb) {
    case STORE_HEAD: return of_version(request, s3_build_head(target, key, http, err), http, err);
    case STORE_HEAD_BUCKET: return s3_build_head_bucket(target, http, err);
    case STORE_GET:
        return of_version(request, s3_build_get(target, key, request->offset, request->count, http, err), http, err);
    case STORE_PUT: return build_put(target, request, http, err);
    case STORE_COPY: return build_copy(target, request, http, err);
    case STORE_DELETE:
        return of_version(request, s3_build_delete(target, key, &request->condition, http, err), http, err);
    case STORE_LIST: return s3_build_list(target, &request->list, http, err);
    case STORE_RENAME: return build_rename(target, request, http, err);
    case STORE_GET_TAGS: return s3_build_get_tags(target, key, request->version_id, http, err);
    case STORE_LIST_VERSIONS: return s3_build_list_versions(target, request->versions, http, err);
    case STORE_GET_VERSIONING: return s3_build_get_versioning(target, http, err);
    default: return build_upload(target, request, ret, err);
    }
}
