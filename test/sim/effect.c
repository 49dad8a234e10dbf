/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/effect.h"

#include "sim/books.h"
#include "sim/network.h"

#include <stdio.h>
#include <string.h>

void effect_current(const struct world *world, const char *key, char *ret)
{
    size_t count = fake_s3_version_count(world->s3, key);
    const char *etag = count > 0 ? fake_s3_version_at(world->s3, key, count - 1).etag : NULL;
    snprintf(ret, WORLD_ETAG_SIZE, "%s", etag ? etag : "");
}

static uint64_t token_of(const struct world *world, const char *key)
{
    size_t count = fake_s3_version_count(world->s3, key);
    return count > 0 ? fake_s3_version_at(world->s3, key, count - 1).fencing : 0;
}

uint64_t effect_token(const struct world *world, uint32_t key)
{
    char name[16];
    world_key_name(key, name);
    return token_of(world, name);
}

void effect_begin(const struct world *world, const char *request, struct effect *ret)
{
    static const char before_key[] = " /" NETWORK_BUCKET "/";
    *ret = (struct effect){0};
    const char *at = strstr(request, before_key);
    size_t line = strcspn(request, "\r");
    if (at == NULL || at > request + line)
        return;
    at += strlen(before_key);
    size_t length = strcspn(at, " ?");
    if (length >= sizeof(ret->key))
        return;
    memcpy(ret->key, at, length);
    ret->versions = fake_s3_version_count(world->s3, ret->key);
    effect_current(world, ret->key, ret->etag);
    ret->token = token_of(world, ret->key);
}

static struct truth *find(struct world *world, uint64_t call, const char *key)
{
    for (size_t i = 0; i < world->truth_count; i++) {
        struct truth *truth = &world->truths[i];
        if (truth->call == call && truth->operation != HISTORY_READ && strcmp(truth->key, key) == 0)
            return truth;
    }
    return NULL;
}

void effect_end(struct world *world, uint64_t call, const struct effect *effect)
{
    if (world->books != NULL)
        books_note(world, call);
    if (effect->key[0] == '\0' || fake_s3_version_count(world->s3, effect->key) == effect->versions)
        return;
    struct truth *truth = find(world, call, effect->key);
    if (truth == NULL) {
        world_fail(world, "A write of %s took effect that no call had asked for.", effect->key);
        return;
    }
    truth->applied++;
    truth->applied_us = world->schedule.now_us;
    effect_current(world, effect->key, truth->value);
    if (strcmp(effect->etag, truth->expected) != 0)
        truth->expectation_broken = true;
    truth->token_broken = truth->token_broken || (truth->token > 0 && effect->token > truth->token);
    truth->token_missing = truth->token_missing || token_of(world, effect->key) != truth->token;
    world_trace(world, "  takes effect: %s was %s, is %s", effect->key, effect->etag[0] ? effect->etag : "absent",
                truth->value[0] ? truth->value : "absent");
}
