/* SPDX-License-Identifier: Apache-2.0 */
/* Files by a name relative to a folder. No symbolic link is followed on the way, so that no name leads out of it. */
#ifndef OSCOMMIT_TOOL_BENEATH_H
#define OSCOMMIT_TOOL_BENEATH_H

#include <stdbool.h>

/* May the text be the name of a file beneath a folder? NULL: yes; else why not, as an end of "The name ". */
const char *beneath_refuse(const char *name);

/* The folder that the last part of `name` is in, opened; folders that are missing are made if `make` is set. -1: errno.
 * *ret_last is the last part, borrowed. */
int beneath_folder(int folder, const char *name, bool make, const char **ret_last);

/* The regular file `name`, opened for reading. -1: errno; EINVAL: it is something else. */
int beneath_open(int folder, const char *name);

#endif
