/* SPDX-License-Identifier: Apache-2.0 */
/* Multipart uploads up to their completion: CreateMultipartUpload, UploadPart, UploadPartCopy, AbortMultipartUpload. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- what it holds */

struct fake_upload *fake_upload_find(const struct fake_s3 *s3, const char *key, struct text encoded_id)
{
    struct fake_upload *found = NULL;
    struct buf id;
    buf_init(&id, FAKE_HEAD_MAX);
    bool decoded = fake_decode(&id, encoded_id);
    for (size_t i = 0; i < s3->upload_count && decoded && found == NULL; i++) {
        struct fake_upload *upload = &s3->uploads[i];
        if (strcmp(upload->id, buf_str(&id)) == 0 && strcmp(upload->key, key) == 0)
            found = upload;
    }
    buf_free(&id);
    return found;
}

/* Where the part of this number is or would be. */
static size_t part_position(const struct fake_upload *upload, uint32_t number)
{
    size_t at = 0;
    while (at < upload->part_count && upload->parts[at].number < number)
        at++;
    return at;
}

const struct fake_part *fake_upload_part(const struct fake_upload *upload, uint32_t number)
{
    size_t at = part_position(upload, number);
    return at < upload->part_count && upload->parts[at].number == number ? &upload->parts[at] : NULL;
}

static void free_parts(struct fake_upload *upload)
{
    for (size_t i = 0; i < upload->part_count; i++)
        free(upload->parts[i].body);
    free(upload->parts);
    upload->parts = NULL;
    upload->part_count = 0;
    upload->part_cap = 0;
}

void fake_upload_close(struct fake_upload *upload, enum fake_s3_upload_state state)
{
    upload->state = state;
    free_parts(upload);
}

void fake_uploads_free(struct fake_s3 *s3)
{
    for (size_t i = 0; i < s3->upload_count; i++) {
        free_parts(&s3->uploads[i]);
        free(s3->uploads[i].key);
        free(s3->uploads[i].nonce);
        free(s3->uploads[i].tags);
        free(s3->uploads[i].head);
    }
    free(s3->uploads);
}

size_t fake_s3_upload_count(const struct fake_s3 *s3)
{
    return s3->upload_count;
}

struct fake_s3_upload fake_s3_upload_at(const struct fake_s3 *s3, size_t index)
{
    const struct fake_upload *upload = &s3->uploads[index];
    return (struct fake_s3_upload){
        .id = upload->id, .key = upload->key, .nonce = upload->nonce, .state = upload->state, .serial = upload->serial};
}

void fake_s3_no_such_upload(struct fake_s3 *s3)
{
    fake_s3_fail(s3, 404, "NoSuchUpload",
                 "The specified upload does not exist. The upload ID may be invalid, or the upload may have been "
                 "aborted or completed.",
                 NULL);
}

static struct fake_upload *find_open(struct fake_s3 *s3, struct text id)
{
    struct fake_upload *upload = fake_upload_find(s3, buf_str(&s3->key), id);
    if (upload == NULL || upload->state != FAKE_S3_OPEN) {
        fake_s3_no_such_upload(s3);
        return NULL;
    }
    return upload;
}

/* -------------------------------------------------------------------------------------------------------- create */

/* NULL: no memory. */
static struct fake_upload *new_upload(struct fake_s3 *s3)
{
    if (s3->upload_count == s3->upload_cap) {
        size_t cap = s3->upload_cap > 0 ? 2 * s3->upload_cap : 8;
        struct fake_upload *grown = realloc(s3->uploads, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        s3->uploads = grown;
        s3->upload_cap = cap;
    }
    struct text nonce = fake_s3_nonce_of(s3);
    struct text tags = fake_s3_tags_of(s3);
    struct fake_upload upload = {.state = FAKE_S3_OPEN, .initiated_ms = s3->applied_ms, .head_len = s3->scratch.len};
    upload.key = fake_s3_copy_bytes(buf_str(&s3->key), s3->key.len);
    upload.nonce = fake_s3_copy_bytes(nonce.p, nonce.len);
    upload.tags = fake_s3_copy_bytes(tags.p, tags.len);
    upload.head = fake_s3_copy_bytes(buf_str(&s3->scratch), s3->scratch.len);
    if (upload.key == NULL || upload.nonce == NULL || upload.tags == NULL || upload.head == NULL ||
        !buf_ok(&s3->scratch)) {
        free(upload.key);
        free(upload.nonce);
        free(upload.tags);
        free(upload.head);
        return NULL;
    }
    /* With what a query and a document must escape, as MinIO's ids have it. */
    snprintf(upload.id, sizeof(upload.id), "upload+%zu/&=", s3->upload_count + 1);
    s3->uploads[s3->upload_count] = upload;
    return &s3->uploads[s3->upload_count++];
}

void fake_s3_create_upload(struct fake_s3 *s3)
{
    if (!fake_s3_collect_head(s3))
        return;
    const struct fake_upload *upload = new_upload(s3);
    if (upload == NULL) {
        s3->no_memory = true;
        return;
    }
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    struct buf *body = &s3->answer.body;
    buf_add_f(body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<InitiateMultipartUploadResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>%s</Bucket><Key>",
              s3->options.bucket);
    fake_s3_escape(body, upload->key);
    buf_add_str(body, "</Key><UploadId>");
    fake_s3_escape(body, upload->id);
    buf_add_str(body, "</UploadId></InitiateMultipartUploadResult>");
}

/* --------------------------------------------------------------------------------------------------------- parts */

static struct fake_part *make_room(struct fake_upload *upload, uint32_t number)
{
    size_t at = part_position(upload, number);
    if (at < upload->part_count && upload->parts[at].number == number) {
        free(upload->parts[at].body); /* the last one counts */
        return &upload->parts[at];
    }
    if (upload->part_count == upload->part_cap) {
        size_t cap = upload->part_cap > 0 ? 2 * upload->part_cap : 4;
        struct fake_part *grown = realloc(upload->parts, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        upload->parts = grown;
        upload->part_cap = cap;
    }
    memmove(&upload->parts[at + 1], &upload->parts[at], (upload->part_count - at) * sizeof(upload->parts[0]));
    upload->part_count++;
    return &upload->parts[at];
}

/* False: no memory. */
static bool store_part(struct fake_s3 *s3, struct fake_upload *upload, uint32_t number, struct text bytes,
                       struct fake_part *ret)
{
    struct fake_part part = {.number = number, .body_len = bytes.len, .applied_ms = s3->applied_ms};
    if (!fake_s3_md5(s3, bytes.p, bytes.len, part.digest))
        return false;
    fake_s3_make_etag(s3, part.digest, 0, part.etag);
    part.body = fake_s3_copy_bytes(bytes.p, bytes.len);
    struct fake_part *room = part.body != NULL ? make_room(upload, number) : NULL;
    if (room == NULL) {
        free(part.body);
        return false;
    }
    *room = part;
    *ret = part;
    return true;
}

static void put_part(struct fake_s3 *s3, struct fake_upload *upload, uint32_t number)
{
    unsigned char digest[16];
    struct fake_part part;
    struct text body = s3->request.body;
    if (!fake_s3_md5(s3, body.p, body.len, digest)) {
        s3->no_memory = true;
        return;
    }
    if (!fake_s3_digest_fits(s3, digest))
        return;
    if (!store_part(s3, upload, number, body, &part)) {
        s3->no_memory = true;
        return;
    }
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "ETag", part.etag);
}

/* The bytes that are asked for. False: the answer is made. */
static bool take_range(struct fake_s3 *s3, const struct fake_object *from, struct text *ret)
{
    const struct text *range = fake_request_header(&s3->request, "x-amz-copy-source-range");
    uint64_t first = 0;
    uint64_t count = from->body_len;
    if (range != NULL && (!fake_s3_read_range(*range, from->body_len, &first, &count) || count == 0)) {
        fake_s3_fail(s3, 400, "InvalidArgument", "Range specified is not valid for source object", NULL);
        return false;
    }
    *ret = text_of(from->body + first, (size_t)count);
    return true;
}

static void copy_part(struct fake_s3 *s3, struct fake_upload *upload, uint32_t number, struct text source)
{
    struct fake_part part;
    struct text bytes;
    char date[32];
    const struct fake_object *from = fake_s3_find_source(s3, source, NULL);
    if (from == NULL || !take_range(s3, from, &bytes))
        return;
    if (!store_part(s3, upload, number, bytes, &part)) {
        s3->no_memory = true;
        return;
    }
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    fake_format_iso_date(part.applied_ms, date);
    buf_add_f(&s3->answer.body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CopyPartResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LastModified>%s</LastModified><ETag>",
              date);
    fake_s3_escape(&s3->answer.body, part.etag);
    buf_add_str(&s3->answer.body, "</ETag></CopyPartResult>");
}

void fake_s3_upload_part(struct fake_s3 *s3, struct text id, struct text number)
{
    const struct text *source = fake_request_header(&s3->request, "x-amz-copy-source");
    uint64_t wanted = 0;
    struct fake_upload *upload = find_open(s3, id);
    if (upload == NULL)
        return;
    if (!text_parse_u64(number, &wanted) || wanted == 0 || wanted > FAKE_S3_PARTS_MAX)
        fake_s3_fail(s3, 400, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive", NULL);
    else if (source != NULL)
        copy_part(s3, upload, (uint32_t)wanted, *source);
    else
        put_part(s3, upload, (uint32_t)wanted);
}

/* --------------------------------------------------------------------------------------------------------- abort */

void fake_s3_abort_upload(struct fake_s3 *s3, struct text id)
{
    struct fake_upload *upload = fake_upload_find(s3, buf_str(&s3->key), id);
    bool open = upload != NULL && upload->state == FAKE_S3_OPEN;
    if (!open && !s3->options.aborts_gone) {
        fake_s3_no_such_upload(s3);
        return;
    }
    if (open)
        fake_upload_close(upload, FAKE_S3_ABORTED);
    fake_s3_begin(s3, 204);
}
