/* SPDX-License-Identifier: Apache-2.0 */
/* One finding, and what both parts of a check ask. */
#include "append/check.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool check_tell(struct check *check, const struct check_finding *finding, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    if (check->code != OS_OK)
        return false;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    const os_delta_finding found = {.size = sizeof(found),
                                    .kind = finding->kind,
                                    .version = finding->version == CHECK_NO_VERSION ? -1 : (int64_t)finding->version,
                                    .name = finding->name,
                                    .sentence = sentence};
    if (check->arguments->each(check->arguments->context, &found) != 0)
        check->code = error_set(&check->append->error, OS_ERR_STOPPED, "The caller's callback stopped the check.");
    return check->code == OS_OK;
}

uint64_t check_version_at(const struct check *check, size_t place)
{
    return (uint64_t)json_integer_value(json_array_get(check->versions, place));
}

size_t check_find(const struct check *check, uint64_t from)
{
    size_t low = 0;
    size_t high = json_array_size(check->versions);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (check_version_at(check, middle) < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool check_has_version(const struct check *check, uint64_t version)
{
    size_t place = check_find(check, version);
    return place < json_array_size(check->versions) && check_version_at(check, place) == version;
}
