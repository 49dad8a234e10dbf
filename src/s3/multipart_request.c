/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/multipart_request.h"

#include "base/error.h"
#include "s3/request_builder.h"
#include "syntax/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ uploads and parts */

bool s3_is_upload_id(const char *upload_id)
{
    size_t len = upload_id ? strnlen(upload_id, S3_UPLOAD_ID_MAX + 1) : 0;
    for (size_t i = 0; i < len; i++)
        if (upload_id[i] <= ' ' || upload_id[i] > '~')
            return false;
    return len > 0 && len <= S3_UPLOAD_ID_MAX;
}

static void check_upload_id(struct s3_builder *b, const char *upload_id)
{
    if (b->code == OS_OK && !s3_is_upload_id(upload_id))
        b->code = error_set(b->err, OS_ERR_ARGUMENT,
                            "The upload id cannot be sent: it must have 1 to %d printable characters without blanks.",
                            S3_UPLOAD_ID_MAX);
}

static void check_part_number(struct s3_builder *b, uint32_t number)
{
    if (b->code == OS_OK && (number == 0 || number > S3_PART_NUMBER_MAX))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "The part number %" PRIu32 " is not between 1 and %d.", number,
                            S3_PART_NUMBER_MAX);
}

static void begin_part(struct s3_builder *b, const struct s3_target *target, const char *key,
                       const struct s3_part_place *place, struct http_request *ret, os_error *err)
{
    builder_begin_object(b, target, "PUT", key, ret, err);
    check_upload_id(b, place->upload_id);
    check_part_number(b, place->number);
    builder_add_query_number(b, "partNumber", place->number);
    builder_add_query(b, "uploadId", place->upload_id);
}

/* ------------------------------------------------------------------------------------------------ create */

static void check_sum_type(struct s3_builder *b, enum s3_checksum checksum, enum s3_checksum_type type)
{
    if (b->code == OS_OK && checksum != S3_CHECKSUM_NONE && !s3_checksum_has_type(checksum, type))
        b->code = error_set(b->err, OS_ERR_ARGUMENT, "S3 knows no %s checksum of the type %s; choose another type.",
                            s3_checksum_name(checksum), s3_checksum_type_name(type));
}

os_code s3_build_create_upload(const struct s3_target *target, const char *key, const struct s3_creation *creation,
                               struct http_request *ret, os_error *err)
{
    static const struct s3_content none = {0};
    const struct s3_attributes attributes = {creation->tags, creation->tag_count, creation->storage_class,
                                             creation->encryption, creation->kms_key_id};
    struct s3_builder b;
    builder_begin_object(&b, target, "POST", key, ret, err);
    builder_add_query_flag(&b, "uploads");
    builder_add_content(&b, creation->content ? creation->content : &none);
    builder_add_attributes(&b, &attributes);
    check_sum_type(&b, creation->checksum, creation->sum_type);
    if (creation->checksum != S3_CHECKSUM_NONE) {
        builder_add_header(&b, "x-amz-checksum-algorithm", s3_checksum_name(creation->checksum));
        builder_add_header(&b, "x-amz-checksum-type", s3_checksum_type_name(creation->sum_type));
    }
    return b.code;
}

/* ------------------------------------------------------------------------------------------------ parts */

os_code s3_build_upload_part(const struct s3_target *target, const char *key, const struct s3_part_place *place,
                             const struct http_body *body, const struct s3_body_sums *sums, struct http_request *ret,
                             os_error *err)
{
    struct s3_builder b;
    begin_part(&b, target, key, place, ret, err);
    if (sums) {
        builder_add_header(&b, "content-md5", sums->content_md5);
        if (sums->checksum != S3_CHECKSUM_NONE)
            builder_add_header(&b, s3_checksum_header(sums->checksum), sums->checksum_text);
    }
    ret->body = *body;
    return b.code;
}

os_code s3_build_upload_part_copy(const struct s3_target *target, const char *key, const struct s3_part_place *place,
                                  const struct s3_part_source *source, struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    begin_part(&b, target, key, place, ret, err);
    builder_add_copy_source(&b, source->key, source->version_id);
    builder_add_header(&b, "x-amz-copy-source-if-match", source->etag);
    /* unlike a GET's, this range must name its last byte */
    if (b.code == OS_OK && (source->count > 0 ? source->count > UINT64_MAX - source->offset : source->offset > 0))
        b.code = error_set(err, OS_ERR_ARGUMENT, "A part cannot be copied from %" PRIu64 " bytes at %" PRIu64 ".",
                           source->count, source->offset);
    builder_add_range(&b, "x-amz-copy-source-range", source->offset, source->count);
    return b.code;
}

/* ------------------------------------------------------------------------------------------------ complete, abort */

static void write_element(struct buf *out, const char *name, const char *value)
{
    buf_add_f(out, "<%s>", name);
    (void)xml_escape(out, text_from(value));
    buf_add_f(out, "</%s>", name);
}

/* Bounded, so that S3_COMPLETION_BODY_MAX holds as many parts as there may be. */
static bool can_write(const char *text, size_t size)
{
    struct text rest = text_from(text);
    return rest.len > 0 && rest.len < size && xml_can_carry(rest);
}

static os_code write_part(const struct s3_part_name *part, uint32_t before, enum s3_checksum checksum, struct buf *out,
                          os_error *err)
{
    bool has_sum = checksum != S3_CHECKSUM_NONE && part->checksum != NULL;
    if (part->number <= before || part->number > S3_PART_NUMBER_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "Part %" PRIu32 " cannot follow part %" PRIu32 ": parts are named in rising order, up to %d.",
                         part->number, before, S3_PART_NUMBER_MAX);
    if (!can_write(part->etag, S3_ETAG_SIZE) || (has_sum && !can_write(part->checksum, S3_CHECKSUM_TEXT_SIZE)))
        return error_set(err, OS_ERR_ARGUMENT, "The ETag or checksum of part %" PRIu32 " cannot be sent.",
                         part->number);
    buf_add_f(out, "<Part><PartNumber>%" PRIu32 "</PartNumber>", part->number);
    write_element(out, "ETag", part->etag);
    if (has_sum)
        write_element(out, s3_checksum_element(checksum), part->checksum);
    buf_add_str(out, "</Part>");
    return OS_OK;
}

os_code s3_write_completion(const struct s3_part_name *parts, size_t count, enum s3_checksum checksum, struct buf *ret,
                            os_error *err)
{
    os_code code = OS_OK;
    buf_init(ret, S3_COMPLETION_BODY_MAX);
    if (count == 0)
        return error_set(err, OS_ERR_ARGUMENT, "An upload without parts cannot be completed; upload an empty one.");
    buf_add_str(ret, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; code == OS_OK && i < count; i++)
        code = write_part(&parts[i], i > 0 ? parts[i - 1].number : 0, checksum, ret, err);
    buf_add_str(ret, "</CompleteMultipartUpload>");
    if (code == OS_OK && buf_ok(ret))
        return OS_OK;
    if (code == OS_OK)
        code = error_no_memory(err);
    buf_free(ret);
    return code;
}

os_code s3_build_complete_upload(const struct s3_target *target, const char *key, const char *upload_id,
                                 const struct buf *body, const struct s3_completion *completion,
                                 struct http_request *ret, os_error *err)
{
    char length[24] = "";
    struct s3_builder b;
    builder_begin_object(&b, target, "POST", key, ret, err);
    check_upload_id(&b, upload_id);
    builder_add_query(&b, "uploadId", upload_id);
    builder_add_header(&b, "content-type", "application/xml");
    if (completion) {
        bool has_sum = completion->checksum != S3_CHECKSUM_NONE && completion->checksum_text != NULL;
        builder_add_condition(&b, &completion->condition, BUILDER_COMPLETE);
        if (completion->length > 0)
            snprintf(length, sizeof(length), "%" PRIu64, completion->length);
        builder_add_header(&b, "x-amz-mp-object-size", length);
        check_sum_type(&b, completion->checksum, completion->sum_type);
        if (has_sum) {
            builder_add_header(&b, s3_checksum_header(completion->checksum), completion->checksum_text);
            builder_add_header(&b, "x-amz-checksum-type", s3_checksum_type_name(completion->sum_type));
        }
    }
    ret->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = body->data, .fd = -1, .length = body->len};
    return b.code;
}

os_code s3_build_abort_upload(const struct s3_target *target, const char *key, const char *upload_id,
                              struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "DELETE", key, ret, err);
    check_upload_id(&b, upload_id);
    builder_add_query(&b, "uploadId", upload_id);
    return b.code;
}

/* ------------------------------------------------------------------------------------------------ lists */

os_code s3_build_list_parts(const struct s3_target *target, const char *key, const char *upload_id, uint32_t after,
                            uint32_t max_parts, struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    builder_begin_object(&b, target, "GET", key, ret, err);
    check_upload_id(&b, upload_id);
    builder_add_query_number(&b, "max-parts", max_parts);
    builder_add_query_number(&b, "part-number-marker", after);
    builder_add_query(&b, "uploadId", upload_id);
    return b.code;
}

os_code s3_build_list_uploads(const struct s3_target *target, const struct s3_list_uploads_options *options,
                              struct http_request *ret, os_error *err)
{
    struct s3_builder b;
    bool has_key = options->key_marker && options->key_marker[0];
    builder_begin(&b, target, "GET", ret, err);
    builder_add_query(&b, "encoding-type", "url");
    builder_add_query(&b, "key-marker", options->key_marker);
    builder_add_query_number(&b, "max-uploads", options->max_uploads);
    builder_add_query(&b, "prefix", options->prefix);
    builder_add_query(&b, "upload-id-marker", has_key ? options->upload_id_marker : NULL);
    builder_add_query_flag(&b, "uploads");
    return b.code;
}
