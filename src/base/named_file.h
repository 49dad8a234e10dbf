/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that somebody else has named: by a setting, a variable or an argument. Opening and reading one never waits for
 * anybody, as a FIFO, a terminal or some files of the kernel would make one do.
 */
#ifndef OSCOMMIT_BASE_NAMED_FILE_H
#define OSCOMMIT_BASE_NAMED_FILE_H

#include <stddef.h>

/* Opens a regular file, or /dev/null, which many give for "none", for reading. The descriptor, or -1; *ret_why is then
 * a clause for a sentence ("No such file or directory", "it is a FIFO ..."), and errno is 0 where that is not the
 * system's word. */
int named_file_open(const char *path, const char **ret_why);

/* Reads such a file, of up to `max` bytes, into a block that the caller frees, with a NUL behind its *ret_len bytes. NULL:
 * it cannot be read, or not be used; *ret_why and errno as above, or ENOMEM. */
char *named_file_read(const char *path, size_t max, size_t *ret_len, const char **ret_why);

#endif
