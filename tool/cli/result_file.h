/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that a command writes its result to. It is opened before the work begins, so that hours of work do not end at
 * a folder that cannot be written; and it takes its name only when it is whole.
 */
#ifndef OSCOMMIT_TOOL_RESULT_FILE_H
#define OSCOMMIT_TOOL_RESULT_FILE_H

#include "oscommit.h"

#include <stdbool.h>
#include <stdio.h>

struct result_file {
    FILE *stream;    /* to write to; NULL: not open */
    char *name;      /* what it is for */
    char *temporary; /* beside it; NULL: the name is a pipe or a device, and is written to directly */
};

/* False: *err says why. */
bool result_file_open(const char *name, struct result_file *ret, os_error *err);

/* With `good` the file gets its name; else what was written is thrown away. False: that failed, or the stream had an
 * error; *err says why. A file that is not open is closed already. */
bool result_file_close(struct result_file *file, bool good, os_error *err);

#endif
