/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include "base/text.h"

#include <openssl/evp.h>
#include <stdatomic.h>
#include <string.h>

/* Looking an algorithm up costs more than hashing some hundred bytes: found once, kept while the process lives. What is
 * not to be had (no memory, FIPS) is looked up again. */
static EVP_MD *found(EVP_MD *_Atomic *kept, const char *name)
{
    EVP_MD *algorithm = atomic_load(kept);
    if (algorithm != NULL)
        return algorithm;
    EVP_MD *none = NULL;
    algorithm = EVP_MD_fetch(NULL, name, NULL);
    if (algorithm == NULL || atomic_compare_exchange_strong(kept, &none, algorithm))
        return algorithm;
    EVP_MD_free(algorithm); /* another thread was first */
    return none;
}

static bool digest_all(const EVP_MD *algorithm, const void *data, size_t len, unsigned char *ret)
{
    return algorithm != NULL && EVP_Digest(data ? data : "", len, ret, NULL, algorithm, NULL) == 1;
}

bool sha256_digest(const void *data, size_t len, unsigned char *ret)
{
    static EVP_MD *_Atomic kept;
    return digest_all(found(&kept, "SHA256"), data, len, ret);
}

bool md5_digest(const void *data, size_t len, unsigned char *ret)
{
    static EVP_MD *_Atomic kept;
    return digest_all(found(&kept, "MD5"), data, len, ret);
}

bool sha256_hex(const void *data, size_t len, char *ret)
{
    unsigned char bytes[SHA256_SIZE];
    if (!sha256_digest(data, len, bytes))
        return false;
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

bool md5_hex(const void *data, size_t len, char *ret)
{
    unsigned char bytes[MD5_SIZE];
    if (!md5_digest(data, len, bytes))
        return false;
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

bool digest_stream_begin(struct digest_stream *stream, const char *name)
{
    EVP_MD *algorithm = EVP_MD_fetch(NULL, name, NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    *stream = (struct digest_stream){.context = context};
    bool ok = algorithm != NULL && context != NULL && EVP_DigestInit_ex2(context, algorithm, NULL) == 1;
    EVP_MD_free(algorithm); /* the context holds it */
    if (!ok)
        digest_stream_free(stream);
    return ok;
}

void digest_stream_add(struct digest_stream *stream, const void *data, size_t len)
{
    stream->failed = stream->failed || (len > 0 && EVP_DigestUpdate(stream->context, data, len) != 1);
}

bool digest_stream_end(struct digest_stream *stream, unsigned char *ret, size_t *ret_len)
{
    unsigned char digest_all[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    if (stream->failed || EVP_DigestFinal_ex(stream->context, digest_all, &len) != 1 || len > SHA256_SIZE)
        return false;
    memcpy(ret, digest_all, len);
    *ret_len = len;
    return true;
}

bool digest_stream_etag(struct digest_stream *stream, char *ret)
{
    unsigned char digest_all[SHA256_SIZE];
    size_t len = 0;
    if (!digest_stream_end(stream, digest_all, &len) || len != MD5_SIZE)
        return false;
    ret[0] = '"';
    text_hex(digest_all, MD5_SIZE, ret + 1);
    ret[MD5_ETAG_SIZE - 2] = '"';
    ret[MD5_ETAG_SIZE - 1] = '\0';
    return true;
}

void digest_stream_free(struct digest_stream *stream)
{
    EVP_MD_CTX_free(stream->context);
    stream->context = NULL;
}
