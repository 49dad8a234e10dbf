/* SPDX-License-Identifier: Apache-2.0 */
#include "race/content.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

void race_name(enum race_kind kind, uint64_t index, char ret[RACE_NAME_SIZE])
{
    static const char *const shared[RACE_KINDS] = {[RACE_UPDATE] = "counter", [RACE_DELETE] = "phoenix"};
    static const char *const once[RACE_KINDS] = {[RACE_CREATE] = "key", [RACE_COPY] = "copy"};

    if (once[kind] != NULL)
        (void)snprintf(ret, RACE_NAME_SIZE, "%s-%05" PRIu64, once[kind], index);
    else if (index == 0)
        (void)snprintf(ret, RACE_NAME_SIZE, "%s", shared[kind]);
    else
        (void)snprintf(ret, RACE_NAME_SIZE, "%s-%" PRIu64, shared[kind], index);
}

void race_source_name(unsigned lane, char ret[RACE_NAME_SIZE])
{
    (void)snprintf(ret, RACE_NAME_SIZE, "source-%u", lane);
}

size_t race_body(const char *id, const char *name, uint64_t count, uint64_t call, char ret[RACE_CONTENT_MAX])
{
    return (size_t)snprintf(ret, RACE_CONTENT_MAX, "race %.16s %.47s %" PRIu64 " call %" PRIu64 "\n", id, name, count,
                            call);
}

/* Reads the numbers and writes the whole again: only what race_body makes is taken. */
bool race_body_count(const char *id, const char *name, const char *body, size_t len, uint64_t *ret)
{
    char text[RACE_CONTENT_MAX];
    char again[RACE_CONTENT_MAX];
    uint64_t count;
    uint64_t call;

    if (len >= sizeof(text) || memchr(body, '\0', len) != NULL)
        return false;
    memcpy(text, body, len);
    text[len] = '\0';
    if (sscanf(text, "race %*16s %*47s %19" SCNu64 " call %19" SCNu64, &count, &call) != 2)
        return false;
    if (race_body(id, name, count, call, again) != len || memcmp(again, text, len) != 0)
        return false;
    *ret = count;
    return true;
}

bool race_value(const void *body, size_t len, char ret[RACE_VALUE_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_MD *md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    bool good = md5 != NULL && EVP_Digest(body, len, digest, &size, md5, NULL) == 1 && size == 16;

    EVP_MD_free(md5);
    if (!good)
        return false;
    ret[0] = '"';
    for (unsigned i = 0; i < size; i++)
        (void)snprintf(ret + 1 + 2 * (size_t)i, 3, "%02x", digest[i]);
    (void)snprintf(ret + 33, 2, "\"");
    return true;
}

char *race_full_key(const char *prefix, const char *name)
{
    char *key = NULL;

    return asprintf(&key, "%s%s", prefix, name) < 0 ? NULL : key;
}
