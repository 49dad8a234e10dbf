/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/digest.h"

#include "base/text.h"

#include <openssl/evp.h>

static bool digest(const char *name, const void *data, size_t len, unsigned char *ret)
{
    size_t ret_len = 0;
    return EVP_Q_digest(NULL, name, NULL, data ? data : "", len, ret, &ret_len) == 1;
}

bool sha256_digest(const void *data, size_t len, unsigned char *ret)
{
    return digest("SHA256", data, len, ret);
}

bool md5_digest(const void *data, size_t len, unsigned char *ret)
{
    return digest("MD5", data, len, ret);
}

bool sha256_hex(const void *data, size_t len, char *ret)
{
    unsigned char bytes[SHA256_SIZE];
    if (!sha256_digest(data, len, bytes)) {
        return false;
    }
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

bool md5_hex(const void *data, size_t len, char *ret)
{
    unsigned char bytes[MD5_SIZE];
    if (!md5_digest(data, len, bytes)) {
        return false;
    }
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}
