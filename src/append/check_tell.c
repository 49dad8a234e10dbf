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

bool check_has_version(const struct check *check, uint64_t version)
{
    char number[TEXT_NUMBER_SIZE];
    text_number(version, number);
    return json_object_get(check->versions, number) != NULL;
}
