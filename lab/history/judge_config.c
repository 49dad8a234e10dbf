/* SPDX-License-Identifier: Apache-2.0 */
#include "history/judge_config.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ sets */

/* The index of the first item that is not below `op`. */
static uint32_t place_of(const struct judge_set *set, uint32_t op)
{
    uint32_t low = 0;
    uint32_t high = set->count;

    if (high > 0 && set->item[high - 1] < op)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->item[middle] < op)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool judge_set_has(const struct judge_set *set, uint32_t op)
{
    uint32_t place = place_of(set, op);

    return place < set->count && set->item[place] == op;
}

bool judge_set_add(struct judge_set *set, uint32_t op)
{
    uint32_t place = place_of(set, op);

    if (set->count == set->capacity) {
        uint32_t capacity = set->capacity == 0 ? 8 : set->capacity * 2;
        uint32_t *item = realloc(set->item, capacity * sizeof(*item));
        if (item == NULL)
            return false;
        set->item = item;
        set->capacity = capacity;
    }
    memmove(set->item + place + 1, set->item + place, (set->count - place) * sizeof(*set->item));
    set->item[place] = op;
    set->count++;
    return true;
}

void judge_set_remove(struct judge_set *set, uint32_t op)
{
    uint32_t place = place_of(set, op);

    if (place < set->count && set->item[place] == op) {
        set->count--;
        memmove(set->item + place, set->item + place + 1, (set->count - place) * sizeof(*set->item));
    }
}

static bool set_copy(const struct judge_set *set, struct judge_set *ret)
{
    *ret = (struct judge_set){0};
    if (set->count == 0)
        return true;
    uint32_t capacity = set->count + 4;
    ret->item = malloc(capacity * sizeof(*ret->item));
    if (ret->item == NULL)
        return false;
    memcpy(ret->item, set->item, set->count * sizeof(*ret->item));
    ret->count = set->count;
    ret->capacity = capacity;
    return true;
}

static bool set_equal(const struct judge_set *a, const struct judge_set *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->item, b->item, a->count * sizeof(*a->item)) == 0);
}

static bool set_within(const struct judge_set *small, const struct judge_set *large)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < small->count; i++) {
        while (at < large->count && large->item[at] < small->item[i])
            at++;
        if (at == large->count || large->item[at] != small->item[i])
            return false;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- configs */

struct judge_config *judge_config_copy(const struct judge_config *config)
{
    struct judge_config *copy = malloc(sizeof(*copy));

    if (copy == NULL)
        return NULL;
    *copy = *config;
    copy->next = NULL;
    bool copied = set_copy(&config->open, &copy->open);
    if (!set_copy(&config->used, &copy->used) || !copied) {
        judge_config_free(copy);
        return NULL;
    }
    return copy;
}

void judge_config_free(struct judge_config *config)
{
    if (config != NULL) {
        free(config->open.item);
        free(config->used.item);
        free(config);
    }
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(const struct judge_config *config, bool count_versions)
{
    uint64_t hash = mix(config->value, count_versions ? config->versions + 1 : 0);

    for (uint32_t i = 0; i < config->open.count; i++)
        hash = mix(hash, config->open.item[i]);
    return hash;
}

static bool as_good(const struct judge_config *known, const struct judge_config *config, bool count_versions)
{
    return known->hash == config->hash && known->value == config->value &&
           (!count_versions || known->versions == config->versions) && set_equal(&known->open, &config->open) &&
           set_within(&known->used, &config->used);
}

enum { FEW = 16 };

static void chain(struct judge_configs *configs, struct judge_config *config)
{
    struct judge_config **head = &configs->bucket[config->hash & (configs->buckets - 1)];

    config->next = *head;
    *head = config;
}

static bool make_room(struct judge_configs *configs)
{
    if (configs->count < configs->capacity)
        return true;
    size_t capacity = configs->capacity == 0 ? FEW : configs->capacity * 2;
    struct judge_config **item = realloc(configs->item, capacity * sizeof(struct judge_config *));
    if (item == NULL)
        return false;
    configs->item = item;
    configs->capacity = capacity;
    if (capacity == FEW)
        return true;
    struct judge_config **bucket = calloc(capacity * 2, sizeof(struct judge_config *));
    if (bucket == NULL)
        return false;
    free(configs->bucket);
    configs->bucket = bucket;
    configs->buckets = capacity * 2;
    for (size_t i = 0; i < configs->count; i++)
        chain(configs, configs->item[i]);
    return true;
}

static uint64_t work_of(const struct judge_config *known, const struct judge_config *config)
{
    return known->hash == config->hash ? 16 + (uint64_t)known->open.count + config->used.count : 1;
}

static bool is_known(struct judge_configs *configs, const struct judge_config *config, bool count_versions)
{
    if (configs->bucket != NULL) {
        const struct judge_config *known = configs->bucket[config->hash & (configs->buckets - 1)];
        for (; known != NULL; known = known->next) {
            configs->work += work_of(known, config);
            if (as_good(known, config, count_versions))
                return true;
        }
        return false;
    }
    for (size_t i = 0; i < configs->count; i++) {
        configs->work += work_of(configs->item[i], config);
        if (as_good(configs->item[i], config, count_versions))
            return true;
    }
    return false;
}

enum judge_added judge_configs_add(struct judge_configs *configs, struct judge_config *config, bool count_versions)
{
    config->hash = hash_of(config, count_versions);
    if (is_known(configs, config, count_versions)) {
        judge_config_free(config);
        return JUDGE_KNOWN;
    }
    if (!make_room(configs)) {
        judge_config_free(config);
        return JUDGE_ADD_FAILED;
    }
    configs->item[configs->count++] = config;
    if (configs->bucket != NULL)
        chain(configs, config);
    configs->words += 32 + (uint64_t)config->open.count + config->used.count;
    return JUDGE_ADDED;
}

void judge_configs_clear(struct judge_configs *configs)
{
    for (size_t i = 0; i < configs->count; i++)
        judge_config_free(configs->item[i]);
    free(configs->item);
    free(configs->bucket);
    *configs = (struct judge_configs){0};
}
