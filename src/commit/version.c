/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/version.h"

#include "commit/words.h"

#include <string.h>

void version_copy(struct object_version *ret, const struct object_version *from)
{
    struct object_version copy;
    memset(&copy, 0, sizeof(copy));
    if (from->exists) {
        copy.exists = true;
        copy.last_modified_s = from->last_modified_s;
        copy.fencing = from->fencing;
        fixed_str_copy(copy.etag, from->etag, sizeof(copy.etag));
        fixed_str_copy(copy.version_id, from->version_id, sizeof(copy.version_id));
        fixed_str_copy(copy.nonce, from->nonce, sizeof(copy.nonce));
        fixed_str_copy(copy.replaced, from->replaced, sizeof(copy.replaced));
    }
    memcpy(ret, &copy, sizeof(copy));
}

bool version_same(const struct object_version *a, const struct object_version *b)
{
    if (a->exists != b->exists)
        return false;
    if (!a->exists)
        return true;
    return a->last_modified_s == b->last_modified_s && strcmp(a->etag, b->etag) == 0 &&
           strcmp(a->version_id, b->version_id) == 0 && strcmp(a->nonce, b->nonce) == 0;
}

bool version_is_fenced(const struct object_version *version, uint64_t token)
{
    return token != 0 && version->fencing > token;
}

bool version_is_torn(const struct object_version *version, const char *nonce, const struct object_version *base,
                     const char *expected_etag)
{
    struct object_version other;
    if (strcmp(version->nonce, nonce) != 0)
        return false;
    if (!base->exists)
        return expected_etag[0] != '\0' && strcmp(version->etag, expected_etag) == 0;
    version_copy(&other, version);
    memcpy(other.nonce, base->nonce, sizeof(other.nonce));
    return version_same(&other, base);
}

enum version_extent version_extent_of(bool sized, uint64_t bytes, bool sent_known, uint64_t sent_bytes)
{
    if (!sent_known)
        return VERSION_WHOLE;
    if (sized)
        return bytes == sent_bytes ? VERSION_WHOLE : VERSION_CUT;
    return sent_bytes == 0 ? VERSION_WHOLE : VERSION_UNSIZED; /* of nothing there is no part */
}

bool version_shows_nonce(const struct object_version *version, const char *nonce)
{
    return version->exists && record_is_nonce(nonce) &&
           (strcmp(version->nonce, nonce) == 0 || strcmp(version->replaced, nonce) == 0);
}

bool version_is_own_id(const char *version_id)
{
    return version_id && version_id[0] && strcmp(version_id, "null") != 0;
}

bool version_is_of_one_part(const char *etag)
{
    return strlen(etag) == 34 && strspn(etag + 1, "0123456789abcdefABCDEF") == 32;
}
