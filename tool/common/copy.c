/* SPDX-License-Identifier: Apache-2.0 */
#include "common/copy.h"

#include <stdlib.h>
#include <string.h>

bool copy_complete_target(struct location *to, const char *name, struct usage *usage)
{
    size_t len = strlen(to->key);
    const char *last = location_last_part(name);
    char *key;
    bool good;

    if (len > 0 && to->key[len - 1] != '/')
        return true;
    if (last[0] == '\0' || strcmp(name, "-") == 0) {
        return usage_refuse(usage,
                            "The target \"%.200s\" names no object, and \"%.200s\" does not end in a name for one.",
                            to->url, name);
    }
    key = malloc(len + strlen(last) + 1);
    if (key != NULL) {
        memcpy(key, to->key, len);
        memcpy(key + len, last, strlen(last) + 1);
    }
    good = key != NULL && location_set_key(to, key);
    free(key);
    return good || usage_refuse(usage, "There is not enough memory.");
}

bool pair_parse(const struct options *options, struct object_pair *ret, struct usage *usage)
{
    struct object_pair pair = {0};
    bool good = location_parse(options->operand[0], LOCATION_OBJECT, options, &pair.from, usage) &&
                location_parse(options->operand[1], LOCATION_PREFIX, options, &pair.to, usage);

    if (good && strcmp(pair.from.store, pair.to.store) != 0) {
        good = usage_refuse(usage, "\"%.200s\" and \"%.200s\" are in different stores; %s works inside one store.",
                            pair.from.url, pair.to.url, options->command->name);
    }
    good = good && copy_complete_target(&pair.to, pair.from.key, usage);
    bool is_older = options_text(options, OPTION_SOURCE_VERSION_ID) != NULL; /* an old version, written again */
    if (good && !is_older && strcmp(pair.from.key, pair.to.key) == 0)
        good = usage_refuse(usage, "Source and target are the same object, \"%.200s\".", pair.to.url);
    if (!good) {
        pair_clear(&pair);
        return false;
    }
    *ret = pair;
    return true;
}

void pair_clear(struct object_pair *pair)
{
    location_clear(&pair->from);
    location_clear(&pair->to);
}
