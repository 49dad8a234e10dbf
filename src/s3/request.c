/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/request.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static os_code too_long(os_error *err)
{
    return error_set(
        err, OS_ERR_ARGUMENT,
        "The request does not fit: a header or the key is too long, has control characters, or memory is short.");
}

/* ------------------------------------------------------------------------------------------------ keys */

/* XML 1.0 cannot carry most control characters, so a LIST could not name such a key ("Naming Amazon S3 objects"). */
static bool has_control(struct text key)
{
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.p[i];
        if (c < 0x20 || c == 0x7f)
            return true;
    }
    return false;
}

os_code s3_check_key(const char *key, os_error *err)
{
    struct text text = text_from(key);
    if (text.len == 0)
        return error_set(err, OS_ERR_ARGUMENT, "The object key is empty; give 1 to 1,024 bytes of UTF-8.");
    if (text.len > S3_KEY_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The object key has %zu bytes; S3 takes at most 1,024.", text.len);
    if (!text_is_utf8(text))
        return error_set(err, OS_ERR_ARGUMENT, "The object key is not UTF-8.");
    if (has_control(text))
        return error_set(err, OS_ERR_ARGUMENT, "The object key has a control character, which S3's lists cannot show.");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the request line */

static bool begin(const struct s3_target *target, const char *method, const char *key, struct http_request *ret)
{
    char host[640];
    http_request_init(ret);
    ret->method = method;
    const struct endpoint *endpoint = target->endpoint;
    int length = target->virtual_host ? snprintf(host, sizeof(host), "%s.%s", target->bucket, endpoint->host)
                                      : snprintf(host, sizeof(host), "%s", endpoint->host);
    if (length < 0 || (size_t)length >= sizeof(host) || !http_request_set_origin(ret, endpoint->scheme, host))
        return false;
    buf_add_char(&ret->path, '/');
    if (!target->virtual_host) {
        text_percent_encode(&ret->path, text_from(target->bucket), false);
        if (key)
            buf_add_char(&ret->path, '/');
    }
    if (key)
        text_percent_encode(&ret->path, text_from(key), true);
    return buf_ok(&ret->path);
}

static os_code finish(bool ok, os_error *err)
{
    return ok ? OS_OK : too_long(err);
}

static os_code simple(const struct s3_target *target, const char *method, const char *key, struct http_request *ret,
                      os_error *err)
{
    return finish(begin(target, method, key, ret), err);
}

/* ------------------------------------------------------------------------------------------------ headers */

static bool add_if(struct http_headers *headers, const char *name, const char *value)
{
    return value == NULL || value[0] == '\0' || http_headers_add(headers, name, value);
}

static bool add_metadata(struct http_headers *headers, const struct s3_content *content)
{
    for (size_t i = 0; i < content->metadata_count; i++) {
        char name[256];
        int length = snprintf(name, sizeof(name), "x-amz-meta-%s", content->metadata[i].name);
        if (length < 0 || (size_t)length >= sizeof(name) ||
            !http_headers_add(headers, name, content->metadata[i].value))
            return false;
    }
    return true;
}

static bool add_content(struct http_headers *headers, const struct s3_content *content)
{
    const char *type =
        content->content_type && content->content_type[0] ? content->content_type : "application/octet-stream";
    return http_headers_add(headers, "content-type", type) &&
           add_if(headers, "content-encoding", content->content_encoding) &&
           add_if(headers, "content-language", content->content_language) &&
           add_if(headers, "content-disposition", content->content_disposition) &&
           add_if(headers, "cache-control", content->cache_control) && add_if(headers, "expires", content->expires) &&
           add_metadata(headers, content) && add_if(headers, S3_NONCE_HEADER, content->nonce);
}

static bool add_condition(struct http_headers *headers, const struct s3_condition *condition)
{
    if (condition == NULL)
        return true;
    if (condition->if_none_match_any)
        return http_headers_add(headers, "if-none-match", "*");
    return add_if(headers, "if-match", condition->if_match);
}

/* ------------------------------------------------------------------------------------------------ builders */

os_code s3_build_head(const struct s3_target *target, const char *key, struct http_request *ret, os_error *err)
{
    return simple(target, "HEAD", key, ret, err);
}

os_code s3_build_head_bucket(const struct s3_target *target, struct http_request *ret, os_error *err)
{
    return simple(target, "HEAD", NULL, ret, err);
}

os_code s3_build_get(const struct s3_target *target, const char *key, uint64_t offset, uint64_t count,
                     struct http_request *ret, os_error *err)
{
    bool ok = begin(target, "GET", key, ret);
    if (ok && (offset > 0 || count > 0)) {
        char range[64];
        if (count > UINT64_MAX - offset)
            count = 0;
        if (count == 0)
            snprintf(range, sizeof(range), "bytes=%" PRIu64 "-", offset);
        else
            snprintf(range, sizeof(range), "bytes=%" PRIu64 "-%" PRIu64, offset, offset + count - 1);
        ok = http_headers_add(&ret->headers, "range", range);
    }
    return finish(ok, err);
}

os_code s3_build_put(const struct s3_target *target, const char *key, const struct http_body *body,
                     const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                     os_error *err)
{
    static const struct s3_content none = {0};
    bool ok = begin(target, "PUT", key, ret) && add_content(&ret->headers, content ? content : &none) &&
              add_condition(&ret->headers, condition);
    ret->body = *body;
    return finish(ok, err);
}

static bool add_copy_source(const struct s3_target *target, const char *source_key, const char *version_id,
                            struct http_request *ret)
{
    struct buf source;
    buf_init(&source, HTTP_TARGET_MAX);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(target->bucket), false);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(source_key), true);
    if (version_id && version_id[0]) {
        buf_add_str(&source, "?versionId=");
        text_percent_encode(&source, text_from(version_id), false);
    }
    bool ok = buf_ok(&source) && http_headers_add(&ret->headers, "x-amz-copy-source", buf_str(&source));
    buf_free(&source);
    return ok;
}

os_code s3_build_copy(const struct s3_target *target, const char *source_key, const char *source_etag,
                      const char *source_version_id, const char *key, const struct s3_content *content,
                      const struct s3_condition *condition, struct http_request *ret, os_error *err)
{
    bool ok = begin(target, "PUT", key, ret) && add_copy_source(target, source_key, source_version_id, ret) &&
              add_if(&ret->headers, "x-amz-copy-source-if-match", source_etag) &&
              http_headers_add(&ret->headers, "x-amz-metadata-directive", content ? "REPLACE" : "COPY") &&
              (content == NULL || add_content(&ret->headers, content)) && add_condition(&ret->headers, condition);
    return finish(ok, err);
}

os_code s3_build_delete(const struct s3_target *target, const char *key, const struct s3_condition *condition,
                        struct http_request *ret, os_error *err)
{
    bool ok = begin(target, "DELETE", key, ret) && add_condition(&ret->headers, condition);
    return finish(ok, err);
}

static bool query_if(struct http_request *request, const char *name, const char *value)
{
    return value == NULL || value[0] == '\0' || http_request_add_query(request, name, value);
}

os_code s3_build_list(const struct s3_target *target, const struct s3_list_options *options, struct http_request *ret,
                      os_error *err)
{
    char max_keys[16] = "";
    if (options->max_keys > 0)
        snprintf(max_keys, sizeof(max_keys), "%u", options->max_keys);
    const char *start_after = options->continuation_token ? NULL : options->start_after;
    /* in the order of the encoded names, as SigV4 wants it */
    bool ok = begin(target, "GET", NULL, ret) && query_if(ret, "continuation-token", options->continuation_token) &&
              query_if(ret, "delimiter", options->delimiter) && http_request_add_query(ret, "encoding-type", "url") &&
              http_request_add_query(ret, "list-type", "2") && query_if(ret, "max-keys", max_keys) &&
              query_if(ret, "prefix", options->prefix) && query_if(ret, "start-after", start_after);
    return finish(ok, err);
}
