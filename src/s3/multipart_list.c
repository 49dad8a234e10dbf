/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ListParts and ListMultipartUploads in two passes each, as list_response.c: the first sees that the document is
 * whole and where the next page begins, the second gives the entries. So nobody acts on half a list. */
#include "base/error.h"
#include "s3/answer_document.h"
#include "s3/listed_key.h"
#include "s3/multipart_part.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_ROOT   "ListPartsResult"
#define UPLOADS_ROOT "ListMultipartUploadsResult"

static os_code no_list(os_error *err, const char *of, const char *what)
{
    return error_set(err, OS_ERR_PROTOCOL, "The store's list of %s cannot be used: %s.", of, what);
}

static struct text body_of(const struct http_response *response)
{
    return text_of(buf_str(&response->body), response->body.len);
}

static bool is_true(struct text text)
{
    return text_is_nocase(text_trim(text), "true");
}

/* ------------------------------------------------------------------------------------------------ parts */

struct parts_frame {
    bool truncated;
    uint64_t next_after;
};

static bool parts_frame_element(void *context, const char *path, struct text text)
{
    struct parts_frame *frame = context;
    const char *below = answer_below(path, PARTS_ROOT);
    if (below == NULL)
        return false;
    if (strcmp(below, "IsTruncated") == 0)
        frame->truncated = is_true(text);
    else if (strcmp(below, "NextPartNumberMarker") == 0 && text_trim(text).len > 0)
        return text_parse_u64(text_trim(text), &frame->next_after);
    return true;
}

struct parts_state {
    s3_part_fn each;
    void *context;
    struct s3_part part;
    bool stopped;
};

static bool take_number(struct text text, uint32_t *ret)
{
    uint64_t number;
    if (!text_parse_u64(text_trim(text), &number) || number == 0 || number > S3_PART_NUMBER_MAX)
        return false;
    *ret = (uint32_t)number;
    return true;
}

static bool part_field(struct s3_part *part, const char *name, struct text text)
{
    if (strcmp(name, "PartNumber") == 0)
        return take_number(text, &part->number);
    if (strcmp(name, "ETag") == 0)
        return part_take_etag(text, part->etag);
    if (strcmp(name, "Size") == 0)
        return text_parse_u64(text_trim(text), &part->length);
    if (strcmp(name, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &part->last_modified_s);
    return part_take_sum(name, text, &part->sum);
}

static bool part_element(void *context, const char *path, struct text text)
{
    struct parts_state *state = context;
    const char *field = answer_below(path, PARTS_ROOT "/Part");
    if (field == NULL)
        return true;
    if (field[0] != '\0')
        return part_field(&state->part, field, text);
    if (state->part.number == 0 || state->part.etag[0] == '\0')
        return false;
    state->stopped = state->each != NULL && !state->each(state->context, &state->part);
    memset(&state->part, 0, sizeof(state->part));
    return !state->stopped;
}

os_code s3_parse_parts(const struct http_response *response, uint32_t after, s3_part_fn each, void *context,
                       struct s3_parts_page *ret, os_error *err)
{
    struct parts_frame frame = {0};
    struct parts_state state = {.each = each, .context = context};
    enum xml_outcome outcome = xml_read(body_of(response), parts_frame_element, &frame);
    if (outcome == XML_NO_MEMORY)
        return error_no_memory(err);
    if (outcome != XML_OK)
        return no_list(err, "parts", "it is no whole <" PARTS_ROOT ">");
    if (frame.truncated && (frame.next_after <= after || frame.next_after > S3_PART_NUMBER_MAX))
        return no_list(err, "parts", "it says that more follows, but not where");
    outcome = xml_read(body_of(response), part_element, &state);
    if (state.stopped)
        return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    if (outcome == XML_NO_MEMORY)
        return error_no_memory(err);
    if (outcome != XML_OK)
        return no_list(err, "parts", "a part has no readable number, size, ETag or checksum");
    *ret = (struct s3_parts_page){.truncated = frame.truncated,
                                  .next_after = frame.truncated ? (uint32_t)frame.next_after : 0};
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ uploads */

struct uploads_frame {
    bool truncated;
    bool url_encoded; /* a store may ignore that it was asked for */
    bool no_memory;
    struct buf next_key; /* as written */
    struct s3_upload_id next_id;
    struct buf last_key; /* of the last upload of this page, as written */
};

static bool keep_written(struct uploads_frame *frame, struct text text, struct buf *ret)
{
    buf_reset(ret);
    frame->no_memory = !buf_add(ret, text.p, text.len);
    return !frame->no_memory;
}

static bool uploads_frame_element(void *context, const char *path, struct text text)
{
    struct uploads_frame *frame = context;
    const char *below = answer_below(path, UPLOADS_ROOT);
    if (below == NULL)
        return false;
    if (strcmp(below, "IsTruncated") == 0)
        frame->truncated = is_true(text);
    else if (strcmp(below, "EncodingType") == 0)
        frame->url_encoded = text_is_nocase(text_trim(text), "url");
    else if (strcmp(below, "NextUploadIdMarker") == 0)
        return text_copy(text_trim(text), frame->next_id.text, sizeof(frame->next_id.text));
    else if (strcmp(below, "NextKeyMarker") == 0)
        return keep_written(frame, text, &frame->next_key);
    else if (strcmp(below, "Upload/Key") == 0)
        return keep_written(frame, text, &frame->last_key);
    return true;
}

struct uploads_state {
    s3_upload_fn each;
    void *context;
    bool url_encoded;
    struct listed_key key;
    struct s3_listed_upload upload;
    bool stopped;
};

static bool upload_field(struct uploads_state *state, const char *name, struct text text)
{
    struct s3_upload_id *id = &state->upload.id;
    if (strcmp(name, "Key") == 0)
        return listed_key_set(&state->key, text, state->url_encoded);
    if (strcmp(name, "UploadId") == 0)
        return text_copy(text_trim(text), id->text, sizeof(id->text)) && s3_is_upload_id(id->text);
    if (strcmp(name, "Initiated") == 0)
        (void)text_parse_iso8601(text_trim(text), &state->upload.initiated_s);
    return true;
}

static bool upload_element(void *context, const char *path, struct text text)
{
    struct uploads_state *state = context;
    const char *field = answer_below(path, UPLOADS_ROOT "/Upload");
    if (field == NULL)
        return true;
    if (field[0] != '\0')
        return upload_field(state, field, text);
    if (state->key.key.len == 0 || state->upload.id.text[0] == '\0')
        return false;
    state->upload.key = buf_str(&state->key.key);
    state->stopped = !state->each(state->context, &state->upload);
    memset(&state->upload, 0, sizeof(state->upload));
    buf_reset(&state->key.key);
    return !state->stopped;
}

static bool is_same(const char *str, const char *asked)
{
    return text_is(text_from(asked), str);
}

/* Where the next page begins, decoded into state->key; it must lie elsewhere than where this one began. MinIO gives the
 * upload id only: the key is then that of the last upload. */
static os_code check_next(const struct uploads_frame *frame, const struct s3_list_uploads_options *options,
                          struct uploads_state *state, os_error *err)
{
    if (!frame->truncated)
        return OS_OK;
    const struct buf *written = frame->next_key.len > 0 ? &frame->next_key : &frame->last_key;
    bool has_key = listed_key_set(&state->key, text_of(buf_str(written), written->len), frame->url_encoded);
    if (state->key.no_memory)
        return error_no_memory(err);
    if (!has_key || (is_same(buf_str(&state->key.key), options->key_marker) &&
                     is_same(frame->next_id.text, options->upload_id_marker)))
        return no_list(err, "uploads", "it says that more follows, but not where");
    return OS_OK;
}

static os_code read_uploads(struct text body, struct uploads_state *state, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, upload_element, state);
    if (state->stopped)
        return error_set(err, OS_ERR_STOPPED, "The caller's callback stopped the list.");
    if (outcome == XML_NO_MEMORY || state->key.no_memory)
        return error_no_memory(err);
    return outcome == XML_OK ? OS_OK : no_list(err, "uploads", "an upload has no readable key or upload id");
}

static os_code read_frame(struct text body, struct uploads_frame *frame, os_error *err)
{
    enum xml_outcome outcome = xml_read(body, uploads_frame_element, frame);
    if (outcome == XML_NO_MEMORY || frame->no_memory)
        return error_no_memory(err);
    return outcome == XML_OK ? OS_OK : no_list(err, "uploads", "it is no whole <" UPLOADS_ROOT ">");
}

/* What `page` has got is the caller's, also when half of it is missing. */
static os_code take_next(const struct uploads_frame *frame, struct uploads_state *state, struct s3_uploads_page *page,
                         os_error *err)
{
    if (!frame->truncated)
        return OS_OK;
    page->truncated = true;
    page->next_key_marker = buf_take(&state->key.key);
    page->next_upload_id_marker = strndup(frame->next_id.text, sizeof(frame->next_id.text));
    return page->next_key_marker && page->next_upload_id_marker ? OS_OK : error_no_memory(err);
}

os_code s3_parse_uploads(const struct http_response *response, const struct s3_list_uploads_options *options,
                         s3_upload_fn each, void *context, struct s3_uploads_page *ret, os_error *err)
{
    struct uploads_frame frame = {0};
    struct uploads_state state = {.each = each, .context = context};
    struct s3_uploads_page page = {0};
    buf_init(&frame.next_key, XML_TEXT_MAX);
    buf_init(&frame.last_key, XML_TEXT_MAX);
    listed_key_init(&state.key);
    os_code code = read_frame(body_of(response), &frame, err);
    state.url_encoded = frame.url_encoded;
    if (code == OS_OK)
        code = check_next(&frame, options, &state, err);
    if (code == OS_OK)
        code = take_next(&frame, &state, &page, err);
    if (code == OS_OK)
        code = read_uploads(body_of(response), &state, err);
    if (code == OS_OK) {
        *ret = page;
    } else {
        free(page.next_key_marker);
        free(page.next_upload_id_marker);
    }
    buf_free(&frame.next_key);
    buf_free(&frame.last_key);
    listed_key_free(&state.key);
    return code;
}
