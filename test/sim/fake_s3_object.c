/* SPDX-License-Identifier: Apache-2.0 */
/* Reading, writing, copying and deleting one object. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- reading */

static void add_object_headers(struct fake_s3 *s3, const struct fake_object *object)
{
    char date[30];
    fake_format_http_date((int64_t)(object->applied_ms / 1000), date);
    fake_answer_header(&s3->answer, "Last-Modified", date);
    fake_answer_header(&s3->answer, "ETag", object->etag);
    fake_answer_header(&s3->answer, "Accept-Ranges", "bytes");
    fake_s3_version_header(s3, object->serial);
    buf_add(&s3->answer.headers, object->head != NULL ? object->head : "", object->head_len);
}

bool fake_s3_read_range(struct text text, uint64_t length, uint64_t *ret_first, uint64_t *ret_count)
{
    uint64_t last = UINT64_MAX;
    if (!text_take_str(&text, "bytes=") || !text_take_u64(&text, ret_first) || !text_take_char(&text, '-') ||
        (text.len > 0 && (!text_take_u64(&text, &last) || text.len > 0 || last < *ret_first)))
        return false;
    if (*ret_first < length) {
        last = last < length ? last : length - 1;
        *ret_count = last - *ret_first + 1;
    } else {
        *ret_count = 0;
    }
    return true;
}

const struct fake_object *fake_s3_find_asked(struct fake_s3 *s3)
{
    const struct text *version = fake_request_param(&s3->request, "versionId");
    struct text rest = version != NULL ? *version : text_from("");
    uint64_t serial = 0;
    if (version != NULL && (!text_take_char(&rest, 'v') || !text_parse_u64(rest, &serial))) {
        fake_s3_fail(s3, 400, "InvalidArgument", "Invalid version id specified", NULL);
        return NULL;
    }
    const struct fake_object *object =
        version != NULL ? fake_store_version(s3, buf_str(&s3->key), serial) : fake_store_current(s3, buf_str(&s3->key));
    if (object == NULL && version != NULL)
        fake_s3_fail(s3, 404, "NoSuchVersion", "The specified version does not exist.", NULL);
    else if (object == NULL)
        fake_s3_no_such_key(s3);
    return object;
}

void fake_s3_get(struct fake_s3 *s3, bool is_head)
{
    const struct text *range = fake_request_header(&s3->request, "range");
    const struct fake_object *object = fake_s3_find_asked(s3);
    uint64_t first = 0;
    uint64_t count = 0;
    if (object == NULL)
        return;
    bool is_part = range != NULL && fake_s3_read_range(*range, object->body_len, &first, &count);
    if (is_part && count == 0) {
        fake_s3_fail(s3, 416, "InvalidRange", "The requested range is not satisfiable", NULL);
        return;
    }
    fake_s3_begin(s3, is_part ? 206 : 200);
    add_object_headers(s3, object);
    count = is_part ? count : object->body_len;
    if (is_part) {
        char text[96];
        snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%zu", first, first + count - 1, object->body_len);
        fake_answer_header(&s3->answer, "Content-Range", text);
    }
    if (is_head)
        s3->answer.head_length = count;
    else if (count > 0)
        buf_add(&s3->answer.body, object->body + first, (size_t)count);
}

/* ------------------------------------------------------------------------------------------------------- writing */

bool fake_s3_md5(struct fake_s3 *s3, const void *data, size_t len, unsigned char ret[16])
{
    return EVP_DigestInit_ex2(s3->md5_hash, s3->md5, NULL) == 1 && EVP_DigestUpdate(s3->md5_hash, data, len) == 1 &&
           EVP_DigestFinal_ex(s3->md5_hash, ret, NULL) == 1;
}

/* An ETag that says nothing of the bytes, and is another for every write. */
static void random_md5(uint64_t serial, unsigned char ret[16])
{
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t z = (2 * serial + half + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        memcpy(ret + 8 * half, &z, sizeof(z));
    }
}

void fake_s3_make_etag(const struct fake_s3 *s3, const unsigned char digest[16], size_t parts,
                       char ret[FAKE_S3_ETAG_SIZE])
{
    unsigned char bytes[16];
    char *at = ret;
    memcpy(bytes, digest, sizeof(bytes));
    if (s3->options.random_etag)
        random_md5(s3->serial + 1, bytes);
    *at++ = '"';
    for (size_t i = 0; i < sizeof(bytes); i++)
        at += snprintf(at, 3, "%02x", bytes[i]);
    if (parts > 0)
        at += snprintf(at, 8, "-%zu", parts);
    memcpy(at, "\"", 2);
}

/* Content-MD5 against what arrived. */
bool fake_s3_digest_fits(struct fake_s3 *s3, const unsigned char digest[16])
{
    const struct text *said = fake_request_header(&s3->request, "content-md5");
    unsigned char encoded[32];
    if (said == NULL)
        return true;
    EVP_EncodeBlock(encoded, digest, 16);
    if (said->len != 24)
        fake_s3_fail(s3, 400, "InvalidDigest", "The Content-MD5 you specified is not valid.", NULL);
    else if (memcmp(said->p, encoded, 24) != 0)
        fake_s3_fail(s3, 400, "BadDigest", "The Content-MD5 you specified did not match what we received.", NULL);
    else
        return true;
    return false;
}

static bool is_stored(struct text name)
{
    static const char *const kept[] = {"content-type",        "content-encoding", "content-language",
                                       "content-disposition", "cache-control",    "expires"};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (text_is_nocase(name, kept[i]))
            return true;
    return name.len > 11 && text_is_nocase(text_of(name.p, 11), "x-amz-meta-");
}

bool fake_s3_collect_head(struct fake_s3 *s3)
{
    size_t metadata = 0;
    bool is_typed = false;
    buf_reset(&s3->scratch);
    for (size_t i = 0; i < s3->request.header_count; i++) {
        const struct fake_field *header = &s3->request.headers[i];
        if (!is_stored(header->name))
            continue;
        is_typed = is_typed || text_is_nocase(header->name, "content-type");
        metadata += (header->name.p[0] | 0x20) == 'x' ? header->name.len - 11 + header->value.len : 0;
        buf_add(&s3->scratch, header->name.p, header->name.len);
        buf_add(&s3->scratch, ": ", 2);
        buf_add(&s3->scratch, header->value.p, header->value.len);
        buf_add(&s3->scratch, "\r\n", 2);
    }
    if (!is_typed)
        buf_add_str(&s3->scratch, "content-type: binary/octet-stream\r\n");
    if (metadata > FAKE_S3_METADATA_MAX) {
        fake_s3_fail(s3, 400, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size",
                     NULL);
        return false;
    }
    return true;
}

char *fake_s3_copy_bytes(const void *data, size_t len)
{
    char *copy = malloc(len + 1);
    if (copy != NULL) {
        if (len > 0)
            memcpy(copy, data, len);
        copy[len] = '\0';
    }
    return copy;
}

struct making { /* what an object is made of */
    struct text head;
    struct text nonce;
    struct text tags;
    struct text body;
};

/* False: no memory. */
static bool store(struct fake_s3 *s3, const unsigned char digest[16], const struct making *of)
{
    struct fake_object object = {.head_len = of->head.len, .body_len = of->body.len};
    fake_s3_make_etag(s3, digest, 0, object.etag);
    object.nonce = fake_s3_copy_bytes(of->nonce.p, of->nonce.len);
    object.tags = fake_s3_copy_bytes(of->tags.p, of->tags.len);
    object.head = fake_s3_copy_bytes(of->head.p, of->head.len);
    object.body = fake_s3_copy_bytes(of->body.p, of->body.len);
    if (object.nonce == NULL || object.tags == NULL || object.head == NULL || object.body == NULL) {
        fake_object_free(&object);
        return false;
    }
    return fake_store_add(s3, buf_str(&s3->key), &object);
}

struct text fake_s3_tags_of(const struct fake_s3 *s3)
{
    const struct text *tags = fake_request_header(&s3->request, "x-amz-tagging");
    return tags != NULL ? *tags : text_from("");
}

struct text fake_s3_nonce_of(const struct fake_s3 *s3)
{
    const struct text *nonce = fake_request_header(&s3->request, FAKE_S3_NONCE);
    return nonce != NULL ? *nonce : text_from("");
}

void fake_s3_put(struct fake_s3 *s3)
{
    unsigned char digest[16];
    struct text body = s3->request.body;
    if (!fake_s3_md5(s3, body.p, body.len, digest)) {
        s3->no_memory = true;
        return;
    }
    if (!fake_s3_digest_fits(s3, digest) || !fake_s3_collect_head(s3) ||
        !fake_s3_condition_holds(s3, FAKE_S3_PUT, NULL))
        return;
    const struct making made = {.head = text_of(buf_str(&s3->scratch), s3->scratch.len),
                                .nonce = fake_s3_nonce_of(s3),
                                .tags = fake_s3_tags_of(s3),
                                .body = body};
    if (!buf_ok(&s3->scratch) || !store(s3, digest, &made)) {
        s3->no_memory = true;
        return;
    }
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "ETag", fake_store_current(s3, buf_str(&s3->key))->etag);
    fake_s3_version_header(s3, s3->serial);
}

/* ------------------------------------------------------------------------------------------------- copy and delete */

/* "/bucket/key?versionId=v7", encoded. */
static const struct fake_object *read_source(struct fake_s3 *s3, struct text source, struct buf *ret_key)
{
    struct text version = {"", 0};
    const char *mark = source.len > 0 ? memchr(source.p, '?', source.len) : NULL;
    uint64_t serial = 0;
    if (mark != NULL) {
        version = text_of(mark + 1, source.len - (size_t)(mark - source.p) - 1);
        source.len = (size_t)(mark - source.p);
    }
    (void)text_take_char(&source, '/');
    bool is_here = text_take_str(&source, s3->options.bucket) && text_take_char(&source, '/');
    bool has_version = version.len > 0;
    if (!fake_decode(ret_key, source) || ret_key->len == 0 || strlen(ret_key->data) != ret_key->len ||
        (has_version && (!text_take_str(&version, "versionId=v") || !text_parse_u64(version, &serial)))) {
        fake_s3_fail(s3, 400, "InvalidArgument",
                     "Copy Source must mention the source bucket and key: sourcebucket/sourcekey", NULL);
        return NULL;
    }
    if (!is_here) {
        fake_s3_fail(s3, 404, "NoSuchBucket", "The specified bucket does not exist", NULL);
        return NULL;
    }
    const struct fake_object *found =
        has_version ? fake_store_version(s3, ret_key->data, serial) : fake_store_current(s3, ret_key->data);
    if (found == NULL)
        fake_s3_fail(s3, 404, has_version ? "NoSuchVersion" : "NoSuchKey", "The specified key does not exist.", NULL);
    return found;
}

const struct fake_object *fake_s3_find_source(struct fake_s3 *s3, struct text source, bool *ret_to_itself)
{
    const struct text *match = fake_request_header(&s3->request, "x-amz-copy-source-if-match");
    struct buf key;
    buf_init(&key, FAKE_HEAD_MAX);
    const struct fake_object *found = read_source(s3, source, &key);
    if (found != NULL && match != NULL && !fake_s3_is_etag(*match, found->etag)) {
        fake_s3_fail(s3, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold",
                     "<Condition>x-amz-copy-source-If-Match</Condition>");
        found = NULL;
    }
    if (ret_to_itself != NULL)
        *ret_to_itself = strcmp(buf_str(&key), buf_str(&s3->key)) == 0;
    buf_free(&key);
    return found;
}

static void answer_copy(struct fake_s3 *s3)
{
    char date[32];
    const struct fake_object *made = fake_store_current(s3, buf_str(&s3->key));
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    fake_s3_version_header(s3, made->serial);
    fake_format_iso_date(made->applied_ms, date);
    buf_add_f(&s3->answer.body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CopyObjectResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LastModified>%s</LastModified><ETag>",
              date);
    fake_s3_escape(&s3->answer.body, made->etag);
    buf_add_str(&s3->answer.body, "</ETag></CopyObjectResult>");
}

static void copy_object(struct fake_s3 *s3, const struct fake_object *source, bool replaces)
{
    unsigned char digest[16];
    const struct text *directive = fake_request_header(&s3->request, "x-amz-tagging-directive");
    bool own_tags = directive != NULL && text_is(*directive, "REPLACE");
    const struct making made = {.head = replaces ? text_of(buf_str(&s3->scratch), s3->scratch.len)
                                                 : text_of(source->head, source->head_len),
                                .nonce = replaces ? fake_s3_nonce_of(s3) : text_from(source->nonce),
                                .tags = own_tags ? fake_s3_tags_of(s3) : text_from(source->tags),
                                .body = text_of(source->body, source->body_len)};
    if (!buf_ok(&s3->scratch) || !fake_s3_md5(s3, made.body.p, made.body.len, digest) || !store(s3, digest, &made)) {
        s3->no_memory = true;
        return;
    }
    answer_copy(s3);
}

void fake_s3_copy(struct fake_s3 *s3, struct text source)
{
    const struct text *directive = fake_request_header(&s3->request, "x-amz-metadata-directive");
    bool replaces = directive != NULL && text_is(*directive, "REPLACE");
    bool to_itself = false;
    const struct fake_object *from = fake_s3_find_source(s3, source, &to_itself);
    if (from == NULL)
        return;
    if (directive != NULL && !replaces && !text_is(*directive, "COPY")) {
        fake_s3_fail(s3, 400, "InvalidArgument", "Unknown metadata directive.", NULL);
    } else if (s3->request.body.len > 0) {
        fake_s3_fail(s3, 400, "InvalidRequest", "A copy has no body.", NULL);
    } else if (to_itself && !replaces) {
        fake_s3_fail(s3, 400, "InvalidRequest",
                     "This copy request is illegal because it is trying to copy an object to itself without changing "
                     "the object's metadata.",
                     NULL);
    } else if (fake_s3_condition_holds(s3, FAKE_S3_COPY, NULL) && fake_s3_collect_head(s3)) {
        copy_object(s3, from, replaces);
    }
}

void fake_s3_delete(struct fake_s3 *s3)
{
    bool is_there = fake_store_current(s3, buf_str(&s3->key)) != NULL;
    if (!fake_s3_condition_holds(s3, FAKE_S3_DELETE, NULL))
        return;
    const struct fake_object deletion = {.etag = ""};
    if (is_there && !fake_store_add(s3, buf_str(&s3->key), &deletion)) {
        s3->no_memory = true;
        return;
    }
    fake_s3_begin(s3, 204);
    if (s3->options.versioned && is_there) {
        fake_answer_header(&s3->answer, "x-amz-delete-marker", "true");
        fake_s3_version_header(s3, s3->serial);
    }
}
