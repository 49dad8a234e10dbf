/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"

#include <stdarg.h>
#include <stdio.h>

bool usage_refuse(struct usage *usage, const char *format, ...)
{
    va_list args;

    if (usage->message[0] != '\0')
        return false;
    va_start(args, format);
    (void)vsnprintf(usage->message, sizeof(usage->message), format, args);
    va_end(args);
    return false;
}
