/* SPDX-License-Identifier: Apache-2.0 */
#include "local/md5.h"

#include "base/text.h"

enum { MD5_BYTES = 16 };

EVP_MD *md5_fetch(void)
{
    return EVP_MD_fetch(NULL, "MD5", NULL);
}

bool md5_start(struct md5 *md5, const EVP_MD *algorithm)
{
    md5->context = EVP_MD_CTX_new();
    return md5->context != NULL && EVP_DigestInit_ex2(md5->context, algorithm, NULL) == 1;
}

bool md5_add(struct md5 *md5, const void *data, size_t len)
{
    return len == 0 || EVP_DigestUpdate(md5->context, data, len) == 1;
}

bool md5_etag(struct md5 *md5, char *ret)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    if (EVP_DigestFinal_ex(md5->context, digest, &len) != 1 || len != MD5_BYTES)
        return false;
    ret[0] = '"';
    text_hex(digest, MD5_BYTES, ret + 1);
    ret[MD5_ETAG_SIZE - 2] = '"';
    ret[MD5_ETAG_SIZE - 1] = '\0';
    return true;
}

void md5_free(struct md5 *md5)
{
    EVP_MD_CTX_free(md5->context);
    md5->context = NULL;
}
