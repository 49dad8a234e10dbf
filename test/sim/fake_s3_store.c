/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake S3 holds: every version of every key, in the order of the keys' bytes. */
#include "sim/fake_s3_internal.h"

#include <stdlib.h>
#include <string.h>

size_t fake_store_position(const struct fake_s3 *s3, const char *key)
{
    size_t low = 0;
    size_t high = s3->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s3->keys[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct fake_key *fake_store_find(const struct fake_s3 *s3, const char *key)
{
    size_t at = fake_store_position(s3, key);
    return at < s3->key_count && strcmp(s3->keys[at].key, key) == 0 ? &s3->keys[at] : NULL;
}

const struct fake_object *fake_store_current(const struct fake_s3 *s3, const char *key)
{
    const struct fake_key *found = fake_store_find(s3, key);
    const struct fake_object *last = found != NULL && found->count > 0 ? &found->versions[found->count - 1] : NULL;
    return last != NULL && last->etag[0] != '\0' ? last : NULL;
}

const struct fake_object *fake_store_version(const struct fake_s3 *s3, const char *key, uint64_t serial)
{
    const struct fake_key *found = fake_store_find(s3, key);
    for (size_t i = 0; found != NULL && i < found->count; i++)
        if (found->versions[i].serial == serial && found->versions[i].etag[0] != '\0')
            return &found->versions[i];
    return NULL;
}

void fake_object_free(const struct fake_object *object)
{
    free(object->nonce);
    free(object->tags);
    free(object->head);
    free(object->body);
}

static struct fake_key *insert(struct fake_s3 *s3, const char *key)
{
    size_t at = fake_store_position(s3, key);
    if (s3->key_count == s3->key_cap) {
        size_t cap = s3->key_cap > 0 ? 2 * s3->key_cap : 16;
        struct fake_key *grown = realloc(s3->keys, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        s3->keys = grown;
        s3->key_cap = cap;
    }
    char *copy = strdup(key);
    if (copy == NULL)
        return NULL;
    memmove(&s3->keys[at + 1], &s3->keys[at], (s3->key_count - at) * sizeof(s3->keys[0]));
    s3->keys[at] = (struct fake_key){.key = copy};
    s3->key_count++;
    return &s3->keys[at];
}

static bool append(struct fake_key *key, const struct fake_object *object)
{
    if (key->count == key->cap) {
        size_t cap = key->cap > 0 ? 2 * key->cap : 4;
        struct fake_object *grown = realloc(key->versions, cap * sizeof(*grown));
        if (grown == NULL)
            return false;
        key->versions = grown;
        key->cap = cap;
    }
    key->versions[key->count++] = *object;
    return true;
}

bool fake_store_add(struct fake_s3 *s3, const char *key, const struct fake_object *object)
{
    struct fake_key *found = fake_store_find(s3, key);
    if (found == NULL)
        found = insert(s3, key);
    if (found == NULL || !append(found, object)) {
        fake_object_free(object);
        return false;
    }
    struct fake_object *added = &found->versions[found->count - 1];
    added->serial = ++s3->serial;
    added->applied_ms = s3->applied_ms;
    return true;
}

void fake_store_free(struct fake_s3 *s3)
{
    for (size_t i = 0; i < s3->key_count; i++) {
        for (size_t j = 0; j < s3->keys[i].count; j++)
            fake_object_free(&s3->keys[i].versions[j]);
        free(s3->keys[i].versions);
        free(s3->keys[i].key);
    }
    free(s3->keys);
}

/* ----------------------------------------------------------------------------------------------------- the oracle */

static uint64_t fencing_of(const struct fake_object *object)
{
    static const char line[] = "x-amz-meta-oscommit-fencing: ";
    const char *found = object->head != NULL ? strcasestr(object->head, line) : NULL;
    return found != NULL ? strtoull(found + strlen(line), NULL, 10) : 0;
}

size_t fake_s3_version_count(const struct fake_s3 *s3, const char *key)
{
    const struct fake_key *found = fake_store_find(s3, key);
    return found != NULL ? found->count : 0;
}

struct fake_s3_version fake_s3_version_at(const struct fake_s3 *s3, const char *key, size_t index)
{
    const struct fake_key *found = fake_store_find(s3, key);
    if (found == NULL || index >= found->count)
        return (struct fake_s3_version){.etag = NULL, .nonce = ""};
    const struct fake_object *object = &found->versions[index];
    return (struct fake_s3_version){.etag = object->etag[0] != '\0' ? object->etag : NULL,
                                    .nonce = object->nonce != NULL ? object->nonce : "",
                                    .fencing = fencing_of(object),
                                    .applied_ms = object->applied_ms,
                                    .serial = object->serial,
                                    .body = object->body,
                                    .body_len = object->body_len};
}

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t digest, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ bytes[i]) * 0x100000001b3u;
    return (digest ^ len) * 0x100000001b3u;
}

static uint64_t mix_object(uint64_t digest, const struct fake_object *object)
{
    digest = mix(digest, object->etag, strlen(object->etag));
    digest = mix(digest, object->head != NULL ? object->head : "", object->head_len);
    digest = mix(digest, object->tags != NULL ? object->tags : "", object->tags != NULL ? strlen(object->tags) : 0);
    digest = mix(digest, object->body != NULL ? object->body : "", object->body_len);
    digest = mix(digest, &object->applied_ms, sizeof(object->applied_ms));
    return mix(digest, &object->serial, sizeof(object->serial));
}

static uint64_t mix_upload(uint64_t digest, const struct fake_upload *upload)
{
    digest = mix(digest, upload->key, strlen(upload->key));
    digest = mix(digest, upload->head, upload->head_len);
    digest = mix(digest, &upload->state, sizeof(upload->state));
    for (size_t i = 0; i < upload->part_count; i++)
        digest = mix(digest, upload->parts[i].digest, sizeof(upload->parts[i].digest));
    return mix(digest, &upload->serial, sizeof(upload->serial));
}

uint64_t fake_s3_digest(const struct fake_s3 *s3)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s3->key_count; i++) {
        digest = mix(digest, s3->keys[i].key, strlen(s3->keys[i].key));
        for (size_t j = 0; j < s3->keys[i].count; j++)
            digest = mix_object(digest, &s3->keys[i].versions[j]);
    }
    for (size_t i = 0; i < s3->upload_count; i++)
        digest = mix_upload(digest, &s3->uploads[i]);
    return digest;
}
