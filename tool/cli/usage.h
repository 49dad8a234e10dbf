/* SPDX-License-Identifier: Apache-2.0 */
/* What was wrong with a command line or a setting, as one sentence. The first sentence stays. */
#ifndef OSCOMMIT_TOOL_USAGE_H
#define OSCOMMIT_TOOL_USAGE_H

#include <stdbool.h>

struct usage {
    char message[1024]; /* empty: nothing wrong so far */
    bool is_denied;     /* a file that was named may not be read, or not be written */
};

/* Always false, so that a check can end in `return usage_refuse(...)`. */
bool usage_refuse(struct usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, for what the system says of a file: behind the sentence, which ends without a stop. */
bool usage_refuse_file(struct usage *usage, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
