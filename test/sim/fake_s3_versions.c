/* SPDX-License-Identifier: Apache-2.0 */
/* ListObjectVersions: of each key the newest first; a version's id is "v" and its serial. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <string.h>

struct version_listing {
    struct buf prefix;
    struct buf key_marker; /* "": from the beginning */
    uint64_t after;        /* of the key marker: the serial that the page before ended with; 0: none of its versions */
    bool url;
    uint64_t max_keys;
    uint64_t count;
    const struct fake_key *last; /* where the page ends */
    uint64_t last_serial;
    bool truncated;
    struct buf entries;
};

static bool take_param(const struct fake_s3 *s3, const char *name, struct buf *ret)
{
    const struct text *value = fake_request_param(&s3->request, name);
    buf_init(ret, FAKE_HEAD_MAX);
    return value == NULL || (fake_decode(ret, *value) && strlen(buf_str(ret)) == ret->len);
}

static bool take_after(const struct fake_s3 *s3, uint64_t *ret)
{
    const struct text *id = fake_request_param(&s3->request, "version-id-marker");
    if (id == NULL)
        return true;
    struct text rest = *id;
    return fake_request_param(&s3->request, "key-marker") != NULL && text_take_char(&rest, 'v') &&
           text_parse_u64(rest, ret);
}

static bool begin(const struct fake_s3 *s3, struct version_listing *ret)
{
    const struct text *max = fake_request_param(&s3->request, "max-keys");
    const struct text *encoding = fake_request_param(&s3->request, "encoding-type");
    *ret = (struct version_listing){.max_keys = FAKE_S3_PAGE_MAX};
    buf_init(&ret->entries, FAKE_MESSAGE_MAX);
    bool prefix = take_param(s3, "prefix", &ret->prefix);
    bool marker = take_param(s3, "key-marker", &ret->key_marker);
    ret->url = encoding != NULL && text_is(*encoding, "url");
    if (!prefix || !marker || !take_after(s3, &ret->after) || (max != NULL && !text_parse_u64(*max, &ret->max_keys)))
        return false;
    uint64_t most = s3->options.versions_page > 0 ? s3->options.versions_page : FAKE_S3_PAGE_MAX;
    ret->max_keys = ret->max_keys < most ? ret->max_keys : most;
    return true;
}

static void add_key(struct buf *out, const struct version_listing *listing, const char *element, const char *key)
{
    buf_add_f(out, "<%s>", element);
    if (listing->url)
        fake_encode(out, text_from(key), true);
    else
        fake_s3_escape(out, key);
    buf_add_f(out, "</%s>", element);
}

static void add_version(struct version_listing *listing, const struct fake_key *key, size_t i)
{
    char date[32];
    const struct fake_object *object = &key->versions[i];
    struct buf *out = &listing->entries;
    const char *element = object->etag[0] != '\0' ? "Version" : "DeleteMarker";
    fake_format_iso_date(object->applied_ms, date);
    buf_add_f(out, "<%s>", element);
    add_key(out, listing, "Key", key->key);
    buf_add_f(out, "<VersionId>v%" PRIu64 "</VersionId><IsLatest>%s</IsLatest><LastModified>%s</LastModified>",
              object->serial, i + 1 == key->count ? "true" : "false", date);
    if (object->etag[0] != '\0') {
        buf_add_str(out, "<ETag>");
        fake_s3_escape(out, object->etag);
        buf_add_f(out, "</ETag><Size>%zu</Size><StorageClass>STANDARD</StorageClass>", object->body_len);
    }
    buf_add_f(out, "</%s>", element);
}

/* False: nothing more is for this page. */
static bool take_key(struct version_listing *listing, const struct fake_key *key)
{
    int order = strcmp(key->key, buf_str(&listing->key_marker));
    if (strncmp(key->key, buf_str(&listing->prefix), listing->prefix.len) != 0)
        return false; /* the keys are in order: no other has the prefix */
    if (order < 0 || (order == 0 && listing->after == 0))
        return true;
    for (size_t i = key->count; i-- > 0;) {
        if (order == 0 && key->versions[i].serial >= listing->after)
            continue;
        if (listing->count == listing->max_keys) {
            listing->truncated = listing->max_keys > 0;
            return false;
        }
        add_version(listing, key, i);
        listing->count++;
        listing->last = key;
        listing->last_serial = key->versions[i].serial;
    }
    return true;
}

static void write_page(struct fake_s3 *s3, const struct version_listing *listing)
{
    struct buf *out = &s3->answer.body;
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListVersionsResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>%s</Name>%s<IsTruncated>%s</IsTruncated>",
              s3->options.bucket, listing->url ? "<EncodingType>url</EncodingType>" : "",
              listing->truncated ? "true" : "false");
    if (listing->truncated) {
        add_key(out, listing, "NextKeyMarker", listing->last->key);
        buf_add_f(out, "<NextVersionIdMarker>v%" PRIu64 "</NextVersionIdMarker>", listing->last_serial);
    }
    buf_add(out, buf_str(&listing->entries), listing->entries.len);
    buf_add_str(out, "</ListVersionsResult>");
}

void fake_s3_list_versions(struct fake_s3 *s3)
{
    struct version_listing listing;
    if (!s3->options.versioned) {
        fake_s3_fail(s3, 501, "NotImplemented", "This bucket never had versions.", NULL);
        return;
    }
    if (begin(s3, &listing)) {
        size_t i = fake_store_position(s3, buf_str(&listing.prefix));
        while (i < s3->key_count && take_key(&listing, &s3->keys[i]))
            i++;
        write_page(s3, &listing);
        s3->no_memory = !buf_ok(&listing.entries);
    } else {
        fake_s3_fail(s3, 400, "InvalidArgument", "A parameter of the list is not valid.", NULL);
    }
    buf_free(&listing.prefix);
    buf_free(&listing.key_marker);
    buf_free(&listing.entries);
}
