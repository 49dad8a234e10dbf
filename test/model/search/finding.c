/* SPDX-License-Identifier: Apache-2.0 */
#include "finding.h"

#include "model.h"

#include <stdarg.h>

const struct config *config;
struct finding finding;

void violated(const char *name, const char *format, ...)
{
    va_list args;
    if (finding.name || !violation_counts(name))
        return;
    finding.name = name;
    va_start(args, format);
    vsnprintf(finding.text, sizeof(finding.text), format, args);
    va_end(args);
}
