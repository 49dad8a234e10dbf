/* SPDX-License-Identifier: Apache-2.0 */
/* What was wrong with a command line or a setting, as one sentence. The first sentence stays. */
#ifndef OSCOMMIT_TOOL_USAGE_H
#define OSCOMMIT_TOOL_USAGE_H

#include <stdbool.h>

struct usage {
    char message[1024]; /* empty: nothing wrong so far */
};

/* Always false, so that a check can end in `return usage_refuse(...)`. */
bool usage_refuse(struct usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
