/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the embedded store share: bodies that are told by their nonce. Header only: every test is one
 * program. */
#ifndef OSCOMMIT_TEST_LOCAL_SCRATCH_H
#define OSCOMMIT_TEST_LOCAL_SCRATCH_H

#include "base/digest.h"
#include "local/file_store.h"
#include "unit/sqlite/scratch.h"

enum { TELLING_MAX = 9000 };

MAYBE_UNUSED static void etag_of(const void *data, size_t len, char *ret)
{
    struct digest_stream md5;
    assert_true(digest_stream_begin(&md5, "MD5"));
    digest_stream_add(&md5, data, len);
    assert_true(digest_stream_etag(&md5, ret));
    digest_stream_free(&md5);
}

/* The body that belongs to a nonce: it begins with it; one of two lengths, so that most versions have the same. */
MAYBE_UNUSED static size_t telling_body(const char *nonce, char *ret)
{
    size_t len = nonce[31] % 2 == 0 ? 5000 : TELLING_MAX;
    for (size_t i = 0; i < len; i++)
        ret[i] = i < 32 ? nonce[i] : (char)(nonce[i % 32] ^ (char)(i % 61));
    return len;
}

MAYBE_UNUSED static os_code put_telling(struct file_store *store, const char *key, const char *nonce, os_error *error)
{
    char data[TELLING_MAX];
    struct file_object object;
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = data, .length = telling_body(nonce, data)};
    struct file_content content = {.content_type = nonce, .nonce = nonce};
    return file_store_put(store, key, &body, &content, &object, error);
}

struct gathered {
    char data[TELLING_MAX + 1];
    size_t len;
};

MAYBE_UNUSED static int gather(void *context, const void *data, size_t length)
{
    struct gathered *gathered = context;
    if (length > TELLING_MAX - gathered->len)
        return 1;
    memcpy(gathered->data + gathered->len, data, length);
    gathered->len += length;
    gathered->data[gathered->len] = '\0';
    return 0;
}

/* A put's nonce is its body's first 32 bytes; a copy's nonce is 'c' and the source's nonce from its second digit on.
 * Empty if all is well. */
MAYBE_UNUSED static const char *telling_fault(const struct file_object *object, const char *data, size_t len)
{
    char etag[MD5_ETAG_SIZE];
    char expected[TELLING_MAX];
    char nonce[33];
    if (len < 32 || object->length != len)
        return "length";
    etag_of(data, len, etag);
    if (strcmp(etag, object->etag) != 0)
        return "ETag";
    memcpy(nonce, data, 32);
    nonce[32] = '\0';
    if (telling_body(nonce, expected) != len || memcmp(expected, data, len) != 0)
        return "bytes of two versions";
    if (object->nonce[0] == '\0')
        return "no nonce";
    bool nonce_fits =
        object->nonce[0] == 'c' ? strcmp(object->nonce + 1, nonce + 1) == 0 : strcmp(object->nonce, nonce) == 0;
    if (!nonce_fits)
        return "nonce of other bytes";
    return strcmp(object->content_type, nonce) == 0 ? "" : "content type of other bytes";
}

/* GET, and HEAD, each in itself; the object may be absent. Empty if all is well. */
MAYBE_UNUSED static const char *telling_check(struct file_store *store, const char *key, os_error *error)
{
    struct gathered gathered = {.len = 0};
    struct file_object object;
    os_code code = file_store_get(store, key, NULL, gather, &gathered, &object, error);
    if (code != OS_OK)
        return code == OS_ERR_NOT_FOUND ? "" : error->message;
    const char *fault = telling_fault(&object, gathered.data, gathered.len);
    if (fault[0] != '\0')
        return fault;
    code = file_store_head(store, key, &object, error);
    if (code != OS_OK)
        return code == OS_ERR_NOT_FOUND ? "" : error->message;
    char data[TELLING_MAX];
    size_t len = telling_body(object.content_type, data); /* the nonce that the bytes began with */
    return telling_fault(&object, data, len);
}

#endif
