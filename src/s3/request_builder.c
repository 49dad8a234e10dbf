/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/request_builder.h"

#include "base/error.h"
#include "s3/metadata.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ the request line */

static void set_origin(struct s3_builder *b)
{
    char host[640];
    const struct endpoint *endpoint = b->target->endpoint;
    bool in_host = b->target->virtual_host;
    if (!text_concat(host, sizeof(host), in_host ? b->target->bucket : "", in_host ? "." : "", endpoint->host, NULL))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "The bucket's host name is longer than %zu bytes.", sizeof(host));
    else if (!http_request_set_origin(b->request, endpoint->scheme, host))
        b->code = error_no_memory(b->err);
}

/* "/", or "/bucket" in path style: what requests for the bucket itself go to. */
void builder_begin(struct s3_builder *b, const struct s3_target *target, const char *method, struct http_request *ret,
                   os_error *err)
{
    *b = (struct s3_builder){.target = target, .request = ret, .err = err, .code = OS_OK};
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
void builder_begin_object(struct s3_builder *b, const struct s3_target *target, const char *method, const char *key,
                          struct http_request *ret, os_error *err)
{
    builder_begin(b, target, method, ret, err);
    if (b->code == OS_OK)
        b->code = s3_check_key(key, err);
    if (b->code != OS_OK)
        return;
    if (!target->virtual_host)
        buf_add_char(&ret->path, '/');
    if (!text_percent_encode(&ret->path, text_from(key), true))
        b->code = error_no_memory(err);
}

static void add_query(struct s3_builder *b, const char *name, const char *value)
{
    if (b->code != OS_OK)
        return;
    struct buf *query = &b->request->query;
    size_t worst = query->len + strlen(name) + 3 * strlen(value) + 2;
    if (http_request_add_query(b->request, name, value))
        return;
    b->code = worst <= HTTP_TARGET_MAX
                  ? error_no_memory(b->err)
                  : error_set(b->err, OS_ERR_ARGUMENT,
                              "The parameter %s of %zu bytes does not fit into a request: a query can have %d bytes, "
                              "percent-encoded.",
                              name, strlen(value), HTTP_TARGET_MAX);
}

void builder_add_query(struct s3_builder *b, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        add_query(b, name, value);
}

void builder_add_query_number(struct s3_builder *b, const char *name, uint32_t value)
{
    char digits[TEXT_NUMBER_SIZE];
    text_number(value, digits);
    if (value > 0)
        add_query(b, name, digits);
}

static bool check_version(struct s3_builder *b, const char *version_id)
{
    bool is_given = b->code == OS_OK && version_id && version_id[0];
    if (is_given && !s3_is_version_id(version_id))
        b->code = error_set(
            b->err, OS_ERR_UNSUPPORTED,
            "The version id is longer than %d bytes, so only its hash is known: this version cannot be requested.",
            S3_VERSION_ID_SIZE - 1);
    return is_given && b->code == OS_OK;
}

void builder_add_version(struct s3_builder *b, const char *version_id)
{
    if (check_version(b, version_id))
        builder_add_query(b, "versionId", version_id);
}

void builder_add_query_flag(struct s3_builder *b, const char *name)
{
    add_query(b, name, "");
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
    size_t bytes = headers->bytes + strlen(name) + strlen(value);
    if (headers->count >= HTTP_HEADERS_MAX || bytes > HTTP_HEADERS_BYTES_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The header %.100s of %zu bytes does not fit into the request: that can have %d headers of "
                         "%d bytes. Use fewer or shorter headers, metadata entries and tags.",
                         name, strlen(value), HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX);
    return error_no_memory(err);
}

void builder_add_header(struct s3_builder *b, const char *name, const char *value)
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

static void add_metadata(struct s3_builder *b, const os_metadata *metadata)
{
    char name[S3_METADATA_MAX + 16];
    bool fits = text_concat(name, sizeof(name), "x-amz-meta-", metadata->name ? metadata->name : "", NULL);
    if (b->code != OS_OK)
        return;
    if (!fits || !is_metadata_name(metadata->name))
        b->code =
            error_set(b->err, OS_ERR_ARGUMENT,
                      "The metadata name \"%.100s\" cannot be sent: it is not an HTTP header name, or is too long.",
                      metadata->name ? metadata->name : "");
    else if (metadata_is_reserved(metadata->name))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "The metadata name \"%.100s\" is reserved.", metadata->name);
    else if (metadata->value == NULL || metadata->value[0] == '\0')
        /* kept: an empty value is a value */
        b->code = http_headers_add(&b->request->headers, name, "")
                      ? OS_OK
                      : explain_header(&b->request->headers, name, "", b->err);
    else
        builder_add_header(b, name, metadata->value);
}

void builder_add_content(struct s3_builder *b, const struct s3_content *content)
{
    bool typed = content->content_type && content->content_type[0];
    builder_add_header(b, "content-type", typed ? content->content_type : "application/octet-stream");
    builder_add_header(b, "content-encoding", content->content_encoding);
    builder_add_header(b, "content-language", content->content_language);
    builder_add_header(b, "content-disposition", content->content_disposition);
    builder_add_header(b, "cache-control", content->cache_control);
    builder_add_header(b, "expires", content->expires);
    for (size_t i = 0; i < content->metadata_count; i++)
        add_metadata(b, &content->metadata[i]);
    builder_add_header(b, S3_FENCING_HEADER, content->fencing);
    builder_add_header(b, S3_NONCE_HEADER, content->nonce);
    builder_add_header(b, S3_REPLACED_HEADER, content->replaced);
    builder_add_header(b, S3_HISTORY_HEADER, content->history);
}

static bool is_tag(const os_metadata *tag)
{
    struct text name = text_from(tag->name);
    struct text value = text_from(tag->value);
    bool fits = name.len > 0 && name.len < S3_TAG_NAME_SIZE && value.len < S3_TAG_VALUE_SIZE;
    return fits && text_is_utf8(name) && text_is_utf8(value);
}

static void check_tags(struct s3_builder *b, const os_metadata *tags, size_t count)
{
    if (b->code == OS_OK && count > S3_TAGS_MAX)
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "An object has at most %d tags, not %zu.", S3_TAGS_MAX, count);
    for (size_t i = 0; b->code == OS_OK && i < count; i++) {
        if (!is_tag(&tags[i]))
            b->code = error_set(b->err, OS_ERR_ARGUMENT,
                                "The tag \"%.100s\" cannot be stored: S3 takes names of 1 to 128 and values of up to "
                                "256 characters of UTF-8.",
                                tags[i].name ? tags[i].name : "");
    }
}

/* "name=value&..." percent-encoded, as x-amz-tagging wants it. */
static void add_tags(struct s3_builder *b, const os_metadata *tags, size_t count)
{
    struct buf text;
    check_tags(b, tags, count);
    if (b->code != OS_OK)
        return;
    buf_init(&text, HTTP_HEADERS_BYTES_MAX); /* ten of the longest fit */
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&text, '&');
        text_percent_encode(&text, text_from(tags[i].name), false);
        buf_add_char(&text, '=');
        text_percent_encode(&text, text_from(tags[i].value), false);
    }
    if (!buf_ok(&text))
        b->code = error_no_memory(b->err);
    builder_add_header(b, "x-amz-tagging", buf_str(&text));
    buf_free(&text);
}

void builder_add_attributes(struct s3_builder *b, const struct s3_attributes *attributes)
{
    add_tags(b, attributes->tags, attributes->tag_count);
    builder_add_header(b, "x-amz-storage-class", attributes->storage_class);
    builder_add_header(b, "x-amz-server-side-encryption", attributes->encryption);
    builder_add_header(b, "x-amz-server-side-encryption-aws-kms-key-id", attributes->kms_key_id);
}

struct vendor_header {
    const char *name;
    const char *value;
    unsigned writes; /* what knows it: a set of enum builder_write */
};

/* Sources: Cloudflare R2, "S3 API compatibility"; Google Cloud Storage, "HTTP headers and query string parameters";
 * Alibaba OSS, "PutObject", "CopyObject", "CompleteMultipartUpload"; Tencent COS, the same. */
static const struct vendor_header vendor_headers[S3_VENDOR_END] = {
    [S3_VENDOR_CLOUDFLARE] = {"cf-copy-destination-if-none-match", "*", BUILDER_COPY},
    [S3_VENDOR_GOOGLE] = {"x-goog-if-generation-match", "0", BUILDER_PUT | BUILDER_COPY | BUILDER_COMPLETE},
    [S3_VENDOR_ALIBABA] = {"x-oss-forbid-overwrite", "true", BUILDER_PUT | BUILDER_COPY | BUILDER_COMPLETE},
    [S3_VENDOR_TENCENT] = {"x-cos-forbid-overwrite", "true", BUILDER_PUT | BUILDER_COPY | BUILDER_COMPLETE},
};

static void add_vendor_condition(struct s3_builder *b, const struct s3_condition *condition, enum builder_write write)
{
    bool is_known = condition->vendor > S3_VENDOR_NONE && condition->vendor < S3_VENDOR_END;
    const struct vendor_header *header = is_known ? &vendor_headers[condition->vendor] : NULL;
    if (b->code != OS_OK || condition->vendor == S3_VENDOR_NONE)
        return;
    bool replaces = condition->if_match && condition->if_match[0];
    if (header == NULL || (header->writes & write) == 0 || replaces)
        b->code = error_set(b->err, OS_ERR_ARGUMENT,
                            "The condition %s cannot go with this write: it means that the key is absent%s.",
                            header ? header->name : "of an unknown vendor",
                            header && (header->writes & BUILDER_PUT) == 0 ? ", and is for copies" : "");
    else
        builder_add_header(b, header->name, header->value);
}

/* R7. A condition that cannot be sent is an error: without it the write would be another one. */
void builder_add_condition(struct s3_builder *b, const struct s3_condition *condition, enum builder_write write)
{
    if (condition == NULL)
        return;
    if (condition->if_none_match_any)
        builder_add_header(b, "if-none-match", "*");
    else
        builder_add_header(b, "if-match", condition->if_match);
    add_vendor_condition(b, condition, write);
}

void builder_add_copy_source(struct s3_builder *b, const char *source_key, const char *version_id)
{
    struct buf source;
    if (b->code == OS_OK)
        b->code = s3_check_key(source_key, b->err);
    if (b->code != OS_OK)
        return;
    buf_init(&source, HTTP_TARGET_MAX);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(b->target->bucket), false);
    buf_add_char(&source, '/');
    text_percent_encode(&source, text_from(source_key), true);
    if (check_version(b, version_id)) {
        buf_add_str(&source, "?versionId=");
        text_percent_encode(&source, text_from(version_id), false);
    }
    if (buf_ok(&source))
        builder_add_header(b, "x-amz-copy-source", buf_str(&source));
    else if (b->code == OS_OK)
        b->code = error_no_memory(b->err);
    buf_free(&source);
}

void builder_add_range(struct s3_builder *b, const char *name, uint64_t offset, uint64_t count)
{
    char range[64];
    char first[TEXT_NUMBER_SIZE];
    char last[TEXT_NUMBER_SIZE] = "";
    if (count > UINT64_MAX - offset)
        count = 0;
    if (count == 0 && offset == 0)
        return;
    text_number(offset, first);
    if (count > 0)
        text_number(offset + count - 1, last);
    (void)text_concat(range, sizeof(range), "bytes=", first, "-", last, NULL);
    builder_add_header(b, name, range);
}
