/* SPDX-License-Identifier: Apache-2.0 */
#include "common/same_objects.h"

#include <openssl/evp.h>
#include <string.h>

static int add_to_sum(void *context, const void *data, size_t length)
{
    return EVP_DigestUpdate(context, data, length) == 1 ? 0 : 1;
}

static bool is_version(const os_object *found, const struct object_version *version)
{
    return strcmp(found->etag, version->etag) == 0;
}

static bool sum_of(const struct session *session, const struct object_version *version, EVP_MD_CTX *sum,
                   unsigned char ret[EVP_MAX_MD_SIZE])
{
    os_object found = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;

    sink.write = add_to_sum;
    sink.write_context = sum;
    return EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1 &&
           os_get(session->client, version->key, &sink, &session->call, &found, NULL) == OS_OK &&
           is_version(&found, version) && EVP_DigestFinal_ex(sum, ret, NULL) == 1;
}

static bool length_of(const struct session *session, const struct object_version *version, uint64_t *ret)
{
    os_object found = OS_OBJECT_INIT;

    if (os_head(session->client, version->key, &session->call, &found, NULL) != OS_OK || !is_version(&found, version))
        return false;
    *ret = found.length;
    return true;
}

bool same_objects(const struct session *session, const struct object_version *a, const struct object_version *b)
{
    unsigned char first[EVP_MAX_MD_SIZE] = {0};
    unsigned char second[EVP_MAX_MD_SIZE] = {0};
    uint64_t lengths[2];
    EVP_MD_CTX *sum;
    bool same;

    if (!length_of(session, a, &lengths[0]) || !length_of(session, b, &lengths[1]) || lengths[0] != lengths[1])
        return false;
    sum = EVP_MD_CTX_new();
    same = sum != NULL && sum_of(session, a, sum, first) && sum_of(session, b, sum, second) &&
           memcmp(first, second, sizeof(first)) == 0;
    EVP_MD_CTX_free(sum);
    return same;
}
