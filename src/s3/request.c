/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/request.h"

#include "base/error.h"
#include "s3/request_builder.h"

os_code s3_build_head(const struct s3_target *target, const char *key, struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "HEAD", key, ret, err);
    return b.code;
}

os_code s3_build_head_bucket(const struct s3_target *target, struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin(&b, target, "HEAD", ret, err);
    return b.code;
}

os_code s3_build_get(const struct s3_target *target, const char *key, uint64_t offset, uint64_t count,
                     struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "GET", key, ret, err);
    builder_add_range(&b, "range", offset, count);
    if (offset == 0 && count == 0 &&
        !target->no_sums_of_gets) /* a store gives the sum of a whole object, where it has one */
        builder_add_header(&b, "x-amz-checksum-mode", "ENABLED");
    return b.code;
}

os_code s3_build_put(const struct s3_target *target, const char *key, const struct http_body *body,
                     const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                     os_error *err)
{
    static const struct s3_content none = {0};
    struct s3_builder b;
    builder_begin_object(&b, target, "PUT", key, ret, err);
    builder_add_content(&b, content ? content : &none);
    builder_add_condition(&b, condition, BUILDER_PUT);
    ret->body = *body;
    return b.code;
}

os_code s3_build_copy(const struct s3_target *target, const char *key, const struct s3_source *source,
                      const struct s3_content *content, const struct s3_condition *condition, struct http_request *ret,
                      os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "PUT", key, ret, err);
    builder_add_copy_source(&b, source->key, source->version_id);
    builder_add_header(&b, "x-amz-copy-source-if-match", source->etag);
    builder_add_header(&b, "x-amz-metadata-directive", content ? "REPLACE" : "COPY");
    if (content)
        builder_add_content(&b, content);
    builder_add_condition(&b, condition, BUILDER_COPY);
    return b.code;
}

os_code s3_build_delete(const struct s3_target *target, const char *key, const struct s3_condition *condition,
                        struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "DELETE", key, ret, err);
    builder_add_condition(&b, condition, BUILDER_DELETE);
    return b.code;
}

/* The source is named by its key alone, which every store takes that has this request; some take /bucket/key as well,
 * where AWS would look for a key that begins with the bucket's name. */
static void add_rename_source(struct s3_builder *b, const char *source_key)
{
    struct buf source;
    if (b->code == OS_OK)
        b->code = s3_check_key(source_key, b->err);
    if (b->code != OS_OK)
        return;
    buf_init(&source, HTTP_TARGET_MAX);
    if (text_percent_encode(&source, text_from(source_key), true))
        builder_add_header(b, "x-amz-rename-source", buf_str(&source));
    else
        b->code = error_no_memory(b->err);
    buf_free(&source);
}

os_code s3_build_rename(const struct s3_target *target, const char *key, const struct s3_source *source,
                        const char *client_token, const struct s3_condition *condition, struct http_request *ret,
                        os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "PUT", key, ret, err);
    builder_add_query_flag(&b, "renameObject");
    add_rename_source(&b, source->key);
    builder_add_header(&b, "x-amz-rename-source-if-match", source->etag);
    builder_add_header(&b, "x-amz-client-token", client_token);
    builder_add_condition(&b, condition, BUILDER_RENAME);
    return b.code;
}

os_code s3_build_get_tags(const struct s3_target *target, const char *key, const char *version_id,
                          struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "GET", key, ret, err);
    builder_add_query_flag(&b, "tagging");
    builder_add_version(&b, version_id);
    return b.code;
}

os_code s3_build_get_versioning(const struct s3_target *target, struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin(&b, target, "GET", ret, err);
    builder_add_query_flag(&b, "versioning");
    return b.code;
}

os_code s3_request_version(struct http_request *request, const char *version_id, os_error *err)
{
    struct s3_builder b = {.request = request, .err = err, .code = OS_OK};
    builder_add_version(&b, version_id);
    return b.code;
}

os_code s3_request_attributes(struct http_request *request, const struct s3_attributes *attributes, os_error *err)
{
    struct s3_builder b = {.request = request, .err = err, .code = OS_OK};
    if (attributes == NULL)
        return OS_OK;
    builder_add_attributes(&b, attributes);
    if (attributes->tag_count > 0 && http_headers_get(&request->headers, "x-amz-copy-source"))
        builder_add_header(&b, "x-amz-tagging-directive", "REPLACE");
    return b.code;
}

os_code s3_build_list(const struct s3_target *target, const struct s3_list_options *options, struct http_request *ret,
                      os_error *err)
{
    struct s3_builder b;
    builder_begin(&b, target, "GET", ret, err);
    /* in the order of the encoded names, as SigV4 wants it */
    builder_add_query(&b, "continuation-token", options->continuation_token);
    builder_add_query(&b, "delimiter", options->delimiter);
    builder_add_query(&b, "encoding-type", "url");
    builder_add_query(&b, "list-type", "2");
    builder_add_query_number(&b, "max-keys", options->max_keys);
    builder_add_query(&b, "prefix", options->prefix);
    builder_add_query(&b, "start-after", options->continuation_token ? NULL : options->start_after);
    return b.code;
}

os_code s3_build_list_versions(const struct s3_target *target, const struct s3_list_versions_options *options,
                               struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    bool has_key = options->key_marker && options->key_marker[0];
    builder_begin(&b, target, "GET", ret, err);
    builder_add_query(&b, "encoding-type", "url");
    builder_add_query(&b, "key-marker", options->key_marker);
    builder_add_query_number(&b, "max-keys", options->max_keys);
    builder_add_query(&b, "prefix", options->prefix);
    builder_add_query(&b, "version-id-marker", has_key ? options->version_id_marker : NULL);
    builder_add_query_flag(&b, "versions");
    return b.code;
}
