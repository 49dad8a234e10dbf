/* SPDX-License-Identifier: Apache-2.0 */
#include "configs.h"

#include <string.h>

size_t configs_count(void)
{
    return configs_small_count + configs_uploads_count + configs_versions_count + configs_large_count;
}

const struct config *config_at(size_t i)
{
    if (i < configs_small_count)
        return &configs_small[i];
    i -= configs_small_count;
    if (i < configs_uploads_count)
        return &configs_uploads[i];
    i -= configs_uploads_count;
    return i < configs_versions_count ? &configs_versions[i] : &configs_large[i - configs_versions_count];
}

const struct config *config_by_name(const char *name)
{
    for (size_t i = 0; i < configs_count(); i++) {
        if (strcmp(config_at(i)->name, name) == 0)
            return config_at(i);
    }
    return NULL;
}
