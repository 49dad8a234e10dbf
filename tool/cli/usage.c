/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"

#include "cli/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool usage_refuse_file(struct usage *usage, int number, const char *format, ...)
{
    char sentence[sizeof(usage->message) - 128];
    va_list args;

    if (usage->message[0] != '\0')
        return false;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    usage->is_denied = code_of_errno(number) == OS_ERR_DENIED;
    return usage_refuse(usage, "%s: %s.", sentence, strerror(number));
}
