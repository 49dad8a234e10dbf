/* SPDX-License-Identifier: Apache-2.0 */
#include "configs.h"

#include "model.h"

static const struct {
    const struct config *list;
    const size_t *count;
} groups[] = {
    {configs_small, &configs_small_count},     {configs_links, &configs_links_count},
    {configs_uploads, &configs_uploads_count}, {configs_versions, &configs_versions_count},
    {configs_spent, &configs_spent_count},     {configs_forward, &configs_forward_count},
    {configs_mixed, &configs_mixed_count},     {configs_large, &configs_large_count},
};

size_t configs_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        count += *groups[i].count;
    return count;
}

const struct config *config_at(size_t i)
{
    size_t group = 0;
    while (i >= *groups[group].count)
        i -= *groups[group++].count;
    return &groups[group].list[i];
}
