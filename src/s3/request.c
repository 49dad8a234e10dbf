/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/request.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A request in the making: the first step that fails says why, and every later one does nothing. */
struct builder {
    const struct s3_target *target;
    struct http_request *request;
    os_error *err;
    os_code code;
};

/* ------------------------------------------------------------------------------------------------ keys */

/* XML 1.0 has no way to write most control characters, so that not every LIST could name such a key ("Naming Amazon S3
 * objects"). Tab, CR and LF it has. */
static bool has_unprintable(struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
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
        return error_set(err, OS_ERR_ARGUMENT, "The object key is not UTF-8; S3 takes no other bytes.");
    if (has_unprintable(text))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The object key has a control character that S3's lists cannot show; choose another key.");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the request line */

static void set_origin(struct builder *b)
{
    char host[640];
    const struct endpoint *endpoint = b->target->endpoint;
    int length = b->target->virtual_host ? snprintf(host, sizeof(host), "%s.%s", b->target->bucket, endpoint->host)
                                         : snprintf(host, sizeof(host), "%s", endpoint->host);
    if (length < 0 || (size_t)length >= sizeof(host))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "The bucket's host name is longer than %zu bytes.", sizeof(host));
    else if (!http_request_set_origin(b->request, endpoint->scheme, host))
        b->code = error_no_memory(b->err);
}

/* "/", or "/bucket" in path style: what requests for the bucket itself go to. */
static void begin(struct builder *b, const struct s3_target *target, const char *method, struct http_request *ret,
                  os_error *err)
{
    *b = (struct builder){.target = target, .request = ret, .err = err, .code = OS_OK};
    http_request_init(ret);
    ret->method = method;
    set_origin(b);
    if (b->code != OS_OK)
        return;
    buf_add_char(&ret->path, '/');
    if (!target->virtual_host)
        text_percent_encode(&ret->path, text_from(target->bucket), false);
    if (!buf_ok(&ret->path))
        b->code = error_no_memory(err);
}

/* Without its key a DELETE would be DeleteBucket, and a PUT CreateBucket: the key is checked here, for every caller. */
static void begin_object(struct builder *b, const struct s3_target *target, const char *method, const char *key,
                         struct http_request *ret, os_error *err)
{
    begin(b, target, method, ret, err);
    if (b->code == OS_OK)
        b->code = s3_check_key(key, err);
    if (b->code != OS_OK)
        return;
    if (!target->virtual_host)
        buf_add_char(&ret->path, '/');
    if (!text_percent_encode(&ret->path, text_from(key), true))
        b->code = error_no_memory(err);
}

static void add_query(struct builder *b, const char *name, const char *value)
{
    if (b->code != OS_OK || value == NULL || value[0] == '\0')
        return;
    struct buf *query = &b->request->query;
    size_t worst = query->len + strlen(name) + 3 * strlen(value) + 2;
    if (http_request_add_query(b->request, name, value))
        return;
    b->code = worst <= HTTP_TARGET_MAX
                  ? error_no_memory(b->err)
                  : error_set(b->err, OS_ERR_ARGUMENT, "The %s of a list does not fit into a request.", name);
}

/* ------------------------------------------------------------------------------------------------ headers */

static bool has_control(const char *value)
{
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return true;
    }
    return false;
}

static os_code explain_header(const struct http_headers *headers, const char *name, const char *value, os_error *err)
{
    if (has_control(value))
        return error_set(err, OS_ERR_ARGUMENT, "The header %.100s has a control character, which HTTP cannot carry.",
                         name);
    if (headers->count >= HTTP_HEADERS_MAX || headers->bytes + strlen(name) + strlen(value) > HTTP_HEADERS_BYTES_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The object's headers and metadata do not fit into a request; use fewer or shorter ones.");
    return error_no_memory(err);
}

static void add_header(struct builder *b, const char *name, const char *value)
{
    if (b->code != OS_OK || value == NULL || value[0] == '\0')
        return;
    if (!http_headers_add(&b->request->headers, name, value))
        b->code = explain_header(&b->request->headers, name, value, b->err);
}

static bool is_metadata_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
    size_t len = name ? strlen(name) : 0;
    return len > 0 && strspn(name, letters) == len; /* RFC 9110, section 5.6.2 */
}

static void add_metadata(struct builder *b, const os_metadata *metadata)
{
    char name[S3_METADATA_MAX + 16];
    int length = snprintf(name, sizeof(name), "x-amz-meta-%s", metadata->name ? metadata->name : "");
    if (b->code != OS_OK)
        return;
    if (length < 0 || (size_t)length >= sizeof(name) || !is_metadata_name(metadata->name))
        b->code = error_set(b->err, OS_ERR_ARGUMENT,
                            "The metadata name \"%.100s\" cannot be sent: it is no HTTP header name, or too long.",
                            metadata->name ? metadata->name : "");
    else if (text_is_nocase(text_from(name), S3_NONCE_HEADER))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "The metadata name \"%s\" is reserved.", S3_NONCE_METADATA);
    else if (metadata->value == NULL || metadata->value[0] == '\0')
        /* kept: an empty value is a value */
        b->code = http_headers_add(&b->request->headers, name, "")
                      ? OS_OK
                      : explain_header(&b->request->headers, name, "", b->err);
    else
        add_header(b, name, metadata->value);
}

static void add_content(struct builder *b, const struct s3_content *content)
{
    bool typed = content->content_type && content->content_type[0];
    add_header(b, "content-type", typed ? content->content_type : "application/octet-stream");
    add_header(b, "content-encoding", content->content_encoding);
    add_header(b, "content-language", content->content_language);
    add_header(b, "content-disposition", content->content_disposition);
    add_header(b, "cache-control", content->cache_control);
    add_header(b, "expires", content->expires);
    for (size_t i = 0; i < content->metadata_count; i++)
        add_metadata(b, &content->metadata[i]);
    add_header(b, S3_NONCE_HEADER, content->nonce);
}

/* R7 */
static void add_condition(struct builder *b, const struct s3_condition *condition)
{
    if (condition && condition->if_none_match_any)
        add_header(b, "if-none-match", "*");
    else if (condition)
        add_header(b, "if-match", condition->if_match);
}

/* ------------------------------------------------------------------------------------------------ builders */

os_code s3_build_head(const struct s3_target *target, const char *key, struct http_request *ret, os_error *err)
{
    struct builder b;
    begin_object(&b, target, "HEAD", key, ret, err);
    return b.code;
}

os_code s3_build_head_bucket(const struct s3_target *target, struct http_request *ret, os_error *err)
{
    struct builder b;
    begin(&b, target, "HEAD", ret, err);
    return b.code;
}

os_code s3_build_get(const struct s3_target *target, const char *key, uint64_t offset, uint64_t count,
                     struct http_request *ret, os_error *err)
{
    struct builder b;
    begin_object(&b, target, "GET", key, ret, err);
    char range[64] = "";
    if (count > UINT64_MAX - offset)
        count = 0;
    if (count > 0)
        snprintf(range, sizeof(range), "bytes=%" PRIu64 "-%" PRIu64, offset, offset + count - 1);
    else if (offset > 0)
        snprintf(range, sizeof(range), "bytes=%" PRIu64 "-", offset);
    add_header(&b, "range", range);
    return b.code;
}

os_code s3_build_put(const struct s3_target *target, const char *key, const struct http_body *body,
                     const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                     os_error *err)
{
    static const struct s3_content none = {0};
    struct builder b;
    begin_object(&b, target, "PUT", key, ret, err);
    add_content(&b, content ? content : &none);
    add_condition(&b, condition);
    ret->body = *body;
    return b.code;
}

static void add_copy_source(struct builder *b, const char *source_key, const char *version_id)
{
    struct buf source;
    buf_init(&source, HTTP_TARGET_MAX);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(b->target->bucket), false);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(source_key), true);
    if (version_id && version_id[0]) {
        buf_add_str(&source, "?versionId=");
        text_percent_encode(&source, text_from(version_id), false);
    }
    if (buf_ok(&source))
        add_header(b, "x-amz-copy-source", buf_str(&source));
    else
        b->code = error_no_memory(b->err);
    buf_free(&source);
}

os_code s3_build_copy(const struct s3_target *target, const char *source_key, const char *source_etag,
                      const char *source_version_id, const char *key, const struct s3_content *content,
                      const struct s3_condition *condition, struct http_request *ret, os_error *err)
{
    struct builder b;
    begin_object(&b, target, "PUT", key, ret, err);
    if (b.code == OS_OK)
        b.code = s3_check_key(source_key, err);
    if (b.code == OS_OK)
        add_copy_source(&b, source_key, source_version_id);
    add_header(&b, "x-amz-copy-source-if-match", source_etag);
    add_header(&b, "x-amz-metadata-directive", content ? "REPLACE" : "COPY");
    if (content)
        add_content(&b, content);
    add_condition(&b, condition);
    return b.code;
}

os_code s3_build_delete(const struct s3_target *target, const char *key, const struct s3_condition *condition,
                        struct http_request *ret, os_error *err)
{
    struct builder b;
    begin_object(&b, target, "DELETE", key, ret, err);
    add_condition(&b, condition);
    return b.code;
}

os_code s3_build_list(const struct s3_target *target, const struct s3_list_options *options, struct http_request *ret,
                      os_error *err)
{
    struct builder b;
    begin(&b, target, "GET", ret, err);
    char max_keys[16] = "";
    if (options->max_keys > 0)
        snprintf(max_keys, sizeof(max_keys), "%" PRIu32, options->max_keys);
    /* in the order of the encoded names, as SigV4 wants it */
    add_query(&b, "continuation-token", options->continuation_token);
    add_query(&b, "delimiter", options->delimiter);
    add_query(&b, "encoding-type", "url");
    add_query(&b, "list-type", "2");
    add_query(&b, "max-keys", max_keys);
    add_query(&b, "prefix", options->prefix);
    add_query(&b, "start-after", options->continuation_token ? NULL : options->start_after);
    return b.code;
}
