/* SPDX-License-Identifier: Apache-2.0 */
/* ListObjectsV2. A continuation token is "k" or "p" (a common prefix) and the hex of where the page ended. */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    struct buf prefix;
    struct buf delimiter;
    struct buf after; /* exclusive */
    bool after_is_prefix;
    bool url;
    uint64_t max_keys;
    uint64_t count;
    const char *last; /* a key of the store */
    size_t last_len;
    bool last_is_prefix;
    bool truncated;
    struct buf contents;
    struct buf prefixes;
};

/* False: the parameter cannot be read. A missing one is empty. */
static bool take_param(const struct fake_s3 *s3, const char *name, struct buf *ret)
{
    const struct text *value = fake_request_param(&s3->request, name);
    buf_init(ret, FAKE_HEAD_MAX);
    return value == NULL || (fake_decode(ret, *value) && strlen(buf_str(ret)) == ret->len);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_token(struct listing *listing, const struct text *token)
{
    if (token->len < 3 || token->len % 2 == 0 || (token->p[0] != 'k' && token->p[0] != 'p'))
        return false;
    buf_reset(&listing->after);
    listing->after_is_prefix = token->p[0] == 'p';
    for (size_t i = 1; i < token->len; i += 2) {
        int high = digit_of(token->p[i]);
        int low = digit_of(token->p[i + 1]);
        if (high < 0 || low < 0)
            return false;
        buf_add_char(&listing->after, (char)(high * 16 + low));
    }
    return buf_ok(&listing->after);
}

static bool begin(const struct fake_s3 *s3, struct listing *ret)
{
    const struct text *type = fake_request_param(&s3->request, "list-type");
    const struct text *max = fake_request_param(&s3->request, "max-keys");
    const struct text *encoding = fake_request_param(&s3->request, "encoding-type");
    const struct text *token = fake_request_param(&s3->request, "continuation-token");
    *ret = (struct listing){.max_keys = FAKE_S3_PAGE_MAX};
    buf_init(&ret->contents, FAKE_MESSAGE_MAX);
    buf_init(&ret->prefixes, FAKE_MESSAGE_MAX);
    bool prefix = take_param(s3, "prefix", &ret->prefix);
    bool delimiter = take_param(s3, "delimiter", &ret->delimiter);
    bool after = take_param(s3, "start-after", &ret->after);
    ret->url = encoding != NULL && text_is(*encoding, "url");
    if (!prefix || !delimiter || !after || type == NULL || !text_is(*type, "2") ||
        (max != NULL && !text_parse_u64(*max, &ret->max_keys)) || (token != NULL && !read_token(ret, token)))
        return false;
    ret->max_keys = ret->max_keys < FAKE_S3_PAGE_MAX ? ret->max_keys : FAKE_S3_PAGE_MAX;
    return true;
}

static void end(struct listing *listing)
{
    buf_free(&listing->prefix);
    buf_free(&listing->delimiter);
    buf_free(&listing->after);
    buf_free(&listing->contents);
    buf_free(&listing->prefixes);
}

/* AWS writes a blank as '+' where it encodes names. */
static void add_name(struct buf *out, const struct listing *listing, const char *name, size_t len)
{
    if (!listing->url) {
        char *copy = strndup(name, len);
        if (copy == NULL) {
            (void)buf_add(out, "", SIZE_MAX); /* marks it failed */
            return;
        }
        fake_s3_escape(out, copy);
        free(copy);
        return;
    }
    while (len > 0) {
        const char *blank = memchr(name, ' ', len);
        size_t plain = blank != NULL ? (size_t)(blank - name) : len;
        fake_encode(out, text_of(name, plain), true);
        if (blank != NULL) {
            buf_add_char(out, '+');
            plain++;
        }
        name += plain;
        len -= plain;
    }
}

static void add_contents(struct listing *listing, const struct fake_key *key)
{
    char date[32];
    const struct fake_object *object = &key->versions[key->count - 1];
    struct buf *out = &listing->contents;
    fake_format_iso_date(object->applied_ms, date);
    buf_add_str(out, "<Contents><Key>");
    add_name(out, listing, key->key, strlen(key->key));
    buf_add_f(out, "</Key><LastModified>%s</LastModified><ETag>", date);
    fake_s3_escape(out, object->etag);
    buf_add_f(out, "</ETag><Size>%zu</Size><StorageClass>STANDARD</StorageClass></Contents>", object->body_len);
}

/* How long the common prefix is that the key falls into; 0: into none. */
static size_t common_prefix(const struct listing *listing, const char *key)
{
    if (listing->delimiter.len == 0)
        return 0;
    const char *at = strstr(key + listing->prefix.len, listing->delimiter.data);
    return at != NULL ? (size_t)(at - key) + listing->delimiter.len : 0;
}

static bool is_before_page(const struct listing *listing, const char *key, size_t common)
{
    const char *after = buf_str(&listing->after);
    size_t len = listing->after.len;
    return len > 0 &&
           (strcmp(key, after) <= 0 || (listing->after_is_prefix && common == len && strncmp(key, after, len) == 0));
}

/* False: nothing more is for this page. */
static bool take_key(struct listing *listing, const struct fake_key *key)
{
    bool is_there = key->count > 0 && key->versions[key->count - 1].etag[0] != '\0';
    if (strncmp(key->key, buf_str(&listing->prefix), listing->prefix.len) != 0)
        return false; /* the keys are in order: no other has the prefix */
    size_t common = common_prefix(listing, key->key);
    if (!is_there || is_before_page(listing, key->key, common))
        return true;
    if (common > 0 && listing->last_is_prefix && listing->last_len == common &&
        strncmp(listing->last, key->key, common) == 0)
        return true;
    if (listing->count == listing->max_keys) {
        listing->truncated = listing->max_keys > 0;
        return false;
    }
    listing->count++;
    listing->last = key->key;
    listing->last_len = common > 0 ? common : strlen(key->key);
    listing->last_is_prefix = common > 0;
    if (common > 0) {
        buf_add_str(&listing->prefixes, "<CommonPrefixes><Prefix>");
        add_name(&listing->prefixes, listing, key->key, common);
        buf_add_str(&listing->prefixes, "</Prefix></CommonPrefixes>");
    } else {
        add_contents(listing, key);
    }
    return true;
}

static void write_list(struct fake_s3 *s3, const struct listing *listing)
{
    struct buf *out = &s3->answer.body;
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
              "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>%s</Name><Prefix>",
              s3->options.bucket);
    add_name(out, listing, buf_str(&listing->prefix), listing->prefix.len);
    buf_add_f(out,
              "</Prefix><MaxKeys>%" PRIu64 "</MaxKeys><KeyCount>%" PRIu64 "</KeyCount>%s<IsTruncated>%s</IsTruncated>",
              listing->max_keys, listing->count, listing->url ? "<EncodingType>url</EncodingType>" : "",
              listing->truncated ? "true" : "false");
    if (listing->truncated) {
        buf_add_f(out, "<NextContinuationToken>%c", listing->last_is_prefix ? 'p' : 'k');
        for (size_t i = 0; i < listing->last_len; i++)
            buf_add_f(out, "%02x", (unsigned char)listing->last[i]);
        buf_add_str(out, "</NextContinuationToken>");
    }
    buf_add(out, buf_str(&listing->contents), listing->contents.len);
    buf_add(out, buf_str(&listing->prefixes), listing->prefixes.len); /* behind the keys, as S3 has it */
    buf_add_str(out, "</ListBucketResult>");
}

void fake_s3_list(struct fake_s3 *s3)
{
    struct listing listing;
    if (!begin(s3, &listing)) {
        fake_s3_fail(s3, 400, "InvalidArgument", "A parameter of the list is not valid.", NULL);
        end(&listing);
        return;
    }
    size_t i = fake_store_position(s3, buf_str(&listing.prefix));
    while (i < s3->key_count && take_key(&listing, &s3->keys[i]))
        i++;
    write_list(s3, &listing);
    s3->no_memory = !buf_ok(&listing.contents) || !buf_ok(&listing.prefixes);
    end(&listing);
}
