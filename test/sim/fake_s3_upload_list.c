/* SPDX-License-Identifier: Apache-2.0 */
/* ListParts and ListMultipartUploads. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* False: it cannot be read. A missing one leaves *ret. */
static bool take_number(const struct fake_s3 *s3, const char *name, uint64_t *ret)
{
    const struct text *text = fake_request_param(&s3->request, name);
    return text == NULL || text_parse_u64(*text, ret);
}

static void invalid(struct fake_s3 *s3)
{
    fake_s3_fail(s3, 400, "InvalidArgument", "A parameter of the list is not valid.", NULL);
}

/* --------------------------------------------------------------------------------------------------------- parts */

static void write_part(struct fake_s3 *s3, const struct fake_part *part)
{
    char date[32];
    fake_format_iso_date(part->applied_ms, date);
    buf_add_f(&s3->answer.body, "<Part><PartNumber>%" PRIu32 "</PartNumber><LastModified>%s</LastModified><ETag>",
              part->number, date);
    fake_s3_escape(&s3->answer.body, part->etag);
    buf_add_f(&s3->answer.body, "</ETag><Size>%zu</Size></Part>", part->body_len);
}

static void write_parts(struct fake_s3 *s3, const struct fake_upload *upload, uint64_t after, uint64_t max)
{
    size_t first = 0;
    while (first < upload->part_count && upload->parts[first].number <= after)
        first++;
    size_t left = upload->part_count - first;
    size_t count = left < max ? left : (size_t)max;
    struct buf *body = &s3->answer.body;
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListPartsResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>%s</Bucket><Key>",
              s3->options.bucket);
    fake_s3_escape(body, upload->key);
    buf_add_str(body, "</Key><UploadId>");
    fake_s3_escape(body, upload->id);
    buf_add_f(body,
              "</UploadId><PartNumberMarker>%" PRIu64 "</PartNumberMarker><NextPartNumberMarker>%" PRIu32
              "</NextPartNumberMarker><MaxParts>%" PRIu64 "</MaxParts><IsTruncated>%s</IsTruncated>",
              after, count > 0 ? upload->parts[first + count - 1].number : 0, max, count < left ? "true" : "false");
    for (size_t i = 0; i < count; i++)
        write_part(s3, &upload->parts[first + i]);
    buf_add_str(body, "</ListPartsResult>");
}

void fake_s3_list_parts(struct fake_s3 *s3, struct text id)
{
    uint64_t after = 0;
    uint64_t max = FAKE_S3_PAGE_MAX;
    const struct fake_upload *upload = fake_upload_find(s3, buf_str(&s3->key), id);
    if (upload == NULL || upload->state != FAKE_S3_OPEN)
        fake_s3_no_such_upload(s3);
    else if (!take_number(s3, "part-number-marker", &after) || !take_number(s3, "max-parts", &max))
        invalid(s3);
    else
        write_parts(s3, upload, after, max < FAKE_S3_PAGE_MAX ? max : FAKE_S3_PAGE_MAX);
}

/* ------------------------------------------------------------------------------------------------------- uploads */

struct upload_list {
    struct buf prefix;
    struct buf key_marker;
    struct buf id_marker;
    uint64_t max;
    bool url;
    struct fake_upload **found; /* in the order of key and beginning */
    size_t count;
};

static bool take_text(const struct fake_s3 *s3, const char *name, struct buf *ret)
{
    const struct text *value = fake_request_param(&s3->request, name);
    buf_init(ret, FAKE_HEAD_MAX);
    return value == NULL || fake_decode(ret, *value);
}

static int compare(const void *left, const void *right)
{
    const struct fake_upload *a = *(struct fake_upload *const *)left;
    const struct fake_upload *b = *(struct fake_upload *const *)right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Behind the markers: of the marked key what was begun after the marked upload; without that, nothing of that key. */
static bool is_behind(const struct fake_s3 *s3, const struct upload_list *list, const struct fake_upload *upload)
{
    if (list->key_marker.len == 0)
        return true;
    int order = strcmp(upload->key, buf_str(&list->key_marker));
    if (order != 0 || list->id_marker.len == 0)
        return order > 0;
    const struct fake_upload *marked = s3->uploads;
    while (marked < s3->uploads + s3->upload_count && strcmp(marked->id, buf_str(&list->id_marker)) != 0)
        marked++;
    return upload > marked;
}

static void gather(const struct fake_s3 *s3, struct upload_list *list)
{
    for (size_t i = 0; i < s3->upload_count; i++) {
        struct fake_upload *upload = &s3->uploads[i];
        if (upload->state == FAKE_S3_OPEN && strncmp(upload->key, buf_str(&list->prefix), list->prefix.len) == 0 &&
            is_behind(s3, list, upload))
            list->found[list->count++] = upload;
    }
    qsort(list->found, list->count, sizeof(list->found[0]), compare);
}

static void write_key(struct buf *out, const struct upload_list *list, const char *key)
{
    if (list->url)
        fake_encode(out, text_from(key), true);
    else
        fake_s3_escape(out, key);
}

static void write_uploads(struct fake_s3 *s3, const struct upload_list *list)
{
    struct buf *body = &s3->answer.body;
    size_t count = list->count < list->max ? list->count : (size_t)list->max;
    char date[32];
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListMultipartUploadsResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>%s</Bucket>%s<MaxUploads>%" PRIu64
              "</MaxUploads><IsTruncated>%s</IsTruncated>",
              s3->options.bucket, list->url ? "<EncodingType>url</EncodingType>" : "", list->max,
              count < list->count ? "true" : "false");
    if (count < list->count && count > 0) {
        buf_add_str(body, "<NextKeyMarker>");
        write_key(body, list, list->found[count - 1]->key);
        buf_add_str(body, "</NextKeyMarker><NextUploadIdMarker>");
        fake_s3_escape(body, list->found[count - 1]->id);
        buf_add_str(body, "</NextUploadIdMarker>");
    }
    for (size_t i = 0; i < count; i++) {
        fake_format_iso_date(list->found[i]->initiated_ms, date);
        buf_add_str(body, "<Upload><Key>");
        write_key(body, list, list->found[i]->key);
        buf_add_str(body, "</Key><UploadId>");
        fake_s3_escape(body, list->found[i]->id);
        buf_add_f(body, "</UploadId><StorageClass>STANDARD</StorageClass><Initiated>%s</Initiated></Upload>", date);
    }
    buf_add_str(body, "</ListMultipartUploadsResult>");
}

void fake_s3_list_uploads(struct fake_s3 *s3)
{
    const struct text *encoding = fake_request_param(&s3->request, "encoding-type");
    struct upload_list list = {.max = FAKE_S3_PAGE_MAX, .url = encoding != NULL && text_is(*encoding, "url")};
    bool prefix = take_text(s3, "prefix", &list.prefix);
    bool key = take_text(s3, "key-marker", &list.key_marker);
    bool id = take_text(s3, "upload-id-marker", &list.id_marker);
    list.found = calloc(s3->upload_count + 1, sizeof(list.found[0]));
    if (list.found == NULL) {
        s3->no_memory = true;
    } else if (!prefix || !key || !id || !take_number(s3, "max-uploads", &list.max)) {
        invalid(s3);
    } else {
        list.max = list.max < FAKE_S3_PAGE_MAX ? list.max : FAKE_S3_PAGE_MAX;
        gather(s3, &list);
        write_uploads(s3, &list);
    }
    free(list.found);
    buf_free(&list.prefix);
    buf_free(&list.key_marker);
    buf_free(&list.id_marker);
}
