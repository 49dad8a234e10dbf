/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/history.h"

#include "base/digest.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NONCE_LEN = 32, HASH_LEN = S3_HISTORY_HASH_SIZE - 1, PAIR_LEN = NONCE_LEN + 1 + HASH_LEN };

static bool hash_of(const char *text, size_t len, char ret[S3_HISTORY_HASH_SIZE])
{
    char hex[65];
    if (!sha256_hex(text, len, hex))
        return false;
    memcpy(ret, hex, HASH_LEN);
    ret[HASH_LEN] = '\0';
    return true;
}

/* No bucket has a slash in its name. */
bool s3_history_place(const char *bucket, const char *key, char ret[S3_HISTORY_HASH_SIZE])
{
    char place[2048];
    int len = snprintf(place, sizeof(place), "%s/%s", bucket, key);
    if ((size_t)len >= sizeof(place))
        return false;
    return hash_of(place, (size_t)len, ret);
}

bool s3_history_hash(const char *etag, char ret[S3_HISTORY_HASH_SIZE])
{
    return hash_of(etag, strlen(etag), ret);
}

static bool is_hex(const char *text, size_t len)
{
    return strspn(text, "0123456789abcdef") >= len;
}

static bool is_pair(const char *text)
{
    return is_hex(text, NONCE_LEN) && text[NONCE_LEN] == ':' && is_hex(text + NONCE_LEN + 1, HASH_LEN);
}

/* The first pair; NULL: there is none, or the value is not formed as one of ours, or is of another object. */
static const char *first_pair(const char *value, const char *place)
{
    size_t len = value ? strnlen(value, S3_HISTORY_SIZE) : 0;
    if (len <= HASH_LEN || len >= S3_HISTORY_SIZE || strncmp(value, place, HASH_LEN) != 0 || value[HASH_LEN] != ';')
        return NULL;
    const char *pairs = value + HASH_LEN + 1;
    for (const char *pair = pairs;; pair += PAIR_LEN + 1) {
        if (!is_pair(pair))
            return NULL;
        if (pair[PAIR_LEN] == '\0')
            return pairs;
        if (pair[PAIR_LEN] != ',')
            return NULL;
    }
}

void s3_history_read(const char *value, const char *place, s3_history_fn each, void *context)
{
    const char *pair = first_pair(value, place);
    while (pair) {
        char nonce[NONCE_LEN + 1] = {0};
        char hash[S3_HISTORY_HASH_SIZE] = {0};
        memcpy(nonce, pair, NONCE_LEN);
        memcpy(hash, pair + NONCE_LEN + 1, HASH_LEN);
        each(context, nonce, hash);
        pair = pair[PAIR_LEN] == ',' ? pair + PAIR_LEN + 1 : NULL;
    }
}

struct added {
    char *value;
    unsigned pairs;
};

static void add_pair(void *context, const char *nonce, const char *etag_hash)
{
    struct added *added = context;
    size_t len = strlen(added->value);
    if (added->pairs == S3_HISTORY_PAIRS)
        return;
    snprintf(added->value + len, S3_HISTORY_SIZE - len, "%c%s:%s", added->pairs == 0 ? ';' : ',', nonce, etag_hash);
    added->pairs++;
}

void s3_history_write(const char *place, const char *nonce, const char *etag_hash, const char *base,
                      char ret[S3_HISTORY_SIZE])
{
    assert(strlen(place) == HASH_LEN && strlen(nonce) == NONCE_LEN && strlen(etag_hash) == HASH_LEN);
    struct added added = {.value = ret};
    memcpy(ret, place, S3_HISTORY_HASH_SIZE);
    add_pair(&added, nonce, etag_hash);
    s3_history_read(base, place, add_pair, &added);
}

void s3_history_shorten(char *value)
{
    value[strcspn(value, ",")] = '\0';
}
