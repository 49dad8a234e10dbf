/* SPDX-License-Identifier: Apache-2.0 */
#include "common/range.h"

#include <errno.h>
#include <stdlib.h>

/* strtoull takes signs and blanks, so a digit must stand first. */
static bool take_number(const char **cursor, uint64_t *ret)
{
    char *end;
    unsigned long long value;

    if (**cursor < '0' || **cursor > '9')
        return false;
    errno = 0;
    value = strtoull(*cursor, &end, 10);
    if (errno != 0)
        return false;
    *cursor = end;
    *ret = value;
    return true;
}

bool range_parse(const char *text, uint64_t *ret_offset, uint64_t *ret_count, struct usage *usage)
{
    const char *cursor = text;
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    bool good = take_number(&cursor, &first) && *cursor++ == '-';
    bool open = good && *cursor == '\0';

    if (good && !open)
        good = take_number(&cursor, &last) && *cursor == '\0' && last >= first && last - first < UINT64_MAX;
    if (!good)
        return usage_refuse(usage, "--range must be FIRST-LAST or FIRST-, counted from 0, not \"%.64s\".", text);
    *ret_offset = first;
    *ret_count = open ? 0 : last - first + 1;
    return true;
}
