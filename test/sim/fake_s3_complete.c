/* SPDX-License-Identifier: Apache-2.0 */
/* CompleteMultipartUpload: the document that names the parts, and the object that they make. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct completion {
    const struct fake_part **parts;
    size_t count;
    size_t bytes;
};

/* ------------------------------------------------------------------------------------------------- the document */

/* What stands between <name> and </name>, which is found at or behind *at, before `end`. */
static bool take_element(const char **at, const char *end, const char *name, struct text *ret)
{
    char open[32];
    char close[32];
    snprintf(open, sizeof(open), "<%s>", name);
    snprintf(close, sizeof(close), "</%s>", name);
    const char *begin = strstr(*at, open);
    const char *stop = begin != NULL && begin < end ? strstr(begin, close) : NULL;
    if (stop == NULL || stop >= end)
        return false;
    begin += strlen(open);
    *ret = text_of(begin, (size_t)(stop - begin));
    *at = stop + strlen(close);
    return true;
}

/* An ETag as XML has it: its quotes may be escaped. */
static struct text without_quotes(struct text etag)
{
    static const char *const quotes[] = {"&quot;", "&#34;", "\""};
    for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++) {
        size_t len = strlen(quotes[i]);
        if (etag.len >= 2 * len && memcmp(etag.p, quotes[i], len) == 0 &&
            memcmp(etag.p + etag.len - len, quotes[i], len) == 0)
            return text_of(etag.p + len, etag.len - 2 * len);
    }
    return etag;
}

static bool malformed(struct fake_s3 *s3)
{
    fake_s3_fail(s3, 400, "MalformedXML",
                 "The XML you provided was not well-formed or did not validate against our published schema", NULL);
    return false;
}

/* False: the answer is made. */
static bool take_part(struct fake_s3 *s3, const struct fake_upload *upload, struct text element,
                      struct completion *completion)
{
    struct text number_text;
    struct text etag;
    uint64_t number = 0;
    const char *end = element.p + element.len;
    const char *at = element.p;
    const char *also_at = element.p;
    if (!take_element(&at, end, "PartNumber", &number_text) || !take_element(&also_at, end, "ETag", &etag) ||
        !text_parse_u64(number_text, &number) || number == 0 || number > FAKE_S3_PARTS_MAX)
        return malformed(s3);
    if (completion->count > 0 && completion->parts[completion->count - 1]->number >= number) {
        fake_s3_fail(s3, 400, "InvalidPartOrder", "The list of parts was not in ascending order.", NULL);
        return false;
    }
    const struct fake_part *part = fake_upload_part(upload, (uint32_t)number);
    if (part == NULL || !fake_s3_is_etag(without_quotes(etag), part->etag)) {
        fake_s3_fail(s3, 400, "InvalidPart",
                     "One or more of the specified parts could not be found. The part may not have been uploaded, or "
                     "the specified entity tag may not match the part's entity tag.",
                     NULL);
        return false;
    }
    if (completion->count == upload->part_count)
        return malformed(s3); /* cannot be: the numbers rise */
    completion->parts[completion->count++] = part;
    completion->bytes += part->body_len;
    return true;
}

static bool sizes_fit(struct fake_s3 *s3, const struct completion *completion)
{
    const struct text *said = fake_request_header(&s3->request, "x-amz-mp-object-size");
    uint64_t bytes = 0;
    for (size_t i = 0; i + 1 < completion->count; i++) {
        if (completion->parts[i]->body_len < FAKE_S3_PART_MIN) {
            fake_s3_fail(s3, 400, "EntityTooSmall",
                         "Your proposed upload is smaller than the minimum allowed object size.", NULL);
            return false;
        }
    }
    if (said != NULL && (!text_parse_u64(*said, &bytes) || bytes != completion->bytes)) {
        fake_s3_fail(s3, 400, "InvalidRequest",
                     "The provided 'x-amz-mp-object-size' header does not match what was uploaded.", NULL);
        return false;
    }
    return true;
}

static bool read_document(struct fake_s3 *s3, const struct fake_upload *upload, const char *text,
                          struct completion *completion)
{
    const char *end = strstr(text, "</CompleteMultipartUpload>");
    const char *at = strstr(text, "<CompleteMultipartUpload");
    struct text element;
    if (at == NULL || end == NULL)
        return malformed(s3);
    while (take_element(&at, end, "Part", &element))
        if (!take_part(s3, upload, element, completion))
            return false;
    return completion->count > 0 ? sizes_fit(s3, completion) : malformed(s3);
}

/* ---------------------------------------------------------------------------------------------------- the object */

/* The MD5 of the parts' MD5s, and how many there are: as S3 has it. */
static bool join(struct fake_s3 *s3, const struct completion *completion, struct fake_object *object)
{
    unsigned char digest[16];
    unsigned char *digests = malloc(completion->count * sizeof(digest));
    char *body = malloc(completion->bytes + 1);
    char *end = body;
    for (size_t i = 0; i < completion->count && digests != NULL && body != NULL; i++) {
        const struct fake_part *part = completion->parts[i];
        memcpy(digests + i * sizeof(digest), part->digest, sizeof(digest));
        memcpy(end, part->body, part->body_len);
        end += part->body_len;
    }
    bool made = digests != NULL && body != NULL && fake_s3_md5(s3, digests, completion->count * sizeof(digest), digest);
    free(digests);
    if (!made) {
        free(body);
        return false;
    }
    *end = '\0';
    fake_s3_make_etag(s3, digest, completion->count, object->etag);
    object->body = body;
    object->body_len = completion->bytes;
    return true;
}

static bool make_object(struct fake_s3 *s3, struct fake_upload *upload, const struct completion *completion)
{
    struct fake_object object = {.head_len = upload->head_len};
    if (!join(s3, completion, &object))
        return false;
    object.nonce = fake_s3_copy_bytes(upload->nonce, strlen(upload->nonce));
    object.tags = fake_s3_copy_bytes(upload->tags, strlen(upload->tags));
    object.head = fake_s3_copy_bytes(upload->head, upload->head_len);
    if (object.nonce == NULL || object.tags == NULL || object.head == NULL) {
        fake_object_free(&object);
        return false;
    }
    if (!fake_store_add(s3, upload->key, &object))
        return false;
    upload->serial = s3->serial;
    fake_upload_close(upload, FAKE_S3_COMPLETED);
    return true;
}

static void answer_completed(struct fake_s3 *s3, const struct fake_upload *upload)
{
    const struct fake_object *made = fake_store_version(s3, upload->key, upload->serial);
    struct buf *body = &s3->answer.body;
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    fake_s3_version_header(s3, upload->serial);
    if (s3->options.blanks_first)
        buf_add_str(body, "  \n \n");
    buf_add_f(body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CompleteMultipartUploadResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>%s</Bucket><Key>",
              s3->options.bucket);
    fake_s3_escape(body, upload->key);
    buf_add_str(body, "</Key><ETag>");
    fake_s3_escape(body, made->etag);
    buf_add_str(body, "</ETag></CompleteMultipartUploadResult>");
}

/* `text`: the body, with a NUL behind it. */
static void complete(struct fake_s3 *s3, struct fake_upload *upload, const char *text)
{
    struct completion completion = {.parts = calloc(upload->part_count + 1, sizeof(const struct fake_part *))};
    if (completion.parts == NULL) {
        s3->no_memory = true;
        return;
    }
    if (read_document(s3, upload, text, &completion) && fake_s3_condition_holds(s3, FAKE_S3_COMPLETE, upload)) {
        if (make_object(s3, upload, &completion))
            answer_completed(s3, upload);
        else
            s3->no_memory = true;
    }
    free(completion.parts);
}

void fake_s3_complete_upload(struct fake_s3 *s3, struct text id)
{
    struct fake_upload *upload = fake_upload_find(s3, buf_str(&s3->key), id);
    bool again = upload != NULL && upload->state == FAKE_S3_COMPLETED && s3->options.completes_again;
    if (again) {
        answer_completed(s3, upload);
        return;
    }
    if (upload == NULL || upload->state != FAKE_S3_OPEN) {
        fake_s3_no_such_upload(s3);
        return;
    }
    char *text = fake_s3_copy_bytes(s3->request.body.p, s3->request.body.len);
    if (text == NULL) {
        s3->no_memory = true;
        return;
    }
    complete(s3, upload, text);
    free(text);
}
