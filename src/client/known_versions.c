/* SPDX-License-Identifier: Apache-2.0 */
#include "client/known_versions.h"

#include "base/fnv.h"
#include "commit/words.h"
#include "s3/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct known_version *set_of(const struct known_versions *known, const char *key)
{
    return known->sets[fnv_of(key) % KNOWN_VERSIONS_SETS];
}

static struct known_version *find(const struct known_versions *known, const char *key)
{
    if (known->sets == NULL)
        return NULL;
    struct known_version *set = set_of(known, key);
    for (size_t i = 0; i < KNOWN_VERSIONS_WAYS; i++)
        if (set[i].key != NULL && strcmp(set[i].key, key) == 0)
            return &set[i];
    return NULL;
}

static struct known_version *find_version(const struct known_versions *known, const char *key, const char *etag)
{
    struct known_version *version = find(known, key);
    return version && strcmp(version->etag, etag) == 0 ? version : NULL;
}

static void known_version_free(struct known_version *version)
{
    free(version->key);
    free(version->history);
    version->key = NULL;
    version->history = NULL;
}

/* In the place of the one that was not used for longest. */
static struct known_version *add(struct known_versions *known, const char *key)
{
    if (known->sets == NULL)
        known->sets = calloc(KNOWN_VERSIONS_SETS, sizeof(*known->sets));
    char *own_key = known->sets ? strdup(key) : NULL;
    if (own_key == NULL)
        return NULL;
    struct known_version *set = set_of(known, key);
    struct known_version *oldest = set;
    for (size_t i = 1; i < KNOWN_VERSIONS_WAYS; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    known_version_free(oldest);
    oldest->key = own_key;
    return oldest;
}

void known_versions_note(struct known_versions *known, const char *key, const char *etag, const char *nonce)
{
    assert(key[0] != '\0');
    if (etag[0] == '\0' || strlen(etag) >= VERSION_ETAG_SIZE || strlen(nonce) >= RECORD_NONCE_SIZE)
        return;
    struct known_version *version = find(known, key);
    if (version == NULL)
        version = add(known, key);
    if (version == NULL)
        return;
    version->used = ++known->uses;
    if (strcmp(version->etag, etag) != 0 || strcmp(version->nonce, nonce) != 0) {
        free(version->history);
        version->history = NULL;
    }
    fixed_str_copy(version->etag, etag, sizeof(version->etag));
    fixed_str_copy(version->nonce, nonce, sizeof(version->nonce));
}

const char *known_versions_nonce(struct known_versions *known, const char *key, const char *etag)
{
    struct known_version *version = find_version(known, key, etag);
    if (version == NULL)
        return NULL;
    version->used = ++known->uses;
    return version->nonce;
}

void known_versions_note_history(struct known_versions *known, const char *key, const char *etag, const char *history)
{
    struct known_version *version = find_version(known, key, etag);
    if (version == NULL)
        return;
    free(version->history);
    bool fits = history && strnlen(history, S3_HISTORY_SIZE) < S3_HISTORY_SIZE;
    version->history = fits ? strdup(history) : NULL; /* without memory less is known */
}

const char *known_versions_history(const struct known_versions *known, const char *key, const char *etag)
{
    const struct known_version *version = find_version(known, key, etag);
    return version ? version->history : NULL;
}

void known_versions_free(struct known_versions *known)
{
    for (size_t i = 0; known->sets != NULL && i < KNOWN_VERSIONS_SETS; i++)
        for (size_t way = 0; way < KNOWN_VERSIONS_WAYS; way++)
            known_version_free(&known->sets[i][way]);
    free(known->sets);
    known->sets = NULL;
}
